import { type JSONWebKeySet, type JWK, type JWTVerifyGetKey, createLocalJWKSet, errors } from 'jose'

/** How long the provider may take to send its keys. */
const timeoutMilliseconds = 2_000

/** The largest key set, in bytes. */
const largestSet = 2 ** 20

/** How long keys are kept. */
const keysLiveMilliseconds = 600_000

/** How old the keys are at least before a token with a key that is not among them has them fetched again. */
const unknownKeyMilliseconds = 30_000

/** How long after a failed attempt to fetch the keys the next one is made. */
const retryMilliseconds = 1_000

/** The key of a token cannot be had or used now, which says nothing about the token. */
export class KeyUnavailable extends Error {}

interface Keys {
  find: JWTVerifyGetKey
  fetchedAt: number
}

/**
 * Finds keys in the JSON Web Key Set (RFC 7517) that an identity provider publishes.
 *
 * It does what jose's `createRemoteJWKSet` does, and three things more: tokens share an attempt that failed, the size of the
 * answer is bounded, and setting the machine's clock does not keep old keys.
 *
 * @returns a function that throws `KeyUnavailable`, or a `JOSEError` where the set has no key for the token
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
      failure = { error: new KeyUnavailable('they cannot be fetched', { cause }), at: performance.now() }
      throw failure.error
    } finally {
      attempt = undefined
    }
  }

  /** Gives keys that are younger than this. */
  async function keysWithin(milliseconds: number): Promise<Keys> {
    if (keys !== undefined && performance.now() - keys.fetchedAt < milliseconds) return keys
    if (attempt === undefined && failure !== undefined && performance.now() - failure.at < retryMilliseconds) throw failure.error
    return (attempt ??= fetchKeys())
  }

  async function findKey(...[header, token]: Parameters<JWTVerifyGetKey>): Promise<Awaited<ReturnType<JWTVerifyGetKey>>> {
    const { find } = await keysWithin(keysLiveMilliseconds)
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
      // A token need not name its key, and two keys may not have one name.
      if (error instanceof errors.JWKSMultipleMatchingKeys && header.kid === undefined) throw error
      throw new KeyUnavailable('the key of a token is malformed, or another key has the same name', { cause: error })
    }
  }
}

/** Fetches the keys. A redirect is not followed: it could lead to where the operator's URL may not. */
async function fetchKeySet(url: URL): Promise<JSONWebKeySet> {
  const signal = AbortSignal.timeout(timeoutMilliseconds)
  const response = await fetch(url, { headers: { accept: 'application/jwk-set+json, application/json' }, redirect: 'manual', signal })
  if (response.status !== 200) {
    await response.body?.cancel()
    throw new Error(`the answer has status ${String(response.status)}`)
  }
  const set: unknown = JSON.parse(await readText(response))
  if (!isObject(set) || !Array.isArray(set['keys'])) throw new Error('the answer is no JSON Web Key Set')
  // A member that is no key spoils itself alone, and jose judges the others when a token needs them.
  return { keys: set['keys'].filter((key: unknown): key is JWK => isObject(key)) }
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  // Its type says that the pieces are of any kind.
  const body: AsyncIterable<Uint8Array> | Uint8Array[] = response.body ?? []
  for await (const chunk of body) {
    bytes += chunk.byteLength
    if (bytes > largestSet) throw new Error(`the answer is larger than ${String(largestSet)} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
