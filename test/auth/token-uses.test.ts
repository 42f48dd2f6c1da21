import { expect, test } from 'vitest'
import { TokenUses } from '../../src/auth/token-uses.ts'
import type { TokenUse } from '../../src/store/store.ts'
import { startApp } from '../support/start-app.ts'

const one = new Uint8Array(32).fill(1)
const other = new Uint8Array(32).fill(2)
const at = 1_795_000_000_000

function recorder() {
  const batches: TokenUse[][] = []
  const uses = new TokenUses({ recordUses: (batch) => (batches.push(batch), Promise.resolve('recorded')) })
  return { batches, uses }
}

test('uses are written together, of each token at most one a minute', async () => {
  const { batches, uses } = recorder()
  for (const [hash, later] of [[one, 0], [one, 1], [other, 2], [one, 59_999]] as const) uses.note(hash, at + later)
  await uses.write()
  uses.note(Uint8Array.from(one), at + 59_999)
  await uses.write()
  uses.note(one, at + 60_000)
  await uses.write()
  expect(batches).toEqual([[{ hash: one, usedAt: at }, { hash: other, usedAt: at + 2 }], [{ hash: one, usedAt: at + 60_000 }]])
})

test('they are written by themselves a moment later', async () => {
  const { batches, uses } = recorder()
  uses.note(one, at)
  await expect.poll(() => batches, { timeout: 10_000 }).toEqual([[{ hash: one, usedAt: at }]])
})

test('a token that is used through the service has its last use in the list when the server has closed, and one that is refused has none', async () => {
  const { app, send, store, issueToken } = await startApp({ now: () => at })
  const expired = await issueToken('late', 0)
  for (const authorization of [undefined, `Bearer ${expired}`]) await send({ method: 'GET', url: '/plants', headers: authorization === undefined ? {} : { authorization } })
  await app.close()
  const tokens = await store.listTokens()
  expect(tokens === 'unavailable' ? tokens : tokens.map(({ caller, lastUsedAt }) => [caller, lastUsedAt])).toEqual(expect.arrayContaining([['me', at], ['late', undefined]]))
})
