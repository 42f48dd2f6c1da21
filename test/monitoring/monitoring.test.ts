import { once } from 'node:events'
import { readFileSync, statSync, statfsSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { createMetrics, serveMetrics } from '../../src/monitoring/metrics.ts'
import { openStore } from '../../src/store/open-store.ts'
import { fileFiguresOf } from '../../src/store/sqlite/file-figures.ts'
import { expectFailure } from '../support/responses/expected-contract.ts'
import { servedDatabase } from '../support/server/served-database.ts'
import { startApp, temporaryFolder, temporaryLocation, temporaryStore } from '../support/server/start-app.ts'
import { runScript } from '../support/server/start-process.ts'
import { newPlant, storedPlant } from '../support/plants.ts'

/** The samples of one metric, by their labels. */
function samples(text: string, name: string): Record<string, number> {
  const lines = [...text.matchAll(new RegExp(`^${name}(?:\\{(.*)\\})? (\\S+)$`, 'gm'))]
  return Object.fromEntries(lines.map(([, labels = '', value]) => [labels, Number(value)]))
}

async function startMeasured() {
  const metrics = createMetrics()
  const store = await openStore(await temporaryLocation(), {
    onFault: () => {
      metrics.failed('store')
    },
    onCommit: metrics.committed,
  })
  metrics.watchQueue(store.waitingWrites)
  onTestFinished(() => store.close())
  const app = await startApp({ store, observer: metrics })
  return { ...app, metrics, read: async () => (await metrics.read()).text }
}

test('requests are counted by operation and status, and timed; faults are counted', async () => {
  const { send, metrics, read } = await startMeasured()
  for (const id of [1n, 2n]) await send({ method: 'POST', url: '/plants', body: newPlant({ id }) })
  await send({ method: 'POST', url: '/plants', body: newPlant({ id: 1n }) })
  await send({ method: 'GET', url: '/plants' })
  await send({ method: 'GET', url: '/nowhere' })
  metrics.failed('store')
  metrics.contractBroken('listPlants')
  const text = await read()
  expect(samples(text, 'plant_store_faults_total')).toMatchObject({ 'part="store"': 1 })
  expect(samples(text, 'plant_store_contract_violations_total')).toMatchObject({ 'operation="listPlants"': 1 })
  expect(samples(text, 'plant_store_requests_total')).toEqual({
    'operation="createPlant",status="200"': 2,
    'operation="createPlant",status="409"': 1,
    'operation="listPlants",status="200"': 1,
    'operation="none",status="404"': 1,
  })
  expect(samples(text, 'plant_store_request_duration_seconds_count')).toEqual({
    'operation="createPlant"': 3,
    'operation="listPlants"': 1,
    'operation="none"': 1,
  })
})

test('writes are counted by transaction, and waiting writes by the queue', async () => {
  const { store, read } = await startMeasured()
  const before = samples(await read(), 'plant_store_batch_writes_sum')['']!
  const writes = Promise.all(Array.from({ length: 20 }, (_, id) => store.create('me', storedPlant({ id: BigInt(id) }))))
  expect(samples(await read(), 'plant_store_waiting_writes')).toEqual({ '': 20 })
  await writes
  const text = await read()
  expect(samples(text, 'plant_store_waiting_writes')).toEqual({ '': 0 })
  expect(samples(text, 'plant_store_batch_writes_sum')['']! - before).toBe(20)
})

test('the files, the disk, the last backup and the connections are measured', async () => {
  const folder = await temporaryFolder()
  const { file, url, serve } = await servedDatabase(folder)
  const server = await serve({ METRICS_PORT: '0', LOG_LEVEL: 'info' })
  const printed = /metrics at (\S+\/metrics)/
  await expect.poll(server.stderr).toMatch(printed)
  const [, metricsUrl = ''] = printed.exec(server.stderr()) ?? []
  const read = async (name: string) => samples(await (await fetch(metricsUrl)).text(), `plant_store_${name}`)['']
  expect(await read('last_backup_timestamp_seconds')).toBe(0)
  const before = Date.now()
  expect(await runScript('scripts/backup.ts', [join(folder, 'copy.db')], { DATABASE_URL: url })).toMatchObject({
    code: 0,
    stderr: '',
  })
  const lastBackup = (await read('last_backup_timestamp_seconds'))! * 1_000
  expect(lastBackup).toBeGreaterThanOrEqual(before - 1)
  expect(lastBackup).toBeLessThanOrEqual(Date.now())

  const logBytes = await read('wal_bytes')
  expect(await server.create(1)).toBe(200)
  expect(await read('wal_bytes')).toBe(statSync(`${file}-wal`).size)
  expect(await read('wal_bytes')).toBeGreaterThan(logBytes!)
  expect(await read('database_bytes')).toBe(statSync(file).size)
  const { bavail, bsize } = statfsSync(folder)
  // Other programs use the disk, too.
  expect((await read('disk_free_bytes'))! / (bavail * bsize)).toBeCloseTo(1, 1)

  const open = async () => {
    const socket = connect(server.port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
  }
  await expect.poll(() => read('open_connections')).toBe(1)
  await open()
  await open()
  await expect.poll(() => read('open_connections')).toBe(3)
})

test('metrics that cannot be read give 500, and the error is reported', async () => {
  const faults: unknown[] = []
  const fault = new Error('a gauge that throws')
  const server = await serveMetrics(
    { read: () => Promise.reject(fault) },
    { host: '127.0.0.1', port: 0 },
    (error) => void faults.push(error),
  )
  onTestFinished(() => server.close())
  expect((await fetch(server.url)).status).toBe(500)
  expect(faults).toEqual([fault])
})

interface Dashboard {
  panels: { title: string; targets: { expr: string }[] }[]
}

/** The file of Prometheus' alerting rules. */
interface Rules {
  groups: { rules: { alert: string; expr: string; annotations: Record<string, string> }[] }[]
}

const deploy = join(import.meta.dirname, '../../deploy')
const { panels } = JSON.parse(readFileSync(join(deploy, 'grafana-dashboard.json'), 'utf8')) as Dashboard
const { groups } = parse(readFileSync(join(deploy, 'prometheus-alerts.yml'), 'utf8')) as Rules

test.each([
  ['dashboard', panels.flatMap(({ targets }) => targets)],
  ['alerts', groups.flatMap(({ rules }) => rules)],
])("the %s use existing metrics, and all of the service's own", async (name, queries) => {
  const asked = new Set(queries.flatMap(({ expr }) => expr.match(/\b(?:plant_store|nodejs|process)_\w+/g) ?? []))
  const metrics = createMetrics()
  metrics.watchQueue(() => 0)
  metrics.watchConnections(createServer())
  metrics.watchFiles(fileFiguresOf('none.db'))
  const { text } = await metrics.read()
  const types = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type]) => ({ name, type }))
  const known = types.flatMap(({ name, type }) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  )
  expect([...asked].filter((name) => !known.includes(name))).toEqual([])
  // How many writes share a transaction is no reason for an alert.
  const excused = name === 'alerts' ? 'plant_store_batch_writes' : ''
  const own = types.map(({ name }) => name).filter((each) => each.startsWith('plant_store_') && each !== excused)
  expect(own.filter((name) => ![...asked].some((each) => each.startsWith(name)))).toEqual([])
})

test.each(['/livez', '/readyz'])('%s gives 200 without a token while requests can be served', async (url) => {
  const { app } = await startApp()
  const { statusCode, headers, payload } = await app.inject({ method: 'GET', url })
  expect({ statusCode, type: headers['content-type'], payload }).toEqual({
    statusCode: 200,
    type: 'application/json',
    payload: '{"status":"ok"}',
  })
  expect(headers['x-request-id']).toBeDefined()
})

test('a server whose store is unavailable is alive but not ready', async () => {
  const { app } = await startApp({ store: { ...(await temporaryStore()), isReady: () => Promise.resolve(false) } })
  expect((await app.inject({ method: 'GET', url: '/livez' })).statusCode).toBe(200)
  const { statusCode: status, headers, payload: text } = await app.inject({ method: 'GET', url: '/readyz' })
  expectFailure({ status, text }, 'unavailable')
  expect(headers['retry-after']).toBe('1')
})

test('a stopping server is alive but not ready', async () => {
  const { app, listen } = await startApp({ limits: { shutdownDelayMilliseconds: 500 } })
  const origin = await listen()
  const closing = app.close()
  await expect.poll(async () => (await fetch(`${origin}/readyz`)).status).toBe(503)
  expect((await fetch(`${origin}/livez`)).status).toBe(200)
  await closing
})
