import type { contentless } from '../document/document.ts'

/** What a handler receives, an alternative of `anyOf` or `oneOf` in it, or what a handler replies. */
type View = 'input' | 'alternative' | 'reply'

/** The mark that excludes a property: `readOnly` from requests, `writeOnly` from responses (OpenAPI 3.1). */
interface Unseen {
  input: { readonly $read: unknown }
  alternative: { readonly $read: unknown }
  reply: { readonly $write: unknown }
}

/** Whether the type of a property has a mark. `never` has none, nor has it where it is optional. */
type Bears<Value, Mark> = [Value] extends [undefined] ? false : Exclude<Value, undefined> extends Mark ? true : false

/**
 * A type of `generated/openapi.ts` in one view. Excluded `readOnly` and `writeOnly` properties are omitted; properties with
 * a `default` are always present in `input`.
 */
export type Seen<Value, In extends View> = Value extends Blob
  ? Value
  : Value extends { readonly $binary: infer Text }
    ? Text
    : Value extends { readonly $choice: infer Choice }
      ? // Defaults within `anyOf` or `oneOf` are not applied.
        Seen<Choice, In extends 'input' ? 'alternative' : In> & Beside<Value, In>
      : Value extends
            { readonly $default: infer Inner } | { readonly $read: infer Inner } | { readonly $write: infer Inner }
        ? Seen<Inner, In>
        : Value extends readonly unknown[]
          ? { [Index in keyof Value]: Seen<Value[Index], In> }
          : Value extends object
            ? Members<Value, In>
            : Value

/** What a type has besides a choice. */
type Beside<Value, In extends View> = [keyof Value] extends ['$choice']
  ? unknown
  : Value extends string | number | bigint | boolean | readonly unknown[]
    ? unknown
    : Seen<{ [Name in keyof Value as Name extends '$choice' ? never : Name]: Value[Name] }, In>

type Members<Value, In extends View> = {
  [
    Name in keyof Value as Bears<Value[Name], Unseen[In]> extends true
      ? never
      : In extends 'input'
        ? Bears<Value[Name], { readonly $default: unknown }> extends true
          ? never
          : Name
        : Name
  ]: Seen<Value[Name], In>
} & (In extends 'input' ? Applied<Value> : Refused<Value, In>)

/** The properties with a default. */
type Applied<Value> = {
  [Name in keyof Value as Bears<Value[Name], { readonly $default: unknown }> extends true ? Name : never]-?: Seen<
    Value[Name],
    'input'
  >
}

/** Makes an object with excluded properties a type error. */
type Refused<Value, In extends View> = {
  [Name in keyof Value as Bears<Value[Name], Unseen[In]> extends true ? Name : never]?: never
}

/** The parameters of a generated operation in `path`, `query`, `header` or `cookie`. */
export type ParametersIn<Operation, Place extends string> = Operation extends {
  parameters: { [Name in Place]?: infer Parameters }
}
  ? [NonNullable<Parameters>] extends [never]
    ? Record<never, never>
    : Seen<NonNullable<Parameters>, 'input'>
  : never

/** The whole query as one value, in a member `querystring`; undefined if a request has none. */
export type QuerystringOf<Operation> = Operation extends { parameters: infer Parameters }
  ? 'querystring' extends keyof Parameters
    ? Seen<Pick<Parameters, 'querystring'>, 'input'>
    : unknown
  : unknown

/**
 * The body of an operation's request, in a member `body`: `undefined` without one. With several media types, or a range,
 * `contentType` tells which of them it has, as the contract writes it; `mediaType` what it is in a range.
 */
export type ContentOf<Operation> = Operation extends { requestBody: infer Request }
  ? BodyOf<Request>
  : Operation extends { requestBody?: infer Request }
    ? [NonNullable<Request>] extends [never]
      ? unknown
      : BodyOf<NonNullable<Request>> | Without<NonNullable<Request>>
    : unknown

type BodyOf<Message> = Message extends { content: infer Content }
  ? IsChosen<keyof Content> extends true
    ? { [Media in keyof Content]: ChosenBody<Media, Content[Media]> }[keyof Content]
    : { body: { [Media in keyof Content]: BodyIn<Media, Content[Media]> }[keyof Content] }
  : never

type ChosenBody<Media, Content> = Media extends MediaRange
  ? { contentType: Media; mediaType: Concrete<Media>; body: BodyIn<Media, Content> }
  : { contentType: Media; body: BodyIn<Media, Content> }

/** An optional body that is not there. */
type Without<Message> = Message extends { content: infer Content }
  ? IsChosen<keyof Content> extends true
    ? { contentType?: undefined; body: undefined }
    : { body: undefined }
  : never

/** Whether a message says which media type it has: there are several, or a range. */
type IsChosen<Media> = IsUnion<Media> extends true ? true : Media extends MediaRange ? true : false

/** A body of one media type: JSON by its schema, a form with its files, `text/*` as text, any other as bytes. */
type BodyIn<Media, Content> = {
  json: Seen<Content, 'input'>
  form: FormIn<Content>
  text: TextIn<Content>
  bytes: Uint8Array
  any: unknown
}[MediaKind<Media>]

type FormIn<Content> = Seen<{ [Name in keyof Content]: WithFiles<Content[Name]> }, 'input'>

/** The type of a field: files in place of `format: binary`. */
type WithFiles<Field> = Field extends { readonly $binary: unknown }
  ? File
  : Field extends readonly (infer Item)[]
    ? WithFiles<Item>[]
    : Field

/** A text that is declared as something else is not validated. */
type TextIn<Content> = [Extract<Content, string>] extends [never] ? string : Extract<Content, string>

/** A media type range. */
type MediaRange = `${string}/*` | `${string}/*;${string}` | `${string}/*+${string}`

/** The media types that a declared one stands for. */
export type Concrete<Media> = Media extends '*/*' | `*/*;${string}`
  ? string
  : Media extends `${infer Type}/*+${infer Suffix}`
    ? `${Type}/${string}+${Suffix}`
    : Media extends `${infer Type}/*${string}`
      ? `${Type}/${string}`
      : Media

/** Whether a declared media type is a range. */
export type IsRange<Media> = Media extends MediaRange ? true : false

/** The encoding of a media type; `any` of a range that has several. Ignores parameters and case (RFC 9110, section 8.3.1). */
export type MediaKind<Media> = Media extends `${infer Type};${string}`
  ? MediaKind<Type>
  : Media extends string
    ? KindOf<Lowercase<Media>>
    : never

type KindOf<Media extends string> = Media extends `${infer Type} `
  ? KindOf<Type>
  : Media extends 'application/json' | 'text/json' | `${string}/${string}+json`
    ? 'json'
    : Media extends 'application/x-www-form-urlencoded' | 'multipart/form-data'
      ? 'form'
      : Media extends `text/${string}`
        ? 'text'
        : Media extends '*/*' | 'application/*' | 'multipart/*'
          ? 'any'
          : 'bytes'

/** The media types of a response; never without a body. */
export type MediaIn<Response> = Response extends { content: infer Content } ? keyof Content : never

/** The content of a response for one media type. */
export type ContentIn<Response, Media> = Response extends { content: infer Content }
  ? Media extends keyof Content
    ? Content[Media]
    : never
  : never

/** The media types of successful responses. */
export type SuccessMedia<Responses> = {
  [Key in keyof Responses]: Key extends number | string
    ? `${Key}` extends `2${string}`
      ? MediaIn<Responses[Key]>
      : never
    : never
}[keyof Responses]

/** Whether a type is a union of more than one. */
export type IsUnion<Type, Member = Type> = [Type] extends [never]
  ? false
  : Member extends unknown
    ? [Type] extends [Member]
      ? false
      : true
    : never

/**
 * The status codes of final responses, by their range in OpenAPI.
 *
 * @see https://www.iana.org/assignments/http-status-codes
 */
interface StatusRanges {
  '2XX': 200 | 201 | 202 | 203 | 204 | 205 | 206 | 207 | 208 | 226
  '3XX': 300 | 301 | 302 | 303 | 304 | 305 | 307 | 308
  '4XX':
    | (400 | 401 | 402 | 403 | 404 | 405 | 406 | 407 | 408 | 409 | 410 | 411 | 412 | 413 | 414 | 415 | 416 | 417)
    | (421 | 422 | 423 | 424 | 425 | 426 | 428 | 429 | 431 | 451)
  '5XX': 500 | 501 | 502 | 503 | 504 | 505 | 506 | 507 | 508 | 510 | 511
}

type Range = keyof StatusRanges

/** The statuses of one key of an operation's responses: those without a more specific key. */
export type StatusOf<Responses, Key extends keyof Responses> = Key extends number
  ? Key
  : Key extends Range
    ? Exclude<StatusRanges[Key], keyof Responses | Contentless<Responses[Key]>>
    : Key extends 'default'
      ? Exclude<StatusRanges[Exclude<Range, keyof Responses>], keyof Responses | Contentless<Responses[Key]>>
      : never

/** The statuses without content in HTTP, if a response declares content. */
type Contentless<Response> = [MediaIn<Response>] extends [never] ? never : (typeof contentless)[number]
