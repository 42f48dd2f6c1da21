import fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import { TokenUses } from './auth/last-used.ts'
import { type TokenFinder, createVerifiers } from './auth/verifiers.ts'
import { type Limits, defaultLimits } from '../packages/fastify-contract/src/server/limits.ts'
import { registerClosing } from '../packages/fastify-contract/src/server/connections/graceful-shutdown.ts'
import { createHttpServer } from '../packages/fastify-contract/src/server/connections/http-server.ts'
import { OpenConnections } from '../packages/fastify-contract/src/server/connections/open-connections.ts'
import { UnreadBytes } from '../packages/fastify-contract/src/server/connections/unread-bytes.ts'
import { type HandlerContext, createServices } from './context.ts'
import { basePathsOf, dereference, operationsOf } from '../packages/fastify-contract/src/document/document.ts'
import { type BoundOperation, createEngine } from '../packages/fastify-contract/src/engine/engine.ts'
import type { Contract } from '../packages/fastify-contract/src/document/load-contract.ts'
import { securitySchemesOf } from '../packages/fastify-contract/src/document/security.ts'
import type { Handlers } from '../packages/fastify-contract/src/types/handler-types.ts'
import { registerDocs } from '../packages/fastify-contract/src/server/docs/docs.ts'
import { type VerifiedScheme, authenticate } from '../packages/fastify-contract/src/server/authentication.ts'
import { expectContent } from '../packages/fastify-contract/src/server/content.ts'
import { registerErrors } from '../packages/fastify-contract/src/server/error-handler.ts'
import { registerOperations } from '../packages/fastify-contract/src/server/operations.ts'
import { refuseLessConcrete, refuseMalformed, refuseUnmatched, routedUrl } from '../packages/fastify-contract/src/server/path-and-method.ts'
import { constantHeaders, omitLengthOfHead } from '../packages/fastify-contract/src/server/send.ts'
import { type Stage, inOrder } from '../packages/fastify-contract/src/server/hooks.ts'
import { registerHealth } from './monitoring/health.ts'
import { type OnAnswered, RequestLog, followResponse, requestIdOf } from './monitoring/request-log.ts'
import type { Store } from './store/store.ts'

export interface AppOptions {
  contract: Contract
  /** The handler of each operation; the engine refuses to start when one is missing. */
  handlers: Partial<Handlers<HandlerContext>>
  store: Store
  log: FastifyBaseLogger
  /**
   * The most requests a minute for one caller, and the most refused tokens a minute from one address; undefined when
   * there is no limit.
   */
  rateLimit: number | undefined
  /** The addresses of proxies whose `X-Forwarded-For` is trusted. */
  trustedProxies?: string | undefined
  /** Verifies JSON Web Tokens; undefined when none are accepted. */
  verifyJwt?: TokenFinder | undefined
  /** The origins whose pages may use the service; undefined when no other origin may. */
  corsOrigins?: string[] | undefined
  /** Receives measurements. */
  observer?: AppObserver | undefined
  /** Limits that replace those of `defaultLimits`. */
  limits?: Partial<Limits>
  /** Returns the time in milliseconds since 1970-01-01T00:00:00Z. */
  now?: () => number
}

/** Receives the measurements of a server. */
export interface AppObserver {
  answered: OnAnswered
  /** A handler's reply broke the contract. */
  contractBroken: (operation: string) => void
}

/**
 * Builds the server, ready to listen. Production and tests use the same one.
 *
 * @throws UnservableContract
 */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const {
    contract,
    handlers,
    store,
    log,
    rateLimit,
    trustedProxies,
    verifyJwt,
    corsOrigins,
    observer,
    now = Date.now,
  } = options
  const limits = { ...defaultLimits, ...options.limits }
  const uses = new TokenUses(store, (error) => {
    log.error({ err: error }, 'when tokens were used is not recorded')
  })
  const noteUse = uses.note.bind(uses)
  const verifiers = createVerifiers({ tokens: store, now, noteUse, verifyJwt })
  const schemes = new Map<string, VerifiedScheme>()
  for (const [name, scheme] of securitySchemesOf(dereference(contract.document))) {
    const verify = verifiers[scheme.kind]
    if (verify !== undefined) schemes.set(name, { ...scheme, verify })
  }
  const operations = await createEngine({
    contract: contract.document,
    handlers,
    services: createServices(store),
    securitySchemes: [...schemes.keys()],
    onViolation: observer?.contractBroken,
  })

  const connections = new OpenConnections(limits.pipelinedRequests, () => {
    log.info(
      `connection closed: more than ${String(limits.pipelinedRequests)} requests wait for the answer before them`,
    )
  })
  const onRefused = (status: number) => observer?.answered(undefined, status, undefined)
  const app = fastify({
    serverFactory: (listener) => createHttpServer(listener, connections, limits, { log, onRefused }),
    loggerInstance: log,
    logController: new RequestLog(),
    // A child logger for each request is not needed: the one line of a request has its id.
    childLoggerFactory: (logger) => logger,
    genReqId: requestIdOf,
    bodyLimit: limits.bodyBytes,
    rewriteUrl: ({ url = '/' }) => routedUrl(url),
    routerOptions: { maxParamLength: limits.headerBytes },
    return503OnClosing: false,
    // No route has a schema of Fastify's. Without these Fastify would load an Ajv and a serializer of its own.
    schemaController: { compilersFactory: { buildValidator: noRouteSchema, buildSerializer: noRouteSchema } },
    ...(trustedProxies === undefined ? {} : { trustProxy: trustedProxies }),
    // Fastify's own listener; answerConnectionErrors answers in its place.
    clientErrorHandler: () => undefined,
  })
  const isClosing = registerClosing(app, connections, limits)

  const begin: Stage = (request, reply) => {
    reply.headers(constantHeaders).header('x-request-id', request.id)
    followResponse(request, reply, observer?.answered)
    return undefined
  }
  app.addHook('onRequest', inOrder([begin]))
  // Loaded only if configured, which saves start time and memory.
  if (corsOrigins !== undefined) {
    const { registerCors } = await import('../packages/fastify-contract/src/server/cors.ts')
    const keyHeaders = [...schemes.values()]
      .filter((scheme) => scheme.kind === 'apiKey' && scheme.in === 'header')
      .map(({ name }) => name)
    await registerCors(app, corsOrigins, operationsOf(dereference(contract.document)), keyHeaders)
  }
  // Every request passes these stages, in the order that the contract promises.
  app.addHook('onRequest', inOrder([refuseMalformed, refuseUnmatched(app)]))
  registerErrors(app)
  omitLengthOfHead(app)
  registerHealth(app, async () => !isClosing() && (await store.isReady()))
  await app.register((scope) => registerDocs(scope, contract))
  app.addHook('onClose', () => uses.write())

  const rateLimits =
    rateLimit === undefined ? undefined : (await import('./rate-limit/rate-limits.ts')).createRateLimits(rateLimit)
  // A request of an operation passes these stages next. Then its body is read and validated, and its handler called.
  const stagesOf = (operation: BoundOperation): Stage[] =>
    [
      refuseLessConcrete(app, operations, operation),
      rateLimits?.limitAddress,
      authenticate(operation, {
        schemes,
        onRefused: rateLimits?.countRefused,
        onForbidden: rateLimits?.limitCaller,
      }),
      // Several requests of one address may have been authenticated at the same time.
      rateLimits?.limitAddress,
      rateLimits?.limitCaller,
      expectContent(operation),
    ].filter((stage) => stage !== undefined)
  await app.register((scope, _options, done) => {
    registerOperations(scope, {
      operations,
      basePaths: basePathsOf(contract.document),
      stagesOf,
      bodyLevels: limits.bodyLevels,
      unread: new UnreadBytes(limits.unreadBytes),
    })
    done()
  })
  return app
}

function noRouteSchema(): never {
  throw new Error('openapi-backend validates requests; a route has no schema of its own')
}
