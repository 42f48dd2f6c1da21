import { expect, test } from 'vitest'
import { expectFailure } from '../support/responses/expect-failure.ts'
import { startApp, temporaryStore } from '../support/server/start-app.ts'

test.each(['/livez', '/readyz'])('%s gives 200 without a token while requests can be served', async (url) => {
  const { app } = await startApp()
  const { statusCode, headers, payload } = await app.inject({ method: 'GET', url })
  expect({ statusCode, type: headers['content-type'], payload }).toEqual({
    statusCode: 200,
    type: 'application/json',
    payload: '{"status":"ok"}',
  })
  expect(headers['x-request-id']).toBeDefined()
})

test('a server whose store is unavailable is alive but not ready', async () => {
  const { app } = await startApp({ store: { ...(await temporaryStore()), isReady: () => Promise.resolve(false) } })
  expect((await app.inject({ method: 'GET', url: '/livez' })).statusCode).toBe(200)
  const { statusCode: status, headers, payload: text } = await app.inject({ method: 'GET', url: '/readyz' })
  expectFailure({ status, text }, 'unavailable')
  expect(headers['retry-after']).toBe('1')
})

test('a stopping server is alive but not ready', async () => {
  const { app, listen } = await startApp({ limits: { shutdownDelayMilliseconds: 500 } })
  const origin = await listen()
  const closing = app.close()
  await expect.poll(async () => (await fetch(`${origin}/readyz`)).status).toBe(503)
  expect((await fetch(`${origin}/livez`)).status).toBe(200)
  await closing
})
