import { setTimeout } from 'node:timers/promises'
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import {
  type BasicCredentials,
  type Contract,
  type ContractOptions,
  type ContractTypes,
  Refusal,
  fastifyContract,
  fastifyOptions,
  notImplemented,
  unavailable,
} from 'fastify-contract'
import { type ContractOperation, documentOf, operationsOf } from 'fastify-contract/document'
import { type SecurityScheme, requiredSchemesOf } from 'fastify-contract/security'
import { failureFormOf } from '../init/failure-form.ts'
import { readContract, statusesOf, successOf } from '../suite/contract.ts'
import type { SchemaSource } from '../suite/flat-schema.ts'
import { Undrawable } from '../suite/undrawable.ts'
import { Collections } from './collections.ts'
import { fitFailures } from './fit-failures.ts'
import { exampledBy, preferenceOf } from './preferences.ts'
import { type MockReply, replyOf } from './replies.ts'

/** How a mock behaves on purpose. */
export interface MockOptions {
  /** The share of requests that fail with a declared status, from 0 to 1. */
  errors?: number
  /** How long each reply waits, in milliseconds. */
  delay?: number
}

/** How a mock is served. */
export type MockSettings = Pick<ContractOptions<ContractTypes, object, object>, 'docs' | 'onContractBroken'> & {
  /** The credentials that are accepted, by the names of their schemes, as they are sent; any of the others. */
  auth?: Readonly<Record<string, readonly string[]>>
}

/** What a handler receives. */
interface MockInput {
  path?: Record<string, unknown>
  query?: Record<string, unknown>
  header?: Record<string, unknown>
  body?: unknown
  accept?: string
}

type MockHandler = (input: MockInput, context: { request: FastifyRequest }) => Promise<MockReply>

/**
 * Makes a handler for each operation of a contract. It replies with the examples of the contract, else with valid values,
 * and remembers what was posted to a collection.
 */
export function mockHandlers(
  contract: Contract,
  { errors = 0, delay = 0 }: MockOptions = {},
): Record<string, MockHandler> {
  const document = documentOf(contract)
  const operations = operationsOf(document)
  const source: SchemaSource = { ...readContract(document), direction: 'response' }
  const collections = new Collections(operations, source)
  const random = createRandom()

  const replyTo = (operation: ContractOperation, input: MockInput, request: FastifyRequest): MockReply => {
    const { path = {}, body, accept } = input
    if (random() < errors) {
      const failures = statusesOf(operation, 500).filter((status) => status >= 400)
      const status = failures[Math.floor(random() * failures.length)]
      if (status === undefined) throw unavailable('the mock fails on purpose, and the operation declares no failure')
      return replyOf(operation, source, { status, accept })
    }
    const preference = preferenceOf(request.headers['prefer'], operation)
    if (preference !== undefined) return replyOf(operation, source, { accept, ...preference })
    const chosen = exampledBy(operation, input) ?? { status: successOf(operation) }
    const url = request.url.split('?', 1).join()
    const isFailure = chosen.status >= 400
    const remembered = isFailure
      ? undefined
      : collections.reply(operation, { url, path, body, accept, example: chosen.example })
    return remembered ?? replyOf(operation, source, { accept, ...chosen })
  }
  const handlerOf =
    (operation: ContractOperation): MockHandler =>
    async (input, { request }) => {
      if (delay > 0) await setTimeout(delay)
      try {
        return replyTo(operation, input, request)
      } catch (error) {
        if (!(error instanceof Undrawable)) throw error
        throw new Refusal('not_implemented', `${error.message}; give the response an example`)
      }
    }
  return Object.fromEntries(operations.map((operation) => [operation.id, handlerOf(operation)]))
}

/** Numbers from 0 to 1, always the same (Lehmer's generator). */
function createRandom(): () => number {
  let state = 1
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

/** Replaces each handler that is `notImplemented` by that of a mock. */
export function withMock<Handlers extends object>(contract: Contract, handlers: Handlers): Handlers {
  const mock = mockHandlers(contract)
  const entries = Object.entries(handlers).map(([id, handler]: [string, unknown]) => {
    return [id, handler === notImplemented ? mock[id] : handler] as const
  })
  // A mock of an operation replies as the operation declares.
  return Object.fromEntries(entries) as Handlers
}

/** Makes a server without handlers. It accepts any credentials of the right form where none are given. */
export async function createMock(
  contract: Contract,
  options: MockOptions & MockSettings = {},
): Promise<FastifyInstance> {
  const { docs, onContractBroken, auth: accepted = {}, ...behaviour } = options
  const document = documentOf(contract)
  const operations = operationsOf(document)
  const schemes = requiredSchemesOf(document, operations)
  const failureForm = failureFormOf(document, operations)
  const auth = Object.fromEntries([...schemes].map(([name, scheme]) => [name, verifierOf(scheme, accepted[name])]))
  const app = fastify(fastifyOptions())
  // The types of a contract that was just read are not known.
  const untyped = contract as Contract<{ operations: object; security: object; schemes: object }>
  const handlers = mockHandlers(contract, behaviour)
  fitFailures(app, { ...readContract(document), direction: 'response' })
  await app.register(fastifyContract(untyped, { handlers, auth, docs, onContractBroken, failureForm }))
  return app
}

/** @param accepted as they are sent; undefined for any */
function verifierOf({ kind, scheme }: SecurityScheme, accepted: readonly string[] | undefined) {
  return (given: string | BasicCredentials) => {
    const text = typeof given === 'string' ? given : Buffer.from(`${given.user}:${given.password}`).toString('base64')
    const sent = kind === 'apiKey' || kind === 'http' ? text : `${scheme} ${text}`
    return accepted === undefined || accepted.includes(sent) ? { scopes: 'all' as const } : undefined
  }
}
