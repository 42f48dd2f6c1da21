import cors from '@fastify/cors'
import type { FastifyInstance } from 'fastify'
import type { HeaderName } from '../contract/types.ts'

/** What a page may read of an answer beside its body (fetch.spec.whatwg.org, "CORS-safelisted response-header name"). */
const readable: HeaderName[] = ['X-Request-Id', 'WWW-Authenticate', 'Retry-After', 'Allow', 'RateLimit', 'RateLimit-Policy']

/** How long a browser may go by one preflight answer. */
const preflightSeconds = 600

/**
 * Lets pages of other origins use the service.
 *
 * @param app the server, before anything that refuses requests: a preflight carries no credentials
 * @param origins such as `https://plants.example`, or `*` alone for every origin
 * @param methods those of the operations
 */
export async function registerCors(app: FastifyInstance, origins: string[], methods: string[]): Promise<void> {
  const allowed = {
    origin: origins.includes('*') ? '*' : origins,
    methods,
    allowedHeaders: ['Authorization', 'Content-Type', 'X-Request-Id'],
    exposedHeaders: readable,
    maxAge: preflightSeconds,
  }
  await app.register(cors, {
    // Any other OPTIONS is answered as the contract says, not as a preflight.
    delegator: ({ headers }, done) => {
      done(null, { ...allowed, preflight: headers.origin !== undefined && headers['access-control-request-method'] !== undefined })
    },
  })
}
