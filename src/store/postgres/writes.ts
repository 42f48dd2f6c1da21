import { setImmediate } from 'node:timers/promises'
import type { Pool, QueryResult } from 'pg'
import type { Caller } from 'fastify-contract'
import type { StoredPlant } from '../rows.ts'
import type { StoreOptions } from '../store.ts'
import { type Waiting, refuse } from '../waiting.ts'
import type { WorkerWatch } from './citus.ts'
import { isConflict, isOutage, isUnavailable, retryConflicts } from './errors.ts'
import { type CreatedRow, type Statement, statements } from './statements.ts'

/** A write of one row. */
export type Write = {
  /** Equal for writes to the same row. */
  key: string
  /** The plant's owner; undefined for tokens. */
  caller?: Caller
} & ({ plant: StoredPlant } | { statement: Statement })

/** The number of changed rows, and the rows that the statement returns. */
type Result<Row extends object = object> = Pick<QueryResult<Row>, 'rowCount' | 'rows'>

type WaitingWrite = Waiting<Write, Result>

/** Writes that share transactions. */
interface Group {
  /** The writes of further transactions. */
  writes: WaitingWrite[]
  /** Resolves when every write has its outcome. */
  done: Promise<void>
}

/** A statement of a transaction, and the writes that share it. */
interface Step {
  statement: Statement
  writes: WaitingWrite[]
  /** Splits the statement's result into one for each write. */
  resultsOf: (result: QueryResult) => Result[]
}

interface WriteQueueOptions extends Pick<StoreOptions, 'onFault' | 'onCommit'> {
  maxQueued: number
  /** The Citus workers, if plants are distributed; then a transaction has the plants of one caller. */
  workers: WorkerWatch | undefined
}

/** The most writes in a transaction. */
const maxBatch = 500

/**
 * Group commit: writes that arrive during a transaction share the next one, with its round trip and its disk sync. Each
 * write has its own outcome and gets it when the transaction is on disk.
 *
 * If Citus distributes the plants, each caller's writes are a group. Its transactions then need one worker: they commit
 * in one phase, and no other caller waits for that worker.
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
   *   written now; then nothing has changed, unless the connection was lost before the database's answer
   */
  write<Row extends object>(write: Write & { statement?: Statement<Row> }): Promise<Result<Row> | 'unavailable'> {
    if (this.#length >= this.#options.maxQueued) return Promise.resolve('unavailable')
    this.#length++
    const name = this.#options.workers === undefined ? '' : (write.caller ?? '')
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
    const { workers } = this.#options
    const caller = batch[0]?.item.caller
    try {
      const steps = stepsOf(batch)
      const transact = () => retryConflicts(() => this.#transact(steps.map(({ statement }) => statement)))
      const results = await (workers && caller !== undefined ? workers.run(caller, transact) : transact())
      if (results === 'unavailable') {
        this.#refuse(batch, queued)
        return
      }
      this.#options.onCommit?.(batch.length)
      // There are as many results as steps, and as many of a step as its writes.
      for (const [index, { writes, resultsOf }] of steps.entries()) {
        const ofWrites = resultsOf(results[index]!)
        for (const [position, { resolve }] of writes.entries()) resolve(ofWrites[position]!)
      }
    } catch (error) {
      // One write may be at fault, so each is retried alone.
      if (batch.length > 1 && !isOutage(error)) for (const write of batch) await this.#commit([write], queued)
      else if (isUnavailable(error)) {
        this.#options.onFault(error)
        // In an outage, the queued writes would only wait as long and fail too.
        if (isOutage(error)) this.#refuse(batch, queued)
        else refuse(batch)
      } else batch[0]?.reject(error)
    }
  }

  /** Refuses a batch and the writes queued behind it. */
  #refuse(batch: WaitingWrite[], queued: WaitingWrite[]): void {
    this.#length -= queued.length
    refuse([...batch, ...queued.splice(0)])
  }

  async #transact(writes: Statement[]): Promise<QueryResult[]> {
    const client = await this.#pool.connect()
    // The statements report a lost connection. Without a listener, the event would end the process.
    const ignore = () => undefined
    client.on('error', ignore)
    try {
      // A single statement needs no BEGIN. All are sent before the first answer.
      const all = writes.length === 1 ? writes : [statements.begin(), ...writes, statements.commit()]
      const answers = await Promise.allSettled(all.map((statement) => client.query(statement)))
      // The first failure causes all later ones.
      const failure = answers.find((answer) => answer.status === 'rejected')
      if (failure !== undefined) throw failure.reason
      client.release()
      const results = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
      return writes.length === 1 ? results : results.slice(1, -1)
    } catch (error) {
      client.release(error instanceof Error && !isConflict(error) ? error : undefined)
      throw error
    } finally {
      client.off('error', ignore)
    }
  }
}

/** The sizes of an INSERT: few, because every connection prepares a statement for each size. */
const insertSizes = [256, 128, 64, 32, ...Array.from({ length: 16 }, (_, index) => 16 - index)]

/**
 * Arranges writes in stages: creates, then deletes and other statements, then creates after a delete of the same key,
 * and so on. The creates of a stage share statements. Writes with equal keys keep their order.
 *
 * @param batch ordered by key
 */
function stepsOf(batch: WaitingWrite[]): Step[] {
  const stages: WaitingWrite[][] = []
  let stage = 0
  for (const [index, write] of batch.entries()) {
    if (write.item.key !== batch[index - 1]?.item.key) stage = 0
    // Even stages have creates.
    if ('plant' in write.item !== (stage % 2 === 0)) stage++
    ;(stages[stage] ??= []).push(write)
  }
  return stages.flatMap((writes, index) => (index % 2 === 0 ? createSteps(writes) : writes.flatMap(otherStep)))
}

function createSteps(writes: WaitingWrite[]): Step[] {
  const steps: Step[] = []
  for (let start = 0; start < writes.length;) {
    const size = insertSizes.find((count) => count <= writes.length - start)!
    const together = writes.slice(start, start + size)
    const plants = together.flatMap(({ item }) => ('plant' in item ? [item.plant] : []))
    steps.push({
      statement: statements.createPlants(plants),
      writes: together,
      resultsOf: ({ rows }: QueryResult<CreatedRow>) => {
        const created = new Set(rows.map(({ caller, id }) => keyOfPlant(caller, id)))
        // Of creates with equal keys, the first succeeds.
        return together.map(({ item: { key } }) => ({ rowCount: created.delete(key) ? 1 : 0, rows: [] }))
      },
    })
    start += size
  }
  return steps
}

function otherStep(write: WaitingWrite): Step[] {
  const { item } = write
  return 'statement' in item ? [{ statement: item.statement, writes: [write], resultsOf: (result) => [result] }] : []
}

/** Unique for each plant, because an id contains no space. */
export function keyOfPlant(caller: Caller, id: bigint | string): string {
  return `${String(id)} ${caller}`
}

function byKey({ item: a }: WaitingWrite, { item: b }: WaitingWrite): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0
}
