import { setTimeout as sleep } from 'node:timers/promises'
import { readArguments } from '../scripts/command.ts'
import { readiness } from '../test/support/client/ask.ts'
import { report } from '../test/support/run-named.ts'
import { Lab } from '../test/support/server/lab.ts'
import type { PostgresNode } from '../test/support/server/postgres-node.ts'
import { issueCallers, loadWhile, reportFault } from './clients.ts'

const usage = `Usage: npm run proofs -- failover
         takes a primary away under load and promotes its standby, and restarts a PostgreSQL without one; the exit code
         is 1 when an acknowledged create is lost or requests fail for too long`

const clients = 32
/** Milliseconds before the fault, between fault and promotion, and after the promotion or restart. */
const [before, detection, after] = [2_000, 1_000, 10_000]
/** How long requests may fail after the promotion or restart. */
const maxMilliseconds = 5_000

export async function run(args: string[]): Promise<void> {
  readArguments(usage, { args, options: {} })
  await promote('primary killed', 'SIGKILL')
  await promote('primary hangs', 'SIGSTOP')
  await restart('fast shutdown and start', 'SIGINT')
  await restart('immediate shutdown and start', 'SIGQUIT')
}

async function promote(fault: string, signal: 'SIGKILL' | 'SIGSTOP'): Promise<void> {
  await using lab = await Lab.open()
  const primary = await lab.node('primary')
  const standby = await lab.node('standby', { standbyOf: primary })
  // A create is acknowledged only when the standby has applied it.
  await primary.query(`ALTER SYSTEM SET synchronous_standby_names = '*'`)
  await primary.query(`ALTER SYSTEM SET synchronous_commit = remote_apply`)
  await primary.query('SELECT pg_reload_conf()')
  const hosts = [primary, standby].map(({ port }) => `127.0.0.1:${String(port)}`).join(',')
  const url = `postgres://postgres@${hosts}/postgres?target_session_attrs=read-write`
  const { port } = await lab.serve(url, 'server')
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

async function restart(fault: string, signal: 'SIGINT' | 'SIGQUIT'): Promise<void> {
  await using lab = await Lab.open()
  const alone = await lab.node('alone')
  const { port } = await lab.serve(alone.url, 'server')
  await verify({ fault, port, url: alone.url, survivor: alone }, async () => {
    await alone.stop(signal)
    await alone.start()
  })
}

/** Loads a server while its database fails. The survivor must have every acknowledged create. */
async function verify(
  { fault, port, url, survivor }: { fault: string; port: number; url: string; survivor: PostgresNode },
  happen: () => Promise<void>,
): Promise<void> {
  const callers = await issueCallers({ engine: 'postgres', url }, clients)
  await reportFault(fault, survivor, await loadWhile(port, callers, { before, after }, happen), maxMilliseconds)
}
