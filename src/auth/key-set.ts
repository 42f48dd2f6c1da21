import { type JWK, type JWTVerifyGetKey, createLocalJWKSet, createRemoteJWKSet, customFetch, errors } from 'jose'

/**
 * The accepted algorithms (RFC 8725, section 3.1). With a symmetric one, the key that verifies tokens could also sign
 * them; `none` needs no key.
 */
export const asymmetricAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
]

/** The time limit for a fetch. */
const timeoutMilliseconds = 2_000

/** The largest key set, in bytes. */
const maxSetBytes = 2 ** 20

/** How long keys are cached. */
const maxAgeMilliseconds = 600_000

/** The minimum age of cached keys before an unknown key causes a new fetch. */
const unknownKeyMilliseconds = 30_000

/** The minimum time between a failed fetch and the next. */
const retryMilliseconds = 1_000

/**
 * Finds keys in the JSON Web Key Set (RFC 7517) that an identity provider publishes.
 *
 * @returns a function that throws a `JOSEError` if the set has no key for the token. Any other error means that the set
 *   is not available or the key is malformed; the token may be valid.
 */
export function createKeySet(url: URL): JWTVerifyGetKey {
  // jose measures the age of keys with the system clock, which can change. This code uses a monotonic clock.
  const find = createRemoteJWKSet(url, {
    timeoutDuration: timeoutMilliseconds,
    cooldownDuration: Infinity,
    cacheMaxAge: Infinity,
    [customFetch]: fetchKeySet,
  })
  let loadedAt = -Infinity
  let failure: { error: unknown; at: number } | undefined

  /** Fetches keys that are older than `maxAge`. Within a second of a failed fetch, throws its error again. */
  async function load(maxAge: number): Promise<void> {
    if (performance.now() - loadedAt < maxAge) return
    if (failure !== undefined && performance.now() - failure.at < retryMilliseconds) throw failure.error
    try {
      await find.reload()
      loadedAt = performance.now()
    } catch (error) {
      failure = { error, at: performance.now() }
      throw error
    }
  }

  return async (header, token) => {
    try {
      await load(maxAgeMilliseconds)
      return await find(header, token).catch(async (error: unknown) => {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
        await load(unknownKeyMilliseconds)
        return find(header, token)
      })
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey) throw error
      // Several keys may match a token without `kid`, but two keys must not share one.
      if (error instanceof errors.JWKSMultipleMatchingKeys && header.kid === undefined) throw error
      throw new Error('the key of a token cannot be fetched or is malformed', { cause: error })
    }
  }
}

/** Fetches a key set. jose would read a response of any size, and reject the set for one key that is not an object. */
async function fetchKeySet(url: string, init: Omit<RequestInit, 'body'>): Promise<Response> {
  const response = await fetch(url, init)
  const chunks: Uint8Array[] = []
  let bytes = 0
  // The type of `body` allows chunks of any kind; they are bytes.
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength
    if (bytes > maxSetBytes) throw new Error(`the response is larger than ${String(maxSetBytes)} bytes`)
    chunks.push(chunk)
  }
  if (response.status !== 200) throw new Error(`the response has status ${String(response.status)}`)
  const set: unknown = JSON.parse(Buffer.concat(chunks).toString())
  if (!isObject(set) || !Array.isArray(set['keys'])) throw new Error('the response is not a JSON Web Key Set')
  const keys = set['keys'].filter(isObject)
  if (!(await hasUsableKey(keys))) throw new Error('the response has no key that verifies a token')
  return Response.json({ keys })
}

/**
 * Whether jose can use one of the keys. Without one, the provider has a fault: every token that it issued would be
 * refused as if it were forged.
 */
async function hasUsableKey(keys: JWK[]): Promise<boolean> {
  for (const key of keys) {
    const find = createLocalJWKSet({ keys: [key] })
    const found = Promise.any(asymmetricAlgorithms.map((alg) => find({ alg })))
    if (await found.catch(() => false)) return true
  }
  return false
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
