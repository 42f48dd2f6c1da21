/**
 * What the compiler refuses, proven by `npm run typecheck` alone: nothing runs this file. A directive
 * `@ts-expect-error` is itself an error where the line below it compiles, and the twin beside each shows
 * that it is the named fault that is refused and nothing else of the line.
 */
import type { FastifyRequest } from 'fastify'
import { failed } from '../../src/engine/failed.ts'
import { inputOf } from '../../src/server/operation-input.ts'
import type { Encoded } from '../../src/types/encoded.ts'
import type { Contract } from '../../src/document/contract.ts'
import type { FailureForm } from '../../src/server/failure-form.ts'
import { serve } from '../../src/server/serve.ts'
import type * as types from '../../src/types/handler-types.ts'

/** The operations of a contract as `generated/openapi.ts` has them. */
interface operations {
  listThings: {
    parameters: { query?: { limit?: number }; header?: never; path?: never }
    requestBody?: never
    responses: { 200: Ok<Thing[]>; 503: Busy }
  }
  createThing: {
    parameters: { query?: never; header?: never; path?: never }
    requestBody: { content: { 'application/json': Thing & { id: bigint } } }
    responses: { 200: Ok<Thing>; 409: { headers: Common; content: { 'application/json': Failure } }; 503: Busy }
  }
  deleteThing: {
    parameters: { query?: never; header?: never; path: { id: bigint } }
    requestBody?: never
    responses: { 204: { headers: Common; content?: never }; 503: Busy }
  }
}
interface Common {
  'X-Request-Id': string
  [name: string]: unknown
}
interface Ok<Body> {
  headers: Common
  content: { 'application/json': Body }
}
interface Busy {
  headers: Common & { 'Retry-After': number }
  content: { 'application/json': Failure }
}
interface Thing {
  name: string
  tag?: string
}
interface Failure {
  error: number
  message: string
}
interface Types {
  operations: operations
  schemes: {
    bearer: { credentials: string; scopes: true }
    basic: { credentials: types.BasicCredentials; scopes: false }
  }
  security: { listThings: ['bearer', 'basic'] | ['bearer']; createThing: ['bearer'] | []; deleteThing: [] }
}

type AnyAuth = types.Auth<Types['schemes']>
type Handlers<Services = unknown, Results = types.Found<AnyAuth>> = types.Handlers<Types, Services, Results>
type Handler<Id extends keyof operations> = types.Handler<operations[Id], object>
type Reply<Id extends keyof operations> = types.Reply<operations[Id]>

declare const handlers: Handlers
declare const thing: Thing
declare const stored: Promise<Thing>
declare const input: { [Id in keyof operations]: types.Input<operations[Id]> }

/** Compiles for `true` alone. */
type Holds<Statement extends true> = Statement
type Same<A, B> = [A, B] extends [B, A] ? true : false

// An operation without a handler.
export const complete = { ...handlers } satisfies Handlers
const { deleteThing: _, ...others } = handlers
// @ts-expect-error -- deleteThing is missing
export const incomplete = others satisfies Handlers

// A handler for no operation.
export const leftOver = {
  ...complete,
  // @ts-expect-error -- the contract has no waterThing
  waterThing: handlers.listThings,
} satisfies Handlers

// A handler that needs what the context does not have.
interface Services {
  things: string
}
export const withServices: Handlers<Services> = handlers
// @ts-expect-error -- the context has no things
export const withoutServices: Handlers = withServices

// A body.
export const declaredBody = (): Reply<'createThing'> => ({ status: 200, body: { name: 'a', tag: 'b' } })
// @ts-expect-error -- a thing has no colour
export const undeclaredField = (): Reply<'createThing'> => ({ status: 200, body: { name: 'a', colour: 'green' } })
// @ts-expect-error -- a thing has a name
export const missingField = (): Reply<'createThing'> => ({ status: 200, body: { tag: 'b' } })
// @ts-expect-error -- 200 has a body
export const missingBody = (): Reply<'createThing'> => ({ status: 200 })
// @ts-expect-error -- a tag is absent, not undefined: undefined would be a property of the reply
export const undefinedField = (): Reply<'createThing'> => ({ status: 200, body: { name: 'a', tag: undefined } })
export const noBody = (): Reply<'deleteThing'> => ({ status: 204 })
// @ts-expect-error -- 204 has no body
export const undeclaredBody = (): Reply<'deleteThing'> => ({ status: 204, body: thing })

// A class, whose properties are read; see reply-validation.test.ts.
declare class Named {
  get name(): string
  water(): void
}
export const ofClass = (body: Named): Reply<'createThing'> => ({ status: 200, body })
export const ofError = (error: Error): Reply<'createThing'> => ({ status: 200, body: error })
declare const instant: Date
export const instantText = (): Reply<'createThing'> => ({ status: 200, body: { name: instant.toISOString() } })
// @ts-expect-error -- a name is a text, also where its format is date-time
export const instantItself = (): Reply<'createThing'> => ({ status: 200, body: { name: instant } })
interface mapped {
  responses: { 200: { headers: object; content: { 'application/json': Record<string, number> } } }
}
export const mapOfObject = (): types.Reply<mapped> => ({ status: 200, body: { a: 1 } })
// @ts-expect-error -- JSON shows nothing of a Map
export const mapItself = (body: Map<string, number>): types.Reply<mapped> => ({ status: 200, body })

// A status.
// @ts-expect-error -- createThing declares 200, not 201
export const undeclaredStatus = (): Reply<'createThing'> => ({ status: 201, body: { name: 'a' } })

// A header.
const busy = { status: 503, body: { error: 1, message: '' } } as const
export const declaredHeader = (): Reply<'createThing'> => ({ ...busy, headers: { 'Retry-After': 1 } })
// @ts-expect-error -- 503 has Retry-After
export const missingHeader = (): Reply<'createThing'> => ({ ...busy, headers: {} })
// @ts-expect-error -- Retry-After is a number of seconds
export const headerOfAnotherType = (): Reply<'createThing'> => ({ ...busy, headers: { 'Retry-After': 'soon' } })
// @ts-expect-error -- 503 declares no Location
export const undeclaredHeader = (): Reply<'createThing'> => ({ ...busy, headers: { 'Retry-After': 1, Location: '/' } })
export const emptyHeaders = (): Reply<'createThing'> => ({ status: 200, body: thing, headers: {} })
// @ts-expect-error -- 200 declares no header of its own
export const firstHeader = (): Reply<'createThing'> => ({ status: 200, body: thing, headers: { Location: '/' } })

// Promises of replies are held to the same.
export const later: Handler<'createThing'> = async (): Promise<Reply<'createThing'>> => ({
  status: 200,
  body: await stored,
})
export const laterWithId: Handler<'createThing'> = async (): Promise<Reply<'createThing'>> => ({
  status: 200,
  // @ts-expect-error -- a thing that is returned carries no id
  body: { id: 54n, ...(await stored) },
})

// A handler's input.
export type idInBody = Holds<Same<typeof input.createThing.body.id, bigint>>
export type idInPath = Holds<Same<typeof input.deleteThing.path.id, bigint>>
export type limit = Holds<Same<typeof input.listThings.query.limit, number | undefined>>
// @ts-expect-error -- an int64 in a double would be rounded
export const rounded: number = input.createThing.body.id
// @ts-expect-error -- listThings has no path parameter
export const pathOfList: unknown = input.listThings.path
// @ts-expect-error -- listThings has no body
export const bodyOfList: unknown = input.listThings.body

// What the verifiers return.
interface User {
  name: string
  scopes: string[]
}
declare const user: User | undefined
export const verifiers = { bearer: (_token: string) => user, basic: () => Promise.resolve({ id: 1n }) }
export const allVerifiers = verifiers satisfies AnyAuth
// @ts-expect-error -- basic has no verifier
export const oneVerifier = { bearer: verifiers.bearer } satisfies AnyAuth
// @ts-expect-error -- an operation asks for the scopes of bearer
export const withoutScopes = { ...verifiers, bearer: () => ({ name: 'a' }) } satisfies AnyAuth
export const allScopes = { ...verifiers, bearer: () => ({ scopes: 'all' as const }) } satisfies AnyAuth
// @ts-expect-error -- basic gives a user and a password
export const otherCredentials = { ...verifiers, basic: (text: string) => text } satisfies AnyAuth

// What may be nothing, as the result of a look-up, is nobody.
declare const maybe: { name: string } | null | undefined
export const lookedUp = { ...verifiers, basic: () => Promise.resolve(maybe) } satisfies AnyAuth
export type known = Holds<Same<types.Found<typeof lookedUp>['basic'], { name: string }>>
export const text = { ...verifiers, basic: ({ user: name }) => name } satisfies AnyAuth
declare const payload: Record<string, unknown>
export const claims = { ...verifiers, basic: () => Promise.resolve(payload) } satisfies AnyAuth
// @ts-expect-error -- the rows of a look-up may be none
export const rows = { ...verifiers, basic: () => Promise.resolve([payload]) } satisfies AnyAuth
// @ts-expect-error -- a boolean does not say who
export const bool = { ...verifiers, basic: ({ password }) => password === 'a' } satisfies AnyAuth
// @ts-expect-error -- nor does that of a promise
export const laterBool = { ...verifiers, basic: () => Promise.resolve(false) } satisfies AnyAuth
// @ts-expect-error -- nor does one that may be undefined
export const maybeBool = { ...verifiers, basic: () => [true].find(Boolean) } satisfies AnyAuth
// @ts-expect-error -- a number could be 0
export const count = { ...verifiers, basic: () => 1 } satisfies AnyAuth
// @ts-expect-error -- nothing is known of it
export const anything = { ...verifiers, basic: (): unknown => 1 } satisfies AnyAuth

declare const auth: {
  [Id in keyof operations]: types.Context<Services, Types['security'][Id], types.Found<typeof verifiers>>['auth']
}
export type allOf = Holds<Same<typeof auth.listThings.bearer, User>>
export type someOf = Holds<Same<typeof auth.listThings.basic, { id: bigint } | undefined>>
export type optional = Holds<Same<typeof auth.createThing.bearer, User | undefined>>
// One function takes those of all operations. Properties that are absent are not undefined.
type AnyFound = Partial<types.Found<typeof verifiers>>
export const ofEither: AnyFound = auth.listThings
export const ofOptional: AnyFound = auth.createThing
export const ofPublic: AnyFound = auth.deleteThing
// @ts-expect-error -- createThing does not take basic
export const otherScheme: unknown = auth.createThing.basic
// @ts-expect-error -- a public operation has no credentials
export const publicAuth: unknown = auth.deleteThing.bearer
declare const context: types.Context<Services, ['bearer'], types.Found<typeof verifiers>>
export const services: string = context.things
export const address: string = context.request.ip
export const typed: Handlers<Services, types.Found<typeof verifiers>> = {
  ...handlers,
  listThings: (_input, { auth: { bearer } }) => ({ status: 200, body: [{ name: bearer.name }] }),
}
// @ts-expect-error -- the handler needs what the verifiers return
export const needsVerifiers: Handlers = typed

// The server.
declare const contract: Contract<Types>
export const served = () => serve(contract, { handlers, auth: verifiers })
export const servedTyped = () => serve(contract, { handlers: typed, auth: verifiers, services: { things: 'a' } })
export const servedInline = () =>
  serve(contract, {
    auth: { bearer: (token) => ({ name: token, scopes: [] }), basic: ({ user: name }) => name },
    handlers: {
      ...handlers,
      listThings: (_input, { auth: { bearer } }) => ({ status: 200, body: [{ name: bearer.name }] }),
    },
  })
export const compared = () =>
  serve(contract, {
    handlers,
    auth: { bearer: () => ({ owner: 'a', scopes: [] }), basic: () => ({ owner: 'a' }) },
    callerOf: ({ owner }) => owner,
  })
export const comparedApart = () =>
  serve(contract, {
    handlers,
    auth: { bearer: () => ({ owner: 'a', scopes: [] }), basic: () => ({ user: 'a' }) },
    // @ts-expect-error -- basic finds no owner
    callerOf: (found) => String(found.owner),
  })
// @ts-expect-error -- the schemes have no verifiers
export const unverified = () => serve(contract, { handlers })
// @ts-expect-error -- basic has no verifier
export const lessVerified = () => serve(contract, { handlers, auth: { bearer: verifiers.bearer } })
// @ts-expect-error -- the handlers need services
export const unserved = () => serve(contract, { handlers: typed, auth: verifiers })

// Some of the operations: the others need no handler, and a scheme that only they use no verifier.
const { listThings, deleteThing } = handlers
const { bearer } = verifiers
export const someServed = () => serve(contract, { only: ['deleteThing'], handlers: { deleteThing } })
export const twoServed = () =>
  serve(contract, { only: ['listThings', 'deleteThing'], handlers: { listThings, deleteThing }, auth: verifiers })
export const fewerVerified = () =>
  serve(contract, { only: ['createThing'], handlers: { createThing: handlers.createThing }, auth: { bearer } })
// @ts-expect-error -- listThings has no handler
export const unhandled = () => serve(contract, { only: ['listThings', 'deleteThing'], handlers: { deleteThing } })
// @ts-expect-error -- without `only`, every operation is served
export const allUnhandled = () => serve(contract, { handlers: { deleteThing }, auth: verifiers })
// @ts-expect-error -- createThing needs bearer
export const chosenUnverified = () => serve(contract, { only: ['createThing'], handlers })
// @ts-expect-error -- the contract has no waterThing
export const unknownServed = () => serve(contract, { only: ['waterThing'], handlers: {} })

// A body that was encoded elsewhere still says what it is.
export const encoded = (things: Encoded<Thing[]>): Reply<'listThings'> => ({ status: 200, body: things })
// @ts-expect-error -- one thing where a list is declared
export const encodedThing = (one: Encoded<Thing>): Reply<'listThings'> => ({ status: 200, body: one })
// @ts-expect-error -- text that says nothing of its content
export const encodedAnything = (text: Encoded<unknown>): Reply<'listThings'> => ({ status: 200, body: text })
// @ts-expect-error -- bare text
export const bareText = (text: string): Reply<'listThings'> => ({ status: 200, body: text })

// The content of a request, as `generate` writes it.
interface contents {
  optional: { parameters: object; requestBody?: { content: { 'text/csv': unknown } } }
  image: { parameters: object; requestBody: { content: { 'image/*': unknown } } }
  several: {
    parameters: { cookie: { session: string } }
    requestBody?: {
      content: { 'application/json': Thing; 'text/plain': 'a' | 'b'; 'application/xml': Thing; '*/*': unknown }
    }
  }
}
declare const contents: { [Id in keyof contents]: types.Input<contents[Id] & { responses: object }> }
const { optional, image, several } = contents
// @ts-expect-error -- one media type is not told
export const toldType: unknown = optional.contentType
export type ofText = Holds<Same<typeof optional.body, string | undefined>>
export type ofRange = Holds<
  Same<
    typeof image,
    types.Input<contents['image']> & { contentType: 'image/*'; mediaType: `image/${string}`; body: Uint8Array }
  >
>
export type ofCookie = Holds<Same<typeof several.cookie.session, string>>
export function narrowed(): unknown {
  if (several.contentType === 'application/json') return several.body satisfies Thing
  if (several.contentType === 'text/plain') return several.body satisfies 'a' | 'b'
  if (several.contentType === 'application/xml') return several.body satisfies Uint8Array
  return several.contentType satisfies '*/*' | undefined
}

// The content of a reply with ranges.
interface ranges {
  responses: { 200: { headers: object; content: { 'image/*': unknown; 'application/json': Thing } } }
}
type RangeReply = types.Reply<ranges>
const bytes = new Uint8Array()
export const imageOfType = (): RangeReply => ({ status: 200, contentType: 'image/png', body: bytes })
export const thingOfType = (): RangeReply => ({ status: 200, contentType: 'application/json', body: thing })
export const onlyJson = (): RangeReply => ({ status: 200, body: thing })
// @ts-expect-error -- a range needs a media type
export const noType = (): RangeReply => ({ status: 200, body: bytes })
// @ts-expect-error -- the default is JSON, and a thing has a name
export const otherJson = (): RangeReply => ({ status: 200, body: { tag: 'a' } })
// @ts-expect-error -- text/csv is not in image/*
export const otherType = (): RangeReply => ({ status: 200, contentType: 'text/csv', body: bytes })

// Types of JSON as ASP.NET declares them.
interface jsons {
  body: {
    parameters: object
    requestBody: { content: { 'application/json': Thing; 'text/json': Thing; 'application/*+json': Thing } }
  }
  reply: { responses: { 200: { headers: object; content: { 'application/json': Thing; 'text/json': 'a' | 'b' } } } }
  range: { responses: { 200: { headers: object; content: { 'application/*+json': Thing } } } }
}
declare const ofJsons: types.Input<jsons['body'] & { responses: object }>
export function anyJson(): Thing {
  if (ofJsons.contentType === 'application/*+json') ofJsons.mediaType satisfies `application/${string}+json`
  return ofJsons.body
}
export const standardJson = (): types.Reply<jsons['reply']> => ({ status: 200, body: thing })
export const textJson = (): types.Reply<jsons['reply']> => ({ status: 200, contentType: 'text/json', body: 'a' })
// @ts-expect-error -- the default is application/json
export const noTextJson = (): types.Reply<jsons['reply']> => ({ status: 200, body: 'a' })
export const suffixed = (): types.Reply<jsons['range']> => {
  return { status: 200, contentType: 'application/ld+json', body: thing }
}
// @ts-expect-error -- a range needs a media type
export const unnamedJson = (): types.Reply<jsons['range']> => ({ status: 200, body: thing })

// Of two media types that are JSON with a suffix, a reply names its own.
interface twoJsons {
  responses: { 200: { headers: object; content: { 'application/a+json': Thing; 'application/b+json': Thing } } }
}
export const namedJson = (): types.Reply<twoJsons> => ({ status: 200, contentType: 'application/a+json', body: thing })
// @ts-expect-error -- either would fit
export const eitherJson = (): types.Reply<twoJsons> => ({ status: 200, body: thing })

// A failure that is thrown.
const conflict = { status: 409, body: { error: 1, message: '' } } as const
export const thrown = failed<Reply<'createThing'>>(conflict)
export const thrownBusy = failed<Reply<'createThing'>>({ ...busy, headers: { 'Retry-After': 1 } })
// @ts-expect-error -- the operation is not named
export const thrownAnywhere = failed(conflict)
// @ts-expect-error -- listThings declares no 409
export const thrownElsewhere = failed<Reply<'listThings'>>(conflict)
// @ts-expect-error -- 503 has Retry-After
export const thrownWithoutHeader = failed<Reply<'createThing'>>(busy)
// @ts-expect-error -- a success is returned
export const thrownSuccess = failed<Reply<'createThing'>>({ status: 200, body: thing })
interface anyFailure {
  responses: { 200: Ok<Thing>; default: { headers: object; content: { 'application/json': Failure } } }
}
export const thrownDefault = failed<types.Reply<anyFailure>>({ status: 429, body: { error: 1, message: '' } })
interface lastFailure {
  responses: { 409: { headers: { 'X-Final': boolean }; content: { 'application/json': Failure } } }
}
export const thrownFinal = failed<types.Reply<lastFailure>>({ ...conflict, headers: { 'X-Final': true } })
// @ts-expect-error -- a redirect is no failure
export const thrownRedirect = failed<types.Reply<anyFailure>>({ status: 302, body: { error: 1, message: '' } })

// What a handler throws may be anything.
export const formOfCause: FailureForm = ({ cause }) => ({ body: cause instanceof Error ? cause.message : '' })
// @ts-expect-error -- nothing is known of it
export const formOfError: FailureForm = ({ cause }) => ({ body: cause.message })
export const formOfOthers = formOfCause({ name: 'invalid_request', status: 400, message: '' })

// The input of a request, for hooks.
declare const request: FastifyRequest
export const inputOfHook = () => inputOf(request, contract, 'deleteThing')?.path.id satisfies bigint | undefined
export const inputOfAny = () => inputOf(request)?.body satisfies unknown
// @ts-expect-error -- the contract has no waterThing
export const inputOfNone = () => inputOf(request, contract, 'waterThing')
// @ts-expect-error -- deleteThing has no body
export const bodyOfInput = (): unknown => inputOf(request, contract, 'deleteThing')?.body
