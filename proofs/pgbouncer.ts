import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readArguments } from '../scripts/command.ts'
import { type PostgresNode, responds, makeOwnFolder, serverUser } from '../test/support/server/postgres-node.ts'
import { type Program, startProgram } from '../test/support/server/program.ts'
import { freePort, projectFolder } from '../test/support/server/start-process.ts'
import { readiness } from '../test/support/client/ask.ts'
import { Missing, report } from '../test/support/run-named.ts'
import { countStatuses, issueCallers, loadWhile, reportFault, versionOf } from './clients.ts'
import type { Caller } from '../test/support/server/issue-tokens.ts'
import { Lab } from '../test/support/server/lab.ts'

const usage = `Usage: npm run proofs -- pgbouncer
         serves through the pgbouncer in PATH with deploy/pgbouncer.ini and with settings that do not work, and restarts
         it and PostgreSQL under load; the exit code is 1 when a start or a response is not as expected`

/** The first version that keeps prepared statements in transaction mode (pgbouncer.org/changelog.html). */
const oldest = '1.21'

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
  readArguments(usage, { args, options: {} })
  const version = await versionOf('pgbouncer', '--version')
  if (version.localeCompare(oldest, 'en', { numeric: true }) < 0)
    throw new Missing(`the pgbouncer in PATH is ${version}: install ${oldest} or newer, see https://www.pgbouncer.org`)
  report('PgBouncer', version)
  for (const each of cases) await verifyCase(each)
  for (const each of restarts) await verifyRestart(each)
}

async function verifyCase(each: Case): Promise<void> {
  await using lab = await Lab.open()
  try {
    const { port, callers } = await startThrough(each, lab)
    const { sent } = await loadWhile(port, callers, {}, () => sleep(loadMilliseconds))
    const isServed = (await readiness(port)) === 200 && sent.every(({ status }) => status === 200)
    report(each.name, countStatuses(sent), isServed && each.refusal === undefined)
  } catch (error) {
    // One of the lines is the server's message.
    const lines = error instanceof Error ? error.message.trim().split('\n') : []
    const line = lines.findLast((text) => /the (?:pooler|sessions) at/.test(text)) ?? lines.at(-1) ?? ''
    report(
      each.name,
      line.replace(/^.*the (?:pooler|sessions) at \S+ /, 'refused: '),
      each.refusal?.test(line) === true,
    )
  }
}

/** Restarts a part under load with deploy/pgbouncer.ini. */
async function verifyRestart({ name, part, signal }: (typeof restarts)[number]): Promise<void> {
  await using lab = await Lab.open()
  const { node, bouncer, startBouncer, port, callers } = await startThrough(shipped, lab)
  const load = await loadWhile(port, callers, { before: loadMilliseconds / 2, after: loadMilliseconds }, async () => {
    if (part === 'PostgreSQL') {
      await node.stop(signal)
      await node.start()
    } else {
      const timer = setTimeout(() => bouncer.child.kill('SIGKILL'), stopMilliseconds)
      await bouncer.end(signal)
      clearTimeout(timer)
      await startBouncer()
    }
  })
  await reportFault(name, node, load, maxMilliseconds)
}

interface Running {
  node: PostgresNode
  bouncer: Program
  /** Starts it again after its end. */
  startBouncer: () => Promise<Program>
  /** The server's. */
  port: number
  callers: Caller[]
}

/** Starts PostgreSQL, PgBouncer and a server. */
async function startThrough({ settings, timeoutBy }: Case, lab: Lab): Promise<Running> {
  const node = await lab.node('postgres')
  if (timeoutBy === 'role') await node.query(`ALTER ROLE postgres SET statement_timeout = '2s'`)
  const bouncerPort = await freePort()
  const url = `postgres://postgres@127.0.0.1:${String(bouncerPort)}/plants`
  const ini = join(lab.folder, 'pgbouncer.ini')
  const own = { listen_port: String(bouncerPort), auth_type: 'any', auth_file: '', ...settings }
  await writeFile(ini, await adapted(own, node.port, timeoutBy === 'connect_query'))
  const cwd = join(lab.folder, 'run')
  await makeOwnFolder(cwd)
  const startBouncer = async () =>
    lab.use(await startProgram(['pgbouncer', ini], { ...serverUser, cwd }, () => responds(url)))
  const bouncer = await startBouncer()
  const { port } = await lab.serve(url, 'server')
  const callers = await issueCallers({ engine: 'postgres', url }, clients)
  return { node, bouncer, startBouncer, port, callers }
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
