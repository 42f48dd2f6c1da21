import type { Server } from 'node:http'
import type { FastifyInstance, FastifyRequest, FastifyServerOptions, onRequestHookHandler } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { basePathsOf, dereference, operationsOf } from '../document/document.ts'
import type { Contract } from '../document/load-contract.ts'
import { type SecurityScheme, securitySchemesOf } from '../document/security.ts'
import { type AnyHandler, type BoundOperation, createEngine } from '../engine/engine.ts'
import { type VerifiedScheme, type Verifier, authenticate, requireScopes } from './authentication.ts'
import { registerClosing } from './connections/graceful-shutdown.ts'
import { expectContent } from './content.ts'
import type { ConnectionErrorOptions } from './connections/connection-errors.ts'
import { createHttpServer } from './connections/http-server.ts'
import { OpenConnections } from './connections/open-connections.ts'
import { registerDocs } from './docs/docs.ts'
import { registerErrorHandler } from './error-handler.ts'
import { compileValidators } from './compile-validators.ts'
import { failureWarning } from './failure-fit.ts'
import { type FailureForm, problemDetails } from './failure-form.ts'
import { type Limits, defaultLimits } from './limits.ts'
import { registerOperations } from './operations.ts'
import { refuseLessConcrete, refuseRequests, routedUrl } from './path-and-method.ts'
import { constantHeaders, createReplySender, omitLengthOfHead } from './send.ts'

/** The settings of the server below Fastify. */
export interface ServerSettings extends Omit<ConnectionErrorOptions, 'failureForm'> {
  /** Makes the reply to each failure that the server sends by itself; `problemDetails` by default. */
  failureForm?: FailureForm | undefined
  /** Replace some of `defaultLimits`. */
  limits?: Partial<Limits> | undefined
}

/** What `fastifyOptions` hands to the plugin, for each server. */
const createdWith = new WeakMap<Server, { connections: OpenConnections; limits: Limits; failureForm: FailureForm }>()

/**
 * Makes the Fastify options for the layers below the plugin: a Node server with limits on connections, one request at a
 * time on each connection, and responses to malformed HTTP. Other options may be added.
 *
 * @example
 * const app = fastify(fastifyOptions({ logger }))
 * await app.register(fastifyContract, { contract, handlers, ... })
 */
export function fastifyOptions({ limits: given, failureForm = problemDetails, ...settings }: ServerSettings) {
  const { logger } = settings
  const limits = { ...defaultLimits, ...given }
  const connections = new OpenConnections(limits.pipelinedBytes, () => {
    logger.info(`connection closed: more than ${String(limits.pipelinedBytes)} bytes wait behind unanswered requests`)
  })
  return {
    serverFactory: (listener) => {
      const server = createHttpServer(listener, connections, limits, { ...settings, failureForm })
      createdWith.set(server, { connections, limits, failureForm })
      return server
    },
    loggerInstance: logger,
    // The log line of a request has its id, so a request needs no logger of its own.
    childLoggerFactory: (parent) => parent,
    bodyLimit: limits.bodyBytes,
    rewriteUrl: routedUrl,
    routerOptions: { maxParamLength: limits.headerBytes },
    return503OnClosing: false,
    // Without these Fastify would load its own Ajv and serializer.
    schemaController: { compilersFactory: { buildValidator: noRouteSchema, buildSerializer: noRouteSchema } },
    // answerConnectionErrors replaces Fastify's listener.
    clientErrorHandler: () => undefined,
  } satisfies FastifyServerOptions
}

function noRouteSchema(): never {
  throw new Error('a route must not have a schema; openapi-backend validates requests')
}

/** The options of the plugin. */
export interface ContractOptions {
  contract: Contract
  /** The handlers by operationId. The type `Handlers` proves that none is missing. */
  handlers: Partial<Record<string, AnyHandler>>
  /** Passed to every handler, together with the caller. */
  services?: object | undefined
  /** Returns the verifier of a security scheme; without one, a text with the reason and the remedy, or undefined. */
  verifierOf: (scheme: SecurityScheme, name: string) => Verifier | string | undefined
  /** The protection space of the challenges (RFC 9110, section 11.5); the contract's title by default. */
  realm?: string | undefined
  /** An SVG for the docs page; none by default. */
  favicon?: string | undefined
  /** The origins whose pages may use the service; none by default. */
  corsOrigins?: string[] | undefined
  /** Hooks before authentication. A service with hooks is taken to limit rates: it may send `rate_limited`. */
  beforeAuthentication?: onRequestHookHandler[] | undefined
  /** Hooks after authentication, before the check of scopes. */
  afterAuthentication?: onRequestHookHandler[] | undefined
  /** Receives a request with invalid credentials; a refusal that it throws replaces the 401. */
  onCredentialsRefused?: ((request: FastifyRequest) => void) | undefined
  /** Receives the operationId of each reply that breaks the contract. */
  onContractBroken?: ((operationId: string) => void) | undefined
}

/**
 * Serves a contract: operations, documents and docs page. The order of a request: path and method, authentication, media
 * type and size, JSON, validation, handler, validation of the reply.
 *
 * @throws UnservableContract
 */
async function serveContract(app: FastifyInstance, options: ContractOptions): Promise<void> {
  const { contract, handlers, services = {}, verifierOf, favicon, corsOrigins } = options
  const realm = quotable(options.realm ?? contract.document.info.title)
  const settings = createdWith.get(app.server)
  if (settings === undefined) throw new Error('create the server with fastify(fastifyOptions({ logger }))')
  const { connections, limits, failureForm } = settings
  const document = dereference(contract.document)
  const schemes = new Map<string, VerifiedScheme>()
  const unverified = new Map<string, string>()
  for (const [name, scheme] of securitySchemesOf(document)) {
    const verify = verifierOf(scheme, name)
    if (typeof verify === 'function') schemes.set(name, { ...scheme, verify })
    else unverified.set(name, verify ?? 'has no verifier')
  }
  const operations = await createEngine({
    document,
    handlers,
    services,
    unverified,
    bodyLevels: limits.bodyLevels,
    onContractBroken: options.onContractBroken,
  })

  const { beforeAuthentication = [], afterAuthentication = [] } = options
  const isLimited = beforeAuthentication.length + afterAuthentication.length > 0
  const warning = failureWarning(operations, failureForm, { schemes, realm, isLimited })
  if (warning !== undefined) app.log.warn(warning)

  compileValidators(app, operations)
  registerClosing(app, connections, limits)
  registerErrorHandler(app, failureForm)
  app.decorateRequest('caller')
  app.decorateRequest('lackingScope')
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(constantHeaders).header('x-request-id', request.id)
    done()
  })
  // Loaded on demand, which saves start time and memory.
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
      ...beforeAuthentication,
      ...authenticate(operation, { schemes, realm, onCredentialsRefused: options.onCredentialsRefused }),
      ...afterAuthentication,
      ...requireScopes(operation),
      expectContent(operation),
    ],
    bodyLevels: limits.bodyLevels,
    send: createReplySender(limits.unreadBytes),
  }
  await app.register((scope) =>
    Promise.resolve().then(() => {
      registerOperations(scope, operationsOptions)
    }),
  )
}

/** Replaces the characters that a quoted string of HTTP escapes or excludes (RFC 9110, section 5.6.4). */
function quotable(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]|["\\]/gu, '_')
}

/** The plugin for a server created with `fastifyOptions`. Its hooks and error handler apply to the whole server. */
export const fastifyContract = fastifyPlugin(serveContract, { name: 'fastify-contract', fastify: '5.x' })
