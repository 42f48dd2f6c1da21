import { expect, test } from 'vitest'
import type { CallerRow, Statement } from '../../../src/store/postgres/statements.ts'
import { TokenLookups } from '../../../src/store/postgres/token-lookups.ts'

function hashOf(index: number): Buffer {
  const hash = Buffer.alloc(32, 255)
  hash.writeUInt32BE(index)
  return hash
}

/** Lookups in a table where every even token is someone's until the time that is its index, and those that are divisible by four for ever. */
function open(outcome?: 'unavailable' | Error) {
  const asked: number[] = []
  const lookups = new TokenLookups(async ({ values }: Statement<CallerRow>) => {
    await new Promise(setImmediate)
    if (outcome instanceof Error) throw outcome
    // The one value of the statement.
    const hashes = values?.[0] as Buffer[]
    asked.push(hashes.length)
    const known = hashes.map((hash) => hash.readUInt32BE()).filter((index) => index % 2 === 0)
    return outcome ?? known.toReversed().map((index) => ({ hash: hashOf(index), caller: `caller ${String(index)}`, expires_at: index % 4 === 0 ? null : String(index) }))
  })
  return { lookups, asked }
}

test('of tokens that are looked up in one turn each has its own answer, and all share a query', async () => {
  const { lookups, asked } = open()
  const found = await Promise.all([0, 1, 2, 4, 6, 7, 6].map((index) => lookups.find(hashOf(index), 6)))
  expect(found).toEqual([{ caller: 'caller 0' }, 'unknown', 'unknown', { caller: 'caller 4' }, 'unknown', 'unknown', 'unknown'])
  expect(asked).toEqual([6])
  expect(await lookups.find(hashOf(6), 5)).toEqual({ caller: 'caller 6' })
  expect(asked).toEqual([6, 1])
})

test('of the same token at two times each is judged by its own', async () => {
  const { lookups, asked } = open()
  expect(await Promise.all([lookups.find(hashOf(6), 5), lookups.find(hashOf(6), 6)])).toEqual([{ caller: 'caller 6' }, 'unknown'])
  expect(asked).toEqual([1])
})

test('a query asks for 500 tokens at most', async () => {
  const { lookups, asked } = open()
  const found = await Promise.all(Array.from({ length: 1_200 }, (_, index) => lookups.find(hashOf(index * 4), 0)))
  expect(found).toEqual(Array.from({ length: 1_200 }, (_, index) => ({ caller: `caller ${String(index * 4)}` })))
  expect(asked).toEqual([500, 500, 200])
})

test('when the database cannot be read, or the query fails, every lookup of the turn is told so', async () => {
  const down = open('unavailable').lookups
  expect(await Promise.all([down.find(hashOf(1), 0), down.find(hashOf(2), 0)])).toEqual(['unavailable', 'unavailable'])
  const failing = open(new Error('a fault')).lookups
  const outcomes = await Promise.allSettled([failing.find(hashOf(1), 0), failing.find(hashOf(2), 0)])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})
