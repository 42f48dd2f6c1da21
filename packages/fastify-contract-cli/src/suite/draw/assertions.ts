import type { JsonType, KeywordName, Schema, Subschema } from 'fastify-contract/schema'
import { groups, isKeyword } from 'fastify-contract/schema'
import { canonical } from '../ground/exact-json.ts'

/**
 * Merges what two schemas assert, which have no parts.
 *
 * @returns the assertions, and those that are not in them, because another part has the same keyword
 */
export function bothOf(a: Schema, b: Schema): { assertions: Schema; also: Schema[] } {
  const apart = groups.filter(([first]) => first in a && first in b).map((group): readonly string[] => group)
  const rest = only(b, (keyword) => !apart.flat().includes(keyword))
  const clashing = Object.keys(rest)
    .filter(isKeyword)
    .filter((name) => name in a && canonical(a[name]) !== canonical(rest[name]))
  const combined = clashing.map((name) => [name, combine(name, a, rest)] as const)
  const others = combined.filter(([, value]) => value === undefined).map(([name]) => ({ [name]: rest[name] }))
  return {
    assertions: { ...rest, ...a, ...Object.fromEntries(combined.filter(([, value]) => value !== undefined)) },
    also: [...apart.map((group) => only(b, (keyword) => group.includes(keyword))), ...others],
  }
}

function only(schema: Schema, isKept: (keyword: string) => boolean): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => isKept(keyword)))
}

function combine<Name extends KeywordName>(name: Name, a: Schema, b: Schema): Schema[Name] | undefined {
  const [first, second] = [a[name] ?? undefined, b[name] ?? undefined]
  return first === undefined || second === undefined ? undefined : combinations[name]?.(first, second)
}

type Combine<Value> = (a: NonNullable<Value>, b: NonNullable<Value>) => Value

/** What two values of a keyword mean together, where one value says it. */
const combinations: { readonly [Name in KeywordName]?: Combine<Schema[Name]> } = {
  type: bothTypes,
  enum: (a, b) => {
    const others = new Set(b.map(canonical))
    return a.filter((value) => others.has(canonical(value)))
  },
  items: bothSchemas,
  uniqueItems: (a, b) => a || b,
  additionalProperties: (a, b) => a !== false && b !== false && bothSchemas(a, b),
  minimum: larger,
  exclusiveMinimum: larger,
  minLength: larger,
  minItems: larger,
  minProperties: larger,
  maximum: smaller,
  exclusiveMaximum: smaller,
  maxLength: smaller,
  maxItems: smaller,
  maxProperties: smaller,
}

function larger<Bound extends number | bigint>(a: Bound, b: Bound): Bound {
  return a > b ? a : b
}

function smaller<Bound extends number | bigint>(a: Bound, b: Bound): Bound {
  return a < b ? a : b
}

/** The schema of values that two allow. */
export function bothSchemas(a: Subschema, b: Subschema): Subschema {
  return a === b ? a : { allOf: [a, b] }
}

type Types = JsonType | readonly JsonType[]

function bothTypes(a: Types, b: Types): JsonType[] {
  const [first, second] = [[a].flat(), [b].flat()]
  const isWithin = (type: JsonType, types: readonly JsonType[]) =>
    types.includes(type) || (type === 'integer' && types.includes('number'))
  const kept = [...first.filter((type) => isWithin(type, second)), ...second.filter((type) => isWithin(type, first))]
  return [...new Set(kept)]
}
