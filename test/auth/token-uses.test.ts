import { expect, onTestFinished, test, vi } from 'vitest'
import { createTokenUses } from '../../src/auth/token-uses.ts'
import type { TokenUse } from '../../src/store/store.ts'
import { startApp } from '../support/server/start-app.ts'

const one = new Uint8Array(32).fill(1)
const other = new Uint8Array(32).fill(2)
const at = 1_795_000_000_000

function recorder() {
  const batches: TokenUse[][] = []
  const uses = createTokenUses(
    { recordUses: (batch) => (batches.push(batch), Promise.resolve('recorded')) },
    { error: expect.unreachable },
  )
  return { batches, uses }
}

test('uses are written together, of each token at most one a minute', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: at })
  onTestFinished(() => void vi.useRealTimers())
  const { batches, uses } = recorder()
  for (const [hash, later] of [
    [one, 0],
    [one, 1],
    [other, 1],
    [one, 59_997],
  ] as const) {
    vi.advanceTimersByTime(later)
    uses.note(hash, Date.now())
  }
  await uses.write()
  uses.note(Uint8Array.from(one), Date.now())
  await uses.write()
  vi.advanceTimersByTime(1)
  uses.note(one, Date.now())
  await uses.write()
  expect(batches).toEqual([
    [
      { hash: one, usedAt: at },
      { hash: other, usedAt: at + 2 },
    ],
    [{ hash: one, usedAt: at + 60_000 }],
  ])
})

test('setting the clock back does not keep the next use from being written', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const { batches, uses } = recorder()
  uses.note(one, at)
  vi.advanceTimersByTime(60_000)
  uses.note(one, at - 3_600_000)
  await uses.write()
  expect(batches).toEqual([
    [
      { hash: one, usedAt: at },
      { hash: one, usedAt: at - 3_600_000 },
    ],
  ])
})

test('of more than 100,000 tokens the one that was used longest ago is written again', async () => {
  const { batches, uses } = recorder()
  const hashes = Array.from(
    { length: 100_001 },
    (_, index) => new Uint8Array(Uint32Array.of(index, 0, 0, 0, 0, 0, 0, 0).buffer),
  )
  for (const hash of hashes) uses.note(hash, at)
  await uses.write()
  for (const hash of [hashes.at(-1)!, hashes[0]!]) uses.note(hash, at)
  await uses.write()
  expect(batches.map(({ length }) => length)).toEqual([100_001, 1])
})

test('they are written by themselves a moment later', async () => {
  const { batches, uses } = recorder()
  uses.note(one, at)
  await expect.poll(() => batches, { timeout: 10_000 }).toEqual([[{ hash: one, usedAt: at }]])
})

test('a token that the service took has its last use in the list after the close, a refused one has none', async () => {
  const { app, send, store, issueToken } = await startApp({ now: () => at })
  const expired = await issueToken('late', 0)
  for (const authorization of [undefined, `Bearer ${expired}`])
    await send({ method: 'GET', url: '/plants', headers: authorization === undefined ? {} : { authorization } })
  await app.close()
  const tokens = await store.listTokens()
  expect(tokens === 'unavailable' ? tokens : tokens.map(({ caller, lastUsedAt }) => [caller, lastUsedAt])).toEqual(
    expect.arrayContaining([
      ['me', at],
      ['late', undefined],
    ]),
  )
})
