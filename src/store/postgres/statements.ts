import type { QueryConfig } from 'pg'
import type { Caller } from 'fastify-contract'
import { lastUsedResolutionMilliseconds } from '../limits.ts'
import type { PlantKey, PlantRow, StoredPlant, TokenKey, TokenRow } from '../rows.ts'
import { beforePlants, beforeTokens } from '../rows.ts'
import type { StoredToken, TokenUse } from '../store.ts'

declare const row: unique symbol

/** A prepared statement with its values. The type parameter is the row that it returns; `bigint` is decimal text. */
export interface Statement<Row extends object = Record<never, never>> extends QueryConfig {
  readonly [row]?: Row
}

export type CallerRow = Pick<TokenRow, 'hash' | 'caller' | 'expires_at' | 'scope'>

const tokenColumns = 'hash, prefix, caller, issued_at, expires_at, last_used_at, scope'

export type ListedRow = Pick<PlantRow, 'id' | 'name' | 'tag'>

export type CreatedRow = Pick<PlantRow, 'caller' | 'id'>

/** A page of a list. */
export interface PageRow {
  /** How many plants were found. */
  found: string
  /** How many of them fit the page. */
  fitting: string
  /** The highest id of those that fit. */
  last: string | null
  /** The JSON of those that fit, separated by commas. */
  plants: string | null
}

/** The same bytes as SQLite's json_object and JSON.stringify make of the same texts. */
const plantJson = `'{"name":' || to_json(name)::text || coalesce(',"tag":' || to_json(tag)::text, '') || '}'`

/** As libpq asks for target_session_attrs=read-write. */
const isWritable = `current_setting('transaction_read_only') = 'off'`

/** Every statement except those of the schema. */
export const statements = {
  begin: (): Statement => ({ text: 'BEGIN' }),

  commit: (): Statement => ({ text: 'COMMIT' }),

  /** Lists so short that they need no limit in bytes, in the order in which they are asked for. */
  shortLists: (lists: { caller: Caller; limit: number }[]): Statement<{ plants: string | null }> => ({
    name: 'shortLists',
    text: `SELECT (
        SELECT string_agg(json, ',' ORDER BY id)
        FROM (SELECT id, ${plantJson} AS json FROM plants WHERE caller = wanted.caller ORDER BY id LIMIT most) AS list
      ) AS plants
      FROM unnest($1::text[], $2::integer[]) WITH ORDINALITY AS wanted (caller, most, number) ORDER BY number`,
    values: [lists.map(({ caller }) => caller), lists.map(({ limit }) => limit)],
  }),

  /** The plants from an id on, as columns: one statement on one shard, which Citus plans once. */
  listedRows: (caller: Caller, from: bigint, limit: number): Statement<ListedRow> => ({
    name: 'listedRows',
    text: 'SELECT id, name, tag FROM plants WHERE caller = $1 AND id >= $2 ORDER BY id LIMIT $3',
    values: [caller, from, limit],
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

  /** Returns the plants that were created. Of equal keys the first is created. */
  createPlants: (plants: StoredPlant[]): Statement<CreatedRow> => ({
    name: `createPlants${String(plants.length)}`,
    text: `INSERT INTO plants (caller, id, name, tag) VALUES ${placeholders(plants.length, 4)}
      ON CONFLICT DO NOTHING RETURNING caller, id`,
    values: plants.flatMap(({ caller, id, name, tag }) => [caller, id, name, tag]),
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

  addToken: ({ hash, prefix, caller, issuedAt, expiresAt, lastUsedAt, scope }: StoredToken): Statement => ({
    name: 'addToken',
    text: `INSERT INTO tokens (${tokenColumns}) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    values: [hash, prefix, caller, issuedAt, expiresAt, lastUsedAt, scope],
  }),

  revokeTokens: (prefix: string): Statement<TokenRow> => ({
    name: 'revokeTokens',
    text: `DELETE FROM tokens WHERE prefix = $1 RETURNING ${tokenColumns}`,
    values: [prefix],
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
    text: 'SELECT NOT EXISTS (SELECT 1 FROM plants) AND NOT EXISTS (SELECT 1 FROM tokens) AS empty',
  }),

  /** Whether the tables are there and may be used, and the server accepts writes, as a standby does not. */
  isReady: (): Statement<{ writable: boolean }> => ({
    name: 'isReady',
    text: `SELECT ${isWritable} AND has_table_privilege('plants', 'INSERT') AND has_table_privilege('tokens', 'SELECT')
        AS writable
      FROM plant_store_schema`,
  }),

  isWritable: (): Statement<{ writable: boolean }> => ({ text: `SELECT ${isWritable} AS writable` }),

  statementTimeout: (): Statement<{ statement_timeout: string }> => ({ text: 'SHOW statement_timeout' }),

  engine: (): Statement<{ version: string; encoding: string; citus: boolean }> => ({
    text: `SELECT version() AS version, current_setting('server_encoding') AS encoding,
      EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus') AS citus`,
  }),
}

/** The statements that read all plants in the order of their key, and add plants. */
export const plantStatements = {
  after: ({ caller, id }: PlantKey = beforePlants, limit: number): Statement<PlantRow> => ({
    text: 'SELECT caller, id, name, tag FROM plants WHERE (caller, id) > ($1, $2) ORDER BY caller, id LIMIT $3',
    values: [caller, id, limit],
  }),

  add: (rows: StoredPlant[]): Statement => ({
    text: `INSERT INTO plants (caller, id, name, tag) VALUES ${placeholders(rows.length, 4)}`,
    values: rows.flatMap(({ caller, id, name, tag }) => [caller, id, name, tag]),
  }),
}

/** The statements that read all tokens in the order of their key, and add tokens. */
export const tokenStatements = {
  after: ({ hash }: TokenKey = beforeTokens, limit: number): Statement<TokenRow> => ({
    text: `SELECT ${tokenColumns} FROM tokens WHERE hash > $1 ORDER BY hash LIMIT $2`,
    values: [hash, limit],
  }),

  add: (rows: StoredToken[]): Statement => ({
    text: `INSERT INTO tokens (${tokenColumns})
      SELECT * FROM unnest(
        $1::bytea[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::text[])`,
    values: [
      rows.map(({ hash }) => hash),
      rows.map(({ prefix }) => prefix),
      rows.map(({ caller }) => caller),
      rows.map(({ issuedAt }) => issuedAt),
      rows.map(({ expiresAt }) => expiresAt),
      rows.map(({ lastUsedAt }) => lastUsedAt),
      rows.map(({ scope }) => scope),
    ],
  }),
}

/** `($1, $2), ($3, $4)` for two rows of two columns. */
function placeholders(rows: number, columns: number): string {
  const row = (index: number) =>
    Array.from({ length: columns }, (_, column) => `$${String(index * columns + column + 1)}`).join(', ')
  return Array.from({ length: rows }, (_, index) => `(${row(index)})`).join(', ')
}
