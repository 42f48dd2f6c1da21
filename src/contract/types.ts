import type { components, operations } from '../../generated/openapi.ts'

/** The operations of the contract, by their operationId. */
export type OperationId = keyof operations

/** The schemas that the contract names. */
export type Schemas = components['schemas']

/** For whom a request acts: the owner of the token that it carried. Never empty, and without U+0000, which PostgreSQL cannot keep. */
export type Caller = string

/** The headers that the contract names. */
export type HeaderName = keyof components['headers']

/** Headers that the server puts on responses by itself, so that no handler has to. */
type ServerHeader = 'X-Request-Id' | 'RateLimit' | 'RateLimit-Policy'

type Json = 'application/json'

type BodyIn<Operation> = Operation extends { requestBody: infer Request }
  ? BodyOf<Request>
  : Operation extends { requestBody?: infer Request }
    ? [NonNullable<Request>] extends [never]
      ? undefined
      : BodyOf<NonNullable<Request>> | undefined
    : undefined

type BodyOf<Message> = Message extends { content: Record<Json, infer Body> } ? Body : never

type ParametersIn<Operation, Place extends string> = Operation extends { parameters: { [In in Place]?: infer Parameters } }
  ? [NonNullable<Parameters>] extends [never]
    ? Record<never, never>
    : NonNullable<Parameters>
  : never

/** What a handler is given: the parts of the request that the contract describes, valid and of the declared types. */
export interface Input<Id extends OperationId> {
  path: ParametersIn<operations[Id], 'path'>
  query: ParametersIn<operations[Id], 'query'>
  header: ParametersIn<operations[Id], 'header'>
  body: BodyIn<operations[Id]>
}

declare const content: unique symbol

/** JSON text that was encoded elsewhere and is sent as it is; the type still says what it encodes. */
export class Encoded<Content> {
  declare readonly [content]: Content
  readonly chunks: string | Buffer | AsyncIterable<Buffer>

  /** @param chunks the whole text, or its bytes in UTF-8, which are gone when they are sent, or its pieces in order */
  constructor(chunks: string | Buffer | AsyncIterable<Buffer>) {
    this.chunks = chunks
  }
}

/** Whether an encoded body is whole, and not in pieces. */
export function isWhole(chunks: Encoded<unknown>['chunks']): chunks is string | Buffer {
  return typeof chunks === 'string' || Buffer.isBuffer(chunks)
}

/**
 * Frees the bytes of a Buffer that nobody reads any more. Left to the collector, the bytes of long lists would grow to 100 MiB,
 * and V8 would go through the whole heap again and again.
 *
 * @param buffer not one that the operating system still writes from
 */
export function release({ buffer, byteLength }: Buffer): void {
  // A small Buffer shares the memory of others.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}

/** openapi-typescript lets every response have further headers; a reply has the declared ones only. */
type Declared<Headers> = { [Name in keyof Headers as string extends Name ? never : Name extends ServerHeader ? never : Name]: Headers[Name] }

type HeadersOut<Response> = Response extends { headers: infer Headers }
  ? [keyof Declared<Headers>] extends [never]
    ? NoHeaders
    : Record<never, never> extends Declared<Headers>
      ? { headers?: Declared<Headers> }
      : { headers: Declared<Headers> }
  : NoHeaders

/** An index of nothing, because the compiler lets any property pass where a type has none. */
interface NoHeaders {
  headers?: Record<string, never>
}

type BodyOut<Response> = Response extends { content: Record<Json, infer Body> } ? { body: Body | Encoded<Body> } : { body?: undefined }

/** What a handler may answer: one of the statuses that the contract declares, with its body and its headers. */
export type Reply<Id extends OperationId> = {
  [Status in keyof operations[Id]['responses']]: { status: Status } & HeadersOut<operations[Id]['responses'][Status]> & BodyOut<operations[Id]['responses'][Status]>
}[keyof operations[Id]['responses']]

/** Answers one operation. What it throws is a fault of the service, answered with 500. */
export type Handler<Id extends OperationId, Context> = (
  input: Input<Id>,
  context: Context,
) => Promise<Reply<Id>> | Reply<Id>

/** One handler for each operation. @typeParam Context the caller, and the services that the handlers work with */
export type Handlers<Context> = { [Id in OperationId]: Handler<Id, Context> }
