import { setTimeout as sleep } from 'node:timers/promises'
import { UsageError, readArguments } from '../scripts/command.ts'
import { Lab } from './lab/lab.ts'
import { issueTokens } from '../test/support/server/issue-tokens.ts'
import { callersOf, countStatuses, keptBy, lastFailureAfter, readiness, slowest, startClients } from './lab/clients.ts'
import type { PostgresNode } from '../test/support/server/postgres-node.ts'
import type { ServerProcess } from '../test/support/server/start-process.ts'

const usage = `Usage: npm run bench -- failover --bin DIR
         takes a primary away under load and promotes its standby, and restarts a PostgreSQL without one, with the
         programs in DIR; the exit code is 1 when an acknowledged create is lost or requests fail longer than promised`

const clients = 32
/** Before the fault, between the fault and the promotion, and after the promotion or the start. */
const [before, detection, after] = [2_000, 1_000, 10_000]
/** How long after the promotion or the start a request may fail at most. */
const promisedMilliseconds = 5_000

export async function run(args: string[]): Promise<void> {
  const { bin } = readArguments(usage, { args, options: { bin: { type: 'string' } } }).values
  if (bin === undefined) throw new UsageError(usage)
  await promote(bin, 'SIGKILL')
  await promote(bin, 'SIGSTOP')
  await restart(bin, 'fast shutdown and start', 'SIGINT')
  await restart(bin, 'immediate shutdown and start', 'SIGQUIT')
}

function print(name: string, value: string | number, isExpected = true): void {
  if (!isExpected) process.exitCode = 1
  console.log(`${name.padEnd(48)}${String(value)}${isExpected ? '' : '  not as promised'}`)
}

async function promote(bin: string, fault: 'SIGKILL' | 'SIGSTOP'): Promise<void> {
  await using lab = await Lab.open(bin)
  const primary = await lab.node('primary')
  const standby = await lab.node('standby', { standbyOf: primary })
  // A create is acknowledged once the standby shows it.
  await primary.query(`ALTER SYSTEM SET synchronous_standby_names = '*'`)
  await primary.query(`ALTER SYSTEM SET synchronous_commit = remote_apply`)
  await primary.query('SELECT pg_reload_conf()')
  const hosts = [primary, standby].map(({ port }) => `127.0.0.1:${String(port)}`).join(',')
  const url = `postgres://postgres@${hosts}/postgres?target_session_attrs=read-write`
  const server = await lab.serve(url, 'server')
  const onStandby = await lab.serve(standby.url, 'standby-server')
  const asStandby = await readiness(onStandby.port)
  await serveThrough(server, url, standby, fault, async () => {
    primary.signal(fault)
    await sleep(detection)
    await standby.query('SELECT pg_promote()')
  })
  const ready = `${String(asStandby)}, ${String(await readiness(onStandby.port))}`
  print('/readyz on the standby, then promoted', ready, ready === '503, 200')
  console.log('')
}

async function restart(bin: string, fault: string, signal: 'SIGINT' | 'SIGQUIT'): Promise<void> {
  await using lab = await Lab.open(bin)
  const alone = await lab.node('alone')
  await serveThrough(await lab.serve(alone.url, 'server'), alone.url, alone, fault, async () => {
    await alone.stop(signal)
    await alone.start()
  })
  console.log('')
}

/** Loads a server while something happens to its database. @param survivor has what was acknowledged in the end */
async function serveThrough(
  server: ServerProcess,
  url: string,
  survivor: PostgresNode,
  fault: string,
  happen: () => Promise<void>,
): Promise<void> {
  await using load = startClients(
    server.port,
    await issueTokens({ engine: 'postgres', url }, callersOf(clients)),
    false,
    0,
  )
  await sleep(before)
  const from = performance.now()
  await happen()
  const end = performance.now()
  await sleep(after)
  await load.stop()
  const { sent } = load
  const { acknowledged, lost } = await keptBy(survivor, sent)
  const first = Math.min(...acknowledged.map(({ to }) => to - end).filter((milliseconds) => milliseconds > 0))
  const last = lastFailureAfter(sent, end)
  print('fault', fault)
  print('requests', sent.length)
  print('statuses', countStatuses(sent))
  print('from the fault to the promotion or start, ms', Math.round(end - from))
  print('first create after it, ms', Math.round(first))
  print('last failure after it, ms', Math.round(last), last <= promisedMilliseconds)
  print('slowest answer, ms', Math.round(slowest(sent)))
  print('acknowledged creates', acknowledged.length)
  print('of them lost', lost.length, lost.length === 0)
}
