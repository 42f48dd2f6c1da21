import type { Pool, QueryResult } from 'pg'
import { isConflict, isUnavailable } from './postgres-errors.ts'
import { retryConflicts } from './retry.ts'
import type { Statement } from './statements.ts'

/** One write that waits for its turn. */
interface Write {
  statement: Statement
  /** Equal for writes that touch the same row. */
  key: string
  resolve: (result: QueryResult | 'unavailable') => void
  reject: (error: unknown) => void
}

interface WriteQueueOptions {
  /** The most writes that wait; a further one is refused at once. */
  maxQueued: number
  /** The most writes in one transaction. */
  maxBatch: number
  /** Told of each fault of the database that made writes unavailable. */
  onFault: (error: Error) => void
  /** Told of how many writes each committed transaction had. */
  onCommit?: ((writes: number) => void) | undefined
}

/**
 * Group commit: writes that arrive while a transaction is on its way share the next one, and so one round trip and one wait
 * for the disk. Each has its own outcome, told when the transaction is on disk. A lone write waits for nobody.
 */
export class WriteQueue {
  readonly #pool: Pool
  readonly #options: WriteQueueOptions
  #waiting: Write[] = []
  #running: Promise<void> | undefined

  constructor(pool: Pool, options: WriteQueueOptions) {
    this.#pool = pool
    this.#options = options
  }

  /** How many writes wait for their turn. */
  get length(): number {
    return this.#waiting.length
  }

  /**
   * Queues a write. Writes with equal keys keep their order.
   *
   * @param key the row that it touches
   * @returns the statement's result once it is on disk; `unavailable` when the queue is full or the database cannot be
   *   written now, and nothing has changed then unless the connection was lost before the database's answer
   */
  write<Row extends object>(key: string, statement: Statement<Row>): Promise<QueryResult<Row> | 'unavailable'> {
    if (this.#waiting.length >= this.#options.maxQueued) return Promise.resolve('unavailable')
    return new Promise((resolve, reject) => {
      // The result that resolves this promise is that of its own statement.
      this.#waiting.push({ key, statement, resolve: resolve as Write['resolve'], reject })
      this.#running ??= this.#run()
    })
  }

  /** Resolves when nothing waits any more. */
  async drain(): Promise<void> {
    await this.#running
  }

  async #run(): Promise<void> {
    // After the requests that the current turn of the event loop still has to read, which then join the batch.
    await new Promise(setImmediate)
    while (this.#waiting.length > 0) await this.#commit(this.#waiting.splice(0, this.#options.maxBatch).sort(byKey))
    this.#running = undefined
  }

  async #commit(batch: Write[]): Promise<void> {
    try {
      const results = await retryConflicts(() => this.#transact(batch.map(({ statement }) => statement)))
      this.#options.onCommit?.(batch.length)
      // There are as many results as writes.
      for (const [index, { resolve }] of batch.entries()) resolve(results[index]!)
    } catch (error) {
      if (isUnavailable(error)) this.#fail(batch, error)
      // One of them is at fault, and the others are not.
      else if (batch.length > 1) for (const write of batch) await this.#commit([write])
      else batch[0]?.reject(error)
    }
  }

  async #transact(writes: Statement[]): Promise<QueryResult[]> {
    const client = await this.#pool.connect()
    // A loss of the connection reaches the statements too; without a listener it would end the process.
    const ignore = () => undefined
    client.on('error', ignore)
    try {
      // A statement alone is a transaction by itself. All are sent before the first answer.
      const sent = (writes.length === 1 ? writes : [{ text: 'BEGIN' }, ...writes, { text: 'COMMIT' }]).map((statement) => client.query(statement))
      const answers = await Promise.allSettled(sent)
      // The first failure is the cause of those that follow.
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

  /** What waits would wait as long, and in vain. */
  #fail(batch: Write[], error: Error): void {
    this.#options.onFault(error)
    for (const { resolve } of [...batch, ...this.#waiting.splice(0)]) resolve('unavailable')
  }
}

/** Transactions that take their locks in one order do not deadlock. */
function byKey(a: Write, b: Write): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0
}
