import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import {
  type BasicCredentials,
  type Contract,
  type ContractOptions,
  type ContractTypes,
  type Limits,
  Refusal,
  fastifyContract,
  fastifyOptions,
} from 'fastify-contract'
import type { ContractOperation } from 'fastify-contract/document'
import { documentOf, operationsIn, operationsOf, sealContract } from 'fastify-contract/document'
import { parseJsonWithBigInts } from 'fastify-contract/json'
import { type SecurityScheme, requiredSchemesOf } from 'fastify-contract/security'
import { nameAlternatives } from '../generate/name-alternatives.ts'
import { contractTexts } from '../generate/write-contract.ts'
import { declaredSuccessOf, readContract, successOf } from '../suite/ground/contract.ts'
import type { SchemaSource } from '../suite/draw/flat-schema.ts'
import { NoGenerator } from '../suite/ground/no-generator.ts'
import { Collections } from './collections.ts'
import { fitFailures } from './fit-failures.ts'
import { type RequestValues, exampledBy, preferenceOf, preferredType } from './preferences.ts'
import { type MockReply, replyOf } from './replies.ts'

/** How a mock is served. */
export type MockSettings = Pick<ContractOptions<ContractTypes, object, object>, 'docs' | 'onContractBroken'> & {
  /**
   * The credentials that are accepted, by the names of their schemes, as they are sent: those of each caller in its place.
   * Of the other schemes, any are.
   */
  auth?: Readonly<Record<string, readonly string[]>>
  /** Those that are not the server's. */
  limits?: Pick<Limits, 'bodyBytes'>
  /** Takes each refusal and its reason, in one line. */
  onRefusal?: ((line: string) => void) | undefined
}

/** What a handler receives. */
interface MockInput extends RequestValues {
  accept?: string
}

interface MockContext {
  request: FastifyRequest
  auth: Readonly<Record<string, unknown>>
}

type MockHandler = (input: MockInput, context: MockContext) => MockReply

/** Whom credentials are of. Each has a memory of its own. */
class Caller {
  readonly scopes = 'all'
  readonly index: number

  constructor(index: number) {
    this.index = index
  }
}

/**
 * Makes a handler for each operation of a contract. It replies with the examples of the contract, else with valid values,
 * and remembers what was posted to a collection.
 */
export function mockHandlers(contract: Contract): Record<string, MockHandler> {
  const document = documentOf(contract)
  const operations = operationsOf(document)
  const { schemas = {} } = nameAlternatives(document, 'values').components ?? {}
  // Values are checked by the schemas as they are, which allow examples that have other names.
  const source: SchemaSource = { ...readContract(document), schemas, direction: 'response' }
  const memories: Collections[] = []

  const replyTo = (operation: ContractOperation, input: MockInput, { request, auth }: MockContext): MockReply => {
    const { path = {}, body } = input
    const accept = preferredType(body, input.accept, request.headers.accept)
    const preference = preferenceOf(request.headers['prefer'], operation)
    if (preference !== undefined) return replyOf(operation, source, { accept, path, ...preference })
    const chosen = exampledBy(operation, input) ?? { status: successOf(operation) }
    const url = request.url.split('?', 1).join()
    const type = request.headers['content-type'] ?? ''
    const isFailure = chosen.status >= 400
    // Callers may share credentials of another scheme, which are those of the first.
    const caller = Math.max(0, ...Object.values(auth).map((found) => (found instanceof Caller ? found.index : 0)))
    const collections = (memories[caller] ??= new Collections(operations, source))
    const remembered = isFailure
      ? undefined
      : collections.reply(operation, { url, path, body, type, accept, example: chosen.example })
    return remembered ?? replyOf(operation, source, { accept, path, ...chosen })
  }
  const handlerOf =
    (operation: ContractOperation): MockHandler =>
    (input, context) => {
      try {
        return replyTo(operation, input, context)
      } catch (error) {
        if (!(error instanceof NoGenerator)) throw error
        throw new Refusal('not_implemented', `${error.message}; give the response an example`)
      }
    }
  return Object.fromEntries(operations.map((operation) => [operation.id, handlerOf(operation)]))
}

/** Makes a server without handlers. It accepts any credentials of the right form where none are given. */
export async function createMock(
  contract: Contract,
  { docs, onContractBroken, onRefusal, auth: accepted = {}, limits }: MockSettings = {},
): Promise<FastifyInstance> {
  const served = withSuccesses(contract)
  const document = documentOf(served)
  const operations = operationsOf(document)
  const schemes = requiredSchemesOf(document, operations)
  const acceptedOf = new Map(Object.entries(accepted))
  const auth = Object.fromEntries(
    [...schemes].map(([name, scheme]) => [name, verifierOf(scheme, acceptedOf.get(name))]),
  )
  // No load balancer waits for it to leave.
  const app = fastify(fastifyOptions({ limits: { ...limits, shutdownDelayMilliseconds: 0 } }))
  // The types of a contract that was just read are not known.
  const untyped: Contract<{ operations: object; security: object; schemes: object }> = served
  const handlers = mockHandlers(served)
  fitFailures(app, { ...readContract(document), direction: 'response' }, onRefusal)
  await app.register(fastifyContract(untyped, { handlers, auth, docs, onContractBroken, compilesOnDemand: true }))
  return app
}

/** The operations of a contract that declare no success. A mock answers them with 204. */
export function withoutSuccess(contract: Contract): ContractOperation[] {
  return operationsOf(documentOf(contract)).filter((operation) => declaredSuccessOf(operation) === undefined)
}

/** Declares 204 where an operation declares no success: the server sends nothing that is not declared. */
function withSuccesses(contract: Contract): Omit<Contract, 'types'> {
  const without = withoutSuccess(contract)
  if (without.length === 0) return contract
  const document = structuredClone(documentOf(contract))
  for (const { path, method } of without) {
    const operation = operationsIn(document.paths?.[path] ?? {}).find((each) => each.method === method)?.written
    if (operation !== undefined) operation.responses = { ...operation.responses, 204: { description: 'Done.' } }
  }
  const written = parseJsonWithBigInts(contract.document)
  return sealContract({ ...contract, ...contractTexts({ written, document }) })
}

/** @param accepted as they are sent; undefined for any */
function verifierOf({ kind, scheme }: SecurityScheme, accepted: readonly string[] | undefined) {
  return (given: string | BasicCredentials) => {
    const text = typeof given === 'string' ? given : Buffer.from(`${given.user}:${given.password}`).toString('base64')
    const sent = kind === 'apiKey' || kind === 'http' ? text : `${scheme} ${text}`
    const index = accepted === undefined ? 0 : accepted.indexOf(sent)
    return index === -1 ? undefined : new Caller(index)
  }
}
