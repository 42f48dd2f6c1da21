import type { ContractDocument } from '../../../../src/contract/document.ts'
import { schemaNameOf } from '../../../../src/schema/schema-parts.ts'

/**
 * Finds the named schemas that contain themselves without an object in between, such as an array of itself. TypeScript
 * resolves the properties of an object type when they are asked for, and everything else at once.
 *
 * @returns their names
 */
export function selfContainedSchemas({ components }: ContractDocument): Set<string> {
  const schemas = components?.schemas ?? {}
  const contained = new Map(Object.entries(schemas).map(([name, schema]) => [name, namesIn(schema)]))
  const reaches = (from: string, to: string, met: Set<string>): boolean =>
    (contained.get(from) ?? []).some((name) => {
      if (name === to) return true
      if (met.has(name)) return false
      return reaches(name, to, met.add(name))
    })
  return new Set([...contained.keys()].filter((name) => reaches(name, name, new Set())))
}

function namesIn(schema: unknown): string[] {
  if (Array.isArray(schema)) return schema.flatMap(namesIn)
  if (typeof schema !== 'object' || schema === null) return []
  const { $ref, items, prefixItems, allOf, anyOf, oneOf } = schema as Record<string, unknown>
  const name = schemaNameOf($ref)
  return [...(name === undefined ? [] : [name]), ...[items, prefixItems, allOf, anyOf, oneOf].flatMap(namesIn)]
}
