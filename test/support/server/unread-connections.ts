import { once } from 'node:events'
import { type Socket, connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, inject, onTestFinished } from 'vitest'
import { createToken } from '../../../src/auth/tokens.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { watchServer } from '../../../bench/servers/watch.ts'
import { memoryOf, resetPeak } from '../../../bench/servers/process-figures.ts'
import { startArguments } from '../../../bench/servers/server-process.ts'
import { temporaryLocation } from './start-app.ts'
import { type ServerProcess, nodeBinary, startProcess } from './start-process.ts'

/** How many connections to the database a server opens when it needs them. */
export const poolSize = inject('engine') === 'postgres' ? 10 : 0

/** A real server, as `npm start` runs it, of a caller whose connections are counted in memory. */
export interface Served extends ServerProcess {
  port: number
  pid: number
  /** Collects garbage. @returns what is held then, in MiB */
  held: () => Promise<number>
  /** A list of the caller's plants, on a connection that stays open. */
  list: (path: string) => string
}

/** Starts a server whose caller has so many plants with the longest names. */
export async function serve(plants: number, environment: Record<string, string> = {}): Promise<Served> {
  const location = await temporaryLocation()
  const { text: token, stored } = createToken('me', Date.now())
  const store = await openStore(location, { onFault: () => undefined })
  await store.addToken(stored)
  const name = 'm'.repeat(255)
  await Promise.all(Array.from({ length: plants }, (_, id) => store.create('me', { id: BigInt(id), name, tag: name })))
  await store.close()
  const url = location.engine === 'sqlite' ? `sqlite:${location.file}` : location.url
  const server = await startProcess({ DATABASE_URL: url, ...environment }, [
    nodeBinary,
    '--expose-gc',
    '--import',
    join(import.meta.dirname, 'held-memory.ts'),
    ...startArguments,
  ])
  onTestFinished(() => server.end('SIGKILL'))
  return {
    ...server,
    port: Number(new URL(server.origin).port),
    // A process that listens has an id.
    pid: server.child.pid!,
    held: async () => {
      const told = (): RegExpExecArray[] => [...server.stdout().matchAll(/^held ([0-9]+)\n/gm)]
      const before = told().length
      server.child.kill('SIGUSR2')
      // The process reads its output before anything that is registered here.
      while (told().length === before) await once(server.child.stdout!, 'data')
      return Number(told().at(-1)![1]) / 2 ** 20
    },
    list: (path) => `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  }
}

/** Connections that have sent the bytes, have received the first bytes of the answers, and read no further. */
export async function openUnread({ port }: Served, count: number, bytes: string): Promise<Socket[]> {
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

/** Has clients read together, so that the server has all its connections to a database open. */
export async function readTogether(served: Served, request: string): Promise<void> {
  await Promise.all(Array.from({ length: 40 }, () => readInTurn(served, 1, request)))
}

/**
 * Has one client after the other send the bytes and read the answers, so that what the server needs for that is not
 * counted later.
 */
export async function readInTurn({ port }: Served, count: number, bytes: string): Promise<void> {
  for (let turn = 0; turn < count; turn++) {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.end(bytes)
    socket.resume()
    await once(socket, 'close')
  }
}

/** What many connections cost, in MiB. */
interface Cost {
  /** The most that was resident, garbage too. */
  peak: number
  /** What is held once they have all that they get. */
  held: number
}

/**
 * What the server takes while so many connections are open that read no further than the first bytes; they are closed
 * then.
 */
export async function costOf(served: Served, count: number, bytes: string): Promise<Cost> {
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
  const held = await served.held()
  for (const socket of sockets) socket.destroy()
  return { peak, held }
}

/**
 * Expects that connections hold so many MiB at most. When the collector runs is up to V8, and what arrives from
 * PostgreSQL is garbage once it is decoded: the peak shows only that nothing grows without end.
 */
export function expectCost(cost: Cost, before: Cost, most: number, what: string): void {
  expect(cost.held - before.held, `MiB held for ${what}`).toBeLessThan(most)
  expect(cost.peak - before.peak, `MiB at the peak for ${what}`).toBeLessThan(most + 256)
}

/** What the server takes without connections that read nothing. */
export async function costBefore(served: Served): Promise<Cost> {
  return { peak: memoryOf(served.pid, 'VmHWM'), held: await served.held() }
}

/**
 * Expects that connections which send a pipeline and read nothing hold 2 MiB each at most, beside what the server
 * takes where one client after the other reads the answers; that others are served meanwhile; and that descriptors come
 * back.
 *
 * @param request what a pipeline repeats
 * @param bytes how long the pipeline is
 * @param reads how many answers each of the clients reads that read
 */
export async function expectCheapPipelines(
  served: Served,
  request: string,
  { bytes, connections, reads }: { bytes: number; connections: number; reads: number },
): Promise<void> {
  const pipeline = request.repeat(Math.floor(bytes / request.length))
  await readTogether(served, request)
  await readInTurn(served, 3, request.repeat(reads))
  const before = await costBefore(served)
  const watch = watchServer(served, { livezMilliseconds: 10_000, growthMebibytes: Infinity, moreDescriptors: poolSize })
  // With one connection first: where there is no bound, many would take the machine's memory.
  expectCost(await costOf(served, 1, pipeline), before, 2, 'one connection')
  expectCost(await costOf(served, connections, pipeline), before, connections * 2, `${String(connections)} connections`)
  expect((await watch.end()).problems).toEqual([])
}
