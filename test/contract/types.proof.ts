/**
 * What the compiler refuses, proven by `npm run typecheck` alone: nothing runs this file. A directive
 * `@ts-expect-error` is itself an error where the line below it compiles, and the twin beside each shows
 * that it is the named fault that is refused and nothing else of the line.
 */
import type { CallerKind } from '../../packages/fastify-contract/src/document/security.ts'
import type { operations } from '../../generated/openapi.ts'
import type { Encoded } from 'fastify-contract'
import type { ContextWith, Handler as AnyHandler } from '../../packages/fastify-contract/src/types/handler-types.ts'
import { type Handlers, type Input, type OperationId, type Reply, type Schemas, failure } from '../../src/contract.ts'

type Handler<Id extends OperationId, Context> = AnyHandler<operations, Id, Context>

/** What a handler receives beside the request. */
interface Context {
  caller: string
}

declare const handlers: Handlers<Context>
declare const plant: Schemas['Plant']
declare const stored: Promise<Schemas['Plant']>
declare const input: { list: Input<'listPlants'>; create: Input<'createPlant'>; delete: Input<'deletePlant'> }

/** Compiles for `true` alone. */
type Holds<Statement extends true> = Statement
type Same<A, B> = [A, B] extends [B, A] ? true : false

// An operation without a handler.
export const complete = { ...handlers } satisfies Handlers<Context>
const { deletePlant: _, ...others } = handlers
// @ts-expect-error -- deletePlant is missing
export const incomplete = others satisfies Handlers<Context>

// A handler for no operation.
export const leftOver = {
  ...complete,
  // @ts-expect-error -- the contract has no waterPlant
  waterPlant: handlers.listPlants,
} satisfies Handlers<Context>
// An operation more in the contract changes nothing here.
export type operationIds = Holds<'listPlants' | 'createPlant' | 'deletePlant' extends OperationId ? true : false>

// A handler in the place of another.
export const inPlace: Handler<'createPlant', Context> = handlers.createPlant
// @ts-expect-error -- deletePlant answers 204 and 404, which createPlant does not declare
export const misplaced: Handler<'createPlant', Context> = handlers.deletePlant

// A handler that needs what the context does not have.
interface Services extends Context {
  plants: string
}
export const withServices: Handlers<Services> = handlers
// @ts-expect-error -- the context has no plants
export const withoutServices: Handlers<Context> = withServices

// A body.
export const declaredBody = (): Reply<'createPlant'> => ({ status: 200, body: { name: 'Aloe vera', tag: 'indoor' } })
// @ts-expect-error -- a plant has no colour
export const undeclaredField = (): Reply<'createPlant'> => ({ status: 200, body: { name: 'Aloe', colour: 'green' } })
// @ts-expect-error -- a plant that is returned carries no id
export const undeclaredId = (): Reply<'createPlant'> => ({ status: 200, body: { id: 54n, name: 'Aloe vera' } })
// @ts-expect-error -- a plant has a name
export const missingField = (): Reply<'createPlant'> => ({ status: 200, body: { tag: 'indoor' } })
// @ts-expect-error -- 200 has a body
export const missingBody = (): Reply<'createPlant'> => ({ status: 200 })
// @ts-expect-error -- a tag is absent, not undefined: undefined would be a property of the reply
export const undefinedField = (): Reply<'createPlant'> => ({ status: 200, body: { name: 'Aloe vera', tag: undefined } })
export const noBody = (): Reply<'deletePlant'> => ({ status: 204 })
// @ts-expect-error -- 204 has no body
export const undeclaredBody = (): Reply<'deletePlant'> => ({ status: 204, body: plant })
export const listBody = (): Reply<'listPlants'> => ({ status: 200, body: [plant] })
// @ts-expect-error -- the list is an array
export const otherBody = (): Reply<'listPlants'> => ({ status: 200, body: plant })

// A status.
// @ts-expect-error -- createPlant declares 200, not 201
export const undeclaredStatus = (): Reply<'createPlant'> => ({ status: 201, body: { name: 'Aloe vera' } })
// @ts-expect-error -- deletePlant declares 204, not 200
export const statusOfAnother = (): Reply<'deletePlant'> => ({ status: 200, body: [plant] })

// A header.
const busy = { status: 503, body: { error: 50300, message: '' } } as const
export const declaredHeader = (): Reply<'createPlant'> => ({ ...busy, headers: { 'Retry-After': 1 } })
// @ts-expect-error -- 503 has Retry-After
export const missingHeader = (): Reply<'createPlant'> => ({ ...busy, headers: {} })
// @ts-expect-error -- 503 has headers
export const missingHeaders = (): Reply<'createPlant'> => ({ status: 503, body: { error: 50300, message: '' } })
// @ts-expect-error -- Retry-After is a number of seconds
export const headerOfAnotherType = (): Reply<'createPlant'> => ({ ...busy, headers: { 'Retry-After': 'soon' } })
// @ts-expect-error -- 503 declares no Location
export const undeclaredHeader = (): Reply<'createPlant'> => ({ ...busy, headers: { 'Retry-After': 1, Location: '/' } })
export const emptyHeaders = (): Reply<'createPlant'> => ({ status: 200, body: { name: 'Aloe vera' }, headers: {} })
// @ts-expect-error -- 200 declares no header of its own
export const firstHeader = (): Reply<'createPlant'> => ({ status: 200, body: plant, headers: { Location: '/' } })
// @ts-expect-error -- 204 declares no header of its own
export const headerWithoutBody = (): Reply<'deletePlant'> => ({ status: 204, headers: { Location: '/plants' } })

// A failure whose status the operation does not declare.
export const exists = (): Reply<'createPlant'> => failure('plant_exists', '')
// @ts-expect-error -- listPlants does not declare 409
export const existsInList = (): Reply<'listPlants'> => failure('plant_exists', '')
// @ts-expect-error -- deletePlant does not declare 409
export const existsInDelete = (): Reply<'deletePlant'> => failure('plant_exists', '')
export const notFound = (): Reply<'deletePlant'> => failure('plant_not_found', '')
// @ts-expect-error -- createPlant does not declare 404
export const notFoundInCreate = (): Reply<'createPlant'> => failure('plant_not_found', '')
// @ts-expect-error -- no operation declares 405
export const notAllowed = (): Reply<OperationId> => failure('method_not_allowed', '')

// A failure's headers and name.
export const retry = (): Reply<'listPlants'> => failure('unavailable', '', { 'Retry-After': 1 })
// @ts-expect-error -- 503 has Retry-After
export const noRetry = (): Reply<'listPlants'> => failure('unavailable', '')
// @ts-expect-error -- 503 has Retry-After, not Location
export const retryElsewhere = (): Reply<'listPlants'> => failure('unavailable', '', { Location: '/plants' })
// @ts-expect-error -- 409 declares no header of its own
export const existsSoon = (): Reply<'createPlant'> => failure('plant_exists', '', { 'Retry-After': 1 })
// @ts-expect-error -- the contract has no header Location
export const retryAndMore = (): Reply<'listPlants'> => failure('unavailable', '', { 'Retry-After': 1, Location: '/' })
// @ts-expect-error -- the contract has no such failure
export const unknownFailure = (): Reply<'createPlant'> => failure('plant_wilted', '')

// Promises of replies are held to the same.
type Create = Handler<'createPlant', Context>
type Created = Promise<Reply<'createPlant'>>
export const later: Create = async (): Created => ({ status: 200, body: await stored })
// @ts-expect-error -- a plant that is returned carries no id
export const laterWithId: Create = async (): Created => ({ status: 200, body: { id: 54n, ...(await stored) } })

// An int64 is a bigint, an int32 a number.
export type idInBody = Holds<Same<typeof input.create.body.id, bigint>>
export type idInPath = Holds<Same<typeof input.delete.path.id, bigint>>
export type limit = Holds<Same<typeof input.list.query.limit, number | undefined>>
// @ts-expect-error -- an int64 in a double would be rounded
export const rounded: number = input.create.body.id
// @ts-expect-error -- a double is no int64
export const widened: typeof input.delete.path = { id: 54 }

// An operation has the caller that its security gives it.
interface Handled extends Context {
  plants: string
}
declare const contexts: { [Kind in CallerKind]: ContextWith<Kind, Handled> }
export const caller: string = contexts.required.caller
export const optionalCaller: string | undefined = contexts.optional.caller
// @ts-expect-error -- a request without credentials has no caller
export const certainCaller: string = contexts.optional.caller
// @ts-expect-error -- an operation that everybody may call has no caller
export const noCaller: unknown = contexts.none.caller
export const services: string[] = [contexts.required.plants, contexts.optional.plants, contexts.none.plants]
export const openHandler = (_input: unknown, _context: ContextWith<'none', Handled>): void => undefined
export const serving: (input: unknown, context: ContextWith<'optional', Handled>) => void = openHandler
export const closedHandler = (_input: unknown, _context: Handled): void => undefined
// @ts-expect-error -- the handler needs a caller, which the operation may not have
export const served: (input: unknown, context: ContextWith<'optional', Handled>) => void = closedHandler

// What an operation does not take is not there.
// @ts-expect-error -- listPlants has no path parameter
export const pathOfList: unknown = input.list.path.id
export type bodyOfList = Holds<Same<typeof input.list.body, undefined>>

// A body that was encoded elsewhere still says what it is.
export const encoded = (plants: Encoded<Schemas['Plant'][]>): Reply<'listPlants'> => ({ status: 200, body: plants })
// @ts-expect-error -- one plant where a list is declared
export const encodedPlant = (one: Encoded<Schemas['Plant']>): Reply<'listPlants'> => ({ status: 200, body: one })
// @ts-expect-error -- text that says nothing of its content
export const encodedAnything = (text: Encoded<unknown>): Reply<'listPlants'> => ({ status: 200, body: text })
// @ts-expect-error -- bare text
export const bareText = (text: string): Reply<'listPlants'> => ({ status: 200, body: text })
