import fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import { type Limits, fastifyContract, fastifyOptions } from 'fastify-contract'
import type { contract as generated } from '../generated/contract.ts'
import { createTokenUses } from './auth/token-uses.ts'
import { type TokenFinder, createVerifiers } from './auth/verifiers.ts'
import type { handlers as allHandlers } from './handlers.ts'
import { failureForm } from './failures.ts'
import { registerHealth, watchReadiness } from './monitoring/health.ts'
import type { Metrics } from './monitoring/metrics.ts'
import { RequestLog, requestIdOf } from './monitoring/request-log.ts'
import type { Store } from './store/store.ts'

export interface AppOptions {
  contract: typeof generated
  /** The handler of each operation. A missing one stops the start. */
  handlers: Partial<typeof allHandlers>
  store: Store
  log: FastifyBaseLogger
  /** Requests per minute for one caller, and rejected tokens per minute from one address; undefined for no limit. */
  rateLimit: number | undefined
  /** Proxies whose `X-Forwarded-For` is trusted. */
  trustedProxies?: string | undefined
  /** Verifies JSON Web Tokens; undefined when none are accepted. */
  verifyJwt?: TokenFinder | undefined
  /** The origins that CORS allows; undefined for none. */
  corsOrigins?: string[] | undefined
  /** Receives measurements. */
  observer?: Pick<Metrics, 'answered' | 'contractBroken'> | undefined
  /** Whether lists, which are stored as JSON, are checked against the contract like other replies. */
  checksEncoded?: boolean | undefined
  /** Limits that replace the library's defaults. */
  limits?: Partial<Limits>
  /** Returns the time in milliseconds since 1970-01-01T00:00:00Z. */
  now?: () => number
}

const leaf =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">' +
  '<path fill="#2e7d32" d="M2 15C2 5 7 1 15 1c0 8-4 12-10 12l4-6-7 8z"/></svg>'

/**
 * Builds the server, ready to listen. Production and tests use the same one.
 *
 * @throws UnservableContract
 */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { contract, handlers, store, log, rateLimit, trustedProxies, verifyJwt, corsOrigins, observer } = options
  const tokenUses = createTokenUses(store, log)
  // Loaded only if configured, to save start time and memory.
  const rateLimits =
    rateLimit === undefined ? undefined : (await import('./rate-limit/rate-limits.ts')).createRateLimits(rateLimit)
  const auth = createVerifiers(contract, {
    tokens: store,
    now: options.now ?? Date.now,
    noteUse: tokenUses.note,
    verifyJwt,
    onRejected: rateLimits?.noteRejected,
  })

  const app = fastify({
    ...fastifyOptions({
      logger: log,
      // The one line of a request has its id.
      requestLoggers: false,
      onConnectionRefused: (status) => observer?.answered(undefined, status, undefined),
      limits: options.limits,
    }),
    logController: new RequestLog(observer?.answered),
    genReqId: requestIdOf,
    ...(trustedProxies === undefined ? {} : { trustProxy: trustedProxies }),
  })
  if (corsOrigins !== undefined) await (await import('./cors.ts')).registerCors(app, corsOrigins, contract)
  rateLimits?.register(app)
  const isReady = watchReadiness(app, store)
  app.get('/docs/favicon.svg', (_request, reply) => reply.type('image/svg+xml').send(leaf))
  await app.register(
    fastifyContract(contract, {
      // The start names a missing one.
      handlers: handlers as typeof allHandlers,
      auth,
      callerOf: ({ caller }) => caller,
      services: { plants: store, sql: store },
      failureForm,
      realm: 'plant-store',
      onContractBroken: observer?.contractBroken,
      checksEncoded: options.checksEncoded,
    }),
  )
  registerHealth(app, isReady)
  app.addHook('onClose', tokenUses.write)
  return app
}
