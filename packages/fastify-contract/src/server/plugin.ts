import type { ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { type Contract, UnservableContract, documentOf, readSources, regenerate } from '../document/contract.ts'
import { chooseOperations } from '../document/choose-operations.ts'
import { type ContractDocument, operationsOf } from '../document/document.ts'
import { requiredSchemesOf } from '../document/security.ts'
import { createEngine } from '../engine/engine.ts'
import { withStandIns } from '../engine/not-implemented.ts'
import type { Auth, Chosen, ContractTypes } from '../types/handler-types.ts'
import { type VerifiedScheme, type Verify, authenticate, authenticated, requireScopes } from './authentication.ts'
import { compileValidators } from './compile-validators.ts'
import { type TakeTurn, expectContent } from './content.ts'
import { registerErrorHandler } from './error-handler.ts'
import { failureWarning } from './failure-fit.ts'
import { failuresOf, problemDetails } from './failure-form.ts'
import { type Host, prepareHost } from './host.ts'
import { registerOperations } from './operations.ts'
import { answeringShare } from './connections/graceful-shutdown.ts'
import { cutOff } from './cut-off.ts'
import type { Limits } from './limits.ts'
import type { AnyContractOptions, ContractOptions } from './options.ts'
import { onceSlashed, refuseEmptyParameters, refuseLessConcrete, refuseMalformed } from './path-and-method.ts'
import { registerDocs } from './register-docs.ts'
import { routePathOf } from './route-path.ts'
import { targetSplitterOf } from './request-target.ts'
import { omitLengthOfHead } from './response-headers.ts'
import { createReplySender } from './send.ts'
import { semicolonWarning, uploadWarning } from './start-warnings.ts'

/**
 * Makes the plugin that serves a contract: operations, documents and docs page. The order of a request: path and method,
 * authentication, the `preParsing` hooks of the service, scopes, media type and size, JSON, validation, handler, validation
 * of the reply.
 *
 * On a server that was created with `fastifyOptions`, the error handler and the headers of the first contract apply to all
 * routes. On any other, they apply to the operations and the docs page; a wrong method on the path of an operation is
 * answered 405. The options of `register` may have a `prefix`.
 *
 * @param contract of `generated/contract.ts`
 * @returns a plugin whose registration throws UnservableContract
 */
export function fastifyContract<
  const Types extends ContractTypes,
  Verifiers extends Auth<Chosen<Types, NoInfer<Only>>['schemes']>,
  Services extends object = object,
  const Only extends keyof Types['operations'] = keyof Types['operations'],
>(contract: Contract<Types>, options: ContractOptions<Types, Services, Verifiers, Only>): FastifyPluginAsync {
  // The types of the contract are those of its handlers and verifiers.
  const untyped: AnyContractOptions = options
  return fastifyPlugin(
    async (app: FastifyInstance, { prefix = '' }: { prefix?: string }) => {
      const host = prepareHost(app, untyped.failureForm ?? problemDetails)
      // Traces show the names of contexts; of one without a name, its source.
      const contractScope = (scope: FastifyInstance) => serveContract(scope, contract, untyped, { app, host })
      await app.register(contractScope, { prefix })
    },
    { name: 'fastify-contract', fastify: '5.x || 6.x' },
  )
}

/** @param scope a context of its own */
async function serveContract(
  scope: FastifyInstance,
  contract: Contract,
  options: AnyContractOptions,
  { app, host }: { app: FastifyInstance; host: Host },
): Promise<void> {
  const { limits, connections, contracts } = host
  const source = await readSources(contract)
  const { document, unknown } = chooseOperations(documentOf(contract), options.only)
  const { auth = {}, services = {}, failureForm = problemDetails, docs = '/docs', onContractBroken } = options
  const realm = quotable(options.realm ?? document.info.title)
  const { schemes, problems } = verifySchemes(document, auth)
  problems.push(...unknown.map((id) => `only: the contract has no operation ${id}; correct the name`))
  const { basePaths } = options
  const splitTarget = targetSplitterOf(app)
  const bound = createEngine({
    document,
    ...(await withStandIns(contract, options.handlers)),
    services,
    remedy: regenerate(contract),
    problems,
    bodyLevels: limits.bodyLevels,
    splitTarget,
    onContractBroken,
    checksEncoded: options.checksEncoded,
    compilesOnDemand: options.compilesOnDemand,
  })
  const operations = basePaths === undefined ? bound : bound.map((each) => ({ ...each, basePaths: [...basePaths] }))
  const warning = failureWarning(operations, failureForm, { schemes, realm })
  const failureOf = failuresOf(failureForm)
  const tooSmall = connections === undefined ? undefined : uploadWarning(operations, limits.bodyBytes)
  const unreached = semicolonWarning(
    operationsOf(document).map((each) => ({
      ...each,
      basePaths: (basePaths ?? each.basePaths).map((base) => scope.prefix + base),
    })),
    splitTarget,
  )
  for (const text of [warning, tooSmall, unreached]) if (text !== undefined) app.log.warn(text)

  if (options.compilesOnDemand !== true) compileValidators(scope, operations)
  registerErrorHandler(scope, failureForm, app)
  scope.decorateRequest(authenticated)
  // The hook of a whole server does the same for every route.
  if (connections === undefined) scope.addHook('onRequest', refuseMalformed)
  omitLengthOfHead(scope)
  const paths = operations.flatMap(({ path, basePaths }) => basePaths.map((base) => base + path))
  // A prefix may have parameters, such as `/:tenant`.
  const prefix = scope.prefix.replaceAll(/:(\w+)/g, '{$1}')
  const patterns = paths.map((path) => routePathOf(onceSlashed(prefix + path)).pattern)
  contracts.push({
    pattern: new RegExp(`^(?:${patterns.join('|')})/?$`, 'i'),
    page: docs === false ? undefined : scope.prefix + docs,
    failureForm,
  })
  const streams = new Set<ServerResponse>()
  // Fastify waits for each response, and a stream may have no end. Other servers cut off all that is left.
  if (connections === undefined) endWithServer(scope, streams, limits)
  const operationRoutes = (inner: FastifyInstance) =>
    Promise.resolve().then(() => {
      registerOperations(inner, {
        contract,
        operations,
        onRequestOf: (operation, parameters) => [
          ...refuseEmptyParameters(parameters, connections !== undefined),
          ...refuseLessConcrete(app, operations, operation),
          ...authenticate(operation, { schemes, realm, callerOf: options.callerOf }),
        ],
        // After the hooks of the service, which may count the requests of a caller.
        contentChecksOf: (operation) => [...requireScopes(operation), expectContent(operation)],
        bodyLevels: limits.bodyLevels,
        waitingBodyBytes: limits.waitingBodyBytes,
        takeTurn: connections === undefined ? goOn : connections.turns.work,
        failureOf,
        send: createReplySender(limits.unreadBytes, streams, connections?.readBehind),
      })
    })
  try {
    await scope.register(operationRoutes)
    if (docs !== false) {
      const docsRoutes = (inner: FastifyInstance) =>
        Promise.resolve().then(() => {
          registerDocs(inner, { contract, source, page: docs, taken: paths, basePaths })
        })
      await scope.register(docsRoutes)
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'FST_ERR_DUPLICATED_ROUTE')) throw error
    const remedy = 'choose another path in the contract, or set basePaths or docs'
    throw new UnservableContract(`${error.message}; ${remedy}`, { cause: error })
  }
}

/** A server of other options has no queue. */
const goOn: TakeTurn = (_bytes, step) => {
  step()
}

/** Cuts off open streams of items when the time to stop is over. */
function endWithServer(app: FastifyInstance, streams: ReadonlySet<ServerResponse>, limits: Limits): void {
  app.addHook('preClose', (done) => {
    setTimeout(() => {
      for (const response of streams) cutOff(response)
    }, limits.shutdownGraceMilliseconds * answeringShare).unref()
    done()
  })
}

/** Pairs the schemes of a contract with their verifiers. @returns also a text for each that is missing or left over */
function verifySchemes(document: ContractDocument, verifiers: Partial<Record<string, Verify>>) {
  const required = requiredSchemesOf(document, operationsOf(document))
  const schemes = new Map<string, VerifiedScheme>()
  for (const [name, scheme] of required) {
    const verify = Object.hasOwn(verifiers, name) ? verifiers[name] : undefined
    if (verify !== undefined) schemes.set(name, { ...scheme, verify })
  }
  const missing = [...required.keys()].filter((name) => !schemes.has(name))
  const described = document.components?.securitySchemes ?? {}
  const leftOver = Object.keys(verifiers).filter((name) => !Object.hasOwn(described, name))
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
