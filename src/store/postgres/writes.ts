import { setImmediate } from 'node:timers/promises'
import type { Pool, QueryResult } from 'pg'
import type { StoreOptions } from '../store.ts'
import { refuse } from '../waiting.ts'
import { isOutage, isUnavailable, retryConflicts } from './errors.ts'
import { reasonOf, resultsOf, send } from './send.ts'
import { type Statement, statements } from './statements.ts'
import { type Result, type WaitingWrite, type Write, byKey, statementOf, stepsOf } from './steps.ts'

/** Writes that share transactions. */
interface Group {
  /** The writes of further transactions. */
  writes: WaitingWrite[]
  /** Resolves when every write has its outcome. */
  done: Promise<void>
}

interface WriteQueueOptions extends Pick<StoreOptions, 'onFault' | 'onCommit'> {
  maxQueued: number
  isCitus: boolean
}

/** The most writes in a transaction. */
const maxBatch = 500

/**
 * Group commit: writes that arrive during a transaction share the next one, with its round trip and its disk sync. Each
 * write has its own outcome and gets it when the transaction is on disk.
 *
 * On Citus, each caller's writes are a group, because a transaction of several callers commits in two phases, and fails
 * if one of their workers is down. While one of two was down, 45 % of the requests of the other's callers got 503; with
 * groups, none did. On PostgreSQL alone, groups for callers would cost 2.8 times its CPU, with 64 callers.
 */
export class WriteQueue {
  readonly #pool: Pool
  readonly #options: WriteQueueOptions
  /** The groups with unfinished writes, by caller; a group of all callers has the name ''. */
  readonly #groups = new Map<string, Group>()
  #length = 0

  constructor(pool: Pool, options: WriteQueueOptions) {
    this.#pool = pool
    this.#options = options
  }

  get length(): number {
    return this.#length
  }

  /**
   * Queues a write. Writes with equal keys keep their order.
   *
   * @returns the write's result once it is on disk. `unavailable` when the queue is full or the database cannot be
   *   written now, as `PlantStore` promises
   */
  write<Row extends object>(write: Write & { statement?: Statement<Row> }): Promise<Result<Row> | 'unavailable'> {
    // Each group has a transaction, which runs or waits for a connection.
    if (Math.max(this.#length, this.#groups.size - 1) >= this.#options.maxQueued) return Promise.resolve('unavailable')
    this.#length++
    const name = this.#options.isCitus ? (write.caller ?? '') : ''
    // `#commit` resolves each promise with the result of its own write.
    return new Promise<Result | 'unavailable'>((resolve, reject) => {
      const waiting = { item: write, resolve, reject }
      const group = this.#groups.get(name)
      if (group === undefined) this.#groups.set(name, this.#startGroup(name, [waiting]))
      else group.writes.push(waiting)
    }) as Promise<Result<Row> | 'unavailable'>
  }

  /** Resolves when every write has its outcome. */
  async drain(): Promise<void> {
    await Promise.all(Array.from(this.#groups.values(), ({ done }) => done))
  }

  #startGroup(name: string, writes: WaitingWrite[]): Group {
    const commitAll = async () => {
      while (writes.length > 0) {
        // Resumes after the requests of this iteration have been read, so that their writes share the transaction.
        await setImmediate()
        // Transactions that take their locks in the same order do not deadlock.
        const batch = writes.splice(0, maxBatch).sort(byKey)
        this.#length -= batch.length
        await this.#commit(batch, writes)
      }
      this.#groups.delete(name)
    }
    return { writes, done: commitAll() }
  }

  async #commit(batch: WaitingWrite[], queued: WaitingWrite[]): Promise<void> {
    const steps = stepsOf(batch)
    const isSerializable = batch.some(({ item }) => 'isSerializable' in item)
    try {
      const writes = steps.map(({ statement }) => statement)
      const results = await retryConflicts(() => this.#transact(writes, isSerializable))
      this.#options.onCommit?.(batch.length)
      // There are as many results as steps, and as many of a step as its writes.
      for (const [index, { writes, resultsOf }] of steps.entries()) {
        const ofWrites = resultsOf(results[index]!)
        for (const [position, { resolve }] of writes.entries()) resolve(ofWrites[position]!)
      }
    } catch (error) {
      if (batch.length > 1 && !isOutage(error)) await this.#commitSound(batch, queued)
      else this.#fail(batch, error, queued)
    }
  }

  /** Fails the writes of a failed transaction that also fail alone, and commits the others. */
  async #commitSound(batch: WaitingWrite[], queued: WaitingWrite[]): Promise<void> {
    try {
      const errors = await retryConflicts(() => this.#errorsOf(batch))
      const sound = batch.filter((_write, index) => errors[index] === undefined)
      for (const [index, write] of batch.entries()) if (errors[index] !== undefined) this.#fail([write], errors[index])
      // If they fail only together, each is retried alone.
      const batches = sound.length < batch.length ? [sound] : sound.map((write) => [write])
      for (const each of batches) if (each.length > 0) await this.#commit(each, queued)
    } catch (error) {
      this.#fail(batch, error, queued)
    }
  }

  /**
   * Runs each write in a transaction of its own that is rolled back, which takes one round trip and no disk sync.
   *
   * @returns the error of each write, or undefined
   * @throws an error that is not the write's own
   */
  async #errorsOf(batch: WaitingWrite[]): Promise<unknown[]> {
    const all = batch.flatMap((write) => [statements.begin(), statementOf(write), statements.rollback()])
    const answers = await send(this.#pool, all)
    const errors = batch.map((_write, index) => reasonOf(answers[3 * index + 1]))
    const outage = errors.find(isOutage)
    if (outage !== undefined) throw outage
    return errors
  }

  #fail(batch: WaitingWrite[], error: unknown, queued: WaitingWrite[] = []): void {
    if (!isUnavailable(error)) {
      for (const { reject } of batch) reject(error)
      return
    }
    this.#options.onFault(error)
    // In an outage, the queued writes would only wait as long and fail too.
    if (isOutage(error)) this.#refuse(batch, queued)
    else refuse(batch)
  }

  /** Refuses a batch and the writes queued behind it. */
  #refuse(batch: WaitingWrite[], queued: WaitingWrite[]): void {
    this.#length -= queued.length
    refuse([...batch, ...queued.splice(0)])
  }

  async #transact(writes: Statement[], isSerializable: boolean): Promise<QueryResult[]> {
    // A single statement needs no BEGIN.
    if (writes.length === 1 && !isSerializable) return resultsOf(await send(this.#pool, writes))
    const begin = isSerializable ? statements.beginSerializable() : statements.begin()
    return resultsOf(await send(this.#pool, [begin, ...writes, statements.commit()])).slice(1, -1)
  }
}
