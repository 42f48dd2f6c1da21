import cors from '@fastify/cors'
import type { FastifyInstance } from 'fastify'
import type { HeaderName } from '../contract/types.ts'

/** The response headers that a page may read (fetch.spec.whatwg.org, "CORS-safelisted response-header name"). */
const readable: HeaderName[] = [
  'X-Request-Id',
  'WWW-Authenticate',
  'Retry-After',
  'Allow',
  'RateLimit',
  'RateLimit-Policy',
]

/** How long a browser may cache a preflight response. */
const preflightSeconds = 600

/**
 * Lets pages of other origins use the service.
 *
 * @param app the server, before any stage that refuses requests, because a preflight carries no credentials
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
    // Any other OPTIONS is no preflight and is answered as the contract says.
    delegator: ({ headers }, done) => {
      done(null, {
        ...allowed,
        preflight: headers.origin !== undefined && headers['access-control-request-method'] !== undefined,
      })
    },
  })
}
