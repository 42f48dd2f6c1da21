import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

/** The project's contract, in OpenAPI 3.1. */
export const contractFile = join(import.meta.dirname, '../../openapi.yaml')

/** The statements of every peer, written by hand as in the project. `?` is a parameter. */
export const statements = {
  list: 'SELECT name, tag FROM plants WHERE caller = ? ORDER BY id LIMIT ?',
  create: 'INSERT INTO plants (caller, id, name, tag) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
  delete: 'DELETE FROM plants WHERE caller = ? AND id = ?',
  callerOfToken: 'SELECT caller FROM tokens WHERE hash = ? AND (expires_at IS NULL OR expires_at > ?)',
} as const

/** The pragmas of every connection, those of the project. */
export const pragmas = ['journal_mode = WAL', 'synchronous = FULL', 'trusted_schema = OFF'] as const

export interface PeerPlant {
  name: string
  tag?: string
}

export interface NewPeerPlant extends PeerPlant {
  id: number
}

/** A token as the project stores it. */
export interface PeerToken {
  hash: Uint8Array
  prefix: string
  caller: string
  issuedAt: number
  expiresAt: number | undefined
}

/** A row of `statements.list`. */
export interface PlantRow {
  name: string
  tag: string | null
}

/** What a peer sends, as JSON. */
export interface PeerReply {
  status: 200 | 204 | 401 | 404 | 409 | 500
  body?: unknown
}

/** What every peer does, with the statements and pragmas of the project. What it wrote is on disk when it returns. */
export interface PeerStore {
  /** @param limit as it was sent */
  list: (caller: string, limit: number | string | null | undefined) => PeerPlant[]
  create: (caller: string, plant: NewPeerPlant) => PeerReply
  delete: (caller: string, id: number | string) => PeerReply
  /** @returns the caller of a token */
  findCaller: (authorization: string | undefined) => string | undefined
}

/** A statement that changes a row. @returns whether it did */
type Change<Values extends unknown[]> = (...values: Values) => boolean

/** The statements of a store, bound to a driver of SQLite. */
export interface PeerStatements {
  list: (caller: string, limit: number) => PlantRow[]
  create: Change<[caller: string, id: number, name: string, tag: string | null]>
  delete: Change<[caller: string, id: number]>
  callerOfToken: (token: string) => string | undefined
}

export const refused = { error: 40101, message: 'the token is missing or not valid' }

export function storeOf(run: PeerStatements): PeerStore {
  return {
    // SQLite reads a negative LIMIT as none.
    list: (caller, limit) => run.list(caller, Number(limit ?? -1)).map(plantOf),
    create: (caller, { id, name, tag }) => {
      if (run.create(caller, id, name, tag ?? null))
        return { status: 200, body: tag === undefined ? { name } : { name, tag } }
      return { status: 409, body: { error: 40900, message: 'there is such a plant' } }
    },
    delete: (caller, id) => {
      if (run.delete(caller, Number(id))) return { status: 204 }
      return { status: 404, body: { error: 40401, message: 'there is no such plant' } }
    },
    findCaller: (authorization) => {
      const token = /^Bearer (.+)$/.exec(authorization ?? '')?.[1]
      return token === undefined ? undefined : run.callerOfToken(token)
    },
  }
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
