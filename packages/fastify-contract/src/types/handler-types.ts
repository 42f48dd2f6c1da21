import type { Encoded } from './encoded.ts'
import type {
  Concrete,
  ContentIn,
  ContentOf,
  IsRange,
  IsUnion,
  MediaIn,
  MediaKind,
  ParametersIn,
  Seen,
  StatusOf,
  SuccessMedia,
} from './message-types.ts'
import type { CallerKind } from '../document/security.ts'

/** The owner of a request's credentials. Never empty. */
export type Caller = string

/**
 * The named schemas of a contract in responses: without `writeOnly` properties.
 *
 * @typeParam Components the generated `components`
 */
export type Schemas<Components extends { schemas: object }> = {
  [Name in keyof Components['schemas']]: Seen<Components['schemas'][Name], 'reply'>
}

/** The responses of a generated operation, by status. */
type ResponsesOf<Operation> = Operation extends { responses: infer Responses } ? Responses : never

/** The header that the server sets itself, in lower case. */
type ServerHeader = 'x-request-id'

/**
 * The input of a handler: the declared parts of a valid request, with the defaults of the contract. If successful responses
 * have several media types, `accept` is the client's preference.
 *
 * @typeParam Operation one of the generated `operations`
 */
export type Input<Operation> = InputParts<Operation> &
  ContentOf<Operation> &
  Accept<SuccessMedia<ResponsesOf<Operation>>>

interface InputParts<Operation> {
  path: ParametersIn<Operation, 'path'>
  query: ParametersIn<Operation, 'query'>
  header: ParametersIn<Operation, 'header'>
  cookie: ParametersIn<Operation, 'cookie'>
}

type Accept<Media> = IsUnion<Media> extends true ? { accept: Media } : unknown

/** The declared headers: openapi-typescript adds an index for further ones. */
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

/** The body of a media type: JSON by its schema, `text/*` as text, any other as bytes. */
type BodyOut<Media, Content> = {
  json: Seen<Content, 'reply'> | Encoded<Seen<Content, 'reply'>>
  text: string | AsyncIterable<Uint8Array>
  form: Uint8Array | AsyncIterable<Uint8Array>
  bytes: Uint8Array | AsyncIterable<Uint8Array>
  any: unknown
}[MediaKind<Media>]

/** The media type is optional if the response has only one, which is not a range. */
type ContentOut<Response, Media = MediaIn<Response>, Several = IsUnion<Media>> = [Media] extends [never]
  ? { contentType?: undefined; body?: undefined }
  : Media extends unknown
    ? { body: BodyOut<Media, ContentIn<Response, Media>> } & (Several extends true
        ? { contentType: Concrete<Media> }
        : IsRange<Media> extends true
          ? { contentType: Concrete<Media> }
          : { contentType?: Media })
    : never

type ReplyTo<Responses> = {
  [Key in keyof Responses]: { status: StatusOf<Responses, Key> } & HeadersOut<Responses[Key]> &
    ContentOut<Responses[Key]>
}[keyof Responses]

/**
 * The reply of a handler: a declared status with its headers and body. A range such as `4XX`, or `default`, stands for the
 * registered statuses without a more specific key.
 *
 * @typeParam Operation one of the generated `operations`
 */
export type Reply<Operation> = ReplyTo<ResponsesOf<Operation>>

/** The handler of one operation. An error that it throws is a fault of the service, sent as 500. */
export type Handler<Operations, Id extends keyof Operations, Context> = (
  input: Input<Operations[Id]>,
  context: Context,
) => Promise<Reply<Operations[Id]>> | Reply<Operations[Id]>

/** A context whose `caller` follows the operation's security: always present, only with credentials, or never. */
export type ContextWith<Kind, Context> = Kind extends 'required'
  ? Context
  : Omit<Context, 'caller'> & (Kind extends 'optional' ? { caller: Caller | undefined } : unknown)

/**
 * One handler for each operation.
 *
 * @typeParam Operations the generated `operations`
 * @typeParam Callers the generated `callers`
 * @typeParam Context the caller and the services
 */
export type Handlers<Operations, Callers extends Record<keyof Operations, CallerKind>, Context> = {
  [Id in keyof Operations]: Handler<Operations, Id, ContextWith<Callers[Id], Context>>
}
