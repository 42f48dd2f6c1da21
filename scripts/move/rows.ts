import {
  type NewPlant,
  type PlantValues,
  encodePlant,
  plantColumns,
  plantOf,
  valuesOfPlant,
} from '../../src/plants/plant.ts'
import type { Caller, StoredToken } from '../../src/store/store.ts'
import { type TokenRow, type Value, tokenTable } from '../../src/store/token-table.ts'

/** A plant with its owner. */
type OwnedPlant = NewPlant & { caller: Caller }

/** The rows of a table in key order, which is the same in every store. */
export interface Rows<Row> {
  name: 'plants' | 'tokens'

  /** How many rows there are. */
  count: () => Promise<number>

  /** At most `limit` rows after `row`, or from the beginning. */
  after: (row: Row | undefined, limit: number) => Promise<Row[]>

  /** Adds all of these rows or none. @throws when a row with the same key exists */
  add: (rows: Row[]) => Promise<void>

  /** The values of a row, which are equal in both stores. */
  valuesOf: (row: Row) => Value[]
}

/** All rows of a store, for copying them to another. Plants are ordered by caller, as UTF-8, and id; tokens by hash. */
export interface StoreRows {
  plants: Rows<OwnedPlant>
  tokens: Rows<StoredToken>
  close: () => Promise<void> | void
}

/** Runs a statement, with a `?` for each value. */
type RunStatement = <Columns>(text: string, values: Value[]) => Promise<Columns[]> | Columns[]

/**
 * The rows of both tables, read and written by `run`.
 *
 * @param storesJson whether the table of plants has the column `json`
 */
export function rowsOf(run: RunStatement, storesJson: boolean): Pick<StoreRows, 'plants' | 'tokens'> {
  const plants = storesJson ? { ...plantTable, added: { column: 'json', valueOf: encodePlant } } : plantTable
  return { plants: rowsIn(plants, run), tokens: rowsIn(tokens, run) }
}

/** A table of both databases. */
interface Table<Row, Columns> extends Pick<Rows<Row>, 'name' | 'valuesOf'> {
  /** The key's columns come first. */
  columns: readonly string[]
  /** Lower than every row's key, because no caller or hash is empty. */
  lowestKey: Value[]
  rowOf: (columns: Columns) => Row
  /** A column of one database, whose value is made from the row. */
  added?: { column: string; valueOf: (row: Row) => Value }
}

function rowsIn<Row, Columns>(table: Table<Row, Columns>, run: RunStatement): Rows<Row> {
  const { name, columns, lowestKey, valuesOf, rowOf, added } = table
  const key = columns.slice(0, lowestKey.length)
  return {
    name,
    valuesOf,
    // PostgreSQL sends it as text, SQLite as a bigint.
    count: async () =>
      Number((await run<{ count: string | bigint }>(`SELECT count(*) AS count FROM ${name}`, []))[0]?.count),
    after: async (row, limit) => {
      const last = row === undefined ? lowestKey : valuesOf(row).slice(0, key.length)
      const text =
        `SELECT ${columns.join()} FROM ${name} WHERE (${key.join()}) > (${placeholders(key)}) ` +
        `ORDER BY ${key.join()} LIMIT ?`
      return (await run<Columns>(text, [...last, limit])).map(rowOf)
    },
    add: async (rows) => {
      const written = added === undefined ? columns : [...columns, added.column]
      const tuples = rows.map(() => `(${placeholders(written)})`)
      const values = rows.flatMap((row) => [...valuesOf(row), ...(added === undefined ? [] : [added.valueOf(row)])])
      await run(`INSERT INTO ${name} (${written.join()}) VALUES ${tuples.join()}`, values)
    },
  }
}

function placeholders(columns: readonly string[]): string {
  return columns.map(() => '?').join()
}

const plantTable: Table<OwnedPlant, PlantValues & { caller: Caller; id: bigint | string }> = {
  name: 'plants',
  columns: ['caller', 'id', ...plantColumns],
  lowestKey: ['', -(2n ** 63n)],
  valuesOf: (plant) => [plant.caller, plant.id, ...valuesOfPlant(plant)],
  rowOf: (row) => ({ caller: row.caller, id: BigInt(row.id), ...plantOf(row) }),
}

const tokens: Table<StoredToken, TokenRow> = {
  name: 'tokens',
  columns: tokenTable.columns,
  lowestKey: [Buffer.alloc(0)],
  valuesOf: tokenTable.valuesOf,
  rowOf: tokenTable.tokenOf,
}
