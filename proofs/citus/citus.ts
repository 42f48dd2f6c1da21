import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { readArguments } from '../../scripts/command.ts'
import { prefixOf } from '../../src/auth/tokens.ts'
import { openStore } from '../../src/store/open-store.ts'
import type { Caller } from '../../test/support/server/issue-tokens.ts'
import { type Exchange, readiness } from '../../test/support/client/ask.ts'
import { report } from '../../test/support/run-named.ts'
import { countStatuses, issueCallers, loadWhile, reportFault, reportKept, slowest } from '../clients.ts'
import { Lab } from '../../test/support/server/lab.ts'
import { type CitusCluster, callersOn, reportPrepared, runStoreTests, startCluster, tablesFile } from './cluster.ts'

const usage = `Usage: npm run proofs -- citus
         makes a coordinator and two workers with the PostgreSQL and Citus of the pg_config in PATH, runs the tests of the
         store on distributed tables, kills a worker under load, adds one and rebalances; the exit code is 1 when
         anything differs from docs/postgres.md`

const callersPerRun = 40
const pause = 20
const [before, during, after] = [2_000, 8_000, 4_000]
/** The longest response for callers on a working worker: a statement timeout and some more. */
const maxMilliseconds = 3_000
/** How long a starting server may take until it waits for a lock. */
const waitMilliseconds = 20_000

export async function run(args: string[]): Promise<void> {
  readArguments(usage, { args, options: {} })
  await using lab = await Lab.open()
  const cluster = await startCluster(lab)
  await verifyStart(cluster)
  await verifyMigration(cluster)
  for (const signal of ['SIGKILL', 'SIGSTOP'] as const) {
    for (const throughWorker of [false, true]) await verifyLoss(cluster, signal, throughWorker)
  }
  await verifyLostCoordinator(cluster)
  runStoreTests(cluster.coordinator.url)
  await verifyRebalance(cluster)
}

function reportSlowest(what: string, sent: readonly Exchange[]): void {
  const milliseconds = slowest(sent)
  report(`${what} slowest response, ms`, milliseconds, milliseconds <= maxMilliseconds)
}

/** Starts a server and stops it. */
async function startOnce({ lab }: CitusCluster, url: string, name: string): Promise<void> {
  await (await lab.serve(url, name)).end()
}

async function verifyStart(cluster: CitusCluster): Promise<void> {
  const { coordinator, workers } = cluster
  await startOnce(cluster, coordinator.url, 'on-coordinator')
  await coordinator.query(readFileSync(tablesFile, 'utf8'))
  const tables = await coordinator.query<{ name: string; method: string }>(
    'SELECT logicalrelid::text AS name, partmethod AS method FROM pg_dist_partition ORDER BY 1',
  )
  const layout = tables.map(({ name, method }) => `${name} ${method === 'h' ? 'distributed' : 'local'}`).join(', ')
  const expected = 'plant_store_schema local, plants distributed, tokens local'
  report('the tables of deploy/citus.sql', layout, layout === expected)
  await startOnce(cluster, workers[0]!.url, 'on-worker')
  report('a start on a worker after that', 'served')
}

/** Migrates from version 3 while a session on a worker holds a needed lock and another server works. */
async function verifyMigration(cluster: CitusCluster): Promise<void> {
  const { lab, coordinator, workers } = cluster
  const callers = await tokensFor(cluster, 'migration')
  await using running = await lab.serve(coordinator.url, 'before-migration')
  await coordinator.query(`
    ALTER TABLE plant_store_schema DROP CONSTRAINT plant_store_schema_pkey; UPDATE plant_store_schema SET version = 3`)
  const holder = new Client({ connectionString: workers[0]!.url, application_name: 'pg_dump' })
  await holder.connect()
  // Otherwise Citus would lock the table on all nodes.
  await holder.query(
    `SET citus.enable_ddl_propagation = off; BEGIN; LOCK TABLE plant_store_schema IN ACCESS SHARE MODE`,
  )
  const { sent } = await loadWhile(running.port, callers, { pause }, async () => {
    const migrated = lab.serve(coordinator.url, 'migration')
    const deadline = performance.now() + waitMilliseconds
    while (performance.now() < deadline && !(await lab.log('migration')).includes('the start waits')) await sleep(100)
    await holder.end()
    await (await migrated).end()
  })
  const hasWaited = (await lab.log('migration')).includes('the start waits for locks on plant_store_schema')
  report('a migration while a session on a worker holds a lock', 'done when it ends', hasWaited)
  reportServed('a server that works meanwhile: requests', sent)
  reportSlowest('a server that works meanwhile:', sent)
}

function tokensFor({ coordinator }: CitusCluster, prefix: string): Promise<Caller[]> {
  return issueCallers({ engine: 'postgres', url: coordinator.url }, callersPerRun, prefix)
}

async function verifyLoss(cluster: CitusCluster, signal: 'SIGKILL' | 'SIGSTOP', throughWorker: boolean): Promise<void> {
  const { lab, coordinator, workers } = cluster
  const [living, lost] = [workers[0]!, workers[1]!]
  const url = throughWorker ? living.url : coordinator.url
  const name = `${signal === 'SIGKILL' ? 'dead' : 'hung'} worker, server on the ${throughWorker ? 'other' : 'coordinator'}`
  const [revoked, ...callers] = await tokensFor(cluster, name)
  const onLost = await callersOn(cluster, callers, lost.port)
  await using server = await lab.serve(url, name)
  let canRevoke = false
  const { sent, from, to } = await loadWhile(server.port, callers, { pause, before, after }, async () => {
    lost.signal(signal)
    await sleep(during / 2)
    canRevoke = await revoke(url, revoked!)
    await sleep(during / 2)
    if (signal === 'SIGSTOP') lost.signal('SIGCONT')
    else {
      await lost.kill()
      await lost.start()
    }
  })
  const meanwhile = sent.filter((each) => each.to > from && each.from < to)
  const { away = [], others = [] } = Object.groupBy(meanwhile, ({ caller }) =>
    onLost.has(caller.name) ? 'away' : 'others',
  )
  report(`${name}: revoking a token`, 'done', canRevoke)
  report(`${name}: its own callers`, countStatuses(away), away.length > 0)
  // Statements for a hung worker hold connections that the others wait for; see the table of docs/postgres.md.
  if (signal === 'SIGSTOP') report(`${name}: the others`, countStatuses(others), others.length > 0)
  else {
    reportServed(`${name}: the others`, others)
    reportSlowest(`${name}: the others'`, others)
  }
  await reportKept(name, coordinator, sent)
  await reportPrepared(cluster, name)
}

function reportServed(what: string, sent: readonly Exchange[]): void {
  const isServed = sent.every(({ status }) => status === 200)
  report(what, countStatuses(sent), isServed)
}

async function verifyLostCoordinator(cluster: CitusCluster): Promise<void> {
  const { lab, coordinator, workers } = cluster
  const name = 'dead coordinator, server on a worker'
  const callers = await tokensFor(cluster, name)
  await using server = await lab.serve(workers[0]!.url, name)
  let ready = 0
  let [away, back] = [0, 0]
  const load = await loadWhile(server.port, callers, { pause, before, after }, async () => {
    await coordinator.kill()
    away = performance.now()
    await sleep(during / 4)
    ready = await readiness(server.port)
    back = performance.now()
    await coordinator.start()
  })
  report(`${name}: /readyz`, ready, ready === 503)
  const meanwhile = load.sent.filter((each) => each.from > away && each.to < back)
  const isRefused = meanwhile.every(({ status }) => status === 503)
  report(`${name}: callers with tokens`, countStatuses(meanwhile), isRefused)
  await reportFault(name, coordinator, load, maxMilliseconds)
  await reportPrepared(cluster, name)
}

/** @returns whether the token could be revoked */
async function revoke(url: string, { token }: Caller): Promise<boolean> {
  const store = await openStore({ engine: 'postgres', url }, { onFault: () => undefined })
  try {
    const revoked = await store.revokeTokens({ prefix: prefixOf(token) })
    return revoked !== 'unavailable' && revoked.length === 1
  } finally {
    await store.close()
  }
}

async function verifyRebalance(cluster: CitusCluster): Promise<void> {
  const { lab, coordinator, workers, addWorker } = cluster
  const name = 'rebalance to a new worker'
  const callers = await tokensFor(cluster, name)
  await using server = await lab.serve(coordinator.url, name)
  const { sent } = await loadWhile(server.port, callers, { pause, after: 1_000 }, async () => {
    await addWorker()
    await coordinator.query('SELECT citus_rebalance_start()')
    await coordinator.query('SELECT citus_rebalance_wait()')
  })
  const [row] = await coordinator.query<{ count: string }>(
    `SELECT count(*) FROM citus_shards WHERE table_name = 'plants'::regclass AND nodeport = $1`,
    [workers.at(-1)!.port],
  )
  report(`${name}: its shards`, String(row?.count), Number(row?.count) > 0)
  reportServed(`${name}: requests`, sent)
  report(`${name}: slowest response, ms`, slowest(sent))
  await reportKept(name, coordinator, sent)
  await reportPrepared(cluster, name)
}
