import type { TokenStore, TokenUse } from '../store/store.ts'

/** How often uses are written, all of that time together. */
const writeMilliseconds = 1_000

/** Uses of a token that follow one another faster than this are not written: when it was used last is told to the minute. */
const coarseness = 60_000

/** Has the store keep when tokens were used last, without a request that waits for it. */
export class TokenUses {
  readonly #store: Pick<TokenStore, 'recordUses'>
  /** When each token was used that was used in the last minute or so, by its hash. */
  readonly #noted = new Map<string, number>()
  #unwritten: TokenUse[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(store: Pick<TokenStore, 'recordUses'>) {
    this.#store = store
  }

  /** Notes that the token with this hash was used now. */
  note(hash: Uint8Array, now: number): void {
    const key = Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength).toString('latin1')
    const noted = this.#noted.get(key)
    if (noted !== undefined && now - noted < coarseness) return
    this.#noted.set(key, now)
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
    const newest = Math.max(...uses.map(({ usedAt }) => usedAt))
    for (const [key, usedAt] of this.#noted) if (newest - usedAt >= coarseness) this.#noted.delete(key)
    await this.#store.recordUses(uses)
  }
}
