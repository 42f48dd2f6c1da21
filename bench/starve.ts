import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { readArguments } from '../scripts/command.ts'
import type { DatabaseLocation } from '../src/store/location.ts'
import { type Flood, type Leave, keptClient, newClient, watchLongest } from '../test/support/client/load.ts'
import { memoryOf, schedulingOf } from '../test/support/server/process-figures.ts'
import { type ServerProcess, nodeBinary } from '../test/support/server/start-process.ts'
import { Lab, type LoadedServer, pinned, startLoadedServer } from '../test/support/server/lab.ts'
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

/** The targets, in milliseconds and MiB. A wait may be half of that beside node:http, up to the longest. */
const wanted = { wait: 300, longestWait: 1_000, shareOfBare: 0.5, memory: 250 }

const head = (method: string, path: string, ...fields: string[]) =>
  [`${method} ${path} HTTP/1.1`, 'Host: a', ...fields].map((line) => `${line}\r\n`).join('') + '\r\n'
const get = (path: string, ...fields: string[]) => head('GET', path, ...fields)
const probe = get('/livez')

const chunked = 'Transfer-Encoding: chunked'
const inChunks = (text: string) => Array.from(text, (byte) => `1\r\n${byte}\r\n`).join('') + '0\r\n\r\n'
const post = (token: string, body: string, type = 'application/json') =>
  head(
    'POST',
    '/plants',
    `Authorization: Bearer ${token}`,
    `Content-Type: ${type}`,
    `Content-Length: ${String(body.length)}`,
  ) + body

const plant = '{"id":1,"name":"a"'
const undeclared = Array.from({ length: 6_000 }, (_, index) => `,"p${String(index)}":1`).join('')

/** Requests of one kind, on many connections at once. */
interface Row {
  name: string
  connections: number
  /** How many requests each connection pipelines. */
  repeat: number
  request: (token: string) => string
  leave?: Leave
}

const pipelined: Record<string, string> = {
  'GET /x': get('/x'),
  'a bad token': get('/plants', 'Authorization: Bearer plst_x'),
  'GET /livez': probe,
  'GET /docs': get('/docs/static/swagger-ui.css'),
}
const bodies: Record<string, string> = {
  'deep bodies': '['.repeat(65_536),
  'bodies of one number': `${plant},"x":${'9'.repeat(65_000)}}`,
  'bodies of 6,000 properties': `${plant}${undeclared}}`,
}

const heads: Record<string, string> = {
  'heads of 4,000 fields': get('/x', ...Array.from({ length: 4_000 }, () => 'a:')),
  'heads of 190 long fields': get('/x', ...Array.from({ length: 190 }, () => `a: ${'b'.repeat(70)}`)),
  'paths of 5,000 escapes': get(`/plants/${'%41'.repeat(5_000)}`),
}

const rows: Row[] = [
  ...Object.entries(pipelined).flatMap(([name, request]) =>
    [10, 63, 300].map((connections): Row => ({ name, connections, repeat: 900, request: () => request })),
  ),
  ...(['close', 'half-close', 'reset'] as const).map((leave): Row => ({
    name: `GET /x, ${leave}`,
    connections: 300,
    repeat: 900,
    request: () => get('/x'),
    leave,
  })),
  {
    name: 'unread tiny chunks',
    connections: 64,
    repeat: 1,
    request: () => head('POST', '/x', chunked) + inChunks('x'.repeat(52_000)),
  },
  {
    name: 'tiny chunks',
    connections: 100,
    repeat: 1,
    request: (token) =>
      head('POST', '/plants', `Authorization: Bearer ${token}`, 'Content-Type: application/json', chunked) +
      inChunks(' '.repeat(65_000)),
  },
  {
    name: 'long Content-Types',
    connections: 120,
    repeat: 1,
    request: (token) => post(token, `${plant}}`, `application/json${';a=b'.repeat(3_900)}`),
  },
  ...Object.entries(heads).map(([name, request]): Row => ({
    name,
    connections: 300,
    repeat: 20,
    request: () => request,
  })),
  ...Object.entries(bodies).flatMap(([name, body]) =>
    [30, 2_000].map((connections): Row => ({ name, connections, repeat: 1, request: (token) => post(token, body) })),
  ),
]

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
async function waitBeside({ port, pid }: ServerProcess, stallFile: string, row: Row, token = 'x') {
  const child = fork(fileURLToPath(import.meta.resolve('../test/support/client/load.ts')))
  const { connections, repeat, request, leave } = row
  const flood: Flood = { port, connections, repeat, request: request(token), maxMilliseconds: floodMilliseconds, leave }
  child.send(flood)
  await once(child, 'message')
  const watches = [keptClient(port, probe), newClient(port, probe)].map(watchLongest)
  await sleep(50)
  process.kill(pid, 'SIGUSR2')
  const start = performance.now()
  child.send('start')
  const [responses] = (await once(child, 'message')) as [number]
  const milliseconds = performance.now() - start
  const wait = Math.max(...(await Promise.all(watches.map((stop) => stop()))))
  const unanswered = leave === undefined ? connections * repeat - responses : 0
  const stall = Number(await readFile(stallFile, 'utf8'))
  return { wait, milliseconds, unanswered, stall, memory: memoryOf(pid, 'VmHWM') }
}

async function measureFlood(row: Row, engine: Engine): Promise<void> {
  await using lab = await Lab.open()
  const watching = (name: string) => {
    const file = join(lab.folder, name)
    return {
      file,
      options: {
        NODE_OPTIONS: `--import=${import.meta.resolve('../test/support/server/watch-stall.ts')}`,
        STALL_FILE: file,
      },
    }
  }
  const command = pinned('server', [nodeBinary, '--input-type=module', '--eval', bareServer])
  const bareWatch = watching('stall-bare')
  const bare = await waitBeside(await lab.serve('', 'bare', bareWatch.options, command), bareWatch.file, row)
  const ownWatch = watching('stall')
  await using server = await startLoadedServer(0, { LOG_LEVEL: 'warn', ...ownWatch.options }, [], engine)
  const own = await waitBeside(server, ownWatch.file, row, server.token)
  const longest = Math.min(Math.max(wanted.wait, bare.wait * wanted.shareOfBare), wanted.longestWait)
  const bytes = row.connections * row.repeat * row.request(server.token).length
  const figures = ({ wait, stall, milliseconds, memory }: typeof own) =>
    `${shown(wait)} ${shown(stall)} ${shown(milliseconds)} ${memory.toFixed(0).padStart(5)} MiB`
  console.log(
    `${titleOf(row).padEnd(34)}${(bytes / 1e6).toFixed(1).padStart(6)} MB ${figures(own)}   node:http ${figures(bare)}   ` +
      verdict(own.wait <= longest && own.memory < wanted.memory) +
      (own.unanswered === 0 ? '' : `, ${String(own.unanswered)} unanswered`),
  )
}

const titleOf = ({ connections, repeat, name }: Row) => `${String(connections)} × ${String(repeat)} ${name}`

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
      verdict(measured.every(({ wait }) => wait < wanted.longestWait)),
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
  console.log(
    'the longest wait of another client, the longest stall, the time until all is answered, the largest memory',
  )
  for (const row of rows) if (titleOf(row).includes(only)) await measureFlood(row, engine)
  for (const count of [2_000, 4_000]) if (`${String(count)} readers`.includes(only)) await measureReaders(count, engine)
  process.exitCode = isReached ? 0 : 1
}
