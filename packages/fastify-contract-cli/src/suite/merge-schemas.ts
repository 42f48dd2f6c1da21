import type { Schema } from 'fastify-contract/schema'
import { canonical } from './exact-json.ts'
import type { FlatSchema } from './flat-schema.ts'

/** Merges two schemas that both hold. */
export function merged(a: FlatSchema, b: FlatSchema): FlatSchema {
  const assertions: Record<string, unknown> = { ...a.assertions, ...b.assertions }
  const also = [...a.also, ...b.also]
  for (const [keyword, first] of Object.entries(a.assertions)) {
    const second = (b.assertions as Record<string, unknown>)[keyword]
    if (second === undefined || canonical(first) === canonical(second)) continue
    const both = bothOf[keyword]?.(first, second)
    assertions[keyword] = both ?? first
    if (both === undefined) also.push({ [keyword]: second })
  }
  const names = Object.keys(a.properties).filter((name) => Object.hasOwn(b.properties, name))
  const common = names.map((name) => [name, bothSchemas(a.properties[name], b.properties[name])])
  return {
    ...a,
    assertions,
    also,
    properties: { ...a.properties, ...b.properties, ...(Object.fromEntries(common) as Record<string, Schema>) },
    required: [...new Set([...a.required, ...b.required])],
    examples: [...a.examples, ...b.examples],
    isReadOnly: a.isReadOnly || b.isReadOnly,
    isWriteOnly: a.isWriteOnly || b.isWriteOnly,
    targets: [...a.targets, ...b.targets],
  }
}

type Both = (a: unknown, b: unknown) => unknown

// The values of these keywords are numbers.
const larger: Both = (a, b) => ((a as number) > (b as number) ? a : b)
const smaller: Both = (a, b) => ((a as number) < (b as number) ? a : b)
const common: Both = (a, b) => {
  const second = new Set([b].flat().map(canonical))
  return [a].flat().filter((value) => second.has(canonical(value)))
}
const bothSchemas: Both = (a, b) => (a === b ? a : { allOf: [a, b] })
const bothTypes: Both = (a, b) => {
  const [first = [], second = []] = [a, b].map((types) => [types].flat())
  const isWithin = (type: unknown, types: unknown[]) =>
    types.includes(type) || (type === 'integer' && types.includes('number'))
  const kept = [...first.filter((type) => isWithin(type, second)), ...second.filter((type) => isWithin(type, first))]
  return [...new Set(kept)]
}

const each = (keywords: string, both: Both) => keywords.split(' ').map((keyword) => [keyword, both] as const)

/** What two values of a keyword mean together. */
const bothOf: Record<string, Both | undefined> = Object.fromEntries([
  ['type', bothTypes],
  ['enum', common],
  ['items', bothSchemas],
  ['uniqueItems', (a, b) => a === true || b === true],
  ['additionalProperties', (a, b) => (a === false || b === false ? false : bothSchemas(a, b))],
  ...each('minimum exclusiveMinimum minLength minItems minProperties', larger),
  ...each('maximum exclusiveMaximum maxLength maxItems maxProperties', smaller),
] satisfies (readonly [string, Both])[])
