import type { callers, components, operations } from '../../../../generated/openapi.ts'
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

/** The operations of the contract, by their operationId. */
export type OperationId = keyof operations

/** The schemas that the contract names, as a response has them: without what is `writeOnly`. */
export type Schemas = { [Name in keyof components['schemas']]: Seen<components['schemas'][Name], 'reply'> }

/**
 * For whom a request acts: the owner of its token. Never empty, and without U+0000, which PostgreSQL cannot store.
 */
export type Caller = string

/** The headers that the contract names, and those that the service puts on its own failures, named there or not. */
export type HeaderName = keyof components['headers'] | 'Allow' | 'Retry-After' | 'WWW-Authenticate'

/** Headers that the server puts on responses by itself, so that no handler has to; in lower case. */
type ServerHeader = 'x-request-id' | 'ratelimit' | 'ratelimit-policy'

/**
 * What a handler receives: the parts of the request that the contract describes, valid and of the declared types, with
 * the defaults of the contract. `accept` is there where successes have several media types: the one of them that the
 * client prefers.
 */
export type Input<Id extends OperationId> = InputParts<Id> & Accept<SuccessMedia<operations[Id]['responses']>>

interface InputParts<Id extends OperationId> {
  path: ParametersIn<operations[Id], 'path', 'input'>
  query: ParametersIn<operations[Id], 'query', 'input'>
  header: ParametersIn<operations[Id], 'header', 'input'>
  body: BodyIn<operations[Id], 'input'>
}

type Accept<Media> = IsUnion<Media> extends true ? { accept: Media } : unknown

declare const content: unique symbol

/** JSON text that was encoded elsewhere and is sent as it is. The type names what it encodes. */
export class Encoded<Content> {
  declare readonly [content]: Content
  readonly chunks: string | Buffer | AsyncIterable<Buffer>

  /** @param chunks the whole text; or its bytes in UTF-8, which are freed once they are sent; or its pieces in order */
  constructor(chunks: string | Buffer | AsyncIterable<Buffer>) {
    this.chunks = chunks
  }
}

/** Whether an encoded body is whole, and not in pieces. */
export function isWhole(chunks: Encoded<unknown>['chunks']): chunks is string | Buffer {
  return typeof chunks === 'string' || Buffer.isBuffer(chunks)
}

/**
 * Frees the bytes of a Buffer at once. Left to garbage collection, the bytes of long lists pile up and cause full
 * collections again and again, so that fewer lists are answered.
 *
 * @param buffer not one that the operating system still writes from
 */
export function release({ buffer, byteLength }: Uint8Array): void {
  // A small Buffer shares the memory of others.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}

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
 */
export type Reply<Id extends OperationId> = ReplyTo<operations[Id]['responses']>

/** Answers one operation. What it throws is a fault of the service, answered with 500. */
export type Handler<Id extends OperationId, Context> = (
  input: Input<Id>,
  context: Context,
) => Promise<Reply<Id>> | Reply<Id>

/** A context whose `caller` is as the operation's security has it: always there, only with credentials, or never. */
export type ContextWith<Kind extends CallerKind, Context> = Kind extends 'required'
  ? Context
  : Omit<Context, 'caller'> & (Kind extends 'optional' ? { caller: Caller | undefined } : unknown)

/** What the handler of an operation receives beside the request. */
export type ContextOf<Id extends OperationId, Context> = ContextWith<callers[Id], Context>

/** One handler for each operation. @typeParam Context the caller, and the services that the handlers work with */
export type Handlers<Context> = { [Id in OperationId]: Handler<Id, ContextOf<Id, Context>> }
