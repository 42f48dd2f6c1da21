import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { basePathsOf, dereference, operationsOf } from '../document/document.ts'
import type { Contract } from '../document/load-contract.ts'
import { type SecurityScheme, securitySchemesOf } from '../document/security.ts'
import { type AnyHandler, createEngine } from '../engine/engine.ts'
import { type VerifiedScheme, type Verifier, authenticate, requireScopes } from './authentication.ts'
import { registerClosing } from './connections/graceful-shutdown.ts'
import { UnreadBytes } from './connections/unread-bytes.ts'
import { expectContent } from './content.ts'
import { registerDocs } from './docs/docs.ts'
import { registerErrorHandler } from './error-handler.ts'
import { settingsOf } from './fastify-options.ts'
import { registerOperations } from './operations.ts'
import { refuseLessConcrete, refuseMalformed, refuseUnmatched } from './path-and-method.ts'
import { constantHeaders, omitLengthOfHead } from './send.ts'

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
  const { connections, limits, failureBody } = settingsOf(app.server)
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
  app.addHook('onRequest', refuseMalformed)
  app.addHook('onRequest', refuseUnmatched(app))
  omitLengthOfHead(app)
  await app.register((scope) => registerDocs(scope, contract, favicon))
  await app.register((scope, _options, done) => {
    registerOperations(scope, {
      operations,
      basePaths: basePathsOf(document),
      bodyLevels: limits.bodyLevels,
      unread: new UnreadBytes(limits.unreadBytes),
      onRequestOf: (operation) => [
        ...refuseLessConcrete(app, operations, operation),
        ...(options.beforeAuthentication ?? []),
        ...authenticate(operation, { schemes, realm, onRefused: options.onCredentialsRefused }),
        ...(options.afterAuthentication ?? []),
        requireScopes,
        expectContent(operation),
      ],
    })
    done()
  })
}

/** The plugin for a server that was created with `fastifyOptions`. Its hooks and its error handler are the server's. */
export const fastifyContract = fastifyPlugin(serveContract, { name: 'fastify-contract', fastify: '5.x' })
