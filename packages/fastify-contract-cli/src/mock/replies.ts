import type { ContractOperation, ContractResponse, Exampled, MediaType } from 'fastify-contract/document'
import { declaredResponse, isContentless, isJson, isRange, isReading } from 'fastify-contract/document'
import { framingOf, kindOf } from 'fastify-contract/document'
import { stringifyJson } from 'fastify-contract/json'
import { type Schema, typesOf } from 'fastify-contract/schema'
import type { SchemaSource } from '../suite/draw/flat-schema.ts'
import { examplesOf } from '../suite/ground/examples.ts'
import type { Members } from '../suite/ground/members.ts'
import { NoGenerator, attempt } from '../suite/ground/no-generator.ts'
import { plainValue } from '../suite/draw/plain-value.ts'
import { declaredType } from '../suite/ground/contract.ts'
import { isReply, withParameters } from './conform.ts'
import { eventText } from './event-text.ts'
import { lastPage } from './last-page.ts'

/** Validated as the value that it is. */
type HeaderValue = string | number | bigint | boolean

/** What a handler returns. */
export interface MockReply {
  status: number
  headers: Record<string, HeaderValue>
  contentType?: string
  body?: unknown
}

/** What a reply is made of. */
export interface Wanted {
  status: number
  /** The name of an example. */
  example?: string | undefined
  /** The parameters of the path of the request, which a success says. */
  path?: Members
  /** The media type that the client prefers. */
  accept?: string | undefined
  /** Makes the value of a JSON body from its schema and the value that it would have; undefined for that one. */
  value?: ((schema: Schema, plain: () => unknown) => unknown) | undefined
  /** Headers, by their names in lower case, where they are declared and their schemas allow them. */
  headers?: Record<string, string>
}

/** Makes a reply of a declared response: of its examples, else of valid values. @throws NoGenerator */
export function replyOf({ object, method }: ContractOperation, source: SchemaSource, wanted: Wanted): MockReply {
  const { status } = wanted
  const response = declaredResponse(object.responses, status)
  if (response === undefined) throw new NoGenerator(`${String(status)} is not declared`)
  const headers = headersOf(response, source, wanted)
  const types = isContentless(status) ? [] : Object.keys(response.content ?? {})
  if (types.length === 0) return { status, headers }
  const concrete = types.filter((each) => !isRange(each))
  const asked = declaredType(concrete, wanted.accept ?? '') ?? []
  for (const type of new Set([asked, concrete.filter(isJson), concrete, types].flat())) {
    const media = response.content?.[type] ?? {}
    const contentType = isRange(type) ? concreteTypeOf(type) : type
    const body = attempt('', {}, () => bodyOf(contentType, media, source, { ...wanted, isList: isReading(method) }))
    if (body !== undefined) return { status, headers, contentType, body }
  }
  throw new NoGenerator(`cannot generate a body of ${types.join(', ')}`)
}

const concreteTypes: [RegExp, string][] = [
  [/^application\/\*\+json/, 'application/vnd.any+json'],
  [/^text\//, 'text/plain'],
  [/^image\//, 'image/png'],
  [/^(?:\*|application)\//, 'application/json'],
]

/** A media type of a range. */
function concreteTypeOf(range: string): string {
  const concreteType = concreteTypes.find(([expression]) => expression.test(range))?.[1]
  return concreteType ?? range.replace('*', 'octet-stream')
}

/** @param wanted `isList` says that the body may be a page of a list */
function bodyOf(type: string, media: MediaType, source: SchemaSource, wanted: Wanted & { isList: boolean }): unknown {
  const { schema = { type: 'object' } } = media
  const example = exampleOf(media, wanted.example)
  const { itemSchema } = media
  if (itemSchema !== undefined) return ReadableStream.from(itemsOf(itemSchema, example?.value, source))
  const events = framingOf(type) === 'events' ? eventsOf(media, example?.value, source) : undefined
  if (events !== undefined) return events
  const kind = kindOf(type)
  if (kind === 'json') {
    const drawn = () => {
      const value = example === undefined ? plainValue(schema, source) : example.value
      const { path = {}, status } = wanted
      if (status >= 400 || Object.keys(path).length === 0) return value
      const named = withParameters(value, schema, path, source)
      return isReply(named, schema, source) ? named : value
    }
    const isPage = wanted.isList && wanted.example === undefined
    // What clients have posted stays as it is.
    const plain = () => (isPage ? lastPage(drawn(), schema, source) : drawn())
    return wanted.value?.(schema, plain) ?? plain()
  }
  const value = example?.value ?? (media.schema === undefined ? 'text' : textOf(schema, source))
  // JSON would be malformed content of most other types.
  if (typeof value !== 'string' && kind !== 'text') throw new NoGenerator(`cannot generate a body of ${type}`)
  const text = typeof value === 'string' ? value : stringifyJson(value)
  return kind === 'text' ? text : Buffer.from(text)
}

/** What a stream sends: the items of an example, or three valid values. @throws NoGenerator */
function itemsOf(schema: Schema, example: unknown, source: SchemaSource): unknown[] {
  if (Array.isArray(example) && example.every((item) => isReply(item, schema, source))) return example
  const first = plainValue(schema, source)
  return [first, ...[1, 2].map((index) => attempt('', {}, () => plainValue(schema, source, index)) ?? first)]
}

/**
 * The text of events, each of a value of the schema.
 *
 * @returns undefined where the schema is that of a text, and not of this one
 * @throws NoGenerator
 */
function eventsOf({ schema = {} }: MediaType, example: unknown, source: SchemaSource): string | undefined {
  const values = example ?? itemsOf(schema, undefined, source)
  const text = [values].flat(2).map(eventText).join('')
  return typesOf(schema, source.schemas).has('string') && !isReply(text, schema, source) ? undefined : text
}

/** The text of a schema, of any other value its JSON. */
function textOf(schema: Schema, source: SchemaSource): unknown {
  const asText: Schema = { allOf: [schema, { type: 'string' }] }
  return attempt('', {}, () => plainValue(asText, source)) ?? plainValue(schema, source)
}

/** The example of a name, else the first. */
function exampleOf(holder: Exampled, name: string | undefined): { value: unknown } | undefined {
  const examples = [...examplesOf(holder)].filter(([, value]) => value !== undefined)
  const [, value] = examples.find(([each]) => each === name) ?? examples[0] ?? []
  return value === undefined ? undefined : { value }
}

/** Every declared header. */
function headersOf({ headers = {} }: ContractResponse, source: SchemaSource, wanted: Wanted): MockReply['headers'] {
  const values: MockReply['headers'] = {}
  const wished = new Map(Object.entries(wanted.headers ?? {}))
  for (const [name, { required, schema = {}, ...header }] of Object.entries(headers)) {
    const lower = name.toLowerCase()
    if (lower === 'x-request-id') continue
    try {
      const wish = wished.get(lower)
      const own = wish !== undefined && isReply(wish, schema, source) ? wish : undefined
      const set = lower === 'content-encoding' ? 'identity' : own
      const value = set ?? exampleOf(header, wanted.example)?.value ?? plainValue(schema, source)
      if (!isSendable(value)) throw new NoGenerator(`cannot generate the header ${name}`)
      if (lower === 'link' && required !== true && /rel="?next/i.test(String(value))) continue
      values[name] = value
    } catch (error) {
      if (!(error instanceof NoGenerator) || required === true) throw error
    }
  }
  return values
}

function isSendable(value: unknown): value is HeaderValue {
  return (
    ['string', 'number', 'bigint', 'boolean'].includes(typeof value) && /^[\t\x20-\x7e\x80-\xff]*$/.test(String(value))
  )
}
