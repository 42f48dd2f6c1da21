import type { Subschema } from 'fastify-contract/schema'
import type { SchemaSource } from '../suite/draw/flat-schema.ts'
import { isNumber, isObject, replaced, valueAt } from '../suite/ground/members.ts'
import { isReply } from './conform.ts'

const pageWords = 'page|link|url|uri|href|cursor|token|marker|offset|key'
/** The names of members that lead to the next page of a list, or say that there is one. */
const next = new RegExp(
  `^(?:@odata\\.)?(?:next|continue|continuation)(?:_?(?:${pageWords}))*$|^(?:has_?)?(?:more|next)(?:_?pages?)?$`,
  'i',
)

/**
 * Makes a list the last page, so that a client that follows its pages comes to an end. What is within the items of a list
 * stays as it is, and so does what the schema requires.
 */
export function lastPage(value: unknown, schema: Subschema, source: SchemaSource): unknown {
  return placesIn(value, next).reduce((page, place) => {
    const found = ends.map((end) => replaced(page, place, end)).find((each) => isReply(each, schema, source))
    return found ?? page
  }, value)
}

/** What stands in place of the next page: nothing, where the schema allows it. */
const ends = [undefined, null, false, '']

/** The names of members that count all things of a list, and of those that count what comes before a page. */
const totals = /^(?:total|count|(?:total|item|result|record)s?_?(?:count|items|results|records))$/i
const earlier = /^(?:offset|skip)$/i

/** Lets a list that is whole say so, in what it counts. */
export function counted(value: unknown, length: number, schema: Subschema, source: SchemaSource): unknown {
  const counts = placesIn(value, totals).map((place) => ({ place, count: length }))
  const offsets = placesIn(value, earlier).map((place) => ({ place, count: 0 }))
  return [...counts, ...offsets].reduce((page, { place, count }) => {
    const right = replaced(page, place, count)
    return isNumber(valueAt(page, place)) && isReply(right, schema, source) ? right : page
  }, value)
}

/** The paths of the members with such names. */
function placesIn(value: unknown, names: RegExp): string[][] {
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, member]) =>
    names.test(name) ? [[name]] : placesIn(member, names).map((place) => [name, ...place]),
  )
}
