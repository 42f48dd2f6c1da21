import { beforeEach, expect, test, vi } from 'vitest'
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
  return { batches, ...uses }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
  return () => void vi.useRealTimers()
})

test('uses are written in batches after a second, each token once a minute at most', () => {
  const { batches, note } = recorder()
  note(one, at)
  note(other, at + 1)
  vi.advanceTimersByTime(999)
  note(one, at + 999)
  expect(batches).toEqual([])
  vi.advanceTimersByTime(1)
  vi.advanceTimersByTime(58_999)
  note(Uint8Array.from(one), at + 59_999)
  vi.advanceTimersByTime(1)
  note(one, at + 60_000)
  vi.advanceTimersByTime(1_000)
  expect(batches).toEqual([
    [
      { hash: one, usedAt: at },
      { hash: other, usedAt: at + 1 },
    ],
    [{ hash: one, usedAt: at + 60_000 }],
  ])
})

test('the next use is written even if the clock is set back', async () => {
  const { batches, note, write } = recorder()
  note(one, at)
  await write()
  vi.advanceTimersByTime(60_000)
  note(one, at - 3_600_000)
  await write()
  expect(batches).toEqual([[{ hash: one, usedAt: at }], [{ hash: one, usedAt: at - 3_600_000 }]])
})

test('uses that the store rejects are dropped, and the reason is logged', async () => {
  const logged: unknown[] = []
  const error = new Error('permission denied for table tokens')
  const uses = createTokenUses(
    { recordUses: () => Promise.reject(error) },
    { error: (...line: unknown[]) => void logged.push(line) },
  )
  uses.note(one, at)
  await uses.write()
  await uses.write()
  expect(logged).toEqual([[{ err: error }, 'the last use of some tokens was not recorded']])
})

test('closing the service records the last use of accepted tokens only', async () => {
  vi.useRealTimers()
  const { app, send, store, issueToken } = await startApp({ now: () => at })
  const expired = await issueToken('late', 0)
  for (const authorization of [undefined, `Bearer ${expired}`])
    await send({ method: 'GET', url: '/plants', headers: authorization === undefined ? {} : { authorization } })
  await app.close()
  const tokens = await store.listTokens()
  expect(
    tokens === 'unavailable' ? tokens : tokens.map(({ caller, lastUsedAt }) => [caller, lastUsedAt]).sort(),
  ).toEqual([
    ['late', undefined],
    ['me', at],
  ])
})
