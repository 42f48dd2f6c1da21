import { hash } from 'node:crypto'
import type { QueryConfig } from 'pg'
import { type StoredPlant, plantColumns, plantTable, valuesOfPlant } from '../../plants/plant.ts'
import {
  type Caller,
  type StoredToken,
  type TokenSelection,
  type TokenUse,
  lastUsedResolutionMilliseconds,
} from '../store.ts'
import { type Row, type Value, jsonOf } from '../table.ts'
import { isOwned, noRows, tables } from '../tables.ts'
import { type TokenRow, tokenRows } from '../token-table.ts'

declare const row: unique symbol

/** A prepared statement with its values. `Row` is the type of its rows, in which a `bigint` is decimal text. */
export interface Statement<Row extends object = Record<never, never>> extends QueryConfig {
  readonly [row]?: Row
}

export type CallerRow = Pick<TokenRow, 'hash' | 'caller' | 'expires_at' | 'scope'>

/** A plant with its owner. */
export type OwnedPlant = StoredPlant & { caller: Caller }

export interface CreatedRow {
  caller: Caller
  id: string
}

/** A page of a list. */
export interface PageRow {
  /** The number of plants that were read. */
  found: string
  /** The number that fits the page. */
  fitting: string
  /** The highest id of those that fit. */
  last: string | null
  /** The JSON of those that fit, separated by commas. */
  plants: string | null
}

const plantJson = jsonOf(plantTable, 'postgres')

/** The role may create what callers own, and read everything. */
const hasRights = tables
  .flatMap((table) => (isOwned(table) ? ['INSERT', 'SELECT'] : ['SELECT']).map((right) => [table.name, right] as const))
  .map(([name, right]) => `has_table_privilege('${name}', '${right}')`)
  .join(' AND ')

/** libpq's test for target_session_attrs=read-write. */
const isWritable = `current_setting('transaction_read_only') = 'off'`

const tokenColumns = tokenRows.columns.join()

/** Every statement except those of the schema. */
export const statements = {
  begin: (): Statement => ({ text: 'BEGIN' }),

  beginSerializable: (): Statement => ({ text: 'BEGIN ISOLATION LEVEL SERIALIZABLE' }),

  commit: (): Statement => ({ text: 'COMMIT' }),

  rollback: (): Statement => ({ text: 'ROLLBACK' }),

  /** Lists too short to need a limit in bytes. The rows have the order of `lists`. */
  shortLists: (lists: { caller: Caller; limit: number }[]): Statement<{ plants: string | null }> => ({
    name: 'shortLists',
    text: `SELECT (
        SELECT string_agg(json, ',' ORDER BY id)
        FROM (SELECT id, ${plantJson} AS json FROM plants WHERE caller = wanted.caller ORDER BY id LIMIT most) AS list
      ) AS plants
      FROM unnest($1::text[], $2::integer[]) WITH ORDINALITY AS wanted (caller, most, number) ORDER BY number`,
    values: [lists.map(({ caller }) => caller), lists.map(({ limit }) => limit)],
  }),

  /** The plants from an id on whose JSON begins within the first `bytes`. */
  page: (caller: Caller, from: bigint, limit: number, bytes: number): Statement<PageRow> => ({
    name: 'page',
    text: `SELECT count(*) AS found, count(*) FILTER (WHERE fits) AS fitting, max(id) FILTER (WHERE fits) AS last,
        string_agg(json, ',' ORDER BY id) FILTER (WHERE fits) AS plants
      FROM (
        SELECT id, json,
          sum(octet_length(json)) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) - octet_length(json) < $4 AS fits
        FROM (SELECT id, ${plantJson} AS json FROM plants WHERE caller = $1 AND id >= $2 ORDER BY id LIMIT $3) AS list
      ) AS page`,
    values: [caller, from, limit, bytes],
  }),

  /** Returns the created plants. Of plants with equal keys, the first is created. */
  createPlants: (plants: OwnedPlant[]): Statement<CreatedRow> => ({
    name: `createPlants${String(plants.length)}`,
    text: `INSERT INTO plants (caller, id, ${plantColumns}) VALUES ${tuples(plants.length)}
      ON CONFLICT DO NOTHING RETURNING caller, id`,
    values: plants.flatMap((plant) => [plant.caller, plant.id, ...valuesOfPlant(plant)]),
  }),

  deletePlant: (caller: Caller, id: bigint): Statement => ({
    name: 'deletePlant',
    text: 'DELETE FROM plants WHERE caller = $1 AND id = $2',
    values: [caller, id],
  }),

  callersOfTokens: (hashes: Uint8Array[]): Statement<CallerRow> => ({
    name: 'callersOfTokens',
    text: 'SELECT hash, caller, expires_at, scope FROM tokens WHERE hash = ANY($1)',
    values: [hashes],
  }),

  tokens: (): Statement<TokenRow> => ({
    name: 'tokens',
    text: `SELECT ${tokenColumns} FROM tokens ORDER BY issued_at, hash`,
  }),

  addToken: (token: StoredToken): Statement => ({
    name: 'addToken',
    text: `INSERT INTO tokens (${tokenColumns}) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    values: tokenRows.valuesOf(token),
  }),

  revokeTokens: (selection: TokenSelection): Statement<TokenRow> => ({
    name: 'revokeTokens',
    text: `DELETE FROM tokens WHERE ${numberParameters(tokenRows.isSelected)} RETURNING ${tokenColumns}`,
    values: tokenRows.selectionOf(selection),
  }),

  recordUse: ({ hash, usedAt }: TokenUse): Statement => ({
    name: 'recordUse',
    text: `UPDATE tokens SET last_used_at = $2
      WHERE hash = $1 AND (last_used_at IS NULL OR last_used_at NOT BETWEEN
        $2::bigint - ${String(lastUsedResolutionMilliseconds - 1)} AND
        $2::bigint + ${String(lastUsedResolutionMilliseconds)})`,
    values: [hash, usedAt],
  }),

  isEmpty: (): Statement<{ empty: boolean }> => ({
    name: 'isEmpty',
    text: `SELECT ${noRows} AS empty`,
  }),

  /** Whether the role may use the tables, and the server accepts writes. Fails if a table is missing. */
  isReady: (): Statement<{ writable: boolean }> => ({
    name: 'isReady',
    text: `SELECT ${isWritable} AND ${hasRights} AS writable FROM plant_store_schema`,
  }),

  isWritable: (): Statement<{ writable: boolean }> => ({ text: `SELECT ${isWritable} AS writable` }),
}

/** PostgreSQL cuts longer names of statements. */
const maxName = 63

const texts = new Map<string, { name: string; text: string }>()

/** A prepared statement of SQL with a `?` for each value. */
export function sqlStatement(text: string, values: readonly Value[]): Statement<Row> {
  const known = texts.get(text) ?? { name: hash('sha256', text).slice(0, maxName), text: numberParameters(text) }
  texts.set(text, known)
  return { ...known, values: [...values] }
}

/** Replaces each `?` by `$1`, `$2` and so on, as PostgreSQL writes parameters. */
export function numberParameters(text: string): string {
  let number = 0
  return text.replaceAll('?', () => `$${String(++number)}`)
}

/** `($1,$2,$3,$4),($5,$6,$7,$8)` for two plants with two columns besides caller and id. */
function tuples(plants: number): string {
  const columns = ['caller', 'id', ...plantTable.properties]
  const tuple = (first: number) => `(${columns.map((_, index) => `$${String(first + index)}`).join()})`
  return Array.from({ length: plants }, (_, index) => tuple(columns.length * index + 1)).join()
}
