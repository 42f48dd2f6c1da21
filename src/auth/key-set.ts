import { type JWTVerifyGetKey, createRemoteJWKSet, customFetch, errors } from 'jose'

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

/**
 * Finds keys in the JSON Web Key Set (RFC 7517) that an identity provider publishes.
 *
 * @returns a function that throws a `JOSEError` if the set has no key for the token, and any other error if the set is
 *   not available or the key is malformed: the token may be valid
 */
export function createKeySet(url: URL): JWTVerifyGetKey {
  // jose measures the age of keys by the machine's clock, which can be set. So it is measured here.
  const find = createRemoteJWKSet(url, {
    timeoutDuration: timeoutMilliseconds,
    cooldownDuration: Infinity,
    cacheMaxAge: Infinity,
    [customFetch]: fetchKeySet,
  })
  let loadedAt = -Infinity
  let failure: { error: unknown; at: number } | undefined

  /** Loads the keys if they are older than this. Within a second of a failed attempt it repeats the error. */
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
      // A token may leave out the key's name, but two keys must not share one.
      if (error instanceof errors.JWKSMultipleMatchingKeys && header.kid === undefined) throw error
      throw new Error('the key of a token cannot be fetched or is malformed', { cause: error })
    }
  }
}

/** Fetches for jose, which would read a response of any size, and refuse a whole set for a member that is no object. */
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
  return Response.json({ keys: set['keys'].filter(isObject) })
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
