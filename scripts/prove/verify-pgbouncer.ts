import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { UsageError, readArguments, runCommand } from '../command.ts'
import {
  type ServerProcess,
  endProcess,
  endWithThisProcess,
  freePort,
  startArguments,
  startServer,
} from '../measure/servers/server-process.ts'
import { type PostgresNode, answers, makeOwnFolder, serverUser, startNode } from '../measure/servers/postgres-node.ts'
import { type Writers, countStatuses, issueTokens, readiness, startWriters } from './postgres/writers.ts'

const usage = `Usage: npm run verify:pgbouncer -- --bin DIR --pgbouncer FILE...
    serves through each PgBouncer with deploy/pgbouncer.ini and with settings that do not work, on the PostgreSQL whose
    programs are in DIR, and restarts both under load; the exit code is 1 when a start or an answer is not as expected`

const root = join(import.meta.dirname, '../..')

const loadMilliseconds = 3_000
const clients = 64
/** How long after a restart a request may fail at most. */
const promisedMilliseconds = 2_000
/** How long a PgBouncer that waits for its clients to go may take: the life of a connection, and half as much again. */
const stopMilliseconds = 90_000

/** The first release that keeps prepared statements in transaction mode. */
const keepsStatements = [1, 21]

/** Settings instead of those of deploy/pgbouncer.ini, and how the server's start ends. */
interface Case {
  name: string
  settings: Record<string, string>
  /** What sets the timeout of statements. */
  timeoutBy: 'connect_query' | 'role' | 'nothing'
  /** What a refused start says; undefined if requests are answered. */
  refusal: (keeps: boolean) => RegExp | undefined
}

const cases: Case[] = [
  {
    name: 'deploy/pgbouncer.ini',
    settings: {},
    timeoutBy: 'connect_query',
    refusal: (keeps) => (keeps ? undefined : /loses prepared statements/),
  },
  {
    name: 'pool_mode = session, timeout of the role',
    settings: { pool_mode: 'session' },
    timeoutBy: 'role',
    refusal: () => undefined,
  },
  {
    name: 'max_prepared_statements = 0',
    settings: { max_prepared_statements: '0' },
    timeoutBy: 'connect_query',
    refusal: () => /loses prepared statements/,
  },
  {
    name: 'no ignore_startup_parameters',
    settings: { ignore_startup_parameters: '' },
    timeoutBy: 'connect_query',
    refusal: () => /refuses the start-up parameter statement_timeout/,
  },
  {
    name: 'no connect_query',
    settings: { pool_mode: 'session' },
    timeoutBy: 'nothing',
    refusal: () => /have no statement_timeout/,
  },
]

/** What is restarted under load, and the signal that ends it. */
const restarts = [
  { name: 'PostgreSQL restarted, fast', part: 'PostgreSQL', signal: 'SIGINT' },
  { name: 'PostgreSQL restarted, immediate', part: 'PostgreSQL', signal: 'SIGQUIT' },
  { name: 'PgBouncer restarted by SIGINT', part: 'PgBouncer', signal: 'SIGINT' },
  { name: 'PgBouncer restarted by SIGTERM', part: 'PgBouncer', signal: 'SIGTERM' },
  { name: 'PgBouncer killed and started', part: 'PgBouncer', signal: 'SIGKILL' },
] as const

interface Outcome {
  version: string
  settings: string
  found: string
  isExpected: boolean
}

async function verify(bin: string, pgbouncer: string): Promise<Outcome[]> {
  const folder = await mkdtemp(join(tmpdir(), 'plant-store-pgbouncer-'))
  await chmod(folder, 0o755)
  const { stdout } = await promisify(execFile)(pgbouncer, ['--version'])
  const version = /^PgBouncer ([0-9.]+)/.exec(stdout)?.[1] ?? ''
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const keeps = major > keepsStatements[0]! || (major === keepsStatements[0] && minor >= keepsStatements[1]!)
  const node = await startNode({ bin, folder, name: 'postgres', settings: [] })
  try {
    const rows: Outcome[] = []
    for (const each of cases) {
      // PgBouncer before 1.21 does not know the setting, and refuses a file that has it.
      if (!keeps && 'max_prepared_statements' in each.settings) continue
      const found = await outcomeOf(each, keeps, { pgbouncer, folder, node })
      const refusal = each.refusal(keeps)
      const isExpected = refusal === undefined ? /^\/readyz 200, 200: \d+$/.test(found) : refusal.test(found)
      rows.push({ version, settings: each.name, found, isExpected })
    }
    for (const each of keeps ? restarts : []) {
      rows.push({ version, settings: each.name, ...(await restart(each, { pgbouncer, folder, node })) })
    }
    return rows
  } finally {
    await node.kill()
    await rm(folder, { recursive: true, force: true })
  }
}

interface Place {
  pgbouncer: string
  folder: string
  node: PostgresNode
}

/** Starts on an empty database. @returns the statuses that requests had, or what the start said */
async function outcomeOf(each: Case, keeps: boolean, place: Place): Promise<string> {
  try {
    return await serveThrough(each, keeps, place, async ({ server, writers }) => {
      await sleep(loadMilliseconds)
      await writers.stop()
      return `/readyz ${String(await readiness(server.port))}, ${countStatuses(writers.sent)}`
    })
  } catch (error) {
    // The last line is what the server printed.
    const lines = error instanceof Error ? error.message.trim().split('\n') : []
    const line = lines.findLast((each) => /the (?:pooler|sessions) at/.test(each)) ?? lines.at(-1) ?? ''
    return line.replace(/^.*the (?:pooler|sessions) at \S+ /, 'refused: ')
  }
}

/** Restarts a part with deploy/pgbouncer.ini, and goes on. */
async function restart(
  { part, signal }: (typeof restarts)[number],
  place: Place,
): Promise<Pick<Outcome, 'found' | 'isExpected'>> {
  return serveThrough(cases[0]!, true, place, async ({ writers, bouncer, startBouncer }) => {
    await sleep(loadMilliseconds / 2)
    const asked = performance.now()
    if (part === 'PostgreSQL') {
      await place.node.stop(signal)
      await place.node.start()
    } else {
      const timer = setTimeout(() => bouncer.kill('SIGKILL'), stopMilliseconds)
      await endProcess(bouncer, () => void bouncer.kill(signal))
      clearTimeout(timer)
      await startBouncer()
    }
    const back = performance.now()
    await sleep(loadMilliseconds)
    await writers.stop()
    const { sent } = writers
    const failures = sent.filter(({ status }) => status !== 200)
    const last = Math.max(0, ...failures.map(({ to }) => to - back))
    const rows = await place.node.query<{ key: string }>(`SELECT caller || ' ' || id AS key FROM plants`)
    const stored = new Set(rows.map(({ key }) => key))
    const lost = sent.filter(
      ({ kind, status, caller, id }) => kind === 'create' && status === 200 && !stored.has(`${caller} ${String(id)}`),
    ).length
    const seconds = (milliseconds: number) => `${(milliseconds / 1_000).toFixed(1)} s`
    return {
      found:
        `back in ${seconds(back - asked)}, last 503 at +${seconds(last)}, ` +
        `${countStatuses(sent)}, lost: ${String(lost)}`,
      isExpected:
        lost === 0 &&
        last <= promisedMilliseconds &&
        back - asked < stopMilliseconds &&
        failures.every(({ status }) => status === 503),
    }
  })
}

/** What runs, and is ended in the end. */
interface Running {
  server: ServerProcess
  writers: Writers
  bouncer: ChildProcess
  /** Starts it again after its end. */
  startBouncer: () => Promise<ChildProcess>
}

/** Starts PgBouncer, a server on an empty database, and clients that write and list until `use` stops them. */
async function serveThrough<Result>(
  { settings, timeoutBy }: Case,
  keeps: boolean,
  { pgbouncer, folder, node }: Place,
  use: (running: Running) => Promise<Result>,
): Promise<Result> {
  await node.query('DROP TABLE IF EXISTS plants, tokens, plant_store_schema')
  await node.query(`ALTER ROLE postgres SET statement_timeout = ${timeoutBy === 'role' ? `'2s'` : 'DEFAULT'}`)
  const port = await freePort()
  const ini = join(folder, 'pgbouncer.ini')
  const text = await readFile(join(root, 'deploy/pgbouncer.ini'), 'utf8')
  const own = { listen_port: String(port), auth_type: 'any', auth_file: '', ...settings }
  await writeFile(
    ini,
    withSettings(
      keeps ? text : without(text, 'max_prepared_statements'),
      own,
      node.port,
      timeoutBy === 'connect_query',
    ),
  )
  const cwd = join(folder, 'run')
  await makeOwnFolder(cwd)
  const bouncers: ChildProcess[] = []
  const startBouncer = async () => {
    const bouncer = spawn(pgbouncer, [ini], { ...serverUser, cwd, stdio: ['ignore', 'ignore', 'pipe'] })
    bouncers.push(bouncer)
    endWithThisProcess(bouncer)
    await waitFor(bouncer, port)
    return bouncer
  }
  try {
    const bouncer = await startBouncer()
    const url = `postgres://postgres@127.0.0.1:${String(port)}/plants`
    const server = await startServer({
      arguments: startArguments,
      environment: { DATABASE_URL: url, LOG_LEVEL: 'error' },
      logFile: join(folder, 'server.log'),
      processors: '0-1',
    })
    try {
      const callers = await issueTokens(
        url,
        Array.from({ length: clients }, (_, index) => `caller ${String(index)}`),
      )
      const writers = startWriters(server.port, callers, true, 0)
      return await use({ server, writers, bouncer, startBouncer })
    } finally {
      await server.stop()
    }
  } finally {
    for (const bouncer of bouncers) await endProcess(bouncer, () => void bouncer.kill('SIGKILL'))
  }
}

function without(ini: string, setting: string): string {
  return ini.replace(new RegExp(`^${setting} = .*\n`, 'm'), '')
}

function withSettings(ini: string, settings: Record<string, string>, port: number, connectQuery: boolean): string {
  const database = ini.replace(
    /^plants = .*?( connect_query=.*)$/m,
    (_line, query: string) =>
      `plants = host=127.0.0.1 port=${String(port)} dbname=postgres user=postgres${connectQuery ? query : ''}`,
  )
  return Object.entries(settings).reduce(
    (text, [name, value]) => text.replace(new RegExp(`^${name} = .*$`, 'm'), value === '' ? '' : `${name} = ${value}`),
    database,
  )
}

async function waitFor(bouncer: ChildProcess, port: number): Promise<void> {
  let output = ''
  bouncer.stderr?.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-2_000)))
  for (let left = 100; left > 0; left--) {
    if (bouncer.exitCode !== null) throw new Error(`PgBouncer ended: ${output}`)
    if (await answers(`postgres://postgres@127.0.0.1:${String(port)}/plants`)) return
    await sleep(50)
  }
  throw new Error(`PgBouncer did not start: ${output}`)
}

async function run(): Promise<void> {
  const options = { bin: { type: 'string' }, pgbouncer: { type: 'string', multiple: true } } as const
  const { bin, pgbouncer = [] } = readArguments(usage, { options }).values
  if (bin === undefined || pgbouncer.length === 0) throw new UsageError(usage)
  let failures = 0
  for (const each of pgbouncer) {
    for (const { version, settings, found, isExpected } of await verify(bin, each)) {
      if (!isExpected) failures++
      console.log(`${isExpected ? ' ' : '!'} ${version.padEnd(8)}${settings.padEnd(42)}${found.slice(0, 66)}`)
    }
  }
  process.exitCode = failures === 0 ? 0 : 1
}

await runCommand(run)
