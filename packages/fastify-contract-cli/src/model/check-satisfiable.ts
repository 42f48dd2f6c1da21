import type { ContractDocument } from 'fastify-contract/document'
import { type Schema, inPlace, isSchema, requiredBy, typesOf } from 'fastify-contract/schema'
import type { Finding } from './findings.ts'
import type { ContractObject } from './table/keyword.ts'

/**
 * Finds schemas of objects that nothing satisfies: one part of `allOf` requires a property that another part excludes by
 * `additionalProperties: false`.
 *
 * @param objects those of an adopted contract with a checked structure and checked references
 */
export function checkSatisfiable(objects: readonly ContractObject[], { components }: ContractDocument): Finding[] {
  const schemas = components?.schemas ?? {}
  return objects.flatMap(({ object, kind }) => {
    const parts = kind === 'schema' ? inPlace(object, schemas, 'always') : []
    const closed = parts.filter((part) => part['additionalProperties'] === false)
    if (closed.length === 0 || !typesOf(object, schemas).isSubsetOf(new Set(['object']))) return []
    return closed.flatMap((part) => parts.flatMap((other) => excludedBy(part, other)))
  })
}

function excludedBy(closed: Schema, part: Schema): Finding[] {
  const { properties } = closed
  const excluded = requiredBy(part).find((name) => !isSchema(properties) || !Object.hasOwn(properties, name))
  if (excluded === undefined) return []
  const text = `required: another branch forbids ${excluded} (additionalProperties: false), so nothing can be valid; use unevaluatedProperties: false beside allOf`
  return [{ at: { object: part, key: 'required' }, beside: { object: closed, key: 'additionalProperties' }, text }]
}
