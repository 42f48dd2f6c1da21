import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import { failure } from '../contract/errors.ts'
import { RequestFailure } from './failures.ts'

const windowMilliseconds = 60_000

/** How many callers, and how many addresses, are counted at once; beyond that those that were seen longest ago are forgotten. */
const mostCounted = 100_000

/** What counts requests, and refuses those that are too many. */
export interface RateLimits {
  /** Refuses every request of an address that has sent too many bad tokens, before its credentials are judged. */
  beforeCredentials: onRequestAsyncHookHandler
  /** Counts a request whose token was refused. */
  countRefused: (request: FastifyRequest) => Promise<void>
  /** Counts a request of a caller, and refuses it where it is one too many. */
  onAuthenticated: onRequestAsyncHookHandler
}

/**
 * Limits the requests of each caller, and the refused tokens of each address, to so many a minute.
 *
 * Answers to a caller carry `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-11; the plugin's own
 * headers are those of a draft before the two fields).
 *
 * @param app the context of the operations
 */
export async function registerRateLimits(app: FastifyInstance, perMinute: number): Promise<RateLimits> {
  await app.register(rateLimit, { global: false, max: perMinute, timeWindow: windowMilliseconds, cache: mostCounted })
  const ofCaller = app.createRateLimit({ keyGenerator: ({ callers }) => Object.values(callers).join() })
  // The plugin's own key is the address, of IPv6 the network that one subscriber has.
  const ofAddress = app.createRateLimit({})
  const policy = `"caller";q=${String(perMinute)};w=${String(windowMilliseconds / 1000)}`

  return {
    beforeCredentials: async (request) => {
      const state = await ofAddress(request, { increment: false })
      if (!state.isAllowed && state.remaining === 0) throw tooMany(`more than ${String(perMinute)} refused tokens a minute from this address`, state.ttl)
    },
    countRefused: async (request) => {
      await ofAddress(request)
    },
    onAuthenticated: async (request, reply) => {
      const state = await ofCaller(request)
      // The plugin lets those pass that are on a list of the configuration, and there is none.
      if (state.isAllowed) return
      reply.header('ratelimit-policy', policy).header('ratelimit', `"caller";r=${String(state.remaining)};t=${String(secondsOf(state.ttl))}`)
      if (state.isExceeded) throw tooMany(`more than ${String(perMinute)} requests a minute`, state.ttl)
    },
  }
}

function tooMany(what: string, ttl: number): RequestFailure {
  const seconds = secondsOf(ttl)
  return new RequestFailure(failure('rate_limited', `${what}; try again in ${String(seconds)} s`, { 'Retry-After': seconds }))
}

function secondsOf(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds / 1000))
}
