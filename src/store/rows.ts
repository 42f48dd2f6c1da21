import type { Caller } from 'fastify-contract'
import type { NewPlant, StoredToken } from './store.ts'

/** A plant with every column that is stored. */
export interface StoredPlant extends NewPlant {
  caller: Caller
}

/** The rows of one kind in the order of their key, which is the same in every store. */
export interface Rows<Row> {
  /** At most `limit` of the rows that follow `row`, or the first ones. */
  after: (row: Row | undefined, limit: number) => Promise<Row[]> | Row[]

  /** Adds all of these rows or none. @throws when a row with the same key exists */
  add: (rows: Row[]) => Promise<void> | void
}

export type PlantKey = Pick<StoredPlant, 'caller' | 'id'>
export type TokenKey = Pick<StoredToken, 'hash'>

/** These come before the key of every row: no caller and no hash is empty. */
export const beforePlants: PlantKey = { caller: '', id: -(2n ** 63n) }
export const beforeTokens: TokenKey = { hash: Buffer.alloc(0) }

/** All rows of a store, for copying them to another. Plants are ordered by caller, as UTF-8, and id; tokens by hash. */
export interface StoreRows {
  plants: Rows<StoredPlant>
  tokens: Rows<StoredToken>
  close: () => Promise<void> | void
}

/** An integer as a driver returns it. */
type Integer = number | bigint | string

/** A row of `plants`, without its JSON. */
export interface PlantRow {
  caller: string
  id: bigint | string
  name: string
  tag: string | null
}

/** A row of `tokens`. */
export interface TokenRow {
  hash: Buffer
  prefix: string
  caller: string
  issued_at: Integer
  expires_at: Integer | null
  last_used_at: Integer | null
  scope: string | null
}

export function storedPlant({ caller, id, name, tag }: PlantRow): StoredPlant {
  return { caller, id: BigInt(id), name, ...(tag === null ? {} : { tag }) }
}

export function storedToken(row: TokenRow): StoredToken {
  const { hash, prefix, caller, issued_at, expires_at, last_used_at, scope } = row
  return {
    hash,
    prefix,
    caller,
    issuedAt: Number(issued_at),
    expiresAt: optionalTime(expires_at),
    lastUsedAt: optionalTime(last_used_at),
    scope: scope ?? undefined,
  }
}

function optionalTime(column: Integer | null): number | undefined {
  return column === null ? undefined : Number(column)
}
