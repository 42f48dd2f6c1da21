import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal, authOf } from 'fastify-contract'
import ipaddr from 'ipaddr.js'
import { LruMap } from 'toad-cache'
import type { FoundCaller } from '../auth/verifiers.ts'

const windowMilliseconds = 60_000

/** The limit of counted callers, and of counted addresses. The least recently seen one is dropped first. */
const maxCounted = 100_000

/** The network part of an IPv6 address, in bits (RFC 4291, section 2.5.4). */
const networkBits = 64

/** What `createRateLimits` adds to a server. */
export interface RateLimits {
  /** Adds its hooks. Call it before the contract is registered. */
  register: (app: FastifyInstance) => void
  /** Counts a rejected token. @throws Refusal if its address has sent too many */
  noteRejected: (request: FastifyRequest) => void
}

/**
 * Limits the requests per minute of each caller, those of each address without a caller, and the rejected tokens of
 * each address.
 *
 * Counted responses have `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-11).
 */
export function createRateLimits(perMinute: number): RateLimits {
  const callerCounts = new RequestCounts(maxCounted)
  const addressCounts = new RequestCounts(maxCounted)
  const rejectedTokenCounts = new RequestCounts(maxCounted)
  /** The requests whose rejected tokens are counted. */
  const counted = new WeakSet<FastifyRequest>()
  const policy = `;q=${String(perMinute)};w=${String(windowMilliseconds / 1000)}`
  const tooManyRejected = (milliseconds: number) =>
    tooMany(`more than ${String(perMinute)} rejected tokens a minute from this address`, milliseconds)

  function limitAddress(request: FastifyRequest): void {
    const { requests, milliseconds } = rejectedTokenCounts.read(addressOf(request))
    if (requests >= perMinute) throw tooManyRejected(milliseconds)
  }
  function limitCaller(request: FastifyRequest, reply: FastifyReply): void {
    const [found] = Object.values(authOf(request)) as FoundCaller[]
    const { requests, milliseconds } =
      found === undefined ? addressCounts.add(addressOf(request)) : callerCounts.add(found.caller)
    const name = found === undefined ? '"address"' : '"caller"'
    const left = Math.max(0, perMinute - requests)
    const limit = `${name};r=${String(left)};t=${String(secondsOf(milliseconds))}`
    reply.header('ratelimit-policy', name + policy).header('ratelimit', limit)
    if (requests > perMinute) throw tooMany(`more than ${String(perMinute)} requests a minute`, milliseconds)
  }
  return {
    register: (app) => {
      app.addHook('onRequest', (request, _reply, done) => {
        if (isLimited(request)) limitAddress(request)
        done()
      })
      // After authentication, and before the body is read.
      app.addHook('preParsing', (request, reply, payload, done) => {
        if (isLimited(request)) {
          // Checked again: other requests of the address may have been rejected meanwhile.
          limitAddress(request)
          limitCaller(request, reply)
        }
        done(null, payload)
      })
      app.addHook('onSend', (request, reply, payload, done) => {
        // A malformed token reaches no verifier.
        const isRejected =
          reply.statusCode === 401 && String(reply.getHeader('www-authenticate')).includes('invalid_token')
        if (isRejected && !counted.has(request)) rejectedTokenCounts.add(addressOf(request))
        done(null, payload)
      })
    },
    noteRejected: (request) => {
      counted.add(request)
      const { requests, milliseconds } = rejectedTokenCounts.add(addressOf(request))
      if (requests > perMinute) throw tooManyRejected(milliseconds)
    },
  }
}

/** Only requests to operations are limited. */
function isLimited({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.schema?.operationId !== undefined
}

/**
 * Counts requests by a key, such as a caller or an address, in windows of equal length. A key's window begins with its
 * first request. The clock is monotonic, so changing the system clock does not extend a window.
 */
export class RequestCounts {
  readonly #windows: LruMap<{ requests: number; endsAt: number }>

  /** @param maxKeys the limit of keys; the least recently used one is dropped first */
  constructor(maxKeys: number) {
    this.#windows = new LruMap(maxKeys)
  }

  /** Returns the count of a key, and the rest of its window. */
  read(key: string): { requests: number; milliseconds: number } {
    const now = performance.now()
    const window = this.#windows.get(key)
    return window === undefined || window.endsAt <= now
      ? { requests: 0, milliseconds: windowMilliseconds }
      : { requests: window.requests, milliseconds: window.endsAt - now }
  }

  /** Counts a request and returns the new count. */
  add(key: string): { requests: number; milliseconds: number } {
    const { requests, milliseconds } = this.read(key)
    this.#windows.set(key, { requests: requests + 1, endsAt: performance.now() + milliseconds })
    return { requests: requests + 1, milliseconds }
  }
}

/** An address with a port, as some proxies send it; IPv6 is in brackets (RFC 7239, section 6). */
const withPort = /^(?:\[([^\]]*)\]|([\d.]+))(?::(?:\d{1,5}|_[\w.-]+))?$/

/**
 * The address under which a request is counted; for IPv6, its network. Requests without an address are counted
 * together: their connection was reset early, or a trusted proxy sent no address.
 */
function addressOf({ ip = '' }: Partial<Pick<FastifyRequest, 'ip'>>): string {
  const [, inBrackets, ipv4Address] = withPort.exec(ip) ?? []
  // The part after % names an interface of this machine.
  const [text = ''] = (inBrackets ?? ipv4Address ?? ip).split('%', 1)
  if (!ipaddr.isValid(text)) return 'none'
  const address = ipaddr.parse(text)
  if (!(address instanceof ipaddr.IPv6)) return address.toString()
  return address.isIPv4MappedAddress()
    ? address.toIPv4Address().toString()
    : ipaddr.IPv6.networkAddressFromCIDR(`${text}/${String(networkBits)}`).toString()
}

function tooMany(what: string, milliseconds: number): Refusal {
  const seconds = secondsOf(milliseconds)
  return new Refusal('rate_limited', `${what}; try again in ${String(seconds)} s`, { 'Retry-After': seconds })
}

function secondsOf(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds / 1000))
}
