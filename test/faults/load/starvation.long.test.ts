import { expect, test } from 'vitest'
import { keptClient, newClient, openFlood, watchLongest } from '../../support/client/load.ts'
import { memoryOf } from '../../support/server/process-figures.ts'
import { servedDatabase } from '../../support/server/served-database.ts'

const get = (path: string, field = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${field}\r\n`
const maxMilliseconds = 60_000

test.each([
  { name: 'requests for an unknown path', request: get('/x') },
  { name: 'bad tokens', request: get('/plants', 'Authorization: Bearer plst_x\r\n') },
  { name: 'health probes', request: get('/livez') },
  { name: 'files of the docs page', request: get('/docs/static/index.css') },
])('clients that pipeline $name do not make others wait', async ({ request }) => {
  const { serve } = await servedDatabase()
  const { port } = await serve()
  const send = await openFlood({ port, connections: 70, request, repeat: 300, maxMilliseconds })
  const watches = [keptClient(port, get('/livez')), newClient(port, get('/livez'))].map(watchLongest)
  const start = performance.now()
  expect(await send()).toBe(70 * 300)
  const milliseconds = performance.now() - start
  // If the server finished one client first, the others would wait for half of the flood or more.
  expect(Math.max(...(await Promise.all(watches.map((stop) => stop()))))).toBeLessThan(milliseconds / 4)
})

test('clients that pipeline long heads cost less than 180 MiB', async () => {
  const { serve } = await servedDatabase()
  const { port, pid } = await serve()
  const before = memoryOf(pid, 'VmRSS')
  const request = get('/x', `a: ${'b'.repeat(70)}\r\n`.repeat(190))
  const send = await openFlood({ port, connections: 300, request, repeat: 20, maxMilliseconds })
  expect(await send()).toBe(300 * 20)
  expect(memoryOf(pid, 'VmHWM') - before).toBeLessThan(180)
})

test('2,000 busy readers do not starve a new client, a write or a list', async () => {
  const { serve, token } = await servedDatabase()
  const server = await serve()
  const authorization = `Authorization: Bearer ${token}\r\n`
  for (let id = 0; id < 300; id++) expect(await server.create(id)).toBe(200)
  const request = get('/plants?limit=1', authorization)
  // Each connection always has a request waiting, like a client that repeats it at once.
  const send = await openFlood({ port: server.port, connections: 2_000, request, repeat: 20, maxMilliseconds })
  const start = performance.now()
  let id = 1_000
  const watches = [newClient(server.port, request), () => server.create(id++), () => server.names()].map(watchLongest)
  expect(await send()).toBe(2_000 * 20)
  const milliseconds = performance.now() - start
  expect(Math.max(...(await Promise.all(watches.map((stop) => stop()))))).toBeLessThan(milliseconds / 3)
})
