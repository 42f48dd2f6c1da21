import { stringifyJson } from 'fastify-contract/json'
import type { NamedSchemas, Schema, Subschema } from 'fastify-contract/schema'
import {
  isMarked,
  isSchema,
  propertiesOf,
  schemaNameOf,
  withSubschemas,
  withoutAnnotations,
} from 'fastify-contract/schema'
import type { Members } from '../ground/members.ts'
import { exactKeywords, formatless } from './exact-dialect.ts'

/**
 * Copies a schema and what it refers to for a reader that knows nothing of OpenAPI: without annotations, and as it is for
 * responses, which have no property that is `writeOnly`.
 *
 * @param schemas the named schemas of the contract
 */
export function plainSchema(schema: Schema, schemas: NamedSchemas): object {
  const indices = { rules: new Map<Subschema, number>(), tests: new Map<Subschema, number>() }
  const definitions: unknown[] = []

  function indexOf(target: Subschema, isTest: boolean): number {
    const placed = isTest ? indices.tests : indices.rules
    const index = placed.get(target) ?? definitions.length
    if (placed.has(target)) return index
    placed.set(target, index)
    definitions.push(undefined)
    definitions[index] = copy(target, new Set(), isTest)
    return index
  }

  const isHidden = (property: Subschema) => isMarked(property, schemas, 'writeOnly')

  /**
   * @param hidden the names of properties that schemas around it, for the same value, declare as `writeOnly`
   * @param isTest whether what is not of it may be valid: in a test, an integer without a format has any size
   */
  function copy(from: Subschema, hidden: ReadonlySet<string>, isTest: boolean): unknown {
    if (!isSchema(from)) return from
    const own = [...propertiesOf(from, schemas)].flatMap(([name, property]) => (isHidden(property) ? [name] : []))
    const names = hidden.union(new Set(own))
    const copied: Members = {
      ...withSubschemas(withoutAnnotations(from), (inner, applies, keyword) =>
        keyword === 'properties' && isHidden(inner)
          ? false
          : copy(
              inner,
              applies === 'to the value' ? names : new Set(),
              isTest || keyword === 'not' || keyword === 'if',
            ),
      ),
    }
    const { $ref: reference, required, type, format } = from
    const name = schemaNameOf(reference)
    if (name !== undefined) copied['$ref'] = `#/$defs/${String(indexOf(schemas[name] ?? true, isTest))}`
    if (required !== undefined) copied['required'] = required.filter((name) => !names.has(name))
    if (!isTest && format === undefined && [type].flat().includes('integer')) copied['format'] = formatless
    for (const keyword of exactKeywords) if (keyword in copied) copied[keyword] = stringifyJson(copied[keyword])
    return copied
  }

  const root = indexOf(schema, false)
  return { $defs: definitions, $ref: `#/$defs/${String(root)}` }
}
