import type { Encoded } from 'fastify-contract'
import type { Plant, StoredPlant } from '../plants/plant.ts'
import type { Row, Value } from './table.ts'

/**
 * A store that cannot be opened, or whose files were removed. The message is one line that names the fault and place.
 */
export class UnusableStore extends Error {}

/** The owner of a token and of plants. Never empty. */
export type Caller = string

/** Options of `openStore`. */
export interface StoreOptions {
  /** The most queued writes, and the most reads that wait for a connection. Any further one is `unavailable`. */
  maxQueued?: number
  /** Receives each database fault that made an operation unavailable. */
  onFault: (error: Error) => void
  /** Receives the number of writes in each committed transaction. */
  onCommit?: ((writes: number) => void) | undefined
  /** Receives warnings for the operator while the store opens. */
  onWarning?: ((message: string) => void) | undefined
}

/**
 * The plants of all callers. `unavailable` means that the store cannot be read or written now, and that nothing has
 * changed, unless a fault interrupted a write:
 *
 * - The write may have succeeded if the connection to a database server was lost before the answer.
 * - It may have succeeded if the file was removed at that moment.
 * - It may appear at the next start if the disk failed to sync the log, and the process was killed before another write
 *   succeeded. SQLite then finds the whole transaction in the log.
 *
 * Repeating a write that succeeded gives `exists` or `absent`.
 */
export interface PlantStore {
  /**
   * The caller's plants in ascending order of id, at most `limit` of them, as a JSON array of `Plant`. A long list
   * arrives in pages: it may or may not contain plants that are created or deleted meanwhile.
   */
  list: (caller: Caller, limit: number | undefined) => Promise<Encoded<Plant[]> | 'unavailable'>

  /** Stores a plant; it is on disk when this resolves. `exists` if the caller has one with this id; it is unchanged. */
  create: (caller: Caller, plant: StoredPlant) => Promise<'created' | 'exists' | 'unavailable'>

  /** Deletes the caller's plant with this id; the deletion is on disk when this resolves. */
  delete: (caller: Caller, id: bigint) => Promise<'deleted' | 'absent' | 'unavailable'>
}

/**
 * Runs SQL that both databases understand, with a `?` for each value. Constant texts only: each is prepared once and kept.
 * Rows are as the driver returns them, with integers as text or bigint: `objectReader` makes their objects.
 *
 * `unavailable` means what it means in `PlantStore`. A statement that breaks a constraint rejects, so a statement should
 * say what happens instead, as `ON CONFLICT DO NOTHING` does.
 *
 * A transaction is one statement. What `read` returned may have changed before the next `write`, so a condition belongs
 * into the statement that writes: `INSERT … SELECT … WHERE …`.
 */
export interface Sql {
  /** Reads rows. They show every write that was acknowledged before. */
  read: (caller: Caller, text: string, values: readonly Value[]) => Promise<Row[] | 'unavailable'>

  /**
   * Writes for one caller; resolves to the rows of `RETURNING` when they are on disk. Writes of a caller keep their order.
   * No other `write` of any server comes between what the statement reads and what it writes.
   */
  write: (caller: Caller, text: string, values: readonly Value[]) => Promise<Row[] | 'unavailable'>
}

/** A stored token, without its text. Times are milliseconds since 1970-01-01T00:00:00Z. */
export interface StoredToken {
  /** SHA-256 of the token's text. */
  hash: Uint8Array
  /** The beginning of the token's text, to recognize it by. */
  prefix: string
  caller: Caller
  issuedAt: number
  /** Undefined if the token does not expire. */
  expiresAt: number | undefined
  /** At most about a minute before the last use; undefined if the token was never used. */
  lastUsedAt: number | undefined
  /** Its scopes, separated by spaces (RFC 6749, section 3.3); undefined if the token has all rights. */
  scope: string | undefined
}

/** The resolution of `lastUsedAt`: a use this soon after the stored one is not stored. */
export const lastUsedResolutionMilliseconds = 60_000

/** A use of a token. `usedAt` is in milliseconds since 1970-01-01T00:00:00Z. */
export type TokenUse = Pick<StoredToken, 'hash'> & { usedAt: number }

/** The caller and the scopes of a token. `unknown` if no token has the hash, or the token has expired. */
export type CallerOfToken = Pick<StoredToken, 'caller' | 'scope'> | 'unknown' | 'unavailable'

/**
 * The tokens with a prefix, which is almost always one; all tokens of a caller; or those that expired at or before a
 * time, in milliseconds since 1970-01-01T00:00:00Z.
 */
export type TokenSelection = { prefix: string } | { caller: Caller } | { expiredBy: number }

/** The bearer tokens that the service issued. */
export interface TokenStore {
  /** Adds a token. */
  addToken: (token: StoredToken) => Promise<'added' | 'unavailable'>

  /** The caller and scopes of the token with this hash. `unknown` if there is none, or it expired at or before `now`. */
  findCaller: (hash: Uint8Array, now: number) => Promise<CallerOfToken>

  /** All tokens, the oldest first, including expired ones. */
  listTokens: () => Promise<StoredToken[] | 'unavailable'>

  /** Removes every token of the selection. Resolves to the removed tokens. */
  revokeTokens: (selection: TokenSelection) => Promise<StoredToken[] | 'unavailable'>

  /**
   * Stores the last use of tokens, at most once a minute for each token, however many processes record its uses.
   * Ignores removed tokens, and a use less than a minute after the stored one. A use more than a minute before the
   * stored one is stored, because the clock was set back.
   */
  recordUses: (uses: TokenUse[]) => Promise<'recorded' | 'unavailable'>
}

/** An open store. */
export interface Store extends PlantStore, TokenStore, Sql {
  /** Whether the store has no row. */
  isEmpty: () => Promise<boolean | 'unavailable'>

  /** The number of queued writes. */
  waitingWrites: () => number

  /** Whether the store can be read and, on SQLite, its files are in place. */
  isReady: () => Promise<boolean>

  /** Finishes the queued writes and closes the database. The store must not be used afterwards. */
  close: () => Promise<void>
}
