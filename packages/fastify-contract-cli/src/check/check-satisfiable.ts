import type { ContractDocument } from 'fastify-contract/document'
import { type Schema, inPlace, isSchema, typesOf } from 'fastify-contract/schema'
import { objectsOf } from '../keywords/objects.ts'
import type { Finding } from './findings.ts'

/**
 * Finds schemas of objects that nothing satisfies: one part of `allOf` requires a property that another part excludes by
 * `additionalProperties: false`.
 *
 * @param document an adopted contract with a checked structure and checked references
 */
export function checkSatisfiable(document: ContractDocument): Finding[] {
  const schemas = document.components?.schemas ?? {}
  return objectsOf(document).flatMap(({ object, kind }) => {
    const parts = kind === 'schema' ? inPlace(object, schemas, 'always') : []
    const closed = parts.filter((part) => part['additionalProperties'] === false)
    if (closed.length === 0 || !typesOf(object, schemas).isSubsetOf(new Set(['object']))) return []
    return closed.flatMap((part) => parts.flatMap((other) => excludedBy(part, other)))
  })
}

function excludedBy(closed: Schema, part: Schema): Finding[] {
  const { properties } = closed
  const names = (part['required'] as string[] | undefined) ?? []
  const excluded = names.find((name) => !isSchema(properties) || !Object.hasOwn(properties, name))
  if (excluded === undefined) return []
  const text = `required: additionalProperties: false of another part excludes ${excluded}, so that no object is valid; use unevaluatedProperties: false beside allOf`
  return [{ at: { object: part, key: 'required' }, beside: { object: closed, key: 'additionalProperties' }, text }]
}
