import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { UsageError, readArguments, runCommand } from '../command.ts'
import { prefixOf } from '../../src/auth/tokens.ts'
import { openStore } from '../../src/store/open-store.ts'
import { type ServerProcess, startArguments, startServer } from '../measure/servers/server-process.ts'
import { type CitusCluster, startCluster } from './postgres/citus-cluster.ts'
import { runStoreTests } from './postgres/store-tests.ts'
import { type Caller, type Sent, countStatuses, issueTokens, readiness, startWriters } from './postgres/writers.ts'

const usage = `Usage: npm run verify:citus -- --bin DIR
    makes a coordinator and two workers with the PostgreSQL and Citus whose programs are in DIR, runs the tests of the
    store on distributed tables, takes a worker away under load, adds one and rebalances; the exit code is 1 when
    anything is not as docs/postgres.md says`

const callersPerRun = 40
const [before, during, after] = [2_000, 8_000, 4_000]
/** What a caller on a worker that lives waits at most: what is promised for a statement, and the answer to it. */
const promisedMilliseconds = 3_000
/** How long a server that starts may take until it waits for a lock. */
const waitMilliseconds = 20_000

let failures = 0

function report(what: string, value: string, isExpected: boolean): void {
  if (!isExpected) failures++
  console.log(`${isExpected ? ' ' : '!'} ${what.padEnd(74)}${value}`)
}

interface Lab {
  cluster: CitusCluster
  folder: string
}

async function serve({ folder }: Lab, url: string, name: string): Promise<ServerProcess> {
  return startServer({
    arguments: startArguments,
    environment: { DATABASE_URL: url, LOG_LEVEL: 'warn' },
    logFile: join(folder, `${name}.log`),
    processors: '0-1',
  })
}

async function verifyStart(lab: Lab): Promise<void> {
  const { coordinator, workers } = lab.cluster
  const refusal = await serve(lab, workers[0]!.url, 'on-worker').then(
    async (server) => server.stop().then(() => 'served'),
    (error: unknown) => String(error),
  )
  report('a first start on a worker', 'refused', refusal.includes('is a worker of Citus'))
  await (await serve(lab, coordinator.url, 'on-coordinator')).stop()
  const tables = await coordinator.query<{ name: string; method: string; replication: string }>(
    `SELECT logicalrelid::text AS name, partmethod AS method, repmodel AS replication
     FROM pg_dist_partition ORDER BY 1`,
  )
  const layout = tables.map(({ name, method }) => `${name} ${method === 'h' ? 'distributed' : 'local'}`).join(', ')
  report(
    'a first start on the coordinator',
    layout,
    layout === 'plant_store_schema local, plants distributed, tokens local',
  )
  const server = await serve(lab, workers[0]!.url, 'on-worker-again')
  await server.stop()
  report('a start on a worker after that', 'served', true)
}

/** Migrates from version 3, while a session on a worker holds the lock that this takes, and another server runs. */
async function verifyMigration(lab: Lab): Promise<void> {
  const { coordinator, workers } = lab.cluster
  const running = await serve(lab, coordinator.url, 'before-migration')
  await coordinator.query(`
    ALTER TABLE plant_store_schema DROP CONSTRAINT plant_store_schema_pkey; UPDATE plant_store_schema SET version = 3`)
  const holder = new Client({ connectionString: workers[0]!.url, application_name: 'pg_dump' })
  await holder.connect()
  // Without this Citus would lock the table on the other nodes, too.
  await holder.query(
    `SET citus.enable_ddl_propagation = off; BEGIN; LOCK TABLE plant_store_schema IN ACCESS SHARE MODE`,
  )
  const checks: { status: number; milliseconds: number }[] = []
  const stopped = new AbortController()
  const checking = (async () => {
    while (!stopped.signal.aborted) {
      const from = performance.now()
      checks.push({ status: await readiness(running.port), milliseconds: performance.now() - from })
      await sleep(20)
    }
  })()
  const migrated = serve(lab, coordinator.url, 'migration')
  const log = () => readFile(join(lab.folder, 'migration.log'), 'utf8')
  const deadline = performance.now() + waitMilliseconds
  while (performance.now() < deadline && !(await log()).includes('the start waits')) await sleep(100)
  await holder.end()
  await (await migrated).stop()
  stopped.abort()
  await checking
  await running.stop()
  const named = /held by session \d+ \(pg_dump, user postgres, idle in transaction, begun /.test(await log())
  report(
    'a migration while a session on a worker holds a lock',
    named ? 'named, done when it ends' : 'not named',
    named,
  )
  const slowest = Math.max(...checks.map(({ milliseconds }) => milliseconds))
  report(
    'a server that runs meanwhile: /readyz',
    [...new Set(checks.map(({ status }) => status))].join(', '),
    checks.every(({ status }) => status === 200),
  )
  report('a server that runs meanwhile: slowest answer, ms', slowest.toFixed(0), slowest <= promisedMilliseconds)
}

/**
 * The schema of the release before, with tokens spread by their hash and a replicated version.
 *
 * @param meanwhile runs when a server has migrated it, and before its tables are mended
 */
async function verifyOldLayout(lab: Lab, meanwhile: () => Promise<void>): Promise<void> {
  const { coordinator } = lab.cluster
  await coordinator.query(`
    CREATE SCHEMA old; SET search_path = old;
    CREATE TABLE plants (caller text COLLATE "C" NOT NULL, id bigint NOT NULL, name text NOT NULL, tag text,
      PRIMARY KEY (caller, id));
    CREATE TABLE tokens (hash bytea NOT NULL PRIMARY KEY, prefix text COLLATE "C" NOT NULL, caller text NOT NULL,
      issued_at bigint NOT NULL, expires_at bigint, last_used_at bigint);
    SELECT create_distributed_table('plants', 'caller'); SELECT create_distributed_table('tokens', 'hash');
    CREATE TABLE plant_store_schema (version integer NOT NULL); SELECT create_reference_table('plant_store_schema');
    INSERT INTO plant_store_schema (version) VALUES (2)`)
  const url = `${coordinator.url}?options=-c%20search_path%3Dold`
  await (await serve(lab, url, 'old-layout')).stop()
  const log = await readFile(join(lab.folder, 'old-layout.log'), 'utf8')
  const advice = [...log.matchAll(/run (SELECT [^(]*\('\w+'\);(?: SELECT [^(]*\('\w+'\);)?)/g)].map(
    ([, text = '']) => text,
  )
  report('tables as an earlier page had them', `${String(advice.length)} warnings`, advice.length === 2)
  await meanwhile()
  for (const statements of advice) await coordinator.query(`SET search_path = old; ${statements}`)
  await (await serve(lab, url, 'mended-layout')).stop()
  const mended = await readFile(join(lab.folder, 'mended-layout.log'), 'utf8')
  report('after the statements of the warnings', 'none', !mended.includes('Citus: '))
  await coordinator.query('DROP SCHEMA old CASCADE')
}

async function verifyLoss(lab: Lab, signal: 'SIGKILL' | 'SIGSTOP', throughWorker: boolean): Promise<void> {
  const { coordinator, workers } = lab.cluster
  const [living, lost] = [workers[0]!, workers[1]!]
  const url = throughWorker ? living.url : coordinator.url
  const fault = signal === 'SIGKILL' ? 'dead' : 'hung'
  const name = `${fault} worker, server on ${throughWorker ? 'the other' : 'the coordinator'}`
  const prefix = `${signal} ${String(throughWorker)}`
  const names = Array.from({ length: callersPerRun }, (_, index) => `${prefix} ${String(index)}`)
  const [revoked, ...callers] = await issueTokens(coordinator.url, ['revoked', ...names])
  const onLost = await callersOn(lab, names, lost.port)
  const server = await serve(lab, url, prefix)
  try {
    const writers = startWriters(server.port, callers, true, 20)
    await sleep(before)
    lost.signal(signal)
    const from = performance.now()
    await sleep(during / 2)
    report(`${name}: revoking a token`, 'done', await canRevoke(url, revoked!))
    await sleep(during / 2)
    const to = performance.now()
    if (signal === 'SIGSTOP') lost.signal('SIGCONT')
    else {
      await lost.kill()
      await lost.start()
    }
    await sleep(after)
    await writers.stop()
    const meanwhile = writers.sent.filter((each) => each.to > from && each.from < to)
    const [away, others] = [true, false].map((isAway) =>
      meanwhile.filter(({ caller }) => onLost.has(caller) === isAway),
    )
    const slowest = Math.max(...others!.map((each) => each.to - each.from))
    report(`${name}: its own callers`, countStatuses(away!), away!.length > 0)
    report(
      `${name}: the others`,
      countStatuses(others!),
      others!.every(({ status }) => status === 200),
    )
    report(`${name}: the others' slowest answer, ms`, slowest.toFixed(0), slowest <= promisedMilliseconds)
    await verifyKept(lab, name, writers.sent)
  } finally {
    await server.stop()
  }
}

async function verifyLostCoordinator(lab: Lab): Promise<void> {
  const { coordinator, workers } = lab.cluster
  const names = Array.from({ length: callersPerRun }, (_, index) => `coordinator ${String(index)}`)
  const callers = await issueTokens(coordinator.url, names)
  const server = await serve(lab, workers[0]!.url, 'coordinator')
  const name = 'dead coordinator, server on a worker'
  try {
    const writers = startWriters(server.port, callers, true, 20)
    await sleep(before)
    await coordinator.kill()
    const from = performance.now()
    await sleep(during / 4)
    const ready = await readiness(server.port)
    report(`${name}: /readyz`, String(ready), ready === 503)
    const meanwhile = writers.sent.filter((each) => each.from > from)
    report(
      `${name}: callers with tokens`,
      countStatuses(meanwhile),
      meanwhile.every(({ status }) => status === 503),
    )
    await coordinator.start()
    const started = performance.now()
    await sleep(after)
    await writers.stop()
    const failed = writers.sent.filter(({ status, to }) => status !== 200 && to > started)
    const last = Math.max(0, ...failed.map(({ to }) => to - started))
    report(`${name}: last failure after it is back, ms`, last.toFixed(0), last <= promisedMilliseconds)
    await verifyKept(lab, name, writers.sent)
  } finally {
    await server.stop()
  }
}

async function callersOn({ cluster }: Lab, names: string[], port: number): Promise<Set<string>> {
  const rows = await cluster.coordinator.query<{ name: string }>(
    `SELECT name FROM unnest($1::text[]) AS name
      JOIN pg_dist_placement ON shardid = get_shard_id_for_distribution_column('plants', name)
      JOIN pg_dist_node USING (groupid) WHERE nodeport = $2`,
    [names, port],
  )
  return new Set(rows.map(({ name }) => name))
}

async function canRevoke(url: string, { token }: Caller): Promise<boolean> {
  const store = await openStore({ engine: 'postgres', url }, { onFault: () => undefined })
  try {
    const revoked = await store.revokeTokens(prefixOf(token))
    return revoked !== 'unavailable' && revoked.length === 1
  } finally {
    await store.close()
  }
}

/** Asks right after the fault: what is committed in two phases would appear only later. */
async function verifyKept({ cluster }: Lab, name: string, sent: Sent[]): Promise<void> {
  const acknowledged = sent.filter(({ kind, status }) => kind === 'create' && status === 200)
  const rows = await cluster.coordinator.query<{ key: string }>(`SELECT caller || ' ' || id AS key FROM plants`)
  const stored = new Set(rows.map(({ key }) => key))
  const lost = acknowledged.filter(({ caller, id }) => !stored.has(`${caller} ${String(id)}`)).length
  report(`${name}: acknowledged creates lost`, `${String(lost)} of ${String(acknowledged.length)}`, lost === 0)
  let prepared = 0
  for (const node of [cluster.coordinator, ...cluster.workers]) {
    const [row] = await node.query<{ count: string }>('SELECT count(*) FROM pg_prepared_xacts')
    prepared += Number(row?.count)
  }
  report(`${name}: transactions in two phases`, String(prepared), prepared === 0)
}

async function verifyRebalance(lab: Lab): Promise<void> {
  const { cluster } = lab
  const names = Array.from({ length: callersPerRun }, (_, index) => `rebalance ${String(index)}`)
  const callers = await issueTokens(cluster.coordinator.url, names)
  const server = await serve(lab, cluster.coordinator.url, 'rebalance')
  try {
    const writers = startWriters(server.port, callers, true, 20)
    await cluster.addWorker()
    await cluster.coordinator.query('SELECT citus_rebalance_start()')
    await cluster.coordinator.query('SELECT citus_rebalance_wait()')
    await sleep(1_000)
    await writers.stop()
    const [row] = await cluster.coordinator.query<{ count: string }>(
      `SELECT count(*) FROM citus_shards WHERE table_name = 'plants'::regclass AND nodeport = $1`,
      [cluster.workers.at(-1)!.port],
    )
    report('rebalance to a new worker: its shards', String(row?.count), Number(row?.count) > 0)
    const { sent } = writers
    report(
      'rebalance to a new worker: requests',
      countStatuses(sent),
      sent.every(({ status }) => status === 200),
    )
    const slowest = Math.max(...sent.map((each) => each.to - each.from))
    report('rebalance to a new worker: slowest answer, ms', slowest.toFixed(0), true)
    await verifyKept(lab, 'rebalance to a new worker', sent)
  } finally {
    await server.stop()
  }
}

async function run(): Promise<void> {
  const { values } = readArguments(usage, { options: { bin: { type: 'string' } } })
  if (values.bin === undefined) throw new UsageError(usage)
  const folder = await mkdtemp(join(tmpdir(), 'plant-store-citus-'))
  await chmod(folder, 0o755)
  const cluster = await startCluster(values.bin, folder)
  const lab = { cluster, folder }
  try {
    console.log(`${cluster.version}\n`)
    await verifyStart(lab)
    await verifyMigration(lab)
    for (const signal of ['SIGKILL', 'SIGSTOP'] as const) {
      for (const throughWorker of [false, true]) await verifyLoss(lab, signal, throughWorker)
    }
    await verifyLostCoordinator(lab)
    const tests = await runStoreTests(cluster.coordinator.url)
    report('tests of the store on distributed tables', tests.summary, tests.isPassed)
    // A replicated table without a key would be refused.
    await verifyOldLayout(lab, () => verifyRebalance(lab))
  } finally {
    await cluster.stop()
    await rm(folder, { recursive: true, force: true })
  }
  process.exitCode = failures === 0 ? 0 : 1
}

await runCommand(run)
