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

/** The store of every peer: the statements and pragmas of the project. */
export interface PeerStore {
  list: (caller: string, limit: number) => PeerPlant[]
  /** False when the caller has a plant with this id. On disk when it returns. */
  create: (caller: string, plant: NewPeerPlant) => boolean
  /** False when the caller has no plant with this id. On disk when it returns. */
  delete: (caller: string, id: number) => boolean
  /** @returns the caller of a token */
  findCaller: (authorization: string | undefined) => string | undefined
}

/** No limit: SQLite reads a negative LIMIT as none. */
export const noLimit = -1

export function plantOf({ name, tag }: PlantRow): PeerPlant {
  return tag === null ? { name } : { name, tag }
}

/** @returns the token of an `Authorization` header */
export function tokenOf(authorization: string | undefined): string | undefined {
  return /^Bearer (.+)$/.exec(authorization ?? '')?.[1]
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
