import type { Caller, Encoded, Schemas } from '../contract/types.ts'

export type Plant = Schemas['Plant']
export type NewPlant = Schemas['NewPlant']

/** A value, or the promise of one where the store has to wait for it. */
export type Awaitable<Value> = Value | Promise<Value>

/** A store that cannot be opened, or that its files were taken from. The message says in one line what and where. */
export class UnusableStore extends Error {}

/** How a store is opened. */
export interface StoreOptions {
  /** Receives each fault of the database that made an operation unavailable. */
  onFault: (error: Error) => void
  /** Receives the number of writes in each committed transaction. */
  onCommit?: ((writes: number) => void) | undefined
}

/**
 * The plants of all callers. `unavailable` says that the store cannot be read or written now; nothing has changed then, except
 * that a write may have been done whose answer was lost with the connection to a database server, or whose file was
 * removed at that moment. Whoever repeats it is told.
 */
export interface PlantStore {
  /**
   * The caller's plants in ascending order of id, at most `limit` of them, as a JSON array of `Plant`.
   * A long list arrives in pages: plants that others create or delete meanwhile may or may not be in it.
   */
  list: (caller: Caller, limit: number | undefined) => Promise<Encoded<Plant[]> | 'unavailable'>

  /** Stores a plant, on disk when this resolves. `exists` when the caller already has one with this id; it is unchanged. */
  create: (caller: Caller, plant: NewPlant) => Promise<'created' | 'exists' | 'unavailable'>

  /** Removes the caller's plant with this id, on disk when this resolves. */
  delete: (caller: Caller, id: bigint) => Promise<'deleted' | 'absent' | 'unavailable'>
}

/** A token as it is kept: not the token itself. Times are milliseconds since 1970-01-01T00:00:00Z. */
export interface StoredToken {
  /** SHA-256 of the token's text. */
  hash: Uint8Array
  /** The beginning of the token, by which a person tells it from others. */
  prefix: string
  caller: Caller
  issuedAt: number
  /** Undefined when the token does not expire. */
  expiresAt: number | undefined
  /** Up to a minute or so before it was used last; undefined while it never was. */
  lastUsedAt: number | undefined
}

/** That a token was used, and when, in milliseconds since 1970-01-01T00:00:00Z. */
export type TokenUse = Pick<StoredToken, 'hash'> & { usedAt: number }

/** Whose a token is. `unknown` when there is none with its hash, or it has expired. */
export type FoundCaller = { caller: Caller } | 'unknown' | 'unavailable'

/** The bearer tokens that the service issued. */
export interface TokenStore {
  /** Adds a token. */
  addToken: (token: StoredToken) => Promise<'added' | 'unavailable'>

  /** Whose token this is. `unknown` when there is none with this hash, or it expired at or before `now`. */
  findCaller: (hash: Uint8Array, now: number) => Awaitable<FoundCaller>

  /** All tokens, expired ones too, the oldest first. */
  listTokens: () => Promise<StoredToken[] | 'unavailable'>

  /** Removes the token with this `prefix`, or in the rarest of cases the tokens. Resolves to what was removed. */
  revokeTokens: (prefix: string) => Promise<StoredToken[] | 'unavailable'>

  /**
   * Keeps when tokens were used last. Tokens that are gone, and uses less than a minute after the one that is kept, change
   * nothing: so many processes and requests write once a minute for each token. A use more than a minute before the one that is
   * kept is written, too: the clock was set back.
   */
  recordUses: (uses: TokenUse[]) => Promise<'recorded' | 'unavailable'>
}

/** An open store. */
export interface Store extends PlantStore, TokenStore {
  /** Whether the store holds neither a plant nor a token. */
  isEmpty: () => Promise<boolean>

  /** How many writes wait for their turn. */
  waitingWrites: () => number

  /** Whether the store answers now. */
  isReady: () => Promise<boolean>

  /** Finishes the writes that were begun and lets go of the database. The store is not used after that. */
  close: () => Promise<void>
}
