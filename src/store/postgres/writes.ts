import type { Pool, QueryResult } from 'pg'
import { Batcher, type Waiting } from '../batch.ts'
import { isConflict, isUnavailable, retryConflicts } from './errors.ts'
import { type Statement, statements } from './statements.ts'

interface Write {
  statement: Statement
  /** Equal for writes to the same row. */
  key: string
}

type Outcome = QueryResult | 'unavailable'

interface WriteQueueOptions {
  /** The most writes that wait; a further one is `unavailable` at once. */
  maxQueued: number
  /** The most writes in one transaction. */
  maxBatch: number
  /** Receives each fault of the database that made writes unavailable. */
  onFault: (error: Error) => void
  /** Receives the number of writes in each committed transaction. */
  onCommit?: ((writes: number) => void) | undefined
}

/**
 * Group commit: writes that arrive while a transaction is being committed share the next one, and so one round trip and
 * one wait for the disk. Each has its own outcome, which it gets when the transaction is on disk.
 */
export class WriteQueue {
  readonly #pool: Pool
  readonly #options: WriteQueueOptions
  readonly #batch: Batcher<Write, Outcome>

  constructor(pool: Pool, options: WriteQueueOptions) {
    this.#pool = pool
    this.#options = options
    // Transactions that take their locks in the same order do not deadlock.
    this.#batch = new Batcher(options.maxBatch, () => this.#commit(this.#batch.take().sort(byKey)))
  }

  /** How many writes wait for the next transaction. */
  get length(): number {
    return this.#batch.length
  }

  /**
   * Queues a write. Writes with equal keys keep their order.
   *
   * @param key identifies the row that it changes
   * @returns the statement's result once it is on disk. `unavailable` when the queue is full or the database cannot be
   *   written now; nothing has changed then, unless the connection was lost before the database's answer
   */
  write<Row extends object>(key: string, statement: Statement<Row>): Promise<QueryResult<Row> | 'unavailable'> {
    if (this.#batch.length >= this.#options.maxQueued) return Promise.resolve('unavailable')
    // `#commit` resolves each promise with the result of its own statement.
    return this.#batch.add({ key, statement }) as Promise<QueryResult<Row> | 'unavailable'>
  }

  /** Resolves when every write has its outcome. */
  drain(): Promise<void> {
    return this.#batch.drain()
  }

  async #commit(batch: Waiting<Write, Outcome>[]): Promise<void> {
    try {
      const results = await retryConflicts(() => this.#transact(batch.map(({ item }) => item.statement)))
      this.#options.onCommit?.(batch.length)
      // There are as many results as writes.
      for (const [index, { resolve }] of batch.entries()) resolve(results[index]!)
    } catch (error) {
      if (isUnavailable(error)) this.#refuse(batch, error)
      // One write is at fault; each is retried alone to find it.
      else if (batch.length > 1) for (const write of batch) await this.#commit([write])
      else batch[0]?.reject(error)
    }
  }

  async #transact(writes: Statement[]): Promise<QueryResult[]> {
    const client = await this.#pool.connect()
    // The statements report the loss of the connection; without a listener it would end the process.
    const ignore = () => undefined
    client.on('error', ignore)
    try {
      // A single statement is a transaction by itself. All are sent before the first answer.
      const all = writes.length === 1 ? writes : [statements.begin(), ...writes, statements.commit()]
      const answers = await Promise.allSettled(all.map((statement) => client.query(statement)))
      // The first failure causes those that follow.
      const failure = answers.find((answer) => answer.status === 'rejected')
      if (failure !== undefined) throw failure.reason
      client.release()
      const results = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
      return writes.length === 1 ? results : results.slice(1, -1)
    } catch (error) {
      client.release(!isConflict(error))
      throw error
    } finally {
      client.off('error', ignore)
    }
  }

  /** Refuses the writes that wait too: they would wait as long, in vain. */
  #refuse(batch: Waiting<Write, Outcome>[], error: Error): void {
    this.#options.onFault(error)
    for (const { resolve } of [...batch, ...this.#batch.takeAll()]) resolve('unavailable')
  }
}

function byKey({ item: a }: Waiting<Write, Outcome>, { item: b }: Waiting<Write, Outcome>): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0
}
