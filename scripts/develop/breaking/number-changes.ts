import type { ContractDocument } from '../../../src/contract/document.ts'
import type { OwnChange } from './compare-contracts.ts'

/** Members that say nothing a client could break on. */
const annotations: readonly string[] = ['example', 'examples', 'default', 'description']

/**
 * The integers of a contract that changed while the doubles nearest to them did not, such as a bound of
 * 9223372036854775807 that became …806. Redocly reads numbers as doubles and does not see that.
 */
export function numberChanges(before: ContractDocument, after: ContractDocument): OwnChange[] {
  return walk(before, after, [])
}

function walk(before: unknown, after: unknown, path: string[]): OwnChange[] {
  if (isNumeric(before) && isNumeric(after)) {
    const isHidden = before !== after && Number(before) === Number(after)
    return isHidden ? [{ impact: 'breaking', path, words: `changed from ${String(before)} to ${String(after)}` }] : []
  }
  if (typeof before !== 'object' || before === null || typeof after !== 'object' || after === null) return []
  const now = after as Record<string, unknown>
  return Object.entries(before).flatMap(([name, member]) =>
    annotations.includes(name) ? [] : walk(member, now[name], [...path, name]),
  )
}

function isNumeric(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}
