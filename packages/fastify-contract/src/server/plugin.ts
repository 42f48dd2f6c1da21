import type { Server } from 'node:http'
import type { FastifyInstance, FastifyRequest, FastifyServerOptions, onRequestHookHandler } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { basePathsOf, dereference, operationsOf } from '../document/document.ts'
import type { Contract } from '../document/load-contract.ts'
import { type SecurityScheme, securitySchemesOf } from '../document/security.ts'
import { type AnyHandler, type BoundOperation, createEngine } from '../engine/engine.ts'
import { type VerifiedScheme, type Verifier, authenticate, requireScopes } from './authentication.ts'
import { registerClosing } from './connections/graceful-shutdown.ts'
import { createJsonReader, expectContent } from './content.ts'
import type { RefusalOptions } from './connections/connection-errors.ts'
import { createHttpServer } from './connections/http-server.ts'
import { OpenConnections } from './connections/open-connections.ts'
import { registerDocs } from './docs/docs.ts'
import { registerErrorHandler } from './error-handler.ts'
import { type Limits, defaultLimits } from './limits.ts'
import { registerOperations } from './operations.ts'
import { refuseLessConcrete, refuseRequests, routedUrl } from './path-and-method.ts'
import type { FailureBody } from '../engine/refusal.ts'
import { constantHeaders, createReplySender, omitLengthOfHead } from './send.ts'

/** What the server needs for what lies below Fastify. */
export interface ServerSettings extends RefusalOptions {
  /** Limits that replace those of `defaultLimits`. */
  limits?: Partial<Limits> | undefined
}

/** What the plugin takes over from the options that the server was created with. */
const createdWith = new WeakMap<Server, { connections: OpenConnections; limits: Limits; failureBody: FailureBody }>()

/**
 * Makes the options of Fastify for what lies below a plugin: Node's server with all limits of a connection, one request
 * of a connection at a time, and the answers to bytes that Node's parser refuses. More options may be added.
 *
 * @example
 * const app = fastify(fastifyOptions({ logger, failureBody }))
 * await app.register(fastifyContract, { contract, handlers, ... })
 */
export function fastifyOptions({ limits: given, ...refusals }: ServerSettings) {
  const { logger, failureBody } = refusals
  const limits = { ...defaultLimits, ...given }
  const connections = new OpenConnections(limits.pipelinedRequests, () => {
    logger.info(
      `connection closed: more than ${String(limits.pipelinedRequests)} requests are waiting for earlier responses`,
    )
  })
  return {
    serverFactory: (listener) => {
      const server = createHttpServer(listener, connections, limits, refusals)
      createdWith.set(server, { connections, limits, failureBody })
      return server
    },
    loggerInstance: logger,
    // The log line of a request has its id, so it needs no logger of its own.
    childLoggerFactory: (parent) => parent,
    bodyLimit: limits.bodyBytes,
    rewriteUrl: routedUrl,
    routerOptions: { maxParamLength: limits.headerBytes },
    return503OnClosing: false,
    // No route has a schema of Fastify's. Without these Fastify would load an Ajv and a serializer of its own.
    schemaController: { compilersFactory: { buildValidator: noRouteSchema, buildSerializer: noRouteSchema } },
    // Fastify's own listener; answerConnectionErrors answers in its place.
    clientErrorHandler: () => undefined,
  } satisfies FastifyServerOptions
}

function noRouteSchema(): never {
  throw new Error('a route must not have a schema; openapi-backend validates requests')
}

/** What a server of a contract needs. */
export interface ContractOptions {
  contract: Contract
  /** The handler of each operation, by operationId. `Handlers` is the type that proves that none is missing. */
  handlers: Partial<Record<string, AnyHandler>>
  /** What each handler receives beside the caller. */
  services: object
  /** Verifies the credentials of a security scheme; undefined for a scheme that this service does not verify. */
  verifierOf: (scheme: SecurityScheme, name: string) => Verifier | undefined
  /** The protection space that challenges name (RFC 9110, section 11.5). */
  realm: string
  /** An SVG for the docs page. */
  favicon: string
  /** The origins whose pages may use the service; undefined when no other origin may. */
  corsOrigins?: string[] | undefined
  /** Run before the credentials of a request are verified. */
  beforeAuthentication?: onRequestHookHandler[] | undefined
  /** Run when it is known who the caller is, also where the credentials lack a scope. */
  afterAuthentication?: onRequestHookHandler[] | undefined
  /** Receives a request whose credentials are not valid; what it throws is answered instead of 401. */
  onCredentialsRefused?: ((request: FastifyRequest) => void) | undefined
  /** Receives the operationId of each handler's reply that breaks the contract. */
  onContractBroken?: ((operationId: string) => void) | undefined
}

/**
 * Serves a contract: its operations, its documents and the docs page. A request passes, in this order: path and method,
 * authentication, media type and size, JSON, validation, the handler, validation of its reply.
 *
 * @throws UnservableContract
 */
async function serveContract(app: FastifyInstance, options: ContractOptions): Promise<void> {
  const { contract, handlers, services, verifierOf, realm, favicon, corsOrigins } = options
  const settings = createdWith.get(app.server)
  if (settings === undefined) throw new Error('create the server with fastify(fastifyOptions({ logger, failureBody }))')
  const { connections, limits, failureBody } = settings
  const document = dereference(contract.document)
  const schemes = new Map<string, VerifiedScheme>()
  for (const [name, scheme] of securitySchemesOf(document)) {
    const verify = verifierOf(scheme, name)
    if (verify !== undefined) schemes.set(name, { ...scheme, verify })
  }
  const operations = await createEngine({
    document,
    handlers,
    services,
    securitySchemes: [...schemes.keys()],
    onContractBroken: options.onContractBroken,
  })

  registerClosing(app, connections, limits)
  registerErrorHandler(app, failureBody)
  app.decorateRequest('caller')
  app.decorateRequest('lackingScope')
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(constantHeaders).header('x-request-id', request.id)
    done()
  })
  // Loaded only if configured, which saves start time and memory.
  if (corsOrigins !== undefined) {
    const { registerCors } = await import('./cors.ts')
    await registerCors(app, corsOrigins, operationsOf(document), [...schemes.values()])
  }
  app.addHook('onRequest', refuseRequests(app))
  omitLengthOfHead(app)
  await app.register((scope) => registerDocs(scope, contract, favicon))
  const operationsOptions = {
    operations,
    basePaths: basePathsOf(document),
    onRequestOf: (operation: BoundOperation) => [
      ...refuseLessConcrete(app, operations, operation),
      ...(options.beforeAuthentication ?? []),
      ...authenticate(operation, { schemes, realm, onRefused: options.onCredentialsRefused }),
      ...(options.afterAuthentication ?? []),
      ...requireScopes(operation),
      expectContent(operation),
    ],
    readBody: createJsonReader(limits.bodyLevels),
    send: createReplySender(limits.unreadBytes),
  }
  await app.register((scope) => Promise.try(registerOperations, scope, operationsOptions))
}

/** The plugin for a server that was created with `fastifyOptions`. Its hooks and its error handler are the server's. */
export const fastifyContract = fastifyPlugin(serveContract, { name: 'fastify-contract', fastify: '5.x' })
