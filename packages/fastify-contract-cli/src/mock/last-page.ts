import type { Schema } from 'fastify-contract/schema'
import type { SchemaSource } from '../suite/draw/flat-schema.ts'
import { isObject, replaced } from '../suite/ground/members.ts'
import { isReply } from './conform.ts'

const pageWords = 'page|link|url|uri|href|cursor|token|marker|offset|key'
/** The names of members that lead to the next page of a list, or say that there is one. */
const next = new RegExp(`^(?:@odata\\.)?next(?:_?(?:${pageWords}))*$|^has_?(?:more|next)(?:_?pages?)?$`, 'i')

/**
 * Makes a list the last page, so that a client that follows its pages comes to an end. What is within the items of a list
 * stays as it is, and so does what the schema requires.
 */
export function lastPage(value: unknown, schema: Schema, source: SchemaSource): unknown {
  return placesIn(value).reduce((page, place) => {
    const found = ends.map((end) => replaced(page, place, end)).find((each) => isReply(each, schema, source))
    return found ?? page
  }, value)
}

/** What stands in place of the next page: nothing, where the schema allows it. */
const ends = [undefined, null, false, '']

/** The paths of the members that lead on. */
function placesIn(value: unknown): string[][] {
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, member]) =>
    next.test(name) ? [[name]] : placesIn(member).map((place) => [name, ...place]),
  )
}
