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
} from '../types/message-types.ts'

/** The paths to int64 values in a schema; `$ref` is a key of `int64Schemas`. */
export interface Int64Schema {
  format?: 'int64'
  $ref?: string
  properties?: Record<string, Int64Schema>
  additionalProperties?: Int64Schema
  items?: Int64Schema
  /** The members of `allOf`, `anyOf` and `oneOf`. */
  allOf?: readonly Int64Schema[]
  /** The schema applies only if these properties, when present, have one of these values. */
  when?: Record<string, readonly string[]>
}

/** The HTTP request and responses of an operation. */
export interface ClientOperation {
  method: string
  path: string
  /** The array parameters of the query whose items share one parameter. */
  commaSeparated?: readonly string[]
  /** The media type of the request body. */
  contentType?: string
  /** Whether it needs no token. */
  isPublic?: true
  /** The int64 schemas of bodies, by status (or range, or `default`) and media type. */
  replies: Record<string, Record<string, Int64Schema>>
}

/** The module `generated/client.ts`. */
export interface ClientContract {
  clientOperations: Record<string, ClientOperation>
  int64Schemas: Record<string, Int64Schema>
}

type Responses<Operation> = Operation extends { responses: infer Declared } ? Declared : never

/** A part of a request: absent if the operation has none, optional if all of it is. */
type Part<Name extends string, Parameters> = keyof Parameters extends never
  ? Record<never, never>
  : Record<never, never> extends Parameters
    ? { [In in Name]?: Parameters }
    : { [In in Name]: Parameters }

type BodyPart<Body> = [Body] extends [undefined]
  ? Record<never, never>
  : undefined extends Body
    ? { body?: Exclude<Body, undefined> }
    : { body: Body }

type AcceptPart<Media> = IsUnion<Media> extends true ? { accept?: Media } : Record<never, never>

/**
 * The request of an operation: its declared parts. If successful responses have several media types, `accept` selects one.
 */
export type ClientRequest<Operation> = Part<'path', ParametersIn<Operation, 'path', 'request'>> &
  Part<'query', ParametersIn<Operation, 'query', 'request'>> &
  Part<'header', ParametersIn<Operation, 'header', 'request'>> &
  BodyPart<BodyIn<Operation, 'request'>> &
  AcceptPart<SuccessMedia<Responses<Operation>>>

/** The body of a media type: JSON by its schema, `text/*` as text, any other as bytes. */
type BodyOut<Media, Content> =
  MediaKind<Media> extends 'json' ? Seen<Content, 'response'> : MediaKind<Media> extends 'text' ? string : Uint8Array

type ContentOut<Response, Media> = [Media] extends [never]
  ? { contentType: undefined; body: undefined }
  : Media extends unknown
    ? { contentType: Media; body: BodyOut<Media, ContentIn<Response, Media>> }
    : never

/**
 * The reply to a client: a declared status with its body; `contentType` is the media type as written in the contract.
 * Failures are values too.
 */
export type ClientReply<Operation> = {
  [Key in keyof Responses<Operation>]: { status: StatusOf<Responses<Operation>, Key>; headers: Headers } & ContentOut<
    Responses<Operation>[Key],
    MediaIn<Responses<Operation>[Key]>
  >
}[keyof Responses<Operation>]

export interface CallOptions {
  /** Aborts the call, which rejects with the signal's reason. */
  signal?: AbortSignal
}

/** A function for each operation, by operationId. The request is optional if nothing in it is required. */
export type Client<Operations> = {
  [Id in keyof Operations]: (
    ...call: Record<never, never> extends ClientRequest<Operations[Id]>
      ? [request?: ClientRequest<Operations[Id]>, options?: CallOptions]
      : [request: ClientRequest<Operations[Id]>, options?: CallOptions]
  ) => Promise<ClientReply<Operations[Id]>>
}
