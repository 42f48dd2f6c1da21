import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { Caller } from '../../../contract/types.ts'
import type { Engine } from '../connections/engine.ts'
import { isUnavailable } from '../errors.ts'
import { citusStatements } from './layout.ts'

/** Where callers' plants are, if they are spread over machines. */
export interface Placement {
  /** Whether the machine that has the caller's plants is to be asked. */
  isReachable: (caller: Caller) => Promise<boolean>
  /** Is called when a statement for this caller failed as if its machine were away. */
  suspect: (caller: Caller) => void
}

const pauseMilliseconds = 1_000

/** The most callers whose worker is remembered while one is away. */
const maxCallers = 100_000

/**
 * Keeps requests from workers of Citus that do not answer: each would hold a connection for a statement's timeout, and
 * a few such requests hold all connections of the pool. As long as no statement fails, this asks nothing.
 */
export class WorkerWatch implements Placement {
  readonly #pool: Pool
  readonly #canWatch: boolean
  /** The workers in doubt, by name and port, each with its first check. */
  readonly #doubted = new Map<string, Promise<boolean>>()
  /** The worker of each caller that was asked for while one was in doubt. */
  readonly #workers = new Map<Caller, Promise<string | undefined>>()
  readonly #stopped = new AbortController()

  constructor(pool: Pool, engine: Engine) {
    this.#pool = pool
    // The others move their shards' leaders to machines that answer.
    this.#canWatch = engine.name === 'Citus'
  }

  async isReachable(caller: Caller): Promise<boolean> {
    if (this.#doubted.size === 0) return true
    const worker = await this.#workerOf(caller)
    return worker === undefined || (await (this.#doubted.get(worker) ?? true))
  }

  suspect(caller: Caller): void {
    if (this.#canWatch) void this.#doubt(caller)
  }

  stop(): void {
    this.#stopped.abort()
  }

  async #doubt(caller: Caller): Promise<void> {
    const worker = await this.#workerOf(caller)
    if (worker === undefined || this.#doubted.has(worker)) return
    const first = this.#check(worker)
    this.#doubted.set(worker, first)
    let reachable = await first
    while (!reachable && !this.#stopped.signal.aborted) {
      await sleep(pauseMilliseconds, undefined, { ref: false })
      reachable = await this.#check(worker)
    }
    this.#doubted.delete(worker)
    // Shards may move until the next doubt.
    if (this.#doubted.size === 0) this.#workers.clear()
  }

  #workerOf(caller: Caller): Promise<string | undefined> {
    const known = this.#workers.get(caller)
    if (known !== undefined) return known
    if (this.#workers.size >= maxCallers) this.#workers.clear()
    const asked = this.#pool.query<{ name: string; port: number }>(citusStatements.workerOf(caller)).then(
      ({ rows: [worker] }) => worker && `${worker.name}:${String(worker.port)}`,
      // The statement that follows reports the fault.
      () => undefined,
    )
    this.#workers.set(caller, asked)
    return asked
  }

  async #check(worker: string): Promise<boolean> {
    const colon = worker.lastIndexOf(':')
    const statement = citusStatements.isReachable(worker.slice(0, colon), Number(worker.slice(colon + 1)))
    try {
      return (await this.#pool.query<{ reachable: boolean }>(statement)).rows[0]?.reachable !== false
    } catch (error) {
      // A user who may not ask does without the watch.
      return !isUnavailable(error)
    }
  }
}
