import { expect, test } from 'vitest'
import { describeDifferences, record, recorded } from './recording.ts'

const timeout = 300_000

test.concurrent.each(['sqlite', 'postgres'] as const)(
  'every answer on %s is the recorded one',
  { timeout },
  async (part) => {
    expect(describeDifferences(await recorded(part), await record(part))).toBe('')
  },
)

test.each([
  ['every start and every command of an operator prints', 'commands'],
  ['the generator and the comparison of contracts print', 'contracts'],
] as const)('%s what is recorded', { timeout }, async (_who, part) => {
  expect(describeDifferences(await recorded(part), await record(part))).toBe('')
})
