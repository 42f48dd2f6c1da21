import { once } from 'node:events'
import { type Socket, connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createToken } from '../../src/auth/tokens.ts'
import { openStore } from '../../src/store/open-store.ts'
import { startArguments } from '../../scripts/bench/contenders.ts'
import { descriptorsOf, memoryOf, resetPeak, watchServer } from '../../scripts/fuzz/watch.ts'
import { temporaryLocation } from '../support/start-app.ts'
import { type ServerProcess, nodeBinary, startProcess } from '../support/start-process.ts'

interface Served extends ServerProcess {
  port: number
  pid: number
  /** A list of the caller's plants, on a connection that stays open. */
  list: (path: string) => string
}

/** Starts a server whose caller has so many plants with the longest names. */
async function serve(plants: number, environment: Record<string, string> = {}): Promise<Served> {
  const location = await temporaryLocation()
  const { text: token, stored } = createToken('me', Date.now())
  const store = await openStore(location, { onFault: () => undefined })
  await store.addToken(stored)
  const name = 'm'.repeat(255)
  await Promise.all(Array.from({ length: plants }, (_, id) => store.create('me', { id: BigInt(id), name, tag: name })))
  await store.close()
  const url = location.engine === 'sqlite' ? `sqlite:${location.file}` : location.url
  const server = await startProcess({ DATABASE_URL: url, ...environment }, [nodeBinary, ...startArguments])
  onTestFinished(() => server.end('SIGKILL'))
  return {
    ...server,
    port: Number(new URL(server.origin).port),
    // A process that listens has an id.
    pid: server.child.pid!,
    list: (path) => `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  }
}

/** Connections that have sent the bytes and read nothing. */
async function openUnread({ port }: Served, count: number, bytes: string): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () => connect({ port, host: '127.0.0.1' }).on('error', () => undefined))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  for (const socket of sockets) socket.write(bytes)
  return sockets
}

/** Has one client after the other send the bytes and read the answers, so that what the server needs for that is not counted later. */
async function readInTurn({ port }: Served, count: number, bytes: string): Promise<void> {
  for (let turn = 0; turn < count; turn++) {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.end(bytes)
    socket.resume()
    await once(socket, 'close')
  }
}

/** The most memory, in MiB, while connections are open that read nothing; they are closed then. */
async function peakOf(served: Served, count: number, bytes: string): Promise<number> {
  resetPeak(served.pid)
  const sockets = await openUnread(served, count, bytes)
  let peak = 0
  // What the server does for them ends when its memory has not grown for a while.
  for (let quiet = 0; quiet < 3; quiet++) {
    await delay(200)
    const now = memoryOf(served.pid, 'VmHWM')
    if (now > peak) quiet = 0
    peak = now
  }
  for (const socket of sockets) socket.destroy()
  return peak
}

/** What the collector may not have found yet, in MiB. */
const garbage = 24

test.each([
  ['a file of the docs page', 'GET /docs/static/swagger-ui-bundle.js HTTP/1.1\r\nHost: a\r\n\r\n', 59_000, 40],
  ['a list of 1,000 large plants', 'list', 59_000, 40],
  ['a request without a field', 'GET / HTTP/1.1\r\n\r\n', 65_536, 8],
])('a connection that reads nothing of the answers to a segment full of requests for %s costs 2 MiB at most', { timeout: 60_000 }, async (_what, text, bytes, connections) => {
  const served = await serve(text === 'list' ? 1_000 : 0)
  const request = text === 'list' ? served.list('/plants?limit=1000') : text
  const pipeline = request.repeat(Math.floor(bytes / request.length))
  await readInTurn(served, 3, request.repeat(10))
  const watch = watchServer(served, { livezMilliseconds: 1_000, growthMebibytes: Infinity })
  const before = memoryOf(served.pid, 'VmRSS')
  // With one connection first: where there is no bound, many would take the machine's memory.
  const alone = (await peakOf(served, 1, pipeline)) - before
  expect(alone, 'MiB for one connection').toBeLessThan(2 + garbage)
  const together = (await peakOf(served, connections, pipeline)) - before
  expect(together, `MiB for ${String(connections)} connections`).toBeLessThan(connections * 2 + garbage)
  // Descriptors come back, and nobody else has waited for a second.
  expect((await watch.end()).problems).toEqual([])
})

test('100 lists of 20,000 large plants that nobody reads cost 100 MiB at most, others are served, nothing leaks, and SIGTERM ends it all', { timeout: 60_000 }, async () => {
  const served = await serve(20_000, { SHUTDOWN_GRACE: '2' })
  const request = served.list('/plants')
  await readInTurn(served, 3, request)
  const watch = watchServer(served, { livezMilliseconds: 1_000, growthMebibytes: Infinity })
  const before = memoryOf(served.pid, 'VmRSS')
  const first = (await peakOf(served, 100, request)) - before
  expect(first, 'MiB for 100 connections').toBeLessThan(100)
  const second = (await peakOf(served, 100, request)) - before
  expect(second, 'MiB for the second 100 connections').toBeLessThan(Math.max(first, 0) + garbage)
  expect((await watch.end()).problems).toEqual([])
  const descriptors = descriptorsOf(served.pid)
  await openUnread(served, 100, request)
  await readInTurn(served, 1, served.list('/plants?limit=1'))
  expect(descriptorsOf(served.pid)).toBeLessThanOrEqual(descriptors + 100)
  const start = performance.now()
  served.child.kill('SIGTERM')
  expect(await served.ended).toBe(0)
  expect(performance.now() - start).toBeLessThan(10_000)
})
