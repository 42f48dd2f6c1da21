import type { Pool } from 'pg'
import type { StoredPlant, Table, Tables } from '../tables.ts'
import type { StoredToken } from '../store.ts'
import { openDatabase } from './open-database.ts'
import type { TokenRow } from './statements.ts'
import { storedToken } from './stored-token.ts'

interface PlantRow {
  caller: string
  id: string
  name: string
  tag: string | null
}

/** To count all rows of a large table takes minutes. */
const statementTimeoutMilliseconds = 3_600_000

/**
 * Opens the tables in a database.
 *
 * @throws UnusableStore as `openDatabase`
 */
export async function openPostgresTables(url: string): Promise<Tables> {
  const pool = await openDatabase({
    url,
    maxConnections: 1,
    connectTimeoutMilliseconds: 10_000,
    statementTimeoutMilliseconds,
    answerTimeoutMilliseconds: statementTimeoutMilliseconds,
    // Whoever uses the connection next is told.
    onFault: () => undefined,
  })
  return { plants: plantTable(pool), tokens: tokenTable(pool), close: () => pool.end() }
}

function plantTable(pool: Pool): Table<StoredPlant> {
  const select = 'SELECT caller, id, name, tag FROM plants'
  return {
    count: () => count(pool, 'plants'),
    after: async (row, limit) => {
      const { rows } = await (row === undefined
        ? pool.query<PlantRow>(`${select} ORDER BY caller, id LIMIT $1`, [limit])
        : pool.query<PlantRow>(`${select} WHERE (caller, id) > ($1, $2) ORDER BY caller, id LIMIT $3`, [row.caller, row.id, limit]))
      return rows.map(({ caller, id, name, tag }) => ({ caller, id: BigInt(id), name, ...(tag === null ? {} : { tag }) }))
    },
    add: async (rows) => {
      const columns = [rows.map(({ caller }) => caller), rows.map(({ id }) => id), rows.map(({ name }) => name), rows.map(({ tag }) => tag)]
      await pool.query('INSERT INTO plants (caller, id, name, tag) SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[])', columns)
    },
  }
}

function tokenTable(pool: Pool): Table<StoredToken> {
  const columns = 'hash, prefix, caller, issued_at, expires_at, last_used_at'
  return {
    count: () => count(pool, 'tokens'),
    after: async (row, limit) => {
      const { rows } = await (row === undefined
        ? pool.query<TokenRow>(`SELECT ${columns} FROM tokens ORDER BY hash LIMIT $1`, [limit])
        : pool.query<TokenRow>(`SELECT ${columns} FROM tokens WHERE hash > $1 ORDER BY hash LIMIT $2`, [row.hash, limit]))
      return rows.map(storedToken)
    },
    add: async (rows) => {
      const values = [
        rows.map(({ hash }) => hash),
        rows.map(({ prefix }) => prefix),
        rows.map(({ caller }) => caller),
        rows.map(({ issuedAt }) => issuedAt),
        rows.map(({ expiresAt }) => expiresAt),
        rows.map(({ lastUsedAt }) => lastUsedAt),
      ]
      await pool.query(`INSERT INTO tokens (${columns}) SELECT * FROM unnest($1::bytea[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[])`, values)
    },
  }
}

async function count(pool: Pool, table: 'plants' | 'tokens'): Promise<number> {
  const { rows } = await pool.query<{ count: string }>(`SELECT count(*) FROM ${table}`)
  return Number(rows[0]?.count)
}
