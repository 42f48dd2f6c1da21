import type { ContractDocument } from '../../document/document.ts'
import { type Schema, subschemasOf, targetOf } from '../../schema/schema-parts.ts'
import { objectsOf } from '../keywords/objects.ts'
import type { Finding } from './findings.ts'

/** A validator takes some milliseconds for so many. */
const maxApplied = 100_000
/** How many may lead on, each to the next: what compiles them does so by recursion. */
const maxDepth = 1_000

/**
 * Finds the schemas that apply themselves to one value, or all too many others: where each of thirty refers to the next
 * one twice, a billion apply, and neither an example nor a request is ever validated.
 *
 * @param document a bundled contract of the right structure
 */
export function checkAppliedSchemas(document: ContractDocument): Finding[] {
  const named = document.components?.schemas ?? {}
  const schemas = objectsOf(document).flatMap(({ object, kind }) => (kind === 'schema' ? [object] : []))
  const appliedBy = (schema: Schema): Schema[] => {
    const inside = subschemasOf(schema).filter(({ applies }) => applies === 'to the value')
    return [targetOf(schema, named) ?? [], ...inside.map((part) => part.schema)].flat()
  }
  const { sizes, endless } = measure(schemas, appliedBy)
  const isTooMany = (schema: Schema) => {
    const { count = 0, depth = 0 } = sizes.get(schema) ?? {}
    return count > maxApplied || depth > maxDepth
  }
  // Those that apply it have as many because of it.
  const tooMany = schemas.filter((schema) => isTooMany(schema) && !appliedBy(schema).some(isTooMany))
  const text = `more than ${String(maxApplied)} schemas, or ${String(maxDepth)} in one another, apply to one value`
  return [
    ...[...endless].map((object) => ({
      at: { object },
      text: 'the schema refers to itself for the same value; refer to it from a part',
    })),
    ...tooMany.map((object) => ({ at: { object }, text: `${text}; refer to each of them once` })),
  ]
}

interface Size {
  count: number
  depth: number
}

/** Counts what each schema applies to its value, and finds those that apply themselves. */
function measure(schemas: Schema[], appliedBy: (schema: Schema) => Schema[]) {
  const sizes = new Map<Schema, Size>()
  const endless = new Set<Schema>()
  const open = new Set<Schema>()
  // Without recursion, because as many may lead on as the contract has.
  const pending = schemas.toReversed()
  for (let next = pending.at(-1); next !== undefined; next = pending.at(-1)) {
    const applied = appliedBy(next)
    const unknown = open.has(next) || sizes.has(next) ? [] : applied.filter((each) => !sizes.has(each))
    open.add(next)
    for (const each of unknown) if (open.has(each)) endless.add(each)
    const further = unknown.filter((each) => !open.has(each))
    pending.push(...further)
    if (further.length > 0) continue
    const known = applied.flatMap((each) => sizes.get(each) ?? [])
    sizes.set(next, {
      count: 1 + known.reduce((sum, { count }) => sum + count, 0),
      depth: 1 + known.reduce((most, { depth }) => Math.max(most, depth), 0),
    })
    open.delete(next)
    pending.pop()
  }
  return { sizes, endless }
}
