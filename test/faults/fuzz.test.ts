import { expect, test } from 'vitest'
import { fuzz } from '../../scripts/fuzz/fuzz.ts'
import { createRandom, goodRequests, mutate } from '../../scripts/fuzz/mutate.ts'
import { startApp } from '../support/start-app.ts'

test('2,000 requests of which bytes were changed have no answer but those of the contract, and the server goes on', { timeout: 60_000 }, async () => {
  const { listen, token, send, logLines } = await startApp()
  const port = Number(new URL(await listen()).port)
  const seed = Math.floor(Math.random() * 2 ** 31)
  const { statuses, findings } = await fuzz({ port, token, seed, first: 0, count: 2_000 })
  expect(findings, `seed ${String(seed)}`).toEqual([])
  // Both what is good after all and what is not have been sent.
  expect(Object.keys(statuses)).toEqual(expect.arrayContaining(['200', '400', '401', '404']))
  expect(logLines.filter((line) => (JSON.parse(line) as { level: number }).level >= 50)).toEqual([])
  expect((await send({ method: 'GET', url: '/plants' })).status).toBe(200)
})

test('a seed and a number always give the same bytes, and another number gives others', () => {
  const bytes = (number: number) => mutate(goodRequests('token'), createRandom(number)).toString('latin1')
  expect(bytes(1)).toBe(bytes(1))
  expect(new Set(Array.from({ length: 100 }, (_, number) => bytes(number))).size).toBeGreaterThan(90)
})
