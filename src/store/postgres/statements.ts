import type { QueryConfig } from 'pg'
import type { Caller } from '../../contract/types.ts'
import type { NewPlant, StoredToken, TokenUse } from '../store.ts'

declare const row: unique symbol

/** A prepared statement with its values. The type says which rows it gives; `bigint` comes as decimal text. */
export interface Statement<Row extends object = Record<never, never>> extends QueryConfig {
  readonly [row]?: Row
}

export interface TokenRow {
  hash: Buffer
  prefix: string
  caller: string
  issued_at: string
  expires_at: string | null
  last_used_at: string | null
}

export type CallerRow = Pick<TokenRow, 'hash' | 'caller' | 'expires_at'>

const tokenColumns = 'hash, prefix, caller, issued_at, expires_at, last_used_at'

/** How many plants were found, how many of them fit the page, the highest id of those, and their JSON, separated by commas. */
export interface PageRow {
  found: string
  fitting: string
  last: string | null
  plants: string | null
}

/** Byte for byte what SQLite's json_object and JSON.stringify make of the same texts. */
const plantJson = `'{"name":' || to_json(name)::text || coalesce(',"tag":' || to_json(tag)::text, '') || '}'`

/** Every statement but those that make the schema. */
export const statements = {
  /** A list that is so short that it needs no bound in bytes. */
  shortList: (caller: Caller, limit: number): Statement<{ plants: string | null }> => ({
    name: 'shortList',
    text: `SELECT string_agg(json, ',' ORDER BY id) AS plants
      FROM (SELECT id, ${plantJson} AS json FROM plants WHERE caller = $1 ORDER BY id LIMIT $2) AS list`,
    values: [caller, limit],
  }),

  /** The plants from an id on whose JSON begins within so many bytes. */
  page: (caller: Caller, from: bigint, limit: number, bytes: number): Statement<PageRow> => ({
    name: 'page',
    text: `SELECT count(*) AS found, count(*) FILTER (WHERE fits) AS fitting, max(id) FILTER (WHERE fits) AS last,
        string_agg(json, ',' ORDER BY id) FILTER (WHERE fits) AS plants
      FROM (
        SELECT id, json, sum(octet_length(json)) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) - octet_length(json) < $4 AS fits
        FROM (SELECT id, ${plantJson} AS json FROM plants WHERE caller = $1 AND id >= $2 ORDER BY id LIMIT $3) AS list
      ) AS page`,
    values: [caller, from, limit, bytes],
  }),

  createPlant: (caller: Caller, { id, name, tag }: NewPlant): Statement => ({
    name: 'createPlant',
    text: 'INSERT INTO plants (caller, id, name, tag) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING',
    values: [caller, id, name, tag],
  }),

  deletePlant: (caller: Caller, id: bigint): Statement => ({ name: 'deletePlant', text: 'DELETE FROM plants WHERE caller = $1 AND id = $2', values: [caller, id] }),

  callersOfTokens: (hashes: Uint8Array[]): Statement<CallerRow> => ({ name: 'callersOfTokens', text: 'SELECT hash, caller, expires_at FROM tokens WHERE hash = ANY($1)', values: [hashes] }),

  tokens: (): Statement<TokenRow> => ({ name: 'tokens', text: `SELECT ${tokenColumns} FROM tokens ORDER BY issued_at, hash` }),

  addToken: ({ hash, prefix, caller, issuedAt, expiresAt, lastUsedAt }: StoredToken): Statement => ({
    name: 'addToken',
    text: `INSERT INTO tokens (${tokenColumns}) VALUES ($1, $2, $3, $4, $5, $6)`,
    values: [hash, prefix, caller, issuedAt, expiresAt, lastUsedAt],
  }),

  revokeTokens: (prefix: string): Statement<TokenRow> => ({ name: 'revokeTokens', text: `DELETE FROM tokens WHERE prefix = $1 RETURNING ${tokenColumns}`, values: [prefix] }),

  recordUse: ({ hash, usedAt }: TokenUse): Statement => ({
    name: 'recordUse',
    text: 'UPDATE tokens SET last_used_at = $2 WHERE hash = $1 AND (last_used_at IS NULL OR last_used_at NOT BETWEEN $2::bigint - 59999 AND $2::bigint + 60000)',
    values: [hash, usedAt],
  }),

  isEmpty: (): Statement<{ empty: boolean }> => ({
    name: 'isEmpty',
    text: 'SELECT NOT EXISTS (SELECT 1 FROM plants) AND NOT EXISTS (SELECT 1 FROM tokens) AS empty',
  }),

  schemaVersion: (): Statement<{ version: number }> => ({ name: 'schemaVersion', text: 'SELECT version FROM plant_store_schema' }),
}
