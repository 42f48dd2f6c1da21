import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createDatabase } from '../servers/loaded-server.ts'
import { type ServerProcess, freePort, startArguments, startServer } from '../servers/server-process.ts'
import { Load, type Seen } from './load.ts'
import { type ProxyName, startProxy } from './proxy.ts'

export interface RollingRestart {
  proxy: ProxyName
  restarts: number
  clients: number
}

export interface Outcome extends Seen {
  /** How many of the unclear creates had succeeded. */
  carriedOut: number
  seconds: number
}

const readyMilliseconds = 30_000

/** The pause between two restarts. Both proxies use a server that is ready again within this time. */
const pauseMilliseconds = 2_500

/** Restarts two servers alternately, on one SQLite file, behind a proxy and under load. */
export async function rollingRestart(options: RollingRestart, onProgress: (line: string) => void): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-proxies-'))
  const removeFolder = (): void => {
    rmSync(folder, { recursive: true, force: true })
  }
  // The folder is removed when a signal ends this process too.
  process.once('exit', removeFolder)
  const token = await createDatabase(join(folder, 'plants.db'), 0)
  const ports = [await freePort(), await freePort()]
  const stops: (() => Promise<void>)[] = []
  try {
    const servers = await Promise.all(ports.map((port) => startReady(folder, port)))
    stops.push(...servers.map((_, index) => () => servers[index]!.stop()))
    const proxy = await startProxy(options.proxy, folder, ports)
    stops.push(proxy.stop)
    // The proxy has to find the servers ready first.
    await waitUntilReady(proxy.port)
    const startedAt = performance.now()
    const load = new Load({ port: proxy.port, token, clients: options.clients })
    for (let restart = 0; restart < options.restarts; restart++) {
      await delay(pauseMilliseconds)
      const soFar = `${String(load.seen.requests)} requests so far`
      onProgress(`${options.proxy}: restart ${String(restart + 1)} of ${String(options.restarts)}, ${soFar}`)
      const index = restart % servers.length
      // There is a server, and a port, for each index.
      await servers[index]!.stop()
      servers[index] = await startReady(folder, ports[index]!)
    }
    await delay(pauseMilliseconds)
    const carriedOut = await load.stop()
    return { ...load.seen, carriedOut, seconds: (performance.now() - startedAt) / 1_000 }
  } finally {
    await Promise.all(stops.map((stop) => stop()))
    removeFolder()
    process.off('exit', removeFolder)
  }
}

async function startReady(folder: string, port: number): Promise<ServerProcess> {
  const server = await startServer({
    arguments: startArguments,
    // startServer sets a delay of 0; an empty variable selects the server's default.
    environment: { DATABASE_URL: `sqlite:${join(folder, 'plants.db')}`, SHUTDOWN_DELAY: '', PORT: String(port) },
    logFile: join(folder, `${String(port)}.log`),
    processors: `0-${String(availableParallelism() - 1)}`,
  })
  await waitUntilReady(port)
  return server
}

async function waitUntilReady(port: number): Promise<void> {
  const deadline = performance.now() + readyMilliseconds
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${String(port)}/readyz`).catch(() => undefined)
    if (answer?.status === 200) return
    if (performance.now() > deadline) throw new Error(`port ${String(port)} did not answer /readyz with 200 in time`)
    await delay(20)
  }
}
