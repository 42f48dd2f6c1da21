import { EventEmitter, once } from 'node:events'
import { type Socket, connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, inject, onTestFinished, test } from 'vitest'
import { descriptorsOf } from '../../support/server/process-figures.ts'
import { watchServer } from '../../support/server/watch.ts'
import { handlers } from '../../../src/handlers.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { issueTokens } from '../../support/server/issue-tokens.ts'
import { urlOf } from '../../support/server/served-database.ts'
import { startApp, temporaryLocation } from '../../support/server/start-app.ts'
import { type ServerProcess, startProcess } from '../../support/server/start-process.ts'
import { storedPlant } from '../../support/plants.ts'

/** How many connections to the database a server may open. */
const poolSize = inject('engine') === 'postgres' ? 10 : 0

const bounds = { livezMilliseconds: 10_000, growthMebibytes: Infinity, moreDescriptors: poolSize }

/** A real server, as `npm start` runs it, with a caller who has plants. */
interface Served extends ServerProcess {
  /** Collects garbage. @returns the memory that is still held, in MiB */
  held: () => Promise<number>
  /** A request for a list of the caller's plants; the connection stays open. */
  list: (path: string) => string
}

/** Starts a server whose caller has this many plants with the longest names. */
async function serve(plants: number, environment: Record<string, string> = {}): Promise<Served> {
  const location = await temporaryLocation()
  const [{ token } = { token: '' }] = await issueTokens(location, ['me'])
  const store = await openStore(location, { onFault: () => undefined })
  const name = 'm'.repeat(255)
  await Promise.all(
    Array.from({ length: plants }, (_, id) => store.create('me', storedPlant({ id: BigInt(id), name, tag: name }))),
  )
  await store.close()
  const held = join(import.meta.dirname, '../../support/server/held-memory.ts')
  const options = { NODE_OPTIONS: `--expose-gc --import=${held}` }
  const server = await startProcess({ DATABASE_URL: urlOf(location), ...options, ...environment })
  onTestFinished(() => server.end('SIGKILL'))
  return {
    ...server,
    held: async () => {
      const told = (): RegExpExecArray[] => [...server.stdout().matchAll(/^held ([0-9]+)\n/gm)]
      const before = told().length
      server.child.kill('SIGUSR2')
      // The helper has added the output before this listener runs.
      while (told().length === before) await once(server.child.stdout!, 'data')
      return Number(told().at(-1)![1]) / 2 ** 20
    },
    list: (path) => `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  }
}

/** Opens connections that send bytes, read the beginning of the response and then stop. */
async function openUnread({ port }: Served, count: number, bytes: string): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () => connect({ port, host: '127.0.0.1' }).on('error', () => undefined))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  await Promise.all(
    sockets.map((socket) => {
      socket.write(bytes)
      return new Promise<void>((resolve) => {
        socket.once('close', resolve).once('data', () => {
          socket.pause()
          resolve()
        })
      })
    }),
  )
  return sockets
}

/** Sends requests together, so that all connections to the database are open, and then in turn, to fill the caches. */
async function warmUp(served: Served, together: string, inTurn: string): Promise<void> {
  await Promise.all(Array.from({ length: 40 }, () => readInTurn(served, 1, together)))
  await readInTurn(served, 3, inTurn)
}

/** Sends bytes on one connection after the other and reads the responses. */
async function readInTurn({ port }: Served, count: number, bytes: string): Promise<void> {
  for (let turn = 0; turn < count; turn++) {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.end(bytes)
    socket.resume()
    await once(socket, 'close')
  }
}

/** Measures the memory in MiB that the server holds while this many connections stop reading. */
async function heldBeside(served: Served, count: number, bytes: string): Promise<number> {
  const sockets = await openUnread(served, count, bytes)
  // The server is done when its memory no longer grows.
  let held = await served.held()
  for (let before = 0; held > before; held = await served.held()) {
    before = held
    await delay(300)
  }
  for (const socket of sockets) socket.destroy()
  return held
}

test.each<[string, number, (served: Served) => string, number]>([
  ['1,000 large plants', 1_000, ({ list }) => list('/plants?limit=1000'), 20],
  ['a file of the docs', 0, () => 'GET /docs/static/swagger-ui-bundle.js HTTP/1.1\r\nHost: a\r\n\r\n', 10],
])('a connection that requests %s and reads nothing costs at most 2 MiB', async (_what, plants, requestOf, reads) => {
  const served = await serve(plants)
  const request = requestOf(served)
  const pipeline = request.repeat(Math.floor(59_000 / request.length))
  await warmUp(served, request, request.repeat(reads))
  const before = await served.held()
  const watch = watchServer(served, bounds)
  // One connection first: without a limit, 40 could exhaust the machine's memory.
  for (const count of [1, 40])
    expect((await heldBeside(served, count, pipeline)) - before, `MiB for ${String(count)}`).toBeLessThan(2 * count)
  expect((await watch.end()).problems).toEqual([])
})

test('40 unread lists of 20,000 plants cost at most 40 MiB, and SIGTERM ends them', async () => {
  const served = await serve(20_000, { SHUTDOWN_GRACE: '4' })
  const request = served.list('/plants')
  const connections = 40
  await warmUp(served, served.list('/plants?limit=1'), request)
  const before = await served.held()
  const watch = watchServer(served, bounds)
  // A leak would add up over the rounds.
  for (const round of [1, 2])
    expect((await heldBeside(served, connections, request)) - before, `MiB in round ${String(round)}`).toBeLessThan(
      connections,
    )
  expect((await watch.end()).problems).toEqual([])
  const descriptors = descriptorsOf(served.pid).length
  await openUnread(served, connections, request)
  await readInTurn(served, 1, served.list('/plants?limit=1'))
  expect(descriptorsOf(served.pid).length).toBeLessThanOrEqual(descriptors + connections + 2 + poolSize)
  const start = performance.now()
  served.child.kill('SIGTERM')
  expect(await served.ended, served.stderr()).toBe(0)
  expect(performance.now() - start).toBeLessThan(10_000)
})

test('a list whose client left during the query stops counting as unread', async () => {
  const steps = new EventEmitter()
  const [asked, left, read] = [once(steps, 'asked'), once(steps, 'left'), once(steps, 'read')]
  const { listen, store, token, logLines } = await startApp({
    limits: { unreadBytes: 1 },
    handlers: {
      ...handlers,
      listPlants: async (request, context) => {
        steps.emit('asked')
        await left
        const reply = await handlers.listPlants(request, context)
        steps.emit('read')
        return reply
      },
    },
  })
  const name = 'm'.repeat(255)
  await Promise.all(Array.from({ length: 100 }, (_, id) => store.create('me', storedPlant({ id: BigInt(id), name }))))
  const origin = await listen()
  const socket = connect(Number(new URL(origin).port), '127.0.0.1')
  await once(socket, 'connect')
  socket.write(`GET /plants HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`)
  await asked
  socket.resetAndDestroy()
  await expect.poll(() => logLines.join('')).toContain('response cut off')
  steps.emit('left')
  await read
  const response = await fetch(`${origin}/plants`, { headers: { authorization: `Bearer ${token}` } })
  expect(response.status).toBe(200)
  expect(await response.json()).toHaveLength(100)
})
