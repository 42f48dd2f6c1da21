import { LruMap } from 'toad-cache'
import { lastUsedResolutionMilliseconds } from '../store/store.ts'
import type { TokenStore, TokenUse } from '../store/store.ts'

/** How often the uses of all tokens are written together. */
const writeMilliseconds = 1_000

/** The most tokens whose last write is remembered. Beyond that the least recently used one is forgotten. */
const maxTokens = 100_000

/** Records when tokens were used last. No request waits for it. */
export class TokenUses {
  readonly #store: Pick<TokenStore, 'recordUses'>
  readonly #onFault: (error: unknown) => void
  /** The monotonic time until which further uses of a token are ignored, by the token's hash. */
  readonly #ignoredUntil = new LruMap<number>(maxTokens)
  #unwritten: TokenUse[] = []
  #timer: NodeJS.Timeout | undefined

  /** @param onFault receives what the store throws, as when the database's user may not update tokens */
  constructor(store: Pick<TokenStore, 'recordUses'>, onFault: (error: unknown) => void) {
    this.#store = store
    this.#onFault = onFault
  }

  /**
   * Notes a use of the token with this hash. The next write stores it.
   *
   * @param now milliseconds since 1970-01-01T00:00:00Z
   */
  note(hash: Uint8Array, now: number): void {
    const key = Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength).toString('latin1')
    const time = performance.now()
    if (time < (this.#ignoredUntil.get(key) ?? -Infinity)) return
    this.#ignoredUntil.set(key, time + lastUsedResolutionMilliseconds)
    this.#unwritten.push({ hash, usedAt: now })
    this.#timer ??= setTimeout(() => void this.write(), writeMilliseconds).unref()
  }

  /**
   * Writes the noted uses. Never rejects: if the store cannot write them they are dropped, and a use after the next
   * minute is written.
   */
  async write(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const uses = this.#unwritten
    if (uses.length === 0) return
    this.#unwritten = []
    await this.#store.recordUses(uses).catch(this.#onFault)
  }
}
