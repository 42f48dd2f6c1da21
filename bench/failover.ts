import { setTimeout as sleep } from 'node:timers/promises'
import { UsageError, readArguments } from '../scripts/command.ts'
import { issueTokens } from '../test/support/server/issue-tokens.ts'
import type { PostgresNode } from '../test/support/server/postgres-node.ts'
import { callersOf, loadWhile, readiness, report, reportFault } from './lab/clients.ts'
import { Lab } from './lab/lab.ts'

const usage = `Usage: npm run bench -- failover --bin DIR
         takes a primary away under load and promotes its standby, and restarts a PostgreSQL without one, with the
         programs in DIR; the exit code is 1 when an acknowledged create is lost or requests fail for too long`

const clients = 32
/** Milliseconds before the fault, between fault and promotion, and after the promotion or restart. */
const [before, detection, after] = [2_000, 1_000, 10_000]
/** How long requests may fail after the promotion or restart. */
const maxMilliseconds = 5_000

export async function run(args: string[]): Promise<void> {
  const { bin } = readArguments(usage, { args, options: { bin: { type: 'string' } } }).values
  if (bin === undefined) throw new UsageError(usage)
  await promote(bin, 'primary killed', 'SIGKILL')
  await promote(bin, 'primary hangs', 'SIGSTOP')
  await restart(bin, 'fast shutdown and start', 'SIGINT')
  await restart(bin, 'immediate shutdown and start', 'SIGQUIT')
}

async function promote(bin: string, fault: string, signal: 'SIGKILL' | 'SIGSTOP'): Promise<void> {
  await using lab = await Lab.open(bin)
  const primary = await lab.node('primary')
  const standby = await lab.node('standby', { standbyOf: primary })
  // A create is acknowledged only when the standby has applied it.
  await primary.query(`ALTER SYSTEM SET synchronous_standby_names = '*'`)
  await primary.query(`ALTER SYSTEM SET synchronous_commit = remote_apply`)
  await primary.query('SELECT pg_reload_conf()')
  const hosts = [primary, standby].map(({ port }) => `127.0.0.1:${String(port)}`).join(',')
  const url = `postgres://postgres@${hosts}/postgres?target_session_attrs=read-write`
  const port = await serve(lab, url)
  const onStandby = await lab.serve(standby.url, 'standby-server')
  const asStandby = await readiness(onStandby.port)
  await verify({ fault, port, url, survivor: standby }, async () => {
    primary.signal(signal)
    await sleep(detection)
    await standby.query('SELECT pg_promote()')
  })
  const ready = `${String(asStandby)}, ${String(await readiness(onStandby.port))}`
  report(`${fault}: /readyz on the standby, then promoted`, ready, ready === '503, 200')
}

async function restart(bin: string, fault: string, signal: 'SIGINT' | 'SIGQUIT'): Promise<void> {
  await using lab = await Lab.open(bin)
  const alone = await lab.node('alone')
  await verify({ fault, port: await serve(lab, alone.url), url: alone.url, survivor: alone }, async () => {
    await alone.stop(signal)
    await alone.start()
  })
}

async function serve(lab: Lab, url: string): Promise<number> {
  return (await lab.serve(url, 'server')).port
}

interface Served {
  fault: string
  port: number
  url: string
  /** The node that must have every acknowledged create. */
  survivor: PostgresNode
}

/** Loads a server while its database fails. */
async function verify({ fault, port, url, survivor }: Served, happen: () => Promise<void>): Promise<void> {
  const callers = await issueTokens({ engine: 'postgres', url }, callersOf(clients))
  await reportFault(fault, survivor, await loadWhile(port, callers, { before, after }, happen), maxMilliseconds)
}
