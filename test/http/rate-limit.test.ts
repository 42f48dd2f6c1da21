import { expect, test } from 'vitest'
import { expectFailure } from '../support/expect-failure.ts'
import { startApp } from '../support/start-app.ts'

const get = { method: 'GET', url: '/plants' }

test('a caller who exceeds the rate is told when to try again, and nothing is done', async () => {
  const { send, store } = await startApp({ rateLimit: 3 })
  for (const id of [1, 2, 3]) expect((await send({ method: 'POST', url: '/plants', body: { id, name: String(id) } })).status).toBe(200)
  const refused = await send({ method: 'POST', url: '/plants', body: { id: 4, name: '4' } })
  expectFailure(refused, 'rate_limited')
  expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1)
  expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60)
  expect(await store.delete('me', 4n)).toBe('absent')
})

test('the rate is counted for each caller, over all operations and tokens of the caller', async () => {
  const { send, issueToken } = await startApp({ rateLimit: 3 })
  const second = { headers: { authorization: `Bearer ${await issueToken('me')}` } }
  const other = { headers: { authorization: `Bearer ${await issueToken('you')}` } }
  expect((await send(get)).status).toBe(200)
  expect((await send({ method: 'DELETE', url: '/plants/1' })).status).toBe(404)
  expect((await send({ ...get, ...second })).status).toBe(200)
  expectFailure(await send(get), 'rate_limited')
  expectFailure(await send({ ...get, ...second }), 'rate_limited')
  expect((await send({ ...get, ...other })).status).toBe(200)
})

test('requests without a caller are not counted and not limited', async () => {
  const { app, send } = await startApp({ rateLimit: 1 })
  for (let count = 0; count < 5; count++) expectFailure(await send({ ...get, headers: { authorization: 'Bearer x' } }), 'token_invalid')
  for (let count = 0; count < 5; count++) expect((await app.inject({ method: 'GET', url: '/livez' })).statusCode).toBe(200)
  expect((await send(get)).status).toBe(200)
})

test('a refused request is refused before its body is judged', async () => {
  const { send } = await startApp({ rateLimit: 1 })
  await send(get)
  expectFailure(await send({ method: 'POST', url: '/plants', body: '{' }), 'rate_limited')
})

test('without a configured rate nobody is limited', async () => {
  const { send } = await startApp()
  const answers = await Promise.all(Array.from({ length: 200 }, () => send(get)))
  expect(answers.filter(({ status }) => status !== 200)).toEqual([])
})
