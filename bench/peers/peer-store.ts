import Database from 'better-sqlite3'
import { hash } from 'node:crypto'
import { type PeerStore, type PeerToken, type PlantRow, pragmas, statements, storeOf } from './peer.ts'

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

/** Creates the database file of a peer, with tokens. */
export function createPeerFile(file: string, tokens: PeerToken[]): void {
  const database = openFile(file)
  database.exec(schema)
  const insert = database.prepare(
    'INSERT INTO tokens (hash, prefix, caller, issued_at, expires_at) VALUES (?, ?, ?, ?, ?)',
  )
  for (const { hash: tokenHash, prefix, caller, issuedAt, expiresAt } of tokens)
    insert.run(tokenHash, prefix, caller, issuedAt, expiresAt ?? null)
  database.close()
}

/** Opens the file that `DATABASE_FILE` names. */
export function openPeerStore(): PeerStore {
  const database = openFile(process.env['DATABASE_FILE'] ?? '')
  const list = database.prepare<[string, number], PlantRow>(statements.list)
  const create = database.prepare<[string, number, string, string | null]>(statements.create)
  const remove = database.prepare<[string, number]>(statements.delete)
  const callerOfToken = database.prepare<[Buffer, number], string>(statements.callerOfToken).pluck()
  return storeOf({
    list: (...values) => list.all(...values),
    create: (...values) => create.run(...values).changes === 1,
    delete: (...values) => remove.run(...values).changes === 1,
    callerOfToken: (token) => callerOfToken.get(hash('sha256', token, 'buffer'), Date.now()),
  })
}

function openFile(file: string): Database.Database {
  const database = new Database(file)
  for (const pragma of pragmas) database.pragma(pragma)
  return database
}
