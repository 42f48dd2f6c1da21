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

/** The parts of a schema that lead to an int64; `$ref` is a name of `int64Schemas`. */
export interface Int64Schema {
  format?: 'int64'
  $ref?: string
  properties?: Record<string, Int64Schema>
  additionalProperties?: Int64Schema
  items?: Int64Schema
  /** The members of `anyOf`, `oneOf` and the like too. */
  allOf?: readonly Int64Schema[]
  /** The texts that properties of a value have, of which the schema is; a value may lack them. */
  when?: Record<string, readonly string[]>
}

/** How an operation is called. */
export interface ClientOperation {
  method: string
  path: string
  /** The array parameters of the query whose items share one parameter. */
  commaSeparated?: readonly string[]
  /** The media type of the request's body. */
  contentType?: string
  /** Whether it can be called without a token. */
  isPublic?: true
  /** By status, by range of statuses or by `default`: where a body has an int64, by media type. */
  replies: Record<string, Record<string, Int64Schema>>
}

/** What the client needs of a contract: the module `generated/client.ts`. */
export interface ClientContract {
  clientOperations: Record<string, ClientOperation>
  int64Schemas: Record<string, Int64Schema>
}

type Responses<Operation> = Operation extends { responses: infer Declared } ? Declared : never

/** A part of a request: left out where the operation has none, optional where everything in it is. */
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
 * What a client sends to an operation: the parts of the request that the contract describes, and in `accept` the media
 * type that it prefers where the contract has several.
 */
export type ClientRequest<Operation> = Part<'path', ParametersIn<Operation, 'path', 'request'>> &
  Part<'query', ParametersIn<Operation, 'query', 'request'>> &
  Part<'header', ParametersIn<Operation, 'header', 'request'>> &
  BodyPart<BodyIn<Operation, 'request'>> &
  AcceptPart<SuccessMedia<Responses<Operation>>>

/** A body as its media type is read: JSON as its schema says, `text/*` as text, others as their bytes. */
type BodyOut<Media, Content> =
  MediaKind<Media> extends 'json' ? Seen<Content, 'response'> : MediaKind<Media> extends 'text' ? string : Uint8Array

type ContentOut<Response, Media> = [Media] extends [never]
  ? { contentType: undefined; body: undefined }
  : Media extends unknown
    ? { contentType: Media; body: BodyOut<Media, ContentIn<Response, Media>> }
    : never

/**
 * What a client receives: one of the statuses that the contract declares, with its body, and in `contentType` the media
 * type as the contract writes it. Failures are values too.
 */
export type ClientReply<Operation> = {
  [Key in keyof Responses<Operation>]: { status: StatusOf<Responses<Operation>, Key>; headers: Headers } & ContentOut<
    Responses<Operation>[Key],
    MediaIn<Responses<Operation>[Key]>
  >
}[keyof Responses<Operation>]

export interface CallOptions {
  /** Ends the call early; it then rejects with the signal's reason. */
  signal?: AbortSignal
}

/** A function for each operation, by operationId. A request in which nothing is required may be left out. */
export type Client<Operations> = {
  [Id in keyof Operations]: (
    ...call: Record<never, never> extends ClientRequest<Operations[Id]>
      ? [request?: ClientRequest<Operations[Id]>, options?: CallOptions]
      : [request: ClientRequest<Operations[Id]>, options?: CallOptions]
  ) => Promise<ClientReply<Operations[Id]>>
}
