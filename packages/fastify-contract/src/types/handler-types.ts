import type { FastifyRequest } from 'fastify'
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
  QuerystringOf,
  Seen,
  StatusOf,
  SuccessMedia,
} from './message-types.ts'

/** The types of a contract, which `fastify-contract generate` writes. */
export interface ContractTypes {
  operations: object
  /** The alternatives of each operation's security: a union of lists of schemes. */
  security: object
  /** The credentials of each scheme, and whether an operation asks for scopes. */
  schemes: object
}

/** The types of some operations, with the schemes that they need. */
export interface Chosen<Types extends ContractTypes, Only> {
  operations: Pick<Types['operations'], Only & keyof Types['operations']>
  security: Types['security']
  schemes: Pick<Types['schemes'], SchemesOf<Types['security'], Only> & keyof Types['schemes']>
}

type SchemesOf<Security, Only> = Extract<Security[Only & keyof Security], readonly unknown[]>[number]

/** Types that an editor shows by their names. */
type Named = Encoded<unknown> | Uint8Array | AsyncIterable<unknown> | Blob

/** Shows a type as plain objects and lists, at every depth. */
type Shown<Value> = unknown extends Value
  ? Value
  : Value extends Named
    ? Value
    : Value extends readonly unknown[]
      ? { [Index in keyof Value]: Shown<Value[Index]> }
      : Value extends object
        ? { [Name in keyof Value]: Shown<Value[Name]> }
        : Value

/** Shows an intersection as one object. */
type Merged<Value> = Value extends unknown ? { [Name in keyof Value]: Value[Name] } : never

/**
 * The named schemas of a contract in responses: without `writeOnly` properties.
 *
 * @typeParam Components the generated `components`
 */
export type Schemas<Components> = Components extends { schemas: infer Written }
  ? { [Name in keyof Written]: Shown<Seen<Written[Name], 'reply'>> }
  : Record<never, never>

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
export type Input<Operation> = Shown<
  Present<InputParts<Operation>> &
    QuerystringOf<Operation> &
    ContentOf<Operation> &
    Accept<SuccessMedia<ResponsesOf<Operation>>>
>

interface InputParts<Operation> {
  path: ParametersIn<Operation, 'path'>
  query: ParametersIn<Operation, 'query'>
  header: ParametersIn<Operation, 'header'>
  cookie: ParametersIn<Operation, 'cookie'>
}

/** The parts that an operation declares. */
type Present<Parts> = {
  [Name in keyof Parts as [keyof Parts[Name]] extends [never] ? never : Name]: Parts[Name]
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
      ? { headers?: Shown<Declared<Headers>> }
      : { headers: Shown<Declared<Headers>> }
  : NoHeaders

/** Without this index the compiler accepts any property, because the type has none. */
interface NoHeaders {
  headers?: Record<string, never>
}

/** The body of a media type: a stream by its items, JSON by its schema, `text/*` as text, any other as bytes. */
type BodyOut<Media, Content> =
  Content extends AsyncIterable<infer Item> ? AsyncIterable<Shown<Seen<Item, 'reply'>>> : ContentBody<Media, Content>

type ContentBody<Media, Content> = {
  json: Shown<Seen<Content, 'reply'>> | Encoded<Shown<Seen<Content, 'reply'>>>
  text: string | AsyncIterable<Uint8Array>
  form: Uint8Array | AsyncIterable<Uint8Array>
  bytes: Uint8Array | AsyncIterable<Uint8Array>
  any: unknown
}[MediaKind<Media>]

type ContentOut<Response, Media = MediaIn<Response>, Default = DefaultMedia<Media>> = [Media] extends [never]
  ? { contentType?: undefined; body?: undefined }
  : Media extends unknown
    ? { body: BodyOut<Media, ContentIn<Response, Media>> } & (Media extends Default
        ? { contentType?: Media }
        : { contentType: Concrete<Media> })
    : never

/** The media type of a reply that names none: the only one, `application/json`, or the only JSON. A range is never. */
type DefaultMedia<Media> = 'application/json' extends Media
  ? 'application/json'
  : IsUnion<Media> extends true
    ? Single<JsonIn<Media>>
    : Single<Media>

type Single<Media> = IsUnion<Media> extends true ? never : IsRange<Media> extends true ? never : Media

type JsonIn<Media> = Media extends unknown ? (MediaKind<Media> extends 'json' ? Media : never) : never

type ReplyTo<Responses> = {
  [Key in keyof Responses]: Merged<
    { status: StatusOf<Responses, Key> } & HeadersOut<Responses[Key]> & ContentOut<Responses[Key]>
  >
}[keyof Responses]

/**
 * The reply of a handler: a declared status with its headers and body. A range such as `4XX`, or `default`, stands for the
 * registered statuses without a more specific key.
 *
 * @typeParam Operation one of the generated `operations`
 */
export type Reply<Operation> = ReplyTo<ResponsesOf<Operation>>

/**
 * The handler of one operation. An error that it throws is a fault of the service, sent as 500, unless it is of `failed` or
 * `failureForm` makes a declared failure of it.
 */
export type Handler<Operation, Context> = (
  input: Input<Operation>,
  context: Context,
) => Promise<Reply<Operation>> | Reply<Operation>

/** The user and the password of HTTP Basic (RFC 7617). */
export interface BasicCredentials {
  user: string
  password: string
}

/** What a verifier returns for credentials that it knows. A promise is an object whatever it gives, and so is an empty list. */
export type Known = (object & { then?: never; [Symbol.iterator]?: never; [Symbol.asyncIterator]?: never }) | string

/** What the verifier of a scheme returns. An operation may ask for its scopes. */
type Verified<Scheme> =
  (Scheme extends { scopes: true } ? { readonly scopes: readonly string[] | 'all' } : Known) | Unknown

/** What it returns for others: nobody, as a look-up may say. */
type Unknown = null | undefined

/** What a verifier receives. */
export type CredentialsOf<Scheme> = Scheme extends { credentials: infer Credentials } ? Credentials : never

/**
 * The verifiers of credentials, by security scheme. What one returns is `context.auth.NAME`; undefined, null and an empty
 * text are answered 401. It throws `unavailable(reason)` if it cannot tell. A boolean says nothing of the caller.
 *
 * @typeParam Schemes the generated `schemes`
 */
export type Auth<Schemes> = {
  [Name in keyof Schemes]: (
    credentials: CredentialsOf<Schemes[Name]>,
    request: FastifyRequest,
  ) => Verified<Schemes[Name]> | Promise<Verified<Schemes[Name]>>
}

/** What verifiers return for valid credentials, by scheme. */
export type Found<Verifiers> = {
  [Name in keyof Verifiers]: Verifiers[Name] extends (...args: never) => infer Result
    ? Exclude<Awaited<Result>, Unknown | ''>
    : never
}

/** `context.auth`: a member of the union for each alternative, with a property for each scheme. */
type AuthOf<Alternatives, Results, All = Alternatives> = Alternatives extends readonly string[]
  ? Merged<
      { [Name in Alternatives[number]]: Name extends keyof Results ? Results[Name] : unknown } & {
        [Name in Exclude<All extends readonly string[] ? All[number] : never, Alternatives[number]>]?: never
      }
    >
  : never

/** What a handler receives besides its input: the services, what the verifiers returned, and the request of Fastify. */
export type Context<Services, Alternatives, Results> = Services & {
  auth: AuthOf<Alternatives, Results>
  request: FastifyRequest
}

/**
 * One handler for each operation.
 *
 * @typeParam Types of the contract
 * @typeParam Services what every handler receives besides the request
 * @typeParam Results what the verifiers return, by scheme: `Found<typeof auth>`
 */
export type Handlers<Types extends ContractTypes, Services, Results> = {
  [Id in keyof Types['operations']]: Handler<
    Types['operations'][Id],
    Context<Services, Id extends keyof Types['security'] ? Types['security'][Id] : never, Results>
  >
}
