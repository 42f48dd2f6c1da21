import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

/** The project's contract, in OpenAPI 3.1. */
export const contractFile = join(import.meta.dirname, '../../openapi.yaml')

export interface PeerPlant {
  name: string
  tag?: string
}

export interface NewPeerPlant extends PeerPlant {
  id: number
}

/** What a peer sends, as JSON. */
export interface PeerReply {
  status: 200 | 204 | 401 | 404 | 409 | 500
  body?: unknown
}

/** What every peer does. What it wrote is on disk when it returns. */
export interface PeerStore {
  /** @param limit as it was sent */
  list: (caller: string, limit: number | string | null | undefined) => PeerPlant[]
  create: (caller: string, plant: NewPeerPlant) => PeerReply
  delete: (caller: string, id: number | string) => PeerReply
  /** @returns the caller of a token */
  findCaller: (authorization: string | undefined) => string | undefined
}

export const refused = { error: 40101, message: 'the token is missing or not valid' }

type Value = string | number | Uint8Array | null

/** A driver of SQLite: better-sqlite3 in Node, bun:sqlite in Bun. */
interface Driver {
  exec: (sql: string) => unknown
  prepare: (sql: string) => {
    all: (...values: Value[]) => unknown[]
    get: (...values: Value[]) => unknown
    run: (...values: Value[]) => { changes: number }
  }
}

/** Opens a store with the pragmas of the project and with statements written by hand as there. */
export function storeOn(database: Driver, sha256: (text: string) => Uint8Array): PeerStore {
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF')
  const list = database.prepare('SELECT name, tag FROM plants WHERE caller = ? ORDER BY id LIMIT ?')
  const create = database.prepare(
    'INSERT INTO plants (caller, id, name, tag) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
  )
  const remove = database.prepare('DELETE FROM plants WHERE caller = ? AND id = ?')
  const tokens = database.prepare('SELECT caller FROM tokens WHERE hash = ? AND (expires_at IS NULL OR expires_at > ?)')
  return {
    // SQLite reads a negative LIMIT as none.
    list: (caller, limit) => (list.all(caller, Number(limit ?? -1)) as PlantRow[]).map(plantOf),
    create: (caller, { id, name, tag }) => {
      if (create.run(caller, id, name, tag ?? null).changes === 1)
        return { status: 200, body: tag === undefined ? { name } : { name, tag } }
      return { status: 409, body: { error: 40900, message: 'there is such a plant' } }
    },
    delete: (caller, id) => {
      if (remove.run(caller, Number(id)).changes === 1) return { status: 204 }
      return { status: 404, body: { error: 40401, message: 'there is no such plant' } }
    },
    findCaller: (authorization) => {
      const token = /^Bearer (.+)$/.exec(authorization ?? '')?.[1]
      if (token === undefined) return undefined
      return (tokens.get(sha256(token), Date.now()) as { caller: string } | null | undefined)?.caller
    },
  }
}

/** A row of the list. */
interface PlantRow {
  name: string
  tag: string | null
}

function plantOf({ name, tag }: PlantRow): PeerPlant {
  return tag === null ? { name } : { name, tag }
}

/** The port of a peer: `PORT`, or one that is free. */
export const peerPort = Number(process.env['PORT'] ?? 0)

/** Prints the origin of a server, and ends the process on SIGTERM. */
export function printOrigin(server: Server): void {
  // The address of a server that listens on a port is an object.
  printPort((server.address() as AddressInfo).port)
}

/** Prints the origin of a server that listens on a port of 127.0.0.1, and ends the process on SIGTERM. */
export function printPort(port: number | undefined): void {
  console.log(`http://127.0.0.1:${String(port)}`)
  process.once('SIGTERM', () => process.exit())
}
