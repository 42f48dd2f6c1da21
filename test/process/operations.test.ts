import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../support/server/start-app.ts'
import { type ServerProcess, startProcess } from '../support/server/start-process.ts'

async function start(environment: Record<string, string>): Promise<ServerProcess> {
  const server = await startProcess({
    DATABASE_URL: `sqlite:${join(await temporaryFolder(), 'plants.db')}`,
    LOG_LEVEL: 'info',
    ...environment,
  })
  onTestFinished(() => server.end())
  return server
}

test('with METRICS_PORT the server is measured at an address of its own, which ends with it', async () => {
  const server = await start({ METRICS_PORT: '0' })
  await expect.poll(server.stderr, { timeout: 10_000 }).toContain('metrics at')
  const url = /metrics at (http[^"]+)/.exec(server.stderr())?.[1] ?? ''
  const token = /^Token +(plst_\S+)$/m.exec(server.stdout())?.[1] ?? ''
  await fetch(`${server.origin}/plants`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{"id":1,"name":"a"}',
  })
  const text = await (await fetch(url)).text()
  expect(text).toContain('plant_store_requests_total{operation="createPlant",status="200"} 1')
  expect(text).toMatch(/^plant_store_batch_writes_count [1-9]/m)
  expect((await fetch(`${server.origin}/metrics`)).status).toBe(404)
  await server.end()
  await expect(fetch(url)).rejects.toThrow()
})

test('a port for the metrics that is taken stops the start with one line', async () => {
  const { origin } = await start({})
  await expect(start({ METRICS_PORT: new URL(origin).port })).rejects.toThrow(
    /ended with 1: plant-store: cannot listen at METRICS_HOST 127\.0\.0\.1, METRICS_PORT \d+: the port is taken; .*\n$/,
  )
})

test('a port that is taken stops the start of a server that is measured, too', async () => {
  const { origin } = await start({})
  await expect(start({ PORT: new URL(origin).port, METRICS_PORT: '0' })).rejects.toThrow(
    /ended with 1: .*cannot listen at HOST 127\.0\.0\.1, PORT \d+: the port is taken/,
  )
})

test('a variable that has no effect is told in one line of the log', async () => {
  const server = await start({ METRICS_HOST: '0.0.0.0' })
  await expect
    .poll(server.stderr, { timeout: 10_000 })
    .toContain('"msg":"METRICS_HOST has no effect without METRICS_PORT"')
})

test('an identity provider that is half configured stops the start', async () => {
  await expect(start({ AUTH_ISSUER: 'https://id.example', PORT: 'x' })).rejects.toThrow(
    /plant-store: PORT must be .*; AUTH_JWKS_URL is missing: .*; AUTH_AUDIENCE is missing: /,
  )
})
