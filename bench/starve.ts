import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { readArguments } from '../scripts/command.ts'
import type { DatabaseLocation } from '../src/store/location.ts'
import { type Flood, keptClient, newClient, watchLongest } from '../test/support/client/load.ts'
import { memoryOf, schedulingOf } from '../test/support/server/process-figures.ts'
import { type ServerProcess, nodeBinary } from '../test/support/server/start-process.ts'
import { Lab, type LoadedServer, pinned, startLoadedServer } from './lab/lab.ts'
import { startLoad } from './load/start-load.ts'

const usage = `Usage: npm run bench -- starve   how long a client waits while others keep the server busy

Options:
  --only TEXT   only the loads whose name contains TEXT
  --postgres    keep the plants in PostgreSQL`

type Engine = DatabaseLocation['engine']

const floodMilliseconds = 120_000
const readMilliseconds = 8_000
/** The time between opening the readers' connections and starting the watched clients. */
const burstMilliseconds = 1_500
const plants = 20_000

/** The targets, in milliseconds and MiB. */
const wanted = { smallFlood: 300, readers: 1_000, memory: 250, shareOfBare: 0.5 }
const smallBytes = 2_000_000

const get = (path: string, ...fields: string[]) =>
  [`GET ${path} HTTP/1.1`, 'Host: a', ...fields].map((line) => `${line}\r\n`).join('') + '\r\n'
const probe = get('/livez')
const requests = {
  'GET /x': get('/x'),
  'a bad token': get('/plants', 'Authorization: Bearer plst_x'),
  'GET /livez': probe,
  'GET /docs': get('/docs/static/swagger-ui.css'),
}

interface Floods {
  connections: number
  repeat: number
  name: string
  request: string
}

const floods: Floods[] = Object.entries(requests).flatMap(([name, request]) =>
  [10, 63, 300].map((connections) => ({ connections, repeat: 900, name, request })),
)

/** node:http alone, which sends every request the same response. */
const bareServer = `
  import { createServer } from 'node:http'
  const server = createServer((_request, response) => {
    response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":40400,"message":"no such path"}')
  })
  server.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + server.address().port))`

let isReached = true

function verdict(reached: boolean): string {
  isReached &&= reached
  return reached ? 'reached' : 'MISSED'
}

const shown = (milliseconds: number) => `${milliseconds.toFixed(0)} ms`.padStart(9)

/** Sends a flood and measures the longest waits of a client with one connection and of one that reconnects. */
async function waitBeside({ port, pid }: ServerProcess, { connections, repeat, request }: Floods) {
  const child = fork(fileURLToPath(import.meta.resolve('../test/support/client/load.ts')))
  const flood: Flood = { port, connections, repeat, request, maxMilliseconds: floodMilliseconds }
  child.send(flood)
  await once(child, 'message')
  const watches = [watchLongest(keptClient(port, probe)), watchLongest(newClient(port, probe))]
  await sleep(50)
  const start = performance.now()
  child.send('start')
  const [responses] = (await once(child, 'message')) as [number]
  const milliseconds = performance.now() - start
  const wait = Math.max(...(await Promise.all(watches.map((stop) => stop()))))
  return { wait, milliseconds, unanswered: connections * repeat - responses, memory: memoryOf(pid, 'VmHWM') }
}

async function measureFlood(flood: Floods, engine: Engine): Promise<void> {
  await using lab = await Lab.open()
  const command = pinned('server', [nodeBinary, '--input-type=module', '--eval', bareServer])
  const bare = await waitBeside(await lab.serve('', 'bare', {}, command), flood)
  await using server = await startLoadedServer(0, { LOG_LEVEL: 'warn' }, [], engine)
  const own = await waitBeside(server, flood)
  const bytes = flood.connections * flood.repeat * flood.request.length
  const isShort = bytes >= smallBytes || own.wait < wanted.smallFlood
  const reached = isShort && own.wait <= bare.wait * wanted.shareOfBare && own.memory < wanted.memory
  const figures = ({ wait, milliseconds, memory }: typeof own) =>
    `${shown(wait)} of ${shown(milliseconds)}, ${memory.toFixed(0).padStart(4)} MiB`
  console.log(
    `${titleOf(flood).padEnd(24)}${(bytes / 1e6).toFixed(1).padStart(5)} MB  ${figures(own)}   node:http ${figures(bare)}` +
      `   ${verdict(reached)}${own.unanswered === 0 ? '' : `, ${String(own.unanswered)} unanswered`}`,
  )
}

const titleOf = ({ connections, repeat, name }: Floods) => `${String(connections)} × ${String(repeat)} ${name}`

/** Measures waits beside clients that list without a pause on connections opened at once. */
async function measureReaders(connections: number, engine: Engine): Promise<void> {
  await using server = await startLoadedServer(plants, { LOG_LEVEL: 'warn' }, [], engine)
  await using load = startLoad()
  const { pid, port, token } = server
  const operation = { kind: 'list', path: '/plants?limit=1' } as const
  const loading = load.run({
    port,
    token,
    operation,
    connections,
    maxRequests: 1e9,
    maxMilliseconds: readMilliseconds,
  })
  await sleep(burstMilliseconds)
  const before = schedulingOf(pid)
  const watches = {
    newcomer: newClient(port, get('/plants?limit=1', `Authorization: Bearer ${token}`)),
    write: writer(server),
    list: () => send(server, '/plants'),
  }
  const waits = Object.entries(watches).map(([name, action]) => ({ name, stop: watchLongest(action) }))
  await sleep(readMilliseconds - 2 * burstMilliseconds)
  const measured = await Promise.all(waits.map(async ({ name, stop }) => ({ name, wait: await stop() })))
  const after = schedulingOf(pid)
  const { requests: count, milliseconds } = await loading
  const share = (after.running - before.running) / (after.running - before.running + after.waiting - before.waiting)
  console.log(
    `${String(connections)} readers`.padEnd(24) +
      measured.map(({ name, wait }) => `${name} ${shown(wait)}   `).join('') +
      `${((count / milliseconds) * 1_000).toFixed(0)} lists a second, ${(share * 100).toFixed(0)} % of a processor   ` +
      verdict(measured.every(({ wait }) => wait < wanted.readers)),
  )
}

async function send({ origin, token }: LoadedServer, path: string, init: RequestInit = {}): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  await (await fetch(origin + path, { ...init, headers })).arrayBuffer()
}

function writer(server: LoadedServer): () => Promise<void> {
  let id = 1
  return () => send(server, '/plants', { method: 'POST', body: `{"id":${String(id++)},"name":"a"}` })
}

/** Measures and prints. The exit code is 1 when a target is missed. */
export async function run(args: string[]): Promise<void> {
  const options = { only: { type: 'string', default: '' }, postgres: { type: 'boolean', default: false } } as const
  const { only, postgres } = readArguments(usage, { args, options }).values
  const engine = postgres ? 'postgres' : 'sqlite'
  console.log('the longest wait of another client, the time until all is answered, the largest memory')
  for (const flood of floods) if (titleOf(flood).includes(only)) await measureFlood(flood, engine)
  for (const count of [2_000, 4_000]) if (`${String(count)} readers`.includes(only)) await measureReaders(count, engine)
  process.exitCode = isReached ? 0 : 1
}
