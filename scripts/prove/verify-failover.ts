import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { UsageError, readArguments, runCommand } from '../command.ts'
import { startArguments, startServer } from '../measure/servers/server-process.ts'
import { type PostgresNode, startNode } from '../measure/servers/postgres-node.ts'
import { type Sent, countStatuses, issueTokens, readiness, startWriters } from './postgres/writers.ts'

const usage = `Usage: npm run verify:failover -- --bin DIR
    takes a primary away under load and promotes its standby, with the PostgreSQL whose programs are in DIR; the exit
    code is 1 when an acknowledged create is lost or requests fail longer than promised`

const clients = 32
/** Before the fault, between the fault and the promotion, and after the promotion. */
const [before, detection, after] = [2_000, 1_000, 10_000]
/** How long after the promotion a request may fail at most. */
const promisedMilliseconds = 5_000

interface Outcome {
  fault: string
  requests: number
  statuses: string
  'first create after the promotion, ms': number
  'last failure after the promotion, ms': number
  'slowest answer, ms': number
  'acknowledged creates': number
  'of them lost': number
  '/readyz on the standby, then promoted': string
}

async function verify(bin: string, fault: 'SIGKILL' | 'SIGSTOP'): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'plant-store-failover-'))
  await chmod(folder, 0o755)
  const stops: (() => Promise<void>)[] = [() => rm(folder, { recursive: true, force: true })]
  try {
    const node = async (name: string, standbyOf?: PostgresNode) => {
      const started = await startNode({ bin, folder, name, settings: [], ...(standbyOf && { standbyOf }) })
      stops.push(() => started.kill())
      return started
    }
    const primary = await node('primary')
    const standby = await node('standby', primary)
    // A create is acknowledged once the standby shows it.
    await primary.query(`ALTER SYSTEM SET synchronous_standby_names = '*'`)
    await primary.query(`ALTER SYSTEM SET synchronous_commit = remote_apply`)
    await primary.query('SELECT pg_reload_conf()')
    const hosts = [primary, standby].map(({ port }) => `127.0.0.1:${String(port)}`).join(',')
    const url = `postgres://postgres@${hosts}/postgres?target_session_attrs=read-write`
    const callers = await issueTokens(
      url,
      Array.from({ length: clients }, (_, index) => `caller ${String(index)}`),
    )
    const serve = async (databaseUrl: string, name: string) => {
      const server = await startServer({
        arguments: startArguments,
        environment: { DATABASE_URL: databaseUrl, LOG_LEVEL: 'error' },
        logFile: join(folder, `${name}.log`),
        processors: '0-1',
      })
      stops.push(() => server.stop())
      return server
    }
    const server = await serve(url, 'server')
    const onStandby = await serve(standby.url, 'standby-server')
    const asStandby = await readiness(onStandby.port)
    const writers = startWriters(server.port, callers, false, 0)
    await sleep(before)
    primary.signal(fault)
    await sleep(detection)
    await standby.query('SELECT pg_promote()')
    const promoted = performance.now()
    await sleep(after)
    await writers.stop()
    const { sent } = writers
    const acknowledged = sent.filter(({ status }) => status === 200)
    const rows = await standby.query<{ key: string }>(`SELECT caller || ' ' || id AS key FROM plants`)
    const stored = new Set(rows.map(({ key }) => key))
    return {
      fault,
      requests: sent.length,
      statuses: countStatuses(sent),
      'first create after the promotion, ms': Math.round(
        Math.min(...acknowledged.filter(({ to }) => to > promoted).map(({ to }) => to - promoted)),
      ),
      'last failure after the promotion, ms': Math.round(lastFailure(sent, promoted)),
      'slowest answer, ms': Math.round(Math.max(...sent.map(({ from, to }) => to - from))),
      'acknowledged creates': acknowledged.length,
      'of them lost': acknowledged.filter(({ caller, id }) => !stored.has(`${caller} ${String(id)}`)).length,
      '/readyz on the standby, then promoted': `${String(asStandby)}, ${String(await readiness(onStandby.port))}`,
    }
  } finally {
    for (const stop of stops.reverse()) await stop()
  }
}

/** 0 if none failed after the promotion. */
function lastFailure(sent: Sent[], promoted: number): number {
  const failures = sent.filter(({ status, to }) => status !== 200 && to > promoted)
  return Math.max(0, ...failures.map(({ to }) => to - promoted))
}

async function run(): Promise<void> {
  const { values } = readArguments(usage, { options: { bin: { type: 'string' } } })
  if (values.bin === undefined) throw new UsageError(usage)
  const outcomes = [await verify(values.bin, 'SIGKILL'), await verify(values.bin, 'SIGSTOP')]
  for (const outcome of outcomes) {
    for (const [name, value] of Object.entries(outcome)) console.log(`${name.padEnd(40)}${String(value)}`)
    console.log('')
  }
  const isKept = outcomes.every(
    (outcome) =>
      outcome['of them lost'] === 0 &&
      outcome['last failure after the promotion, ms'] <= promisedMilliseconds &&
      outcome['/readyz on the standby, then promoted'] === '503, 200',
  )
  process.exitCode = isKept ? 0 : 1
}

await runCommand(run)
