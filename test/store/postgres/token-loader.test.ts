import { expect, test } from 'vitest'
import type { CallerRow, Statement } from '../../../src/store/postgres/statements.ts'
import { createTokenLoader } from '../../../src/store/postgres/token-loader.ts'

function hashOf(index: number): Buffer {
  const hash = Buffer.alloc(32, 255)
  hash.writeUInt32BE(index)
  return hash
}

/** A table in which a token with an even index expires at the time of its index, or never if four divides the index. */
function open(outcome?: 'unavailable' | Error) {
  const asked: number[] = []
  const find = createTokenLoader(async ({ values }: Statement<CallerRow>) => {
    await new Promise(setImmediate)
    if (outcome instanceof Error) throw outcome
    // The one value of the statement.
    const hashes = values?.[0] as Buffer[]
    asked.push(hashes.length)
    const known = hashes.map((hash) => hash.readUInt32BE()).filter((index) => index % 2 === 0)
    return (
      outcome ??
      known.toReversed().map((index) => ({
        hash: hashOf(index),
        caller: `caller ${String(index)}`,
        expires_at: index % 4 === 0 ? null : String(index),
        scope: null,
      }))
    )
  })
  return { find, asked }
}

test('tokens that are looked up in one iteration of the event loop share a query; each has its answer', async () => {
  const { find, asked } = open()
  const found = await Promise.all([0, 1, 2, 4, 6, 7, 6].map((index) => find(hashOf(index), 6)))
  expect(found).toEqual([
    { caller: 'caller 0' },
    'unknown',
    'unknown',
    { caller: 'caller 4' },
    'unknown',
    'unknown',
    'unknown',
  ])
  expect(asked).toEqual([6])
  expect(await find(hashOf(6), 5)).toEqual({ caller: 'caller 6' })
  expect(asked).toEqual([6, 1])
})

test('of the same token at two times each is checked by its own', async () => {
  const { find, asked } = open()
  expect(await Promise.all([find(hashOf(6), 5), find(hashOf(6), 6)])).toEqual([{ caller: 'caller 6' }, 'unknown'])
  expect(asked).toEqual([1])
})

test('a query asks for at most 500 tokens', async () => {
  const { find, asked } = open()
  const found = await Promise.all(Array.from({ length: 1_200 }, (_, index) => find(hashOf(index * 4), 0)))
  expect(found).toEqual(Array.from({ length: 1_200 }, (_, index) => ({ caller: `caller ${String(index * 4)}` })))
  expect(asked).toEqual([500, 500, 200])
})

test('when the database cannot be read, or the query fails, every lookup of the batch gets that result', async () => {
  const down = open('unavailable').find
  expect(await Promise.all([down(hashOf(1), 0), down(hashOf(2), 0)])).toEqual(['unavailable', 'unavailable'])
  const failing = open(new Error('a fault')).find
  const outcomes = await Promise.allSettled([failing(hashOf(1), 0), failing(hashOf(2), 0)])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})

test('of a query that fails where tokens lie on several machines each token is asked for alone', async () => {
  const asked: number[] = []
  const find = createTokenLoader(({ values }: Statement<CallerRow>) => {
    // The one value of the statement.
    const hashes = values?.[0] as Buffer[]
    asked.push(hashes.length)
    const isAway = hashes.some((hash) => hash.readUInt32BE() === 1)
    const rows = hashes.map((hash) => ({
      hash,
      caller: `caller ${String(hash.readUInt32BE())}`,
      expires_at: null,
      scope: null,
    }))
    return Promise.resolve(isAway ? 'unavailable' : rows)
  }, true)
  expect(await Promise.all([0, 1, 2].map((index) => find(hashOf(index), 0)))).toEqual([
    { caller: 'caller 0' },
    'unavailable',
    { caller: 'caller 2' },
  ])
  expect(asked).toEqual([3, 1, 1, 1])
})
