import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client'

/** Counts and times for Prometheus. */
export interface Metrics {
  /**
   * A request was answered.
   *
   * @param operation its operationId; undefined if it matched none
   * @param seconds its duration; undefined where its headers were not read
   */
  answered: (operation: string | undefined, status: number, seconds: number | undefined) => void
  /** A handler's reply broke the contract. */
  contractBroken: (operation: string) => void
  /** The store was not available to an operation, or the key server to a token. */
  failed: (part: 'store' | 'key server') => void
  /** A transaction was committed, with this number of writes. */
  committed: (writes: number) => void
  /** Measures a store's queue. @param waitingWrites returns the number of waiting writes */
  watchQueue: (waitingWrites: () => number) => void
  /** The metrics in Prometheus' text format, and its media type. */
  read: () => Promise<{ type: string; text: string }>
}

/** In seconds: from the time of a short list to the longest that a client should wait. */
const latencyBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

const batchBuckets = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000]

/** Starts measuring, the event loop's lag, memory and CPU time included. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const requests = new Counter({
    name: 'plant_store_requests_total',
    help: 'Requests that were answered',
    labelNames: ['operation', 'status'],
    registers,
  })
  const latency = new Histogram({
    name: 'plant_store_request_duration_seconds',
    help: 'From the headers of a request to the end of its answer',
    labelNames: ['operation'],
    buckets: latencyBuckets,
    registers,
  })
  const violations = new Counter({
    name: 'plant_store_contract_violations_total',
    help: 'Replies that broke the contract and were answered 500',
    labelNames: ['operation'],
    registers,
  })
  const faults = new Counter({
    name: 'plant_store_faults_total',
    help: 'Faults that made an operation unavailable',
    labelNames: ['part'],
    registers,
  })
  const batches = new Histogram({
    name: 'plant_store_batch_writes',
    help: 'Writes that shared one transaction',
    buckets: batchBuckets,
    registers,
  })

  return {
    answered: (operation = 'none', status, seconds) => {
      requests.inc({ operation, status })
      if (seconds !== undefined) latency.observe({ operation }, seconds)
    },
    contractBroken: (operation) => {
      violations.inc({ operation })
    },
    failed: (part) => {
      faults.inc({ part })
    },
    committed: (writes) => {
      batches.observe(writes)
    },
    watchQueue: (waitingWrites) => {
      new Gauge({
        name: 'plant_store_waiting_writes',
        help: 'Writes that wait to be committed',
        registers,
        collect() {
          this.set(waitingWrites())
        },
      })
    },
    read: async () => ({ type: registry.contentType, text: await registry.metrics() }),
  }
}
