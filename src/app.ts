import fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import { createBearerVerifier } from './auth/bearer.ts'
import type { JwtVerifier } from './auth/jwt.ts'
import { TokenUses } from './auth/token-uses.ts'
import { createEngine } from './contract/engine.ts'
import { bearerSchemesOf } from './contract/document.ts'
import type { Contract } from './contract/load-contract.ts'
import type { Handlers } from './contract/types.ts'
import { type ClosingTimes, defaultClosingTimes, registerClosing } from './http/closing.ts'
import { registerConnectionFailures } from './http/connection-failures.ts'
import { registerDocs } from './http/docs.ts'
import { logDroppedConnections } from './http/dropped-connections.ts'
import { followExchanges } from './http/exchanges.ts'
import { answerFrameworkError, registerFailures } from './http/failures.ts'
import { registerHealth } from './http/health.ts'
import { type Limits, defaultLimits } from './http/limits.ts'
import { registerOperations } from './http/operations.ts'
import { createOverloadHook } from './http/overload.ts'
import { constantHeaders } from './http/response-headers.ts'
import { RequestLog, logCutOff, requestIdOf } from './http/request-log.ts'
import type { Store } from './store/store.ts'

export interface AppOptions {
  contract: Contract
  /** The handler of each operation; the engine refuses to start when one is missing. */
  handlers: Partial<Handlers>
  store: Store
  log: FastifyBaseLogger
  /** The largest request body, in bytes. */
  bodyLimit: number
  /** The most requests a minute for one caller, and the most refused tokens a minute from one address; undefined when there is no limit. */
  rateLimit: number | undefined
  /** The addresses of proxies whose `X-Forwarded-For` is believed. */
  trustedProxies?: string | undefined
  /** Judges JSON Web Tokens; undefined where none is taken. */
  verifyJwt?: JwtVerifier | undefined
  /** The origins whose pages may use the service; undefined when no other's may. */
  corsOrigins?: string[] | undefined
  /** Told of what is measured. */
  observer?: AppObserver | undefined
  /** Those that are not `defaultLimits`. */
  limits?: Partial<Limits>
  /** Those that are not `defaultClosingTimes`. */
  closingTimes?: Partial<ClosingTimes>
  /** Gives milliseconds since 1970-01-01T00:00:00Z. */
  now?: () => number
}

/** What measures a server. */
export interface AppObserver {
  /** A request was answered. @param operation its operationId, undefined where it matched none */
  answered: (operation: string | undefined, status: number, seconds: number) => void
  /** A handler's reply broke the contract. */
  contractBroken: (operation: string) => void
}

/**
 * Builds the server, ready to listen. Tests use it as it runs.
 *
 * @throws UnservableContract
 */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { contract, handlers, store, log, bodyLimit, rateLimit, trustedProxies, verifyJwt, corsOrigins, observer, closingTimes, now = Date.now } = options
  const limits = { ...defaultLimits, ...options.limits }
  const uses = new TokenUses(store)
  const noteUse = uses.note.bind(uses)
  const verifyBearer = createBearerVerifier({ tokens: store, now, noteUse, verifyJwt })
  const verifiers = Object.fromEntries(bearerSchemesOf(contract.document).map((name) => [name, verifyBearer]))
  const operations = await createEngine({ contract: contract.document, handlers, securitySchemes: Object.keys(verifiers), onViolation: observer?.contractBroken })

  const app = fastify({
    loggerInstance: log,
    logController: new RequestLog(),
    // The request's id is in its one line; a logger of its own for each request would cost more than that line.
    childLoggerFactory: (logger) => logger,
    genReqId: requestIdOf,
    bodyLimit,
    // A request target in absolute form names this server too (RFC 9112, section 3.2.2).
    rewriteUrl: ({ url = '/' }) => (url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '') || '/'),
    routerOptions: { maxParamLength: limits.headerBytes },
    requestTimeout: limits.requestMilliseconds,
    keepAliveTimeout: limits.keepAliveMilliseconds,
    connectionTimeout: limits.standstillMilliseconds,
    http: {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: Math.min(limits.headersMilliseconds, limits.requestMilliseconds),
      connectionsCheckingInterval: limits.checkMilliseconds,
      // Node's own refusal of a request without Host has no body; registerFailures answers it.
      requireHostHeader: false,
    },
    return503OnClosing: false,
    ...(trustedProxies === undefined ? {} : { trustProxy: trustedProxies }),
    frameworkErrors: answerFrameworkError,
    // Fastify's own listener; registerConnectionFailures answers in its place.
    clientErrorHandler: () => undefined,
  })
  app.server.maxConnections = limits.connections
  logDroppedConnections(app.server, log)
  const exchanges = followExchanges(app.server)
  registerConnectionFailures(app.server, exchanges, limits.headerBytes, log)
  const isClosing = registerClosing(app, exchanges, { ...defaultClosingTimes, ...closingTimes })
  app.decorateRequest('isLogged', false)
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(constantHeaders).header('x-request-id', request.id)
    logCutOff(request, reply)
    done()
  })
  if (observer !== undefined) {
    app.addHook('onResponse', (request, reply, done) => {
      observer.answered(request.routeOptions.config.operation?.id, reply.statusCode, reply.elapsedTime / 1000)
      done()
    })
  }
  // What is not configured is not loaded: it would take the start time and memory.
  if (corsOrigins !== undefined) {
    const { registerCors } = await import('./http/cors.ts')
    await registerCors(app, corsOrigins, operations.map(({ method }) => method.toUpperCase()))
  }
  registerFailures(app)
  registerHealth(app, async () => !isClosing() && (await store.isReady()))
  await app.register((scope) => registerDocs(scope, contract))
  app.addHook('onClose', () => uses.write())
  await app.register(async (scope) => {
    const overloadHook = createOverloadHook(limits.waitMilliseconds, (end) => {
      scope.addHook('onClose', end)
    })
    scope.addHook('onRequest', overloadHook)
    const rateLimits = rateLimit === undefined ? undefined : await (await import('./http/rate-limits.ts')).registerRateLimits(scope, rateLimit)
    registerOperations(scope, { operations, verifiers, rateLimits })
  })
  return app
}
