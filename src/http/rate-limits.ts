import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import ipaddr from 'ipaddr.js'
import { type Failure, failure } from '../contract/errors.ts'
import { sendFailure } from './failures.ts'
import { RequestCounts } from './request-counts.ts'

const windowMilliseconds = 60_000

/** How many callers, and how many addresses, are counted at once; beyond that those that were seen longest ago are forgotten. */
const mostCounted = 100_000

/** How much of an IPv6 address names the network and not the machine in it (RFC 4291, section 2.5.4), in bits. */
const networkBits = 64

/** What counts requests, and refuses those that are too many. */
export interface RateLimits {
  /** Refuses every request of an address that has sent too many bad tokens, whatever its credentials are. */
  refuseAddress: onRequestHookHandler
  /** Counts a request whose token was refused. @returns the answer when it is one too many */
  countRefused: (request: FastifyRequest) => Failure<'rate_limited', { 'Retry-After': number }> | undefined
  /** Counts a request of a caller, and refuses it where it is one too many. */
  onAuthenticated: onRequestHookHandler
}

/**
 * Limits the requests of each caller, and the refused tokens of each address, to so many a minute.
 *
 * Answers to a caller carry `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-11).
 */
export function createRateLimits(perMinute: number): RateLimits {
  const ofCaller = new RequestCounts(windowMilliseconds, mostCounted)
  const refusedOfAddress = new RequestCounts(windowMilliseconds, mostCounted)
  const policy = `"caller";q=${String(perMinute)};w=${String(windowMilliseconds / 1000)}`
  const tooManyRefused = (milliseconds: number) => tooMany(`more than ${String(perMinute)} refused tokens a minute from this address`, milliseconds)

  return {
    refuseAddress: (request, reply, done) => {
      const { requests, milliseconds } = refusedOfAddress.read(addressOf(request))
      if (requests < perMinute) done()
      else sendFailure(reply, tooManyRefused(milliseconds))
    },
    countRefused: (request) => {
      const { requests, milliseconds } = refusedOfAddress.add(addressOf(request))
      return requests <= perMinute ? undefined : tooManyRefused(milliseconds)
    },
    onAuthenticated: (request, reply, done) => {
      const { requests, milliseconds } = ofCaller.add(request.caller)
      const left = Math.max(0, perMinute - requests)
      reply.header('ratelimit-policy', policy).header('ratelimit', `"caller";r=${String(left)};t=${String(secondsOf(milliseconds))}`)
      if (requests <= perMinute) done()
      else sendFailure(reply, tooMany(`more than ${String(perMinute)} requests a minute`, milliseconds))
    },
  }
}

/**
 * The address that a request counts for: of IPv6 the network. Requests without an address count together: the
 * connection was reset before the request was read, or a trusted proxy named something else.
 */
function addressOf({ ip }: Partial<Pick<FastifyRequest, 'ip'>>): string {
  // What follows % is the name of this machine's interface.
  const [text = ''] = ip?.split('%', 1) ?? []
  if (!ipaddr.isValid(text)) return 'none'
  const address = ipaddr.parse(text)
  if (!(address instanceof ipaddr.IPv6)) return address.toString()
  return address.isIPv4MappedAddress() ? address.toIPv4Address().toString() : ipaddr.IPv6.networkAddressFromCIDR(`${text}/${String(networkBits)}`).toString()
}

function tooMany(what: string, milliseconds: number): Failure<'rate_limited', { 'Retry-After': number }> {
  const seconds = secondsOf(milliseconds)
  return failure('rate_limited', `${what}; try again in ${String(seconds)} s`, { 'Retry-After': seconds })
}

function secondsOf(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds / 1000))
}
