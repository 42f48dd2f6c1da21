import type { ContractOperation, ContractResponse, Exampled } from 'fastify-contract/document'
import { declaredResponse, isJson, isRange, kindOf } from 'fastify-contract/document'
import { stringifyJson } from 'fastify-contract/json'
import type { Schema } from 'fastify-contract/schema'
import type { SchemaSource } from '../suite/flat-schema.ts'
import { examplesOf } from '../suite/requests.ts'
import { Undrawable, attempt } from '../suite/undrawable.ts'
import { plainValue } from '../suite/values.ts'

/** What a handler returns. */
export interface MockReply {
  status: number
  headers: Record<string, string>
  contentType?: string
  body?: unknown
}

/** What a reply is made of. */
export interface Wanted {
  status: number
  /** The name of an example. */
  example?: string | undefined
  /** The media type that the client prefers. */
  accept?: string | undefined
  /** Makes the value of a JSON body from its schema and the value that it would have; undefined for that one. */
  value?: ((schema: Schema, plain: () => unknown) => unknown) | undefined
  /** Headers, by their names in lower case, where they are declared. */
  headers?: Record<string, string>
}

/** Statuses without content (RFC 9110, sections 15.3.5, 15.3.6, 15.4.5). */
const contentless = [204, 205, 304]

/** Makes a reply of a declared response: of its examples, else of valid values. @throws Undrawable */
export function replyOf({ object }: ContractOperation, source: SchemaSource, wanted: Wanted): MockReply {
  const { status } = wanted
  const response = declaredResponse(object.responses, status)
  if (response === undefined) throw new Undrawable(`${String(status)} is not declared`)
  const headers = headersOf(response, source, wanted)
  const types = contentless.includes(status) ? [] : Object.keys(response.content ?? {})
  const concrete = types.filter((each) => !isRange(each))
  const type = concrete.find((each) => each === wanted.accept) ?? concrete.find(isJson) ?? concrete[0] ?? types[0]
  if (type === undefined) return { status, headers }
  const media = response.content?.[type] ?? {}
  const contentType = isRange(type) ? concreteTypeOf(type) : type
  return { status, headers, contentType, body: bodyOf(contentType, media, source, wanted) }
}

const concreteTypes: [RegExp, string][] = [
  [/^text\//, 'text/plain'],
  [/^image\//, 'image/png'],
  [/^(?:\*|application)\//, 'application/json'],
]

/** A media type of a range. */
function concreteTypeOf(range: string): string {
  const known = concreteTypes.find(([expression]) => expression.test(range))?.[1]
  return known ?? range.replace('*', 'octet-stream')
}

function bodyOf(type: string, media: Exampled & { schema?: Schema }, source: SchemaSource, wanted: Wanted): unknown {
  const { schema = { type: 'object' } } = media
  const example = exampleOf(media, wanted.example)
  const kind = kindOf(type)
  if (kind === 'json') {
    const plain = () => (example === undefined ? plainValue(schema, source) : example.value)
    return wanted.value?.(schema, plain) ?? plain()
  }
  const value = example?.value ?? (media.schema === undefined ? 'text' : textOf(schema, source))
  const text = typeof value === 'string' ? value : stringifyJson(value)
  return kind === 'text' ? text : Buffer.from(text)
}

/** The text of a schema, of any other value its JSON. */
function textOf(schema: Schema, source: SchemaSource): unknown {
  const asText = { allOf: [schema, { type: 'string' }] }
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
  const values: Record<string, string> = {}
  for (const [name, { required, schema = {}, ...header }] of Object.entries(headers)) {
    const lower = name.toLowerCase()
    if (lower === 'x-request-id') continue
    try {
      const set = lower === 'content-encoding' ? 'identity' : wanted.headers?.[lower]
      const value = set ?? exampleOf(header, wanted.example)?.value ?? plainValue(schema, source)
      if (!isSendable(value)) throw new Undrawable(`no text of the header ${name} is known`)
      // Validated as the value that it is.
      values[name] = value as string
    } catch (error) {
      if (!(error instanceof Undrawable) || required === true) throw error
    }
  }
  return values
}

function isSendable(value: unknown): boolean {
  return (
    ['string', 'number', 'bigint', 'boolean'].includes(typeof value) && /^[\t\x20-\x7e\x80-\xff]*$/.test(String(value))
  )
}
