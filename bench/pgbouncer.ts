import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { UsageError, readArguments } from '../scripts/command.ts'
import { issueTokens } from '../test/support/server/issue-tokens.ts'
import { type PostgresNode, responds, makeOwnFolder, serverUser } from '../test/support/server/postgres-node.ts'
import { type Program, startProgram } from '../test/support/server/program.ts'
import { freePort, projectFolder } from '../test/support/server/start-process.ts'
import { callersOf, countStatuses, loadWhile, readiness, report, reportFault } from './lab/clients.ts'
import { Lab } from './lab/lab.ts'

const usage = `Usage: npm run bench -- pgbouncer --bin DIR --pgbouncer FILE...
         serves through each PgBouncer, 1.21 or newer, with deploy/pgbouncer.ini and with settings that do not work, on
         the PostgreSQL whose programs are in DIR, and restarts both under load; the exit code is 1 when a start or a
         response is not as expected`

const loadMilliseconds = 3_000
const clients = 64
/** How long after a restart a request may fail at most. */
const maxMilliseconds = 2_000
/** How long PgBouncer may wait for its clients: 1.5 times the lifetime of a connection. */
const stopMilliseconds = 90_000

/** Changes of deploy/pgbouncer.ini, and the expected outcome of a start. */
interface Case {
  name: string
  settings: Record<string, string>
  /** What sets the timeout of statements. */
  timeoutBy: 'connect_query' | 'role' | 'nothing'
  /** The message of a refused start; without it, the server must serve. */
  refusal?: RegExp
}

const shipped: Case = { name: 'deploy/pgbouncer.ini', settings: {}, timeoutBy: 'connect_query' }
const bySession = { settings: { pool_mode: 'session' } }

const cases: Case[] = [
  shipped,
  { name: 'pool_mode = session, timeout of the role', ...bySession, timeoutBy: 'role' },
  {
    name: 'max_prepared_statements = 0',
    settings: { max_prepared_statements: '0' },
    timeoutBy: 'connect_query',
    refusal: /loses prepared statements/,
  },
  {
    name: 'no ignore_startup_parameters',
    settings: { ignore_startup_parameters: '' },
    timeoutBy: 'connect_query',
    refusal: /refuses the start-up parameter statement_timeout/,
  },
  { name: 'no connect_query', ...bySession, timeoutBy: 'nothing', refusal: /have no statement_timeout/ },
]

/** The restarts under load, and their signals. */
const restarts = [
  { name: 'PostgreSQL restarted, fast', part: 'PostgreSQL', signal: 'SIGINT' },
  { name: 'PostgreSQL restarted, immediate', part: 'PostgreSQL', signal: 'SIGQUIT' },
  { name: 'PgBouncer restarted by SIGINT', part: 'PgBouncer', signal: 'SIGINT' },
  { name: 'PgBouncer restarted by SIGTERM', part: 'PgBouncer', signal: 'SIGTERM' },
  { name: 'PgBouncer killed and started', part: 'PgBouncer', signal: 'SIGKILL' },
] as const

export async function run(args: string[]): Promise<void> {
  const options = { bin: { type: 'string' }, pgbouncer: { type: 'string', multiple: true } } as const
  const { bin, pgbouncer = [] } = readArguments(usage, { args, options }).values
  if (bin === undefined || pgbouncer.length === 0) throw new UsageError(usage)
  for (const program of pgbouncer) {
    const { stdout } = await promisify(execFile)(program, ['--version'])
    const version = /^PgBouncer ([0-9.]+)/.exec(stdout)?.[0] ?? program
    await using lab = await Lab.open(bin)
    const place = { lab, program, version, node: await lab.node('postgres') }
    for (const each of cases) await verifyCase(each, place)
    for (const each of restarts) await verifyRestart(each, place)
  }
}

interface Place {
  lab: Lab
  /** PgBouncer's. */
  program: string
  version: string
  node: PostgresNode
}

/** Starts on an empty database. */
async function verifyCase(each: Case, place: Place): Promise<void> {
  const what = `${place.version}, ${each.name}`
  try {
    await using running = await startThrough(each, place)
    const { port, url } = running
    const { sent } = await loadOn(port, url, {}, () => sleep(loadMilliseconds))
    const isServed = (await readiness(port)) === 200 && sent.every(({ status }) => status === 200)
    report(what, countStatuses(sent), isServed && each.refusal === undefined)
  } catch (error) {
    // One of the lines is the server's message.
    const lines = error instanceof Error ? error.message.trim().split('\n') : []
    const line = lines.findLast((text) => /the (?:pooler|sessions) at/.test(text)) ?? lines.at(-1) ?? ''
    report(what, line.replace(/^.*the (?:pooler|sessions) at \S+ /, 'refused: '), each.refusal?.test(line) === true)
  }
}

/** Restarts a part under load with deploy/pgbouncer.ini. */
async function verifyRestart({ name, part, signal }: (typeof restarts)[number], place: Place): Promise<void> {
  await using running = await startThrough(shipped, place)
  const { port, url, bouncer, startBouncer } = running
  const times = { before: loadMilliseconds / 2, after: loadMilliseconds }
  const load = await loadOn(port, url, times, async () => {
    if (part === 'PostgreSQL') {
      await place.node.stop(signal)
      await place.node.start()
    } else {
      const timer = setTimeout(() => bouncer.child.kill('SIGKILL'), stopMilliseconds)
      await bouncer.end(signal)
      clearTimeout(timer)
      await startBouncer()
    }
  })
  await reportFault(`${place.version}, ${name}`, place.node, load, maxMilliseconds)
}

async function loadOn(
  port: number,
  url: string,
  times: Parameters<typeof loadWhile>[2],
  happen: () => Promise<void>,
): ReturnType<typeof loadWhile> {
  return loadWhile(port, await issueTokens({ engine: 'postgres', url }, callersOf(clients)), times, happen)
}

interface Running extends AsyncDisposable {
  /** The server's. */
  port: number
  /** Through PgBouncer. */
  url: string
  bouncer: Program
  /** Starts it again after its end. */
  startBouncer: () => Promise<Program>
}

/** Starts PgBouncer and a server on an empty database. */
async function startThrough({ settings, timeoutBy }: Case, { lab, program, node }: Place): Promise<Running> {
  await node.query('DROP TABLE IF EXISTS plants, tokens, plant_store_schema')
  await node.query(`ALTER ROLE postgres SET statement_timeout = ${timeoutBy === 'role' ? `'2s'` : 'DEFAULT'}`)
  const bouncerPort = await freePort()
  const url = `postgres://postgres@127.0.0.1:${String(bouncerPort)}/plants`
  const ini = join(lab.folder, 'pgbouncer.ini')
  const own = { listen_port: String(bouncerPort), auth_type: 'any', auth_file: '', ...settings }
  await writeFile(ini, await adapted(own, node.port, timeoutBy === 'connect_query'))
  const cwd = join(lab.folder, 'run')
  await makeOwnFolder(cwd)
  await using cleanup = new AsyncDisposableStack()
  const started = cleanup.use(new AsyncDisposableStack())
  const startBouncer = async () =>
    started.use(await startProgram([program, ini], { ...serverUser, cwd }, () => responds(url)))
  const bouncer = await startBouncer()
  const { port } = cleanup.use(await lab.serve(url, 'server'))
  const ending = cleanup.move()
  return { port, url, bouncer, startBouncer, [Symbol.asyncDispose]: () => ending.disposeAsync() }
}

/** Changes settings of deploy/pgbouncer.ini, and its PostgreSQL port. Empty settings are removed. */
async function adapted(settings: Record<string, string>, port: number, hasConnectQuery: boolean): Promise<string> {
  const text = await readFile(join(projectFolder, 'deploy/pgbouncer.ini'), 'utf8')
  const database = text.replace(
    /^plants = .*?( connect_query=.*)$/m,
    (_line, query: string) =>
      `plants = host=127.0.0.1 port=${String(port)} dbname=postgres user=postgres${hasConnectQuery ? query : ''}`,
  )
  return Object.entries(settings).reduce(
    (ini, [name, value]) => ini.replace(new RegExp(`^${name} = .*$`, 'm'), value === '' ? '' : `${name} = ${value}`),
    database,
  )
}
