import Database from 'better-sqlite3'
import { hash } from 'node:crypto'
import type { StoredToken } from '../../src/store/store.ts'

/** The same tables as the project's, without the column that holds each plant's JSON. */
const schema = `
  CREATE TABLE plants (
    caller TEXT NOT NULL,
    id INTEGER NOT NULL,
    name TEXT NOT NULL,
    tag TEXT,
    PRIMARY KEY (caller, id)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE tokens (
    hash BLOB NOT NULL PRIMARY KEY,
    prefix TEXT NOT NULL,
    caller TEXT NOT NULL,
    issued_at INTEGER NOT NULL,
    expires_at INTEGER
  ) STRICT, WITHOUT ROWID;`

export interface PeerPlant {
  name: string
  tag?: string
}

export interface NewPeerPlant extends PeerPlant {
  id: number
}

/** The store of every peer: the statements and pragmas of the project, written by hand. */
export interface PeerStore {
  list: (caller: string, limit: number) => PeerPlant[]
  /** False when the caller has a plant with this id. On disk when it returns. */
  create: (caller: string, plant: NewPeerPlant) => boolean
  /** False when the caller has no plant with this id. On disk when it returns. */
  delete: (caller: string, id: number) => boolean
  /** @returns the caller of a token */
  findCaller: (authorization: string | undefined) => string | undefined
}

/** Creates the database file of a peer, with tokens. */
export function createPeerFile(file: string, tokens: StoredToken[]): void {
  const database = openFile(file)
  database.exec(schema)
  const insert = database.prepare(
    'INSERT INTO tokens (hash, prefix, caller, issued_at, expires_at) VALUES (?, ?, ?, ?, ?)',
  )
  for (const { hash: tokenHash, prefix, caller, issuedAt, expiresAt } of tokens)
    insert.run(tokenHash, prefix, caller, issuedAt, expiresAt ?? null)
  database.close()
}

/**
 * Opens the file that `DATABASE_FILE` names. SQLite prepares a list with `?` again at each execution. With
 * `PREPARE_LISTS_ONCE` the list has `+?`, as the project's has, and is prepared once.
 */
export function openPeerStore(): PeerStore {
  const database = openFile(process.env['DATABASE_FILE'] ?? '')
  const parameter = process.env['PREPARE_LISTS_ONCE'] === undefined ? '?' : '+?'
  const statements = {
    list: database.prepare<[string, number], { name: string; tag: string | null }>(
      `SELECT name, tag FROM plants WHERE caller = ${parameter} ORDER BY id LIMIT ${parameter}`,
    ),
    create: database.prepare<[string, number, string, string | null]>(
      'INSERT INTO plants (caller, id, name, tag) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
    ),
    delete: database.prepare<[string, number]>('DELETE FROM plants WHERE caller = ? AND id = ?'),
    callerOfToken: database
      .prepare<[Buffer, number], string>(
        'SELECT caller FROM tokens WHERE hash = ? AND (expires_at IS NULL OR expires_at > ?)',
      )
      .pluck(),
  }
  return {
    list: (caller, limit) =>
      statements.list.all(caller, limit).map(({ name, tag }) => (tag === null ? { name } : { name, tag })),
    create: (caller, { id, name, tag }) => statements.create.run(caller, id, name, tag ?? null).changes === 1,
    delete: (caller, id) => statements.delete.run(caller, id).changes === 1,
    findCaller: (authorization) => {
      const token = /^Bearer (.+)$/.exec(authorization ?? '')?.[1]
      return token === undefined ? undefined : statements.callerOfToken.get(hash('sha256', token, 'buffer'), Date.now())
    },
  }
}

/** No limit: SQLite reads a negative LIMIT as none. */
export const noLimit = -1

function openFile(file: string): Database.Database {
  const database = new Database(file)
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = FULL')
  database.pragma('trusted_schema = OFF')
  return database
}
