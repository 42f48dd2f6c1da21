import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { UsageError, readArguments } from '../scripts/command.ts'
import { Lab } from './lab/lab.ts'
import {
  type Clients,
  callersOf,
  countStatuses,
  keptBy,
  lastFailureAfter,
  readiness,
  startClients,
} from './lab/clients.ts'
import { type PostgresNode, answers, makeOwnFolder, serverUser } from '../test/support/server/postgres-node.ts'
import { issueTokens } from '../test/support/server/issue-tokens.ts'
import { type Program, startProgram } from '../test/support/server/program.ts'
import { type ServerProcess, freePort, projectFolder } from '../test/support/server/start-process.ts'

const usage = `Usage: npm run bench -- pgbouncer --bin DIR --pgbouncer FILE...
         serves through each PgBouncer, 1.21 or newer, with deploy/pgbouncer.ini and with settings that do not work, on
         the PostgreSQL whose programs are in DIR, and restarts both under load; the exit code is 1 when a start or an
         answer is not as expected`

const loadMilliseconds = 3_000
const clients = 64
/** How long after a restart a request may fail at most. */
const promisedMilliseconds = 2_000
/** How long a PgBouncer that waits for its clients to go may take: the life of a connection, and half as much again. */
const stopMilliseconds = 90_000

/** Settings instead of those of deploy/pgbouncer.ini, and how the server's start ends. */
interface Case {
  name: string
  settings: Record<string, string>
  /** What sets the timeout of statements. */
  timeoutBy: 'connect_query' | 'role' | 'nothing'
  /** What is found: the statuses of requests, or what a refused start says. */
  expected: RegExp
}

const served = /^\/readyz 200, 200: \d+$/

const shipped: Case = { name: 'deploy/pgbouncer.ini', settings: {}, timeoutBy: 'connect_query', expected: served }

const cases: Case[] = [
  shipped,
  {
    name: 'pool_mode = session, timeout of the role',
    settings: { pool_mode: 'session' },
    timeoutBy: 'role',
    expected: served,
  },
  {
    name: 'max_prepared_statements = 0',
    settings: { max_prepared_statements: '0' },
    timeoutBy: 'connect_query',
    expected: /loses prepared statements/,
  },
  {
    name: 'no ignore_startup_parameters',
    settings: { ignore_startup_parameters: '' },
    timeoutBy: 'connect_query',
    expected: /refuses the start-up parameter statement_timeout/,
  },
  {
    name: 'no connect_query',
    settings: { pool_mode: 'session' },
    timeoutBy: 'nothing',
    expected: /have no statement_timeout/,
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

export async function run(args: string[]): Promise<void> {
  const options = { bin: { type: 'string' }, pgbouncer: { type: 'string', multiple: true } } as const
  const { bin, pgbouncer = [] } = readArguments(usage, { args, options }).values
  if (bin === undefined || pgbouncer.length === 0) throw new UsageError(usage)
  for (const program of pgbouncer) {
    const { stdout } = await promisify(execFile)(program, ['--version'])
    const version = /^PgBouncer ([0-9.]+)/.exec(stdout)?.[1] ?? ''
    const print = (name: string, found: string, isExpected: boolean) => {
      if (!isExpected) process.exitCode = 1
      console.log(`${isExpected ? ' ' : '!'} ${version.padEnd(8)}${name.padEnd(42)}${found.slice(0, 72)}`)
    }
    await using lab = await Lab.open(bin)
    const place = { lab, program, node: await lab.node('postgres') }
    for (const each of cases) {
      const found = await outcomeOf(each, place)
      print(each.name, found, each.expected.test(found))
    }
    for (const each of restarts) {
      const { found, isExpected } = await restart(each, place)
      print(each.name, found, isExpected)
    }
  }
}

/** @param program PgBouncer's */
interface Place {
  lab: Lab
  program: string
  node: PostgresNode
}

/** Starts on an empty database. @returns the statuses that requests had, or what the start said */
async function outcomeOf(each: Case, place: Place): Promise<string> {
  try {
    return await serveThrough(each, place, async ({ server, load }) => {
      await sleep(loadMilliseconds)
      await load.stop()
      return `/readyz ${String(await readiness(server.port))}, ${countStatuses(load.sent)}`
    })
  } catch (error) {
    // The last line is what the server printed.
    const lines = error instanceof Error ? error.message.trim().split('\n') : []
    const line = lines.findLast((text) => /the (?:pooler|sessions) at/.test(text)) ?? lines.at(-1) ?? ''
    return line.replace(/^.*the (?:pooler|sessions) at \S+ /, 'refused: ')
  }
}

/** Restarts a part with deploy/pgbouncer.ini, and goes on. */
function restart(
  { part, signal }: (typeof restarts)[number],
  place: Place,
): Promise<{ found: string; isExpected: boolean }> {
  return serveThrough(shipped, place, async ({ load, bouncer, startBouncer }) => {
    await sleep(loadMilliseconds / 2)
    const asked = performance.now()
    if (part === 'PostgreSQL') {
      await place.node.stop(signal)
      await place.node.start()
    } else {
      const timer = setTimeout(() => bouncer.child.kill('SIGKILL'), stopMilliseconds)
      await bouncer.end(signal)
      clearTimeout(timer)
      await startBouncer()
    }
    const back = performance.now()
    await sleep(loadMilliseconds)
    await load.stop()
    const { sent } = load
    const last = lastFailureAfter(sent, back)
    const { lost } = await keptBy(place.node, sent)
    const seconds = (milliseconds: number) => `${(milliseconds / 1_000).toFixed(1)} s`
    return {
      found:
        `back in ${seconds(back - asked)}, last 503 at +${seconds(last)}, ` +
        `${countStatuses(sent)}, lost: ${String(lost.length)}`,
      isExpected:
        lost.length === 0 &&
        last <= promisedMilliseconds &&
        back - asked < stopMilliseconds &&
        sent.every(({ status }) => status === 200 || status === 503),
    }
  })
}

interface Running {
  server: ServerProcess
  load: Clients
  bouncer: Program
  /** Starts it again after its end. */
  startBouncer: () => Promise<Program>
}

/** Starts PgBouncer, a server on an empty database, and clients that write and list until `use` stops them. */
async function serveThrough<Result>(
  { settings, timeoutBy }: Case,
  { lab, program, node }: Place,
  use: (running: Running) => Promise<Result>,
): Promise<Result> {
  await node.query('DROP TABLE IF EXISTS plants, tokens, plant_store_schema')
  await node.query(`ALTER ROLE postgres SET statement_timeout = ${timeoutBy === 'role' ? `'2s'` : 'DEFAULT'}`)
  const port = await freePort()
  const url = `postgres://postgres@127.0.0.1:${String(port)}/plants`
  const ini = join(lab.folder, 'pgbouncer.ini')
  const own = { listen_port: String(port), auth_type: 'any', auth_file: '', ...settings }
  await writeFile(ini, await adapted(own, node.port, timeoutBy === 'connect_query'))
  const cwd = join(lab.folder, 'run')
  await makeOwnFolder(cwd)
  await using cleanup = new AsyncDisposableStack()
  const startBouncer = async () => {
    const bouncer = await startProgram([program, ini], { ...serverUser, cwd }, () => answers(url))
    cleanup.defer(() => bouncer.end('SIGKILL'))
    return bouncer
  }
  const bouncer = await startBouncer()
  const server = await lab.serve(url, 'server')
  cleanup.defer(() => server.end())
  await using load = startClients(
    server.port,
    await issueTokens({ engine: 'postgres', url }, callersOf(clients)),
    true,
    0,
  )
  return await use({ server, bouncer, startBouncer, load })
}

/** The text of deploy/pgbouncer.ini with other settings, for a PostgreSQL on another port. An empty setting is left out. */
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
