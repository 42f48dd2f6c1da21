import fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import { type Contract, type Limits, fastifyContract, fastifyOptions } from 'fastify-contract'
import { createTokenUses } from './auth/token-uses.ts'
import { type TokenFinder, createVerifiers } from './auth/verifiers.ts'
import type { HandlerContext } from './context.ts'
import type { Handlers } from './contract.ts'
import { failureForm } from './failures.ts'
import { registerHealth, watchReadiness } from './monitoring/health.ts'
import type { Metrics } from './monitoring/metrics.ts'
import { RequestLog, registerRequestLog, requestIdOf } from './monitoring/request-log.ts'
import type { Store } from './store/store.ts'

export interface AppOptions {
  contract: Contract
  /** The handler of each operation. A missing one stops the start. */
  handlers: Partial<Handlers<HandlerContext>>
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
  /** Limits that replace the library's defaults. */
  limits?: Partial<Limits>
  /** Returns the time in milliseconds since 1970-01-01T00:00:00Z. */
  now?: () => number
}

const leaf =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">' +
  '<path fill="#2e7d32" d="M2 15C2 5 7 1 15 1c0 8-4 12-10 12l4-6-7 8z"/></svg>'

const noProvider = 'needs an identity provider; set AUTH_JWKS_URL, AUTH_ISSUER and AUTH_AUDIENCE'

/**
 * Builds the server, ready to listen. Production and tests use the same one.
 *
 * @throws UnservableContract
 */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { contract, handlers, store, log, rateLimit, trustedProxies, verifyJwt, corsOrigins, observer } = options
  const tokenUses = createTokenUses(store, log)
  const verifiers = createVerifiers({ tokens: store, now: options.now ?? Date.now, noteUse: tokenUses.note, verifyJwt })

  const app = fastify({
    ...fastifyOptions({
      logger: log,
      failureForm,
      onConnectionRefused: (status) => observer?.answered(undefined, status, undefined),
      limits: options.limits,
    }),
    logController: new RequestLog(),
    genReqId: requestIdOf,
    ...(trustedProxies === undefined ? {} : { trustProxy: trustedProxies }),
  })
  registerRequestLog(app, observer?.answered)
  const isReady = watchReadiness(app, store)
  await app.register(fastifyContract, {
    contract,
    handlers,
    services: { plants: store } satisfies Omit<HandlerContext, 'caller'>,
    verifierOf: ({ kind }) => verifiers[kind] ?? noProvider,
    realm: 'plant-store',
    favicon: leaf,
    corsOrigins,
    onContractBroken: observer?.contractBroken,
    // Loaded only if configured, to save start time and memory.
    ...(rateLimit === undefined ? {} : (await import('./rate-limit/rate-limits.ts')).createRateLimits(rateLimit)),
  })
  registerHealth(app, isReady)
  app.addHook('onClose', tokenUses.write)
  return app
}
