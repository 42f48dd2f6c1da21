import {
  type Row as StoredRow,
  type Table,
  type Value,
  allColumns,
  quoted,
  valuesReader,
} from '../../src/store/table.ts'
import { isDataException } from '../../src/store/postgres/errors.ts'
import { tables } from '../../src/store/tables.ts'
import type { StoreOptions } from '../../src/store/store.ts'
import { UsageError } from '../command.ts'

/** The values of a row, the key first. They are equal in both stores. */
export type Row = Value[]

export interface OpenRowsOptions {
  role: 'source' | 'target'
  onWarning: NonNullable<StoreOptions['onWarning']>
}

/** The rows of a table in key order, which is the same in every store. */
export interface Rows {
  name: string

  /** How many rows there are. */
  count: () => Promise<number>

  /** At most `limit` rows after `row`, or from the beginning. */
  after: (row: Row | undefined, limit: number) => Promise<Row[]>

  /**
   * Adds rows, all or none.
   *
   * @throws UsageError that names the first row that the database cannot store; those before it are added
   */
  add: (rows: Row[]) => Promise<void>

  /** Removes every row after `row`, or all rows. */
  removeAfter: (row: Row | undefined) => Promise<void>
}

/** All rows of a store, for copying them to another. */
export interface StoreRows {
  /** The tables in the order of `tables`. Their rows are in the order of their keys; texts are compared as UTF-8. */
  tables: Rows[]

  /**
   * Keeps others from changing a source, or from using a file, until it is closed.
   *
   * @throws UsageError if another program uses the file or has locked the tables
   */
  lock: () => Promise<void> | void

  /** @throws UsageError if a server uses the store */
  assertUnused: () => Promise<void> | void

  /** Whether a move into the store has begun and not ended. */
  isUnfinished: boolean

  /** Records that a move into the store begins or has ended. In between, no server starts on it. */
  setUnfinished: (isUnfinished: boolean) => Promise<void> | void

  close: () => Promise<void> | void
}

/** Runs a statement, with a `?` for each value. */
type RunStatement = <Columns>(text: string, values: Value[]) => Promise<Columns[]> | Columns[]

/** The rows of all tables, read and written by `run`. */
export function rowsOf(run: RunStatement): Rows[] {
  return tables.map((table) => rowsIn(table, run))
}

function rowsIn(table: Table, run: RunStatement): Rows {
  const { name } = table
  const columns = allColumns(table)
  const [all, key] = [quoted(Object.keys(columns)), quoted(Object.keys(table.key))]
  const keyLength = Object.keys(table.key).length
  const read = valuesReader(columns)
  const placeholders = (count: number) => Array.from({ length: count }, () => '?').join()
  const isAfter = `(${key}) > (${placeholders(keyLength)})`

  async function insert(rows: Row[]): Promise<void> {
    const tuples = rows.map((row) => `(${placeholders(row.length)})`)
    await run(`INSERT INTO ${name} (${all}) VALUES ${tuples.join()}`, rows.flat())
  }

  function refuse(row: Row, cause: unknown): never {
    if (!isDataException(cause)) throw cause
    const rowKey = Object.keys(table.key).map((column, index) => `${column} ${String(row[index])}`)
    throw new UsageError(
      `the target cannot store the row of ${name} with ${rowKey.join(', ')}: ${cause.message}; correct it in the ` +
        'source, and run the command again to continue',
      { cause },
    )
  }

  return {
    name,
    // PostgreSQL sends it as text, SQLite as a bigint.
    count: async () =>
      Number((await run<{ count: string | bigint }>(`SELECT count(*) AS count FROM ${name}`, []))[0]?.count),
    after: async (row, limit) => {
      const [condition, values] = row === undefined ? ['true', []] : [isAfter, row.slice(0, keyLength)]
      const text = `SELECT ${all} FROM ${name} WHERE ${condition} ORDER BY ${key} LIMIT ?`
      return (await run<StoredRow>(text, [...values, limit])).map(read)
    },
    removeAfter: async (row) => {
      const [condition, values] = row === undefined ? ['true', []] : [isAfter, row.slice(0, keyLength)]
      await run(`DELETE FROM ${name} WHERE ${condition}`, values)
    },
    add: async (rows) => {
      try {
        await insert(rows)
      } catch (error) {
        if (!isDataException(error)) throw error
        for (const row of rows) await insert([row]).catch((cause: unknown) => refuse(row, cause))
        throw error
      }
    },
  }
}
