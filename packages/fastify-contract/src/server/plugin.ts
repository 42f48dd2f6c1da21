import type { Server } from 'node:http'
import type { FastifyBaseLogger, FastifyInstance, FastifyPluginAsync, FastifyServerOptions } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { type Contract, UnservableContract, checkSources, documentOf, regenerate } from '../document/contract.ts'
import { type ContractDocument, basePathsOf, operationsOf } from '../document/document.ts'
import { requiredSchemesOf } from '../document/security.ts'
import { type BoundOperation, createEngine } from '../engine/engine.ts'
import type { Auth, ContractTypes } from '../types/handler-types.ts'
import { type VerifiedScheme, type Verify, authenticate, authenticated, requireScopes } from './authentication.ts'
import { compileValidators } from './compile-validators.ts'
import { registerClosing } from './connections/graceful-shutdown.ts'
import { createHttpServer } from './connections/http-server.ts'
import { OpenConnections } from './connections/open-connections.ts'
import { expectContent } from './content.ts'
import { registerDocs } from './docs/docs.ts'
import { registerErrorHandler } from './error-handler.ts'
import { failureWarning } from './failure-fit.ts'
import { type FailureForm, problemDetails } from './failure-form.ts'
import { type Limits, defaultLimits } from './limits.ts'
import { registerOperations } from './operations.ts'
import type { AnyContractOptions, ContractOptions, ServerSettings } from './options.ts'
import { refuseLessConcrete, refuseMethods, refuseRequests, routedUrl } from './path-and-method.ts'
import { createReplySender, omitLengthOfHead } from './send.ts'

/** What `fastifyOptions` and the plugin share, for each server. */
const sharedOf = new WeakMap<Server, { connections: OpenConnections; limits: Limits; failureForm: FailureForm }>()

/**
 * Makes the Fastify options for the layers below the plugin: a Node server with limits on connections, one request at a
 * time on each connection, and responses to malformed HTTP. Other options may be added.
 *
 * @example
 * const app = fastify(fastifyOptions({ logger }))
 * await app.register(fastifyContract(contract, { handlers, auth }))
 */
export function fastifyOptions({ logger = silent, ...settings }: ServerSettings = {}) {
  const limits = { ...defaultLimits, ...settings.limits }
  const connections = new OpenConnections(limits.pipelinedBytes, () => {
    logger.info(`connection closed: more than ${String(limits.pipelinedBytes)} bytes wait behind unanswered requests`)
  })
  const shared = { connections, limits, failureForm: problemDetails }
  const failureForm: FailureForm = (failure) => shared.failureForm(failure)
  return {
    serverFactory: (listener) => {
      const server = createHttpServer(listener, connections, limits, { ...settings, logger, failureForm })
      sharedOf.set(server, shared)
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

const ignore = () => undefined
const silent: FastifyBaseLogger = {
  level: 'silent',
  child: () => silent,
  ...{ fatal: ignore, error: ignore, warn: ignore, info: ignore, debug: ignore, trace: ignore, silent: ignore },
}

/**
 * Makes the plugin that serves a contract: operations, documents and docs page. The order of a request: path and method,
 * authentication, the `preParsing` hooks of the service, scopes, media type and size, JSON, validation, handler, validation
 * of the reply.
 *
 * On a server that was created with `fastifyOptions`, its error handler and headers apply to all routes. On any other, they
 * apply to the operations and the docs page; a wrong method on the path of an operation is answered 405.
 *
 * @param contract of `generated/contract.ts`
 * @returns a plugin whose registration throws UnservableContract
 */
export function fastifyContract<
  const Types extends ContractTypes,
  Verifiers extends Auth<Types['schemes']>,
  Services extends object = object,
>(contract: Contract<Types>, options: ContractOptions<Types, Services, Verifiers>): FastifyPluginAsync {
  // The types of the contract are those of its handlers and verifiers.
  const untyped: AnyContractOptions = options
  return fastifyPlugin(
    async (app: FastifyInstance) => {
      const shared = sharedOf.get(app.server)
      if (shared === undefined) {
        await app.register((scope) => serveContract(scope, contract, untyped, defaultLimits))
        const { basePaths = basePathsOf(documentOf(contract)), failureForm = problemDetails } = untyped
        refuseMethods(app, operationsOf(documentOf(contract)), basePaths, failureForm)
        return
      }
      shared.failureForm = untyped.failureForm ?? problemDetails
      registerClosing(app, shared.connections, shared.limits)
      await serveContract(app, contract, untyped, shared.limits)
    },
    { name: 'fastify-contract', fastify: '5.x' },
  )
}

/** @param app the whole server, or a context of its own */
async function serveContract(
  app: FastifyInstance,
  contract: Contract,
  options: AnyContractOptions,
  limits: Limits,
): Promise<void> {
  await checkSources(contract)
  const document = documentOf(contract)
  const { handlers, auth = {}, services = {}, failureForm = problemDetails, docs = '/docs', onContractBroken } = options
  const realm = quotable(options.realm ?? document.info.title)
  const { schemes, problems } = verifySchemes(document, auth)
  const operations = await createEngine({
    document,
    handlers,
    services,
    remedy: regenerate(contract),
    problems,
    bodyLevels: limits.bodyLevels,
    onContractBroken,
    checksEncoded: options.checksEncoded,
  })
  const warning = failureWarning(operations, failureForm, { schemes, realm })
  if (warning !== undefined) app.log.warn(warning)

  compileValidators(app, operations)
  const isWhole = sharedOf.has(app.server)
  registerErrorHandler(app, failureForm, isWhole)
  app.decorateRequest(authenticated)
  app.addHook('onRequest', refuseRequests(app, failureForm, isWhole && docs !== false ? docs : undefined))
  omitLengthOfHead(app)
  const operationsOptions = {
    operations,
    basePaths: options.basePaths ?? basePathsOf(document),
    onRequestOf: (operation: BoundOperation) => [
      ...refuseLessConcrete(app, operations, operation),
      ...authenticate(operation, { schemes, realm }),
    ],
    // After the hooks of the service, which may count the requests of a caller.
    preParsingOf: (operation: BoundOperation) => [...requireScopes(operation), expectContent(operation)],
    bodyLevels: limits.bodyLevels,
    send: createReplySender(limits.unreadBytes),
  }
  try {
    await app.register((scope) =>
      Promise.resolve().then(() => {
        registerOperations(scope, operationsOptions)
      }),
    )
    const taken = operations.flatMap(({ path }) => operationsOptions.basePaths.map((base) => base + path))
    if (docs !== false) await app.register((scope) => registerDocs(scope, contract, docs, taken))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'FST_ERR_DUPLICATED_ROUTE')) throw error
    const remedy = 'choose another path in the contract, or set basePaths or docs'
    throw new UnservableContract(`${error.message}; ${remedy}`, { cause: error })
  }
}

/** Pairs the schemes of a contract with their verifiers. @returns also a text for each that is missing or left over */
function verifySchemes(document: ContractDocument, auth: object) {
  const verifiers = auth as Partial<Record<string, Verify>>
  const required = requiredSchemesOf(document, operationsOf(document))
  const schemes = new Map<string, VerifiedScheme>()
  for (const [name, scheme] of required) {
    const verify = Object.hasOwn(verifiers, name) ? verifiers[name] : undefined
    if (verify !== undefined) schemes.set(name, { ...scheme, verify })
  }
  const missing = [...required.keys()].filter((name) => !schemes.has(name))
  const leftOver = Object.keys(verifiers).filter((name) => document.components?.securitySchemes?.[name] === undefined)
  const problems = [
    ...missing.map((name) => `components/securitySchemes/${name}: has no verifier; add auth.${name}`),
    ...leftOver.map((name) => `auth.${name}: the contract has no such security scheme`),
  ]
  return { schemes, problems }
}

/** Replaces the characters that a quoted string of HTTP escapes or excludes (RFC 9110, section 5.6.4). */
function quotable(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]|["\\]/gu, '_')
}
