import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { Caller } from 'fastify-contract'
import type { Engine } from '../connections/engine.ts'
import { limitConcurrency } from '../connections/limit-concurrency.ts'
import { isOutage } from '../errors.ts'
import { citusStatements } from './layout.ts'

/** Where callers' plants are, if they are spread over machines. */
export interface Placement {
  /**
   * Runs a statement or transaction for one caller, as soon as a connection is free for it. `unavailable`, without
   * running it, when the machine that has the caller's plants does not answer or too many wait.
   */
  run: <Result>(caller: Caller, ask: () => Promise<Result>) => Promise<Result | 'unavailable'>
}

/** Connections that stay free for the tokens and for asking where a caller's plants are. */
const reservedConnections = 2

const pauseMilliseconds = 1_000

/** The most callers whose worker is remembered while one is away. */
const maxCallers = 100_000

/**
 * Runs what names one caller, and keeps it from workers of Citus that do not answer: each statement for such a worker
 * would hold a connection until its timeout, and a few of them hold the whole pool. As long as no statement fails, this
 * asks nothing.
 */
export class WorkerWatch implements Placement {
  readonly #pool: Pool
  readonly #canWatch: boolean
  /** The workers in doubt, by name and port, each with its first check. */
  readonly #doubted = new Map<string, { isAnswering: Promise<boolean> }>()
  /** Each ends when it is known whose worker is to be doubted. */
  readonly #suspicions = new Set<Promise<void>>()
  /** The worker of each caller that was asked for while one was in doubt. */
  readonly #workers = new Map<Caller, Promise<string | undefined>>()
  readonly #stopped = new AbortController()
  readonly #maxQueued: number
  readonly #limit: ReturnType<typeof limitConcurrency>
  #waiting = 0

  /** @param maxQueued the most that wait for a connection */
  constructor(pool: Pool, engine: Engine, maxQueued: number) {
    this.#pool = pool
    // The others move their shards' leaders to machines that answer.
    this.#canWatch = engine.name === 'Citus'
    this.#maxQueued = maxQueued
    this.#limit = limitConcurrency(Math.max(1, pool.options.max - reservedConnections))
  }

  async run<Result>(caller: Caller, ask: () => Promise<Result>): Promise<Result | 'unavailable'> {
    if (this.#waiting >= this.#maxQueued) return 'unavailable'
    this.#waiting++
    try {
      const doubt = await this.#doubtOf(caller)
      if (doubt !== undefined && !(await doubt.isAnswering)) return 'unavailable'
      // Asked again: the worker may have stopped to answer while this waited.
      return await this.#limit(async () =>
        (await this.#doubtOf(caller)) === undefined ? this.#observe(caller, ask) : 'unavailable',
      )
    } finally {
      this.#waiting--
    }
  }

  stop(): void {
    this.#stopped.abort()
  }

  /** Doubts the caller's worker if the statement failed as if it were away, before another gets the connection. */
  async #observe<Result>(caller: Caller, ask: () => Promise<Result>): Promise<Result> {
    try {
      const result = await ask()
      if (result === 'unavailable') this.#suspect(caller)
      return result
    } catch (error) {
      if (isOutage(error)) this.#suspect(caller)
      throw error
    }
  }

  #suspect(caller: Caller): void {
    if (!this.#canWatch) return
    // Shards may have moved since the last doubt.
    if (this.#doubted.size === 0 && this.#suspicions.size === 0) this.#workers.clear()
    const suspicion = this.#workerOf(caller).then((worker) => {
      this.#suspicions.delete(suspicion)
      if (worker !== undefined && !this.#doubted.has(worker)) void this.#watch(worker)
    })
    this.#suspicions.add(suspicion)
  }

  async #watch(worker: string): Promise<void> {
    const isAnswering = this.#check(worker)
    this.#doubted.set(worker, { isAnswering })
    let reachable = await isAnswering
    while (!reachable && !this.#stopped.signal.aborted) {
      await sleep(pauseMilliseconds, undefined, { ref: false })
      reachable = await this.#check(worker)
    }
    this.#doubted.delete(worker)
  }

  /** The first check of the caller's worker, if that is in doubt. */
  async #doubtOf(caller: Caller): Promise<{ isAnswering: Promise<boolean> } | undefined> {
    if (this.#suspicions.size > 0) await Promise.all(this.#suspicions)
    if (this.#doubted.size === 0) return undefined
    const worker = await this.#workerOf(caller)
    return worker === undefined ? undefined : this.#doubted.get(worker)
  }

  #workerOf(caller: Caller): Promise<string | undefined> {
    const known = this.#workers.get(caller)
    if (known !== undefined) return known
    if (this.#workers.size >= maxCallers) this.#workers.clear()
    const asked = this.#pool.query<{ name: string; port: number }>(citusStatements.workerOf(caller)).then(
      ({ rows: [worker] }) => worker && `${worker.name}:${String(worker.port)}`,
      // The statement that follows reports the fault.
      () => {
        this.#workers.delete(caller)
        return undefined
      },
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
      return !isOutage(error)
    }
  }
}
