import { type JSONWebKeySet, type JWTVerifyGetKey, createRemoteJWKSet, customFetch, errors } from 'jose'

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

/** How far the machine's clock may move against the monotonic one before the keys are fetched anew. */
const clockStepMilliseconds = 1_000

/** The key of a token is not available or not usable now. The token may be valid. */
export class KeyUnavailable extends Error {}

/**
 * Finds keys in the JSON Web Key Set (RFC 7517) that an identity provider publishes.
 *
 * @returns a function that throws `KeyUnavailable`, or a `JOSEError` if the set has no key for the token
 */
export function createKeySet(url: URL): JWTVerifyGetKey {
  const open = () =>
    createRemoteJWKSet(url, {
      timeoutDuration: timeoutMilliseconds,
      cooldownDuration: unknownKeyMilliseconds,
      cacheMaxAge: maxAgeMilliseconds,
      [customFetch]: createFetch(),
    })
  let find = open()
  let offset = clockOffset()
  return async (header, token) => {
    // jose measures the age of the keys by the machine's clock.
    if (Math.abs(clockOffset() - offset) > clockStepMilliseconds) {
      find = open()
      offset = clockOffset()
    }
    try {
      return await find(header, token)
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey) throw error
      // A token may leave out the key's name, but two keys must not share one.
      if (error instanceof errors.JWKSMultipleMatchingKeys && header.kid === undefined) throw error
      throw new KeyUnavailable('the key of a token cannot be fetched or is malformed', { cause: error })
    }
  }
}

function clockOffset(): number {
  return Date.now() - performance.now()
}

/** Makes a function that fetches a key set for jose, and for a second repeats the error of an attempt that failed. */
function createFetch(): (url: string, init: { headers: Headers; signal: AbortSignal }) => Promise<Response> {
  let failure: { error: unknown; at: number } | undefined
  return async (url, { headers, signal }) => {
    if (failure !== undefined && performance.now() - failure.at < retryMilliseconds) throw failure.error
    try {
      // A redirect could lead to an address that the operator would not allow.
      return Response.json(await readKeySet(await fetch(url, { headers, redirect: 'manual', signal })))
    } catch (error) {
      failure = { error, at: performance.now() }
      throw error
    }
  }
}

async function readKeySet(response: Response): Promise<JSONWebKeySet> {
  if (response.status !== 200) {
    await response.body?.cancel()
    throw new Error(`the response has status ${String(response.status)}`)
  }
  const set: unknown = JSON.parse(await readText(response))
  if (!isObject(set) || !Array.isArray(set['keys'])) throw new Error('the response is not a JSON Web Key Set')
  // jose would refuse the whole set for a member that is no object. It validates a key when a token needs it.
  return { keys: set['keys'].filter(isObject) }
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
