import type { callers, components, operations } from '../../generated/openapi.ts'
import type { BodyIn, ParametersIn } from '../client/request-types.ts'
import type { CallerKind } from './security.ts'

/** The operations of the contract, by their operationId. */
export type OperationId = keyof operations

/** The schemas that the contract names. */
export type Schemas = components['schemas']

/**
 * For whom a request acts: the owner of its token. Never empty, and without U+0000, which PostgreSQL cannot store.
 */
export type Caller = string

/** The headers that the contract names. */
export type HeaderName = keyof components['headers']

/** Headers that the server puts on responses by itself, so that no handler has to. */
type ServerHeader = 'X-Request-Id' | 'RateLimit' | 'RateLimit-Policy'

type Json = 'application/json'

/** What a handler receives: the parts of the request that the contract describes, valid and of the declared types. */
export interface Input<Id extends OperationId> {
  path: ParametersIn<operations[Id], 'path'>
  query: ParametersIn<operations[Id], 'query'>
  header: ParametersIn<operations[Id], 'header'>
  body: BodyIn<operations[Id]>
}

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
 * Frees the bytes of a Buffer at once. Left to garbage collection, the bytes of long lists grow to 100 MiB and cause
 * full collections again and again.
 *
 * @param buffer not one that the operating system still writes from
 */
export function release({ buffer, byteLength }: Buffer): void {
  // A small Buffer shares the memory of others.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}

/** openapi-typescript lets every response have further headers; a reply has the declared ones only. */
type Declared<Headers> = {
  [Name in keyof Headers as string extends Name ? never : Name extends ServerHeader ? never : Name]: Headers[Name]
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

type BodyOut<Response> = Response extends { content: Record<Json, infer Body> }
  ? { body: Body | Encoded<Body> }
  : { body?: undefined }

/** What a handler may answer: one of the statuses that the contract declares, with its body and its headers. */
export type Reply<Id extends OperationId> = {
  [Status in keyof operations[Id]['responses']]: { status: Status } & HeadersOut<operations[Id]['responses'][Status]> &
    BodyOut<operations[Id]['responses'][Status]>
}[keyof operations[Id]['responses']]

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
