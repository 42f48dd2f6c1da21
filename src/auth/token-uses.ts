import type { FastifyBaseLogger } from 'fastify'
import { lastUsedResolutionMilliseconds } from '../store/store.ts'
import type { TokenStore, TokenUse } from '../store/store.ts'

/** The interval at which the uses of all tokens are written together. */
const writeMilliseconds = 1_000

/** The limit of tokens whose last write is remembered. The earliest one is dropped first. */
const maxTokens = 100_000

/**
 * Records the last use of tokens. No request waits for it.
 *
 * @param log receives errors of the store, for example if the database's user may not update tokens
 */
export function createTokenUses(store: Pick<TokenStore, 'recordUses'>, log: Pick<FastifyBaseLogger, 'error'>) {
  /** The monotonic time until which further uses of a token are ignored, by the token's hash; the earliest first. */
  const ignoredUntil = new Map<string, number>()
  let unwritten: TokenUse[] = []
  let written = Promise.resolve()
  let timer: NodeJS.Timeout | undefined

  /** Notes a use of the token with this hash at a time in milliseconds since 1970-01-01T00:00:00Z. */
  function note(hash: Buffer, usedAt: number): void {
    const key = hash.toString('latin1')
    const time = performance.now()
    if (time < (ignoredUntil.get(key) ?? -Infinity)) return
    ignoredUntil.delete(key)
    if (ignoredUntil.size === maxTokens) {
      const [earliest] = ignoredUntil.keys()
      ignoredUntil.delete(earliest!)
    }
    ignoredUntil.set(key, time + lastUsedResolutionMilliseconds)
    unwritten.push({ hash, usedAt })
    timer ??= setTimeout(() => void write(), writeMilliseconds).unref()
  }

  /** Writes the noted uses, or drops them if the store fails. Waits for an earlier write, too. Never rejects. */
  async function write(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const uses = unwritten
    unwritten = []
    if (uses.length > 0) written = Promise.all([written, record(uses)]).then(() => undefined)
    await written
  }

  async function record(uses: TokenUse[]): Promise<void> {
    await store.recordUses(uses).catch((error: unknown) => {
      log.error({ err: error }, 'the last use of some tokens was not recorded')
    })
  }

  return { note, write }
}
