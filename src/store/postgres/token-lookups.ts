import type { FoundCaller } from '../store.ts'
import { type CallerRow, type Statement, statements } from './statements.ts'

/** How many lookups share a query at most. */
const maxBatch = 500

/** One lookup that waits for the turn's end. */
interface Lookup {
  key: string
  hash: Uint8Array
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now: number
  resolve: (found: FoundCaller) => void
  reject: (error: unknown) => void
}

/** Looks tokens up for the requests that arrive together: those of one turn of the event loop share a query. */
export class TokenLookups {
  readonly #read: (statement: Statement<CallerRow>) => Promise<CallerRow[] | 'unavailable'>
  #waiting: Lookup[] = []

  /** @param read asks the database; resolves to `unavailable` when it cannot be read now */
  constructor(read: (statement: Statement<CallerRow>) => Promise<CallerRow[] | 'unavailable'>) {
    this.#read = read
  }

  /** Whose token it is that has this hash, as `TokenStore` has it. */
  find(hash: Uint8Array, now: number): Promise<FoundCaller> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) setImmediate(() => void this.#ask())
      this.#waiting.push({ key: keyOf(hash), hash, now, resolve, reject })
      if (this.#waiting.length === maxBatch) void this.#ask()
    })
  }

  async #ask(): Promise<void> {
    const lookups = this.#waiting.splice(0)
    if (lookups.length === 0) return
    try {
      const hashes = new Map(lookups.map(({ key, hash }) => [key, hash]))
      const rows = await this.#read(statements.callersOfTokens([...hashes.values()]))
      const found = new Map(rows === 'unavailable' ? [] : rows.map((row) => [keyOf(row.hash), row]))
      for (const { key, now, resolve } of lookups) resolve(rows === 'unavailable' ? rows : judge(found.get(key), now))
    } catch (error) {
      for (const { reject } of lookups) reject(error)
    }
  }
}

function judge(row: CallerRow | undefined, now: number): FoundCaller {
  return row === undefined || (row.expires_at !== null && Number(row.expires_at) <= now) ? 'unknown' : { caller: row.caller }
}

/** The hash of a token as text, by which one is told from another. */
export function keyOf(hash: Uint8Array): string {
  return Buffer.from(hash).toString('hex')
}
