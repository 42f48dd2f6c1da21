import type { ContractDocument } from '../../../src/contract/document.ts'
import type { OwnChange } from './compare-contracts.ts'

/** Members that say nothing a client could break on. */
const annotations: readonly string[] = ['example', 'examples', 'default', 'description']

/**
 * The integers of a contract that changed while the doubles nearest to them did not, such as a bound of
 * 9223372036854775807 that became …806. Redocly reads numbers as doubles and does not see that. What several places
 * share is compared where it is met first.
 */
export function numberChanges(before: ContractDocument, after: ContractDocument): OwnChange[] {
  const changes: OwnChange[] = []
  const path: string[] = []
  const compared = new Map<object, Set<unknown>>()

  function walk(old: unknown, now: unknown): void {
    if (isNumeric(old) && isNumeric(now)) {
      if (old === now || Number(old) !== Number(now)) return
      changes.push({ impact: 'breaking', path: [...path], words: `changed from ${String(old)} to ${String(now)}` })
    }
    if (typeof old !== 'object' || old === null || typeof now !== 'object' || now === null) return
    const known = compared.get(old) ?? new Set()
    if (known.has(now)) return
    compared.set(old, known.add(now))
    for (const [name, member] of Object.entries(old)) {
      if (annotations.includes(name)) continue
      path.push(name)
      walk(member, (now as Record<string, unknown>)[name])
      path.pop()
    }
  }

  walk(before, after)
  return changes
}

function isNumeric(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}
