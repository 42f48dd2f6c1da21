import type { ContractDocument } from '../../../document/document.ts'
import { type Schema, subschemasOf, targetOf } from '../../../schema/schema-parts.ts'
import type { Finding } from '../findings.ts'
import { objectsOf } from './check-words.ts'

/** A validator takes some milliseconds for so many. */
const maxApplied = 100_000

/**
 * Finds the schemas that apply all too many others to one value: where each of thirty refers to the next one twice, a
 * billion apply, and neither an example nor a request is ever validated.
 *
 * @param document a bundled contract of the right structure
 */
export function checkMultiplied(document: ContractDocument): Finding[] {
  const named = document.components?.schemas ?? {}
  const counts = new Map<Schema, number>()

  function appliedIn(schema: Schema): Schema[] {
    const target = targetOf(schema, named)
    const inside = subschemasOf(schema).filter(({ applies }) => applies === 'to the value')
    return [...(target === undefined ? [] : [target]), ...inside.map((part) => part.schema)]
  }

  /** Counts what a schema applies, after what that applies. Without recursion, because as many may lead on. */
  function count(schema: Schema): void {
    const open = new Set<Schema>()
    const pending = [schema]
    for (let next = pending.at(-1); next !== undefined; next = pending.at(-1)) {
      const applied = appliedIn(next)
      // One that applies to itself is reported elsewhere.
      const unknown = open.has(next) ? [] : applied.filter((each) => !counts.has(each) && !open.has(each))
      open.add(next)
      if (unknown.length > 0) pending.push(...unknown)
      else {
        counts.set(next, 1 + applied.reduce((sum, each) => sum + (counts.get(each) ?? 0), 0))
        pending.pop()
      }
    }
  }

  const isTooMany = (schema: Schema) => (counts.get(schema) ?? 0) > maxApplied
  return objectsOf(document).flatMap(({ object, kind }) => {
    if (kind !== 'schema') return []
    if (!counts.has(object)) count(object)
    // Those that apply it have as many because of it.
    if (!isTooMany(object) || appliedIn(object).some(isTooMany)) return []
    const text = `more than ${String(maxApplied)} schemas apply to one value; refer to each of them once`
    return [{ at: { object }, text }]
  })
}
