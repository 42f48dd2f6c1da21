import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { promisify } from 'node:util'
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from '@prometheus-io/client'
import type { FileFigures } from '../store/sqlite/file-figures.ts'

/** In seconds, from a short list to the longest acceptable wait. */
const latencyBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

const batchBuckets = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000]

/** What the service depends on. */
const parts = ['store', 'key server'] as const

/** Counts and times for Prometheus. */
export type Metrics = ReturnType<typeof createMetrics>

/**
 * Starts measuring, including event loop lag, memory and CPU time.
 *
 * @param operations the ids of all operations. Their counters of faults start at 0, because Prometheus sees no increase
 *   in a counter that begins with 1
 */
export function createMetrics(operations: readonly string[] = []) {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const requests = new Counter({
    name: 'plant_store_requests_total',
    help: 'Requests answered',
    labelNames: ['operation', 'status'],
    registers,
  })
  const latency = new Histogram({
    name: 'plant_store_request_duration_seconds',
    help: 'Time from the headers of a request to the end of its response',
    labelNames: ['operation'],
    buckets: latencyBuckets,
    registers,
  })
  const violations = new Counter({
    name: 'plant_store_contract_violations_total',
    help: 'Replies that broke the contract, answered with 500',
    labelNames: ['operation'],
    registers,
  })
  const faults = new Counter({
    name: 'plant_store_faults_total',
    help: 'Faults that made an operation unavailable',
    labelNames: ['part'],
    registers,
  })
  for (const operation of operations) violations.inc({ operation }, 0)
  for (const part of parts) faults.inc({ part }, 0)
  const batches = new Histogram({
    name: 'plant_store_batch_writes',
    help: 'Writes per transaction',
    buckets: batchBuckets,
    registers,
  })

  /** Adds a gauge, which is read with the metrics. */
  function watch(name: string, help: string, read: () => number | Promise<number>): void {
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set(await read())
      },
    })
  }

  return {
    /** `operation` is undefined if no operation matched, `seconds` if the headers were not read. */
    answered: (operation = 'none', status: number, seconds: number | undefined) => {
      requests.inc({ operation, status })
      if (seconds !== undefined) latency.observe({ operation }, seconds)
    },
    contractBroken: (operation: string) => {
      violations.inc({ operation })
    },
    /** The store was not available to an operation, or the key server to a token. */
    failed: (part: (typeof parts)[number]) => {
      faults.inc({ part })
    },
    /** A transaction was committed, with this number of writes. */
    committed: (writes: number) => {
      batches.observe(writes)
    },
    /** Measures a store's queue. */
    watchQueue: (waitingWrites: () => number) => {
      watch('plant_store_waiting_writes', 'Writes waiting to be committed', waitingWrites)
    },
    /** Counts the connections of clients to a server. */
    watchConnections: (server: Server) => {
      const count = promisify(server.getConnections.bind(server))
      watch('plant_store_open_connections', 'Open connections of clients', count)
    },
    /** Measures the files of an SQLite database. */
    watchFiles: ({ databaseBytes, logBytes, freeBytes, lastBackup }: FileFigures) => {
      watch('plant_store_database_bytes', 'Size of the SQLite database', databaseBytes)
      watch('plant_store_wal_bytes', 'Size of the write-ahead log', logBytes)
      watch('plant_store_disk_free_bytes', 'Free bytes on the disk of the database', freeBytes)
      watch(
        'plant_store_last_backup_timestamp_seconds',
        'Beginning of the last backup, 0 if there was none',
        lastBackup,
      )
    },
    /** The metrics in Prometheus' text format, and its media type. */
    read: async () => ({ type: registry.contentType, text: await registry.metrics() }),
  }
}

/**
 * Serves `GET /metrics` at an address of its own, out of reach of the service's clients.
 *
 * @param onFault receives the error if metrics cannot be read; the response is 500
 * @returns the URL, such as `http://127.0.0.1:9090/metrics`, and a function that closes the server
 * @throws NodeJS.ErrnoException if it cannot listen there
 */
export async function serveMetrics(
  metrics: Pick<Metrics, 'read'>,
  { host, port }: { host: string; port: number },
  onFault: (error: unknown) => void,
): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer((request, response) => {
    if (request.url !== '/metrics' || request.method !== 'GET') {
      response.writeHead(404).end()
      return
    }
    metrics.read().then(
      ({ type, text }) => response.writeHead(200, { 'content-type': type }).end(text),
      (error: unknown) => {
        onFault(error)
        response.writeHead(500).end()
      },
    )
  })
  server.listen(port, host)
  await once(server, 'listening')
  // The address of a server that listens on a port is an object.
  const { port: actual } = server.address() as AddressInfo
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${String(actual)}/metrics`,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
