import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { UsageError, readArguments, readInteger } from '../../scripts/command.ts'
import { type Sent, ask, countStatuses, create, issueTokens, readiness, startClients } from '../servers/clients.ts'
import { type ServerProcess, freePort, startArguments, startServer } from '../servers/server-process.ts'
import { type ProxyName, proxyNames, startProxy, versionOf } from './proxy.ts'

const usage = `Usage: npm run bench -- proxies [--proxy nginx|haproxy] [--rounds N] [--restarts N] [--clients N]
         restarts two servers alternately behind each proxy, with the files of deploy/, under load;
         counts the answers other than 200; the exit code is 1 when there are any`

const readyMilliseconds = 30_000

/** The pause between two restarts. Both proxies use a server that is ready again within this time. */
const pauseMilliseconds = 2_500

export async function run(args: string[]): Promise<void> {
  const { values } = readArguments(usage, {
    args,
    options: {
      proxy: { type: 'string' },
      rounds: { type: 'string', default: '1' },
      restarts: { type: 'string', default: '6' },
      clients: { type: 'string', default: '32' },
    },
  })
  const rounds = readInteger(usage, '--rounds', values.rounds, 1)
  const restarts = readInteger(usage, '--restarts', values.restarts, 1)
  const clients = readInteger(usage, '--clients', values.clients, 1)
  const proxies = proxyNames.filter((name) => values.proxy === undefined || values.proxy === name)
  if (proxies.length === 0) throw new UsageError(usage)
  const versions = await Promise.all(proxies.map(versionOf))
  for (let round = 1; round <= rounds; round++) {
    // Both proxies in each round: other work of the machine then disturbs both.
    for (const [index, proxy] of proxies.entries()) {
      const { sent, unclear, carriedOut } = await restartBehind(proxy, restarts, clients)
      const outcome = `${countStatuses(sent)}; creates without an answer: ${String(unclear)}`
      console.log(
        `${versions[index] ?? ''}, ${String(restarts)} restarts: ${outcome}, carried out: ${String(carriedOut)}`,
      )
      if (sent.some(({ status }) => status !== 200)) process.exitCode = 1
    }
  }
}

/**
 * Restarts two servers alternately, on one SQLite file, behind a proxy and under load. Repeats each create that got a
 * 5xx or no answer, to see whether it was carried out.
 */
async function restartBehind(
  name: ProxyName,
  restarts: number,
  clients: number,
): Promise<{ sent: Sent[]; unclear: number; carriedOut: number }> {
  await using cleanup = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'plant-store-proxies-'))
  cleanup.defer(() => rm(folder, { recursive: true }))
  const file = join(folder, 'plants.db')
  const callers = await issueTokens({ engine: 'sqlite', file }, clients)
  const servers: { port: number; server: ServerProcess }[] = []
  for (const port of [await freePort(), await freePort()]) {
    const started = { port, server: await startReady(folder, port) }
    cleanup.defer(() => started.server.stop())
    servers.push(started)
  }
  const ports = servers.map(({ port }) => port)
  const proxy = await startProxy(name, folder, ports)
  cleanup.defer(proxy.stop)
  await using load = startClients(proxy.port, callers, true, 0)
  for (let restart = 0; restart < restarts; restart++) {
    await delay(pauseMilliseconds)
    // There is a server for each remainder.
    const restarted = servers[restart % servers.length]!
    await restarted.server.stop()
    restarted.server = await startReady(folder, restarted.port)
  }
  await delay(pauseMilliseconds)
  await load.stop()
  const unclear = load.sent.filter(({ kind, status }) => kind === 'create' && (status === 0 || status >= 500))
  const repeated = await Promise.all(unclear.map(({ caller, id }) => ask(proxy.port, caller.token, create(id))))
  return {
    sent: load.sent,
    unclear: unclear.length,
    carriedOut: repeated.filter(({ status }) => status === 409).length,
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
  while ((await readiness(port)) !== 200) {
    if (performance.now() > deadline) throw new Error(`port ${String(port)} did not answer /readyz with 200 in time`)
    await delay(20)
  }
}
