import type { ContractDocument } from '../../document/document.ts'
import { type NamedSchemas, type Schema, subschemasOf, targetOf } from '../../schema/schema-parts.ts'
import { objectsOf } from '../keywords/objects.ts'
import type { Finding } from './findings.ts'

/** A validator takes some milliseconds for so many. */
const maxApplied = 100_000

/**
 * Finds the schemas that apply themselves to one value, or all too many others: where each of thirty refers to the next
 * one twice, a billion apply, and neither an example nor a request is ever validated.
 *
 * @param document a bundled contract of the right structure
 */
export function checkAppliedSchemas(document: ContractDocument): Finding[] {
  const named = document.components?.schemas ?? {}
  const schemas = objectsOf(document).flatMap(({ object, kind }) => (kind === 'schema' ? [object] : []))
  const applied = (schema: Schema) => appliedIn(schema, named)
  const { counts, endless } = countApplied(schemas, applied)
  const isTooMany = (schema: Schema) => (counts.get(schema) ?? 0) > maxApplied
  // Those that apply it have as many because of it.
  const first = schemas.filter((schema) => isTooMany(schema) && !applied(schema).some(isTooMany))
  return [
    ...[...endless].map((object) => ({
      at: { object },
      text: 'the schema refers to itself for the same value; ' + fromPart,
    })),
    ...first.map((object) => ({
      at: { object },
      text: `more than ${String(maxApplied)} schemas apply to one value; ${once}`,
    })),
  ]
}

const fromPart = 'refer to it from a part'
const once = 'refer to each of them once'

/** Counts how many schemas each one applies to one value, and finds those that apply themselves. */
function countApplied(schemas: Schema[], appliedBy: (schema: Schema) => Schema[]) {
  const counts = new Map<Schema, number>()
  const endless = new Set<Schema>()
  const open = new Set<Schema>()
  // Without recursion, because as many may lead on as the contract has.
  const pending = schemas.toReversed()
  for (let next = pending.at(-1); next !== undefined; next = pending.at(-1)) {
    const applied = appliedBy(next)
    const isNew = !open.has(next) && !counts.has(next)
    open.add(next)
    const unknown = isNew ? applied.filter((each) => !counts.has(each)) : []
    for (const each of unknown) if (open.has(each)) endless.add(each)
    const further = unknown.filter((each) => !open.has(each))
    pending.push(...further)
    if (further.length > 0) continue
    counts.set(next, 1 + applied.reduce((sum, each) => sum + (counts.get(each) ?? 0), 0))
    open.delete(next)
    pending.pop()
  }
  return { counts, endless }
}

/** The schemas that a schema applies to its own value. */
function appliedIn(schema: Schema, named: NamedSchemas): Schema[] {
  const target = targetOf(schema, named)
  const inside = subschemasOf(schema).filter(({ applies }) => applies === 'to the value')
  return [...(target === undefined ? [] : [target]), ...inside.map((part) => part.schema)]
}
