import type { Caller } from '../contract/types.ts'
import type { NewPlant, StoredToken } from './store.ts'

/** A plant with everything that is kept of it. */
export interface StoredPlant extends NewPlant {
  caller: Caller
}

/** The rows of one kind in the order of their key, which is the same in every store. */
export interface Table<Row> {
  count: () => Promise<number>

  /** At most `limit` of the rows that come after this one, or the first ones. */
  after: (row: Row | undefined, limit: number) => Promise<Row[]>

  /** Adds rows, all or none. @throws when the table has one with the same key */
  add: (rows: Row[]) => Promise<void>
}

/** What is in a store, for moving it to another. Plants are in the order of caller, as UTF-8, and id; tokens in that of their hash. */
export interface Tables {
  plants: Table<StoredPlant>
  tokens: Table<StoredToken>
  close: () => Promise<void>
}
