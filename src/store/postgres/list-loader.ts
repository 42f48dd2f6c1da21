import type { Caller } from '../../contract/types.ts'
import { Batcher, type Waiting } from '../batch.ts'
import { type Statement, statements } from './statements.ts'

/** The most lists that share a query; each has at most `pageRows` plants, so the answer has at most 6 MiB. */
const maxBatch = 16

/** A short list that is asked for. */
interface Wanted {
  caller: Caller
  limit: number
}

/** The plants of a list. */
interface ListRow {
  /** Their JSON, separated by commas; null if there are none. */
  plants: string | null
}

type Found = ListRow | 'unavailable'

/** Reads rows; resolves to `unavailable` when the database cannot be read now. */
type ReadLists = (statement: Statement<ListRow>) => Promise<ListRow[] | 'unavailable'>

/** Reads short lists. Those of one iteration of the event loop share a query. */
export class ListLoader {
  readonly #read: ReadLists
  readonly #batch = new Batcher<Wanted, Found>(maxBatch, () => {
    // The next query does not wait for this one.
    void this.#load(this.#batch.take())
    return undefined
  })

  constructor(read: ReadLists) {
    this.#read = read
  }

  list(caller: Caller, limit: number): Promise<Found> {
    return this.#batch.add({ caller, limit })
  }

  async #load(batch: Waiting<Wanted, Found>[]): Promise<void> {
    try {
      const rows = await this.#read(statements.shortLists(batch.map(({ item }) => item)))
      // There are as many rows as lists.
      for (const [index, { resolve }] of batch.entries()) {
        resolve(rows === 'unavailable' ? rows : rows[index]!)
      }
    } catch (error) {
      // One list is at fault; each is read alone to find it.
      if (batch.length > 1) for (const waiting of batch) await this.#load([waiting])
      else batch[0]?.reject(error)
    }
  }
}
