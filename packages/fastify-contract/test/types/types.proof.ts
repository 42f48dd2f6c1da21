/**
 * What the compiler refuses, proven by `npm run typecheck` alone: nothing runs this file. A directive
 * `@ts-expect-error` is itself an error where the line below it compiles, and the twin beside each shows
 * that it is the named fault that is refused and nothing else of the line.
 */
import type { CallerKind } from '../../src/document/security.ts'
import type { Encoded } from '../../src/types/encoded.ts'
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
interface callers {
  listThings: 'required'
  createThing: 'required'
  deleteThing: 'required'
}

type Handlers<Context> = types.Handlers<operations, { [Id in keyof callers]: callers[Id] }, Context>
type Handler<Id extends keyof operations> = types.Handler<operations, Id, Context>
type Reply<Id extends keyof operations> = types.Reply<operations[Id]>

/** What a handler receives beside the request. */
interface Context {
  caller: string
}

declare const handlers: Handlers<Context>
declare const thing: Thing
declare const stored: Promise<Thing>
declare const input: { [Id in keyof operations]: types.Input<operations[Id]> }

/** Compiles for `true` alone. */
type Holds<Statement extends true> = Statement
type Same<A, B> = [A, B] extends [B, A] ? true : false

// An operation without a handler.
export const complete = { ...handlers } satisfies Handlers<Context>
const { deleteThing: _, ...others } = handlers
// @ts-expect-error -- deleteThing is missing
export const incomplete = others satisfies Handlers<Context>

// A handler for no operation.
export const leftOver = {
  ...complete,
  // @ts-expect-error -- the contract has no waterThing
  waterThing: handlers.listThings,
} satisfies Handlers<Context>

// A handler that needs what the context does not have.
interface Services extends Context {
  things: string
}
export const withServices: Handlers<Services> = handlers
// @ts-expect-error -- the context has no things
export const withoutServices: Handlers<Context> = withServices

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
export const pathOfList: unknown = input.listThings.path.id
export type bodyOfList = Holds<Same<typeof input.listThings.body, undefined>>

// An operation has the caller that its security gives it.
declare const contexts: { [Kind in CallerKind]: types.ContextWith<Kind, Services> }
export const caller: string = contexts.required.caller
export const optionalCaller: string | undefined = contexts.optional.caller
// @ts-expect-error -- a request without credentials has no caller
export const certainCaller: string = contexts.optional.caller
// @ts-expect-error -- an operation that everybody may call has no caller
export const noCaller: unknown = contexts.none.caller
export const services: string[] = [contexts.required.things, contexts.optional.things, contexts.none.things]
export const openHandler = (_input: unknown, _context: types.ContextWith<'none', Services>): void => undefined
export const serving: (input: unknown, context: types.ContextWith<'optional', Services>) => void = openHandler
export const closedHandler = (_input: unknown, _context: Services): void => undefined
// @ts-expect-error -- the handler needs a caller, which the operation may not have
export const served: (input: unknown, context: types.ContextWith<'optional', Services>) => void = closedHandler

// A body that was encoded elsewhere still says what it is.
export const encoded = (things: Encoded<Thing[]>): Reply<'listThings'> => ({ status: 200, body: things })
// @ts-expect-error -- one thing where a list is declared
export const encodedThing = (one: Encoded<Thing>): Reply<'listThings'> => ({ status: 200, body: one })
// @ts-expect-error -- text that says nothing of its content
export const encodedAnything = (text: Encoded<unknown>): Reply<'listThings'> => ({ status: 200, body: text })
// @ts-expect-error -- bare text
export const bareText = (text: string): Reply<'listThings'> => ({ status: 200, body: text })

// The content of a request, as `generate` writes it.
type Binary = { readonly $binary: string }
interface Upload {
  title: string
  id: bigint
  photo: Binary
  others?: Binary[]
}
interface contents {
  upload: { parameters: object; requestBody: { content: { 'multipart/form-data': Upload } } }
  json: { parameters: object; requestBody: { content: { 'application/json; charset=utf-8': { photo: Binary } } } }
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
const { upload, json, optional, image, several } = contents
export type ofForm = Holds<Same<typeof upload.body, { title: string; id: bigint; photo: File; others?: File[] }>>
// @ts-expect-error -- one media type is not told
export const toldType: unknown = upload.contentType
export type ofJson = Holds<Same<typeof json.body.photo, string>>
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
// @ts-expect-error -- a range needs a media type
export const noType = (): RangeReply => ({ status: 200, body: bytes })
// @ts-expect-error -- text/csv is not in image/*
export const otherType = (): RangeReply => ({ status: 200, contentType: 'text/csv', body: bytes })
