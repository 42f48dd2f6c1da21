import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { UsageError, readArguments, runCommand } from '../command.ts'
import { type ServerProcess, startArguments, startServer } from '../measure/servers/server-process.ts'
import { type PostgresNode, startNode } from '../measure/servers/postgres-node.ts'
import { type Sent, countStatuses, issueTokens, readiness, startWriters } from './postgres/writers.ts'

const usage = `Usage: npm run verify:failover -- --bin DIR
    takes a primary away under load and promotes its standby, and restarts a PostgreSQL without one, with the programs
    in DIR; the exit code is 1 when an acknowledged create is lost or requests fail longer than promised`

const clients = 32
/** Before the fault, between the fault and the promotion, and after the promotion or the start. */
const [before, detection, after] = [2_000, 1_000, 10_000]
/** How long after the promotion or the start a request may fail at most. */
const promisedMilliseconds = 5_000

interface Outcome {
  fault: string
  requests: number
  statuses: string
  'from the fault to the promotion or start, ms': number
  'first create after it, ms': number
  'last failure after it, ms': number
  'slowest answer, ms': number
  'acknowledged creates': number
  'of them lost': number
  '/readyz on the standby, then promoted'?: string
}

/** Makes nodes and servers, which end when `use` has ended. */
interface Lab {
  node: (name: string, standbyOf?: PostgresNode) => Promise<PostgresNode>
  serve: (databaseUrl: string, name: string) => Promise<ServerProcess>
}

async function inLab<Result>(bin: string, use: (lab: Lab) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'plant-store-failover-'))
  await chmod(folder, 0o755)
  const stops: (() => Promise<void>)[] = [() => rm(folder, { recursive: true, force: true })]
  try {
    return await use({
      node: async (name, standbyOf) => {
        const started = await startNode({ bin, folder, name, settings: [], ...(standbyOf && { standbyOf }) })
        stops.push(() => started.kill())
        return started
      },
      serve: async (databaseUrl, name) => {
        const server = await startServer({
          arguments: startArguments,
          environment: { DATABASE_URL: databaseUrl, LOG_LEVEL: 'error' },
          logFile: join(folder, `${name}.log`),
          processors: '0-1',
        })
        stops.push(() => server.stop())
        return server
      },
    })
  } finally {
    for (const stop of stops.reverse()) await stop()
  }
}

function verifyPromotion(bin: string, fault: 'SIGKILL' | 'SIGSTOP'): Promise<Outcome> {
  return inLab(bin, async ({ node, serve }) => {
    const primary = await node('primary')
    const standby = await node('standby', primary)
    // A create is acknowledged once the standby shows it.
    await primary.query(`ALTER SYSTEM SET synchronous_standby_names = '*'`)
    await primary.query(`ALTER SYSTEM SET synchronous_commit = remote_apply`)
    await primary.query('SELECT pg_reload_conf()')
    const hosts = [primary, standby].map(({ port }) => `127.0.0.1:${String(port)}`).join(',')
    const url = `postgres://postgres@${hosts}/postgres?target_session_attrs=read-write`
    const server = await serve(url, 'server')
    const onStandby = await serve(standby.url, 'standby-server')
    const asStandby = await readiness(onStandby.port)
    const outcome = await load(server, url, standby, fault, async () => {
      primary.signal(fault)
      await sleep(detection)
      await standby.query('SELECT pg_promote()')
    })
    const ready = `${String(asStandby)}, ${String(await readiness(onStandby.port))}`
    return { ...outcome, '/readyz on the standby, then promoted': ready }
  })
}

function verifyRestart(bin: string, fault: string, signal: 'SIGINT' | 'SIGQUIT'): Promise<Outcome> {
  return inLab(bin, async ({ node, serve }) => {
    const alone = await node('alone')
    return load(await serve(alone.url, 'server'), alone.url, alone, fault, async () => {
      await alone.stop(signal)
      await alone.start()
    })
  })
}

/** Loads a server while something happens to its database. @param survivor has what was acknowledged in the end */
async function load(
  server: ServerProcess,
  url: string,
  survivor: PostgresNode,
  fault: string,
  happen: () => Promise<void>,
): Promise<Outcome> {
  const callers = await issueTokens(
    url,
    Array.from({ length: clients }, (_, index) => `caller ${String(index)}`),
  )
  const writers = startWriters(server.port, callers, false, 0)
  await sleep(before)
  const from = performance.now()
  await happen()
  const end = performance.now()
  await sleep(after)
  await writers.stop()
  const { sent } = writers
  const acknowledged = sent.filter(({ status }) => status === 200)
  const rows = await survivor.query<{ key: string }>(`SELECT caller || ' ' || id AS key FROM plants`)
  const stored = new Set(rows.map(({ key }) => key))
  return {
    fault,
    requests: sent.length,
    statuses: countStatuses(sent),
    'from the fault to the promotion or start, ms': Math.round(end - from),
    'first create after it, ms': Math.round(Math.min(...acknowledged.map(({ to }) => to - end).filter((ms) => ms > 0))),
    'last failure after it, ms': Math.round(lastFailure(sent, end)),
    'slowest answer, ms': Math.round(Math.max(...sent.map((each) => each.to - each.from))),
    'acknowledged creates': acknowledged.length,
    'of them lost': acknowledged.filter(({ caller, id }) => !stored.has(`${caller} ${String(id)}`)).length,
  }
}

/** 0 if none failed after the end of the fault. */
function lastFailure(sent: Sent[], end: number): number {
  const failures = sent.filter(({ status, to }) => status !== 200 && to > end)
  return Math.max(0, ...failures.map(({ to }) => to - end))
}

async function run(): Promise<void> {
  const { values } = readArguments(usage, { options: { bin: { type: 'string' } } })
  if (values.bin === undefined) throw new UsageError(usage)
  const outcomes = [
    await verifyPromotion(values.bin, 'SIGKILL'),
    await verifyPromotion(values.bin, 'SIGSTOP'),
    await verifyRestart(values.bin, 'fast shutdown and start', 'SIGINT'),
    await verifyRestart(values.bin, 'immediate shutdown and start', 'SIGQUIT'),
  ]
  for (const outcome of outcomes) {
    for (const [name, value] of Object.entries(outcome)) console.log(`${name.padEnd(48)}${String(value)}`)
    console.log('')
  }
  const isKept = outcomes.every(
    (outcome) =>
      outcome['of them lost'] === 0 &&
      outcome['last failure after it, ms'] <= promisedMilliseconds &&
      (outcome['/readyz on the standby, then promoted'] ?? '503, 200') === '503, 200',
  )
  process.exitCode = isKept ? 0 : 1
}

await runCommand(run)
