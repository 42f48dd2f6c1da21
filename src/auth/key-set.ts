import { type JSONWebKeySet, type JWK, type JWTVerifyGetKey, createLocalJWKSet, errors } from 'jose'

/** How long the provider may take to send its keys. */
const timeoutMilliseconds = 2_000

/** The largest key set, in bytes. */
const maxSetBytes = 2 ** 20

/** How long keys are cached. */
const maxAgeMilliseconds = 600_000

/** How old the cached keys must be before a token with an unknown key causes them to be fetched again. */
const unknownKeyMilliseconds = 30_000

/** The shortest time between a failed attempt to fetch the keys and the next one. */
const retryMilliseconds = 1_000

/** The key of a token is not available or not usable now. The token may be valid. */
export class KeyUnavailable extends Error {}

interface Keys {
  find: JWTVerifyGetKey
  fetchedAt: number
}

/**
 * Finds keys in the JSON Web Key Set (RFC 7517) that an identity provider publishes.
 *
 * Unlike jose's `createRemoteJWKSet`, tokens share a failed attempt, the size of the response is limited, and setting
 * the machine's clock does not extend the life of cached keys.
 *
 * @returns a function that throws `KeyUnavailable`, or a `JOSEError` if the set has no key for the token
 */
export function createKeySet(url: URL): JWTVerifyGetKey {
  let keys: Keys | undefined
  let failure: { error: KeyUnavailable; at: number } | undefined
  let attempt: Promise<Keys> | undefined

  async function fetchKeys(): Promise<Keys> {
    try {
      keys = { find: createLocalJWKSet(await fetchKeySet(url)), fetchedAt: performance.now() }
      return keys
    } catch (cause) {
      failure = { error: new KeyUnavailable('the keys cannot be fetched', { cause }), at: performance.now() }
      throw failure.error
    } finally {
      attempt = undefined
    }
  }

  /** Resolves to keys that are younger than this. */
  async function keysWithin(milliseconds: number): Promise<Keys> {
    const now = performance.now()
    if (keys !== undefined && now - keys.fetchedAt < milliseconds) return keys
    if (attempt === undefined && failure !== undefined && now - failure.at < retryMilliseconds) throw failure.error
    return (attempt ??= fetchKeys())
  }

  async function findKey(
    ...[header, token]: Parameters<JWTVerifyGetKey>
  ): Promise<Awaited<ReturnType<JWTVerifyGetKey>>> {
    const { find } = await keysWithin(maxAgeMilliseconds)
    try {
      return await find(header, token)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
    }
    const newer = await keysWithin(unknownKeyMilliseconds)
    return newer.find(header, token)
  }

  return async (header, token) => {
    try {
      return await findKey(header, token)
    } catch (error) {
      if (error instanceof KeyUnavailable || error instanceof errors.JWKSNoMatchingKey) throw error
      // A token may leave out the key's name, but two keys must not share one.
      if (error instanceof errors.JWKSMultipleMatchingKeys && header.kid === undefined) throw error
      throw new KeyUnavailable('the key of a token is malformed, or another key has the same name', { cause: error })
    }
  }
}

/** Fetches the keys. Follows no redirect, which could lead to an address that the operator would not allow. */
async function fetchKeySet(url: URL): Promise<JSONWebKeySet> {
  const signal = AbortSignal.timeout(timeoutMilliseconds)
  const headers = { accept: 'application/jwk-set+json, application/json' }
  const response = await fetch(url, { headers, redirect: 'manual', signal })
  if (response.status !== 200) {
    await response.body?.cancel()
    throw new Error(`the response has status ${String(response.status)}`)
  }
  const set: unknown = JSON.parse(await readText(response))
  if (!isObject(set) || !Array.isArray(set['keys'])) throw new Error('the response is not a JSON Web Key Set')
  // Ignores members that are not objects. jose validates the others when a token needs them.
  return { keys: set['keys'].filter((key: unknown): key is JWK => isObject(key)) }
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  // The type of `body` allows chunks of any kind; they are bytes.
  const body: AsyncIterable<Uint8Array> | Uint8Array[] = response.body ?? []
  for await (const chunk of body) {
    bytes += chunk.byteLength
    if (bytes > maxSetBytes) throw new Error(`the response is larger than ${String(maxSetBytes)} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
