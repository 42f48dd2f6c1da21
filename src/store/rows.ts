import type { Caller } from 'fastify-contract'
import type { NewPlant, StoredToken } from './store.ts'

/** A plant with its owner. */
export interface StoredPlant extends NewPlant {
  caller: Caller
}

/** The rows of a table in key order, which is the same in every store. */
export interface Rows<Row> {
  count: () => Promise<number>

  /** At most `limit` rows after `row`, or from the beginning. */
  after: (row: Row | undefined, limit: number) => Promise<Row[]>

  /** Adds all of these rows or none. @throws when a row with the same key exists */
  add: (rows: Row[]) => Promise<void>
}

/** All rows of a store, for copying them to another. Plants are ordered by caller, as UTF-8, and id; tokens by hash. */
export interface StoreRows {
  plants: Rows<StoredPlant>
  tokens: Rows<StoredToken>
  close: () => Promise<void> | void
}

/** A value that both drivers accept. */
export type Value = string | number | bigint | Uint8Array | null

/** Runs a statement, with a `?` for each value. */
export type RunStatement = <Columns>(text: string, values: Value[]) => Promise<Columns[]> | Columns[]

/** The rows of both tables, read and written by `run`. */
export function rowsOf(run: RunStatement): Pick<StoreRows, 'plants' | 'tokens'> {
  return { plants: rowsIn(plantTable, run), tokens: rowsIn(tokenTable, run) }
}

function rowsIn<Row, Columns>(table: Table<Row, Columns>, run: RunStatement): Rows<Row> {
  const { name, columns, lowestKey, valuesOf, rowOf } = table
  const key = columns.slice(0, lowestKey.length)
  return {
    count: async () => Number((await run<{ count: Integer }>(`SELECT count(*) AS count FROM ${name}`, []))[0]?.count),
    after: async (row, limit) => {
      const last = row === undefined ? lowestKey : valuesOf(row).slice(0, key.length)
      const text =
        `SELECT ${columns.join()} FROM ${name} WHERE (${key.join()}) > (${placeholders(key)}) ` +
        `ORDER BY ${key.join()} LIMIT ?`
      return (await run<Columns>(text, [...last, limit])).map(rowOf)
    },
    add: async (rows) => {
      const tuples = rows.map(() => `(${placeholders(columns)})`)
      await run(`INSERT INTO ${name} (${columns.join()}) VALUES ${tuples.join()}`, rows.flatMap(valuesOf))
    },
  }
}

/** A `?` for each column. */
export function placeholders(columns: readonly string[]): string {
  return columns.map(() => '?').join()
}

/** A table of both databases, as its rows see it. */
export interface RowTable<Row> {
  name: 'plants' | 'tokens'
  /** The values in column order. */
  valuesOf: (row: Row) => Value[]
}

/** A table of both databases. */
interface Table<Row, Columns> extends RowTable<Row> {
  /** The key's columns come first. */
  columns: readonly (keyof Columns & string)[]
  /** Lower than every row's key, because no caller or hash is empty. */
  lowestKey: Value[]
  rowOf: (columns: Columns) => Row
}

/** An integer as a driver returns it. */
type Integer = number | bigint | string

/** The columns of `plants`, without its JSON. */
export interface PlantColumns {
  caller: string
  id: bigint | string
  name: string
  tag: string | null
}

/** The columns of `tokens`. */
export interface TokenColumns {
  hash: Buffer
  prefix: string
  caller: string
  issued_at: Integer
  expires_at: Integer | null
  last_used_at: Integer | null
  scope: string | null
}

export const plantTable: Table<StoredPlant, PlantColumns> = {
  name: 'plants',
  columns: ['caller', 'id', 'name', 'tag'],
  lowestKey: ['', -(2n ** 63n)],
  valuesOf: ({ caller, id, name, tag }) => [caller, id, name, tag ?? null],
  rowOf: ({ caller, id, name, tag }) => ({ caller, id: BigInt(id), name, ...(tag === null ? {} : { tag }) }),
}

export const tokenTable: Table<StoredToken, TokenColumns> = {
  name: 'tokens',
  columns: ['hash', 'prefix', 'caller', 'issued_at', 'expires_at', 'last_used_at', 'scope'],
  lowestKey: [Buffer.alloc(0)],
  valuesOf: (token) => [
    token.hash,
    token.prefix,
    token.caller,
    token.issuedAt,
    token.expiresAt ?? null,
    token.lastUsedAt ?? null,
    token.scope ?? null,
  ],
  rowOf: ({ hash, prefix, caller, issued_at, expires_at, last_used_at, scope }) => ({
    hash,
    prefix,
    caller,
    issuedAt: Number(issued_at),
    expiresAt: expires_at === null ? undefined : Number(expires_at),
    lastUsedAt: last_used_at === null ? undefined : Number(last_used_at),
    scope: scope ?? undefined,
  }),
}
