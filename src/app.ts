import fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import { createBearerVerifier } from './auth/bearer.ts'
import type { JwtVerifier } from './auth/jwt.ts'
import { TokenUses } from './auth/last-used.ts'
import { createEngine } from './contract/engine.ts'
import { bearerSchemesOf } from './contract/document.ts'
import type { Contract } from './contract/load-contract.ts'
import type { Caller, Handlers } from './contract/types.ts'
import { type ClosingTimes, defaultClosingTimes, registerClosing } from './connections/graceful-shutdown.ts'
import { registerDocs } from './docs/docs.ts'
import { registerFailures, routedUrl } from './http/failures.ts'
import { registerHealth } from './monitoring/health.ts'
import { createHttpServer } from './connections/http-server.ts'
import { type Limits, defaultLimits } from './config/limits.ts'
import { OpenConnections } from './connections/open-connections.ts'
import { registerOperations } from './http/operations.ts'
import { createOverloadHook } from './http/overload.ts'
import { constantHeaders } from './http/response-headers.ts'
import { RequestLog, logCutOff, requestIdOf } from './http/request-log.ts'
import { UnreadBytes } from './connections/unread-bytes.ts'
import type { PlantStore, Store } from './store/store.ts'

export interface AppOptions {
  contract: Contract
  /** The handler of each operation; the engine refuses to start when one is missing. */
  handlers: Partial<Handlers<{ caller: Caller; plants: PlantStore }>>
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
  const operations = await createEngine({
    contract: contract.document,
    handlers,
    services: { plants: store },
    securitySchemes: Object.keys(verifiers),
    onViolation: observer?.contractBroken,
  })

  const connections = new OpenConnections(limits.pipelinedRequests, () => {
    log.info(`connection closed: more than ${String(limits.pipelinedRequests)} requests wait for the answer before them`)
  })
  const app = fastify({
    serverFactory: (listener) => createHttpServer(listener, connections, limits, log),
    loggerInstance: log,
    logController: new RequestLog(),
    // The request's id is in its one line; a logger of its own for each request would cost more than that line.
    childLoggerFactory: (logger) => logger,
    genReqId: requestIdOf,
    bodyLimit,
    rewriteUrl: ({ url = '/' }) => routedUrl(url),
    routerOptions: { maxParamLength: limits.headerBytes },
    return503OnClosing: false,
    ...(trustedProxies === undefined ? {} : { trustProxy: trustedProxies }),
    // Fastify's own listener; answerConnectionErrors answers in its place.
    clientErrorHandler: () => undefined,
  })
  const isClosing = registerClosing(app, connections, { ...defaultClosingTimes, ...closingTimes })
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
    const rateLimits = rateLimit === undefined ? undefined : (await import('./http/rate-limits.ts')).createRateLimits(rateLimit)
    registerOperations(scope, { operations, verifiers, rateLimits, unread: new UnreadBytes(limits.unreadBytes) })
  })
  return app
}
