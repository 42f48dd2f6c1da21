import { LruMap } from 'toad-cache'
import type { TokenStore, TokenUse } from '../store/store.ts'

/** How often uses are written, all of that time together. */
const writeMilliseconds = 1_000

/** Uses of a token that follow one another faster than this are not written: when it was used last is told to the minute. */
const coarseness = 60_000

/** Of how many tokens it is known that they were used; beyond that the one that was used longest ago is forgotten. */
const mostTokens = 100_000

/** Has the store keep when tokens were used last, without a request that waits for it. */
export class TokenUses {
  readonly #store: Pick<TokenStore, 'recordUses'>
  /** Until when a use of a token is not written again, by the token's hash, on a monotonic clock. */
  readonly #restsUntil = new LruMap<number>(mostTokens)
  #unwritten: TokenUse[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(store: Pick<TokenStore, 'recordUses'>) {
    this.#store = store
  }

  /**
   * Notes that the token with this hash was used.
   *
   * @param now milliseconds since 1970-01-01T00:00:00Z
   */
  note(hash: Uint8Array, now: number): void {
    const key = Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength).toString('latin1')
    const time = performance.now()
    if (time < (this.#restsUntil.get(key) ?? -Infinity)) return
    this.#restsUntil.set(key, time + coarseness)
    this.#unwritten.push({ hash, usedAt: now })
    this.#timer ??= setTimeout(() => void this.write(), writeMilliseconds).unref()
  }

  /** Writes what is noted. What the store cannot write now is left out: the token's next minute is written again. */
  async write(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const uses = this.#unwritten
    if (uses.length === 0) return
    this.#unwritten = []
    await this.#store.recordUses(uses)
  }
}
