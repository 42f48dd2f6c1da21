import rateLimit from '@fastify/rate-limit'
import fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import { createBearerVerifier } from './auth/bearer.ts'
import { createEngine } from './contract/engine.ts'
import { failure } from './contract/errors.ts'
import type { Contract } from './contract/load-contract.ts'
import type { Handlers } from './contract/types.ts'
import { type ClosingTimes, defaultClosingTimes, registerClosing } from './http/closing.ts'
import { registerConnectionFailures } from './http/connection-failures.ts'
import { registerDocs } from './http/docs.ts'
import { RequestFailure, answerFrameworkError, registerFailures } from './http/failures.ts'
import { registerHealth } from './http/health.ts'
import { type Limits, defaultLimits } from './http/limits.ts'
import { registerOperations } from './http/operations.ts'
import { createOverloadHook } from './http/overload.ts'
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
  /** The most requests a minute for one caller; undefined when there is no limit. */
  rateLimit: number | undefined
  /** Those that are not `defaultLimits`. */
  limits?: Partial<Limits>
  /** Those that are not `defaultClosingTimes`. */
  closingTimes?: Partial<ClosingTimes>
  /** Gives milliseconds since 1970-01-01T00:00:00Z. */
  now?: () => number
}

/**
 * Builds the server, ready to listen. Tests use it as it runs.
 *
 * @throws UnservableContract
 */
export async function buildApp({ contract, handlers, store, log, bodyLimit, rateLimit: perMinute, limits: ownLimits, closingTimes, now = Date.now }: AppOptions): Promise<FastifyInstance> {
  const limits = { ...defaultLimits, ...ownLimits }
  const verifiers = { bearer: createBearerVerifier(store, now) }
  const operations = await createEngine({ contract: contract.document, handlers, securitySchemes: Object.keys(verifiers) })

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
    frameworkErrors: answerFrameworkError,
    // Fastify's own listener; registerConnectionFailures answers in its place.
    clientErrorHandler: () => undefined,
  })
  app.server.maxConnections = limits.connections
  registerConnectionFailures(app.server, limits.headerBytes, log)
  const isClosing = registerClosing(app, { ...defaultClosingTimes, ...closingTimes })
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    logCutOff(request, reply)
    done()
  })
  registerFailures(app)
  registerHealth(app, async () => !isClosing() && (await store.isReady()))
  await registerDocs(app, contract)
  await app.register(async (scope) => {
    const overloadHook = createOverloadHook(limits.waitMilliseconds, (end) => {
      scope.addHook('onClose', end)
    })
    scope.addHook('onRequest', overloadHook)
    if (perMinute !== undefined) {
      await scope.register(rateLimit, {
        global: false,
        max: perMinute,
        timeWindow: 60_000,
        cache: 100_000,
        // The contract declares Retry-After, and none of the headers by which clients would count along.
        addHeaders: { 'x-ratelimit-limit': false, 'x-ratelimit-remaining': false, 'x-ratelimit-reset': false, 'retry-after': false },
        addHeadersOnExceeding: { 'x-ratelimit-limit': false, 'x-ratelimit-remaining': false, 'x-ratelimit-reset': false },
        keyGenerator: ({ callers }) => Object.values(callers).join(),
        errorResponseBuilder: (_request, { ttl }) => {
          const seconds = Math.max(1, Math.ceil(ttl / 1000))
          return new RequestFailure(failure('rate_limited', `more than ${String(perMinute)} requests a minute; try again in ${String(seconds)} s`, { 'Retry-After': seconds }))
        },
      })
    }
    registerOperations(scope, { operations, verifiers, onAuthenticated: perMinute === undefined ? [] : [scope.rateLimit()] })
  })
  return app
}
