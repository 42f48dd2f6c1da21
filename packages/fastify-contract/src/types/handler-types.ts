import type { Encoded } from './encoded.ts'
import type {
  BodyIn,
  ContentIn,
  IsUnion,
  MediaIn,
  MediaKind,
  ParametersIn,
  Seen,
  StatusOf,
  SuccessMedia,
} from './message-types.ts'
import type { CallerKind } from '../document/security.ts'

/** For whom a request acts: the owner of its credentials. Never empty. */
export type Caller = string

/**
 * The schemas that a contract names, as a response has them: without what is `writeOnly`.
 *
 * @typeParam Components the generated `components`
 */
export type Schemas<Components extends { schemas: object }> = {
  [Name in keyof Components['schemas']]: Seen<Components['schemas'][Name], 'reply'>
}

/** The responses of a generated operation, by status. */
type ResponsesOf<Operation> = Operation extends { responses: infer Responses } ? Responses : never

/** Headers that the server puts on responses by itself, so that no handler has to; in lower case. */
type ServerHeader = 'x-request-id' | 'ratelimit' | 'ratelimit-policy'

/**
 * What a handler receives: the parts of the request that the contract describes, valid and of the declared types, with
 * the defaults of the contract. `accept` is there where successes have several media types: the one of them that the
 * client prefers.
 *
 * @typeParam Operation one of the generated `operations`
 */
export type Input<Operation> = InputParts<Operation> & Accept<SuccessMedia<ResponsesOf<Operation>>>

interface InputParts<Operation> {
  path: ParametersIn<Operation, 'path', 'input'>
  query: ParametersIn<Operation, 'query', 'input'>
  header: ParametersIn<Operation, 'header', 'input'>
  body: BodyIn<Operation, 'input'>
}

type Accept<Media> = IsUnion<Media> extends true ? { accept: Media } : unknown

/** openapi-typescript lets every response have further headers; a reply has the declared ones only. */
type Declared<Headers> = {
  [
    Name in keyof Headers as string extends Name ? never : Lowercase<Name & string> extends ServerHeader ? never : Name
  ]: Headers[Name]
}

type HeadersOut<Response> = Response extends { headers: infer Headers }
  ? [keyof Declared<Headers>] extends [never]
    ? NoHeaders
    : Record<never, never> extends Declared<Headers>
      ? { headers?: Declared<Headers> }
      : { headers: Declared<Headers> }
  : NoHeaders

/** Without this index the compiler accepts any property, because the type has none. */
interface NoHeaders {
  headers?: Record<string, never>
}

/** A body as its media type is written: JSON as its schema says, `text/*` as text, others as their bytes. */
type BodyOut<Media, Content> =
  MediaKind<Media> extends 'json'
    ? Seen<Content, 'reply'> | Encoded<Seen<Content, 'reply'>>
    : MediaKind<Media> extends 'text'
      ? string | AsyncIterable<Uint8Array>
      : Uint8Array | AsyncIterable<Uint8Array>

/** The media type may be left out where the response has one. */
type ContentOut<Response, Media = MediaIn<Response>, Several = IsUnion<Media>> = [Media] extends [never]
  ? { contentType?: undefined; body?: undefined }
  : Media extends unknown
    ? { body: BodyOut<Media, ContentIn<Response, Media>> } & (Several extends true
        ? { contentType: Media }
        : { contentType?: Media })
    : never

type ReplyTo<Responses> = {
  [Key in keyof Responses]: { status: StatusOf<Responses, Key> } & HeadersOut<Responses[Key]> &
    ContentOut<Responses[Key]>
}[keyof Responses]

/**
 * What a handler may answer: one of the statuses that the contract declares, with its headers and its body. A range
 * such as `4XX`, or `default`, stands for the registered statuses that no more exact key declares.
 *
 * @typeParam Operation one of the generated `operations`
 */
export type Reply<Operation> = ReplyTo<ResponsesOf<Operation>>

/** Answers one operation. What it throws is a fault of the service, answered with 500. */
export type Handler<Operations, Id extends keyof Operations, Context> = (
  input: Input<Operations[Id]>,
  context: Context,
) => Promise<Reply<Operations[Id]>> | Reply<Operations[Id]>

/** A context whose `caller` is as the operation's security has it: always there, only with credentials, or never. */
export type ContextWith<Kind, Context> = Kind extends 'required'
  ? Context
  : Omit<Context, 'caller'> & (Kind extends 'optional' ? { caller: Caller | undefined } : unknown)

/**
 * One handler for each operation.
 *
 * @typeParam Operations the generated `operations`
 * @typeParam Callers the generated `callers`
 * @typeParam Context the caller, and the services that the handlers work with
 */
export type Handlers<Operations, Callers extends Record<keyof Operations, CallerKind>, Context> = {
  [Id in keyof Operations]: Handler<Operations, Id, ContextWith<Callers[Id], Context>>
}
