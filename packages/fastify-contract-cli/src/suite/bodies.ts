import fc from 'fast-check'
import { type ContractOperation, isRange, kindOf } from 'fastify-contract/document'
import type { Schema } from 'fastify-contract/schema'
import { type Json, type SchemaSource, flatten, sent, typesOf } from './flat-schema.ts'
import { textual } from './parameters.ts'
import { spelled, textOf } from './spellings.ts'
import { Undrawable } from './undrawable.ts'
import { found, valuesOf } from './values.ts'

/**
 * The media types of an operation's body, JSON first; a range stands for one of its types. No body has
 * `application/*+json`.
 */
export function bodyTypes({ object }: ContractOperation): string[] {
  const types = Object.keys(object.requestBody?.content ?? {}).filter((type) => !type.includes('*') || isRange(type))
  return types.toSorted((a, b) => Number(kindOf(b) === 'json') - Number(kindOf(a) === 'json'))
}

/** The schema of a body of a media type. */
export function bodySchema({ object }: ContractOperation, type = ''): Schema | undefined {
  return object.requestBody?.content[type]?.schema
}

/** Bodies of a media type: a value, a text, or bytes. @throws Undrawable */
export function bodiesOf(operation: ContractOperation, type: string, source: SchemaSource): fc.Arbitrary<Json> {
  const schema = bodySchema(operation, type) ?? {}
  const flat = sent(flatten(schema, source))
  const types = typesOf(flat)
  const mayBeText = types.length === 0 || types.includes('string')
  const kind = kindOf(type)
  if (kind === 'json') return valuesOf(schema, source)
  if (kind === 'form' || kind === 'multipart') {
    const isForm = (value: Json) => typeof value === 'object' && !Array.isArray(value)
    return found(textual(flat), isForm, source)
  }
  if (kind === 'text' && mayBeText) return valuesOf({ ...schema, type: 'string' }, source)
  if (kind === 'bytes' && mayBeText && !/xml|yaml|zip|pdf/.test(type)) {
    return fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes))
  }
  throw new Undrawable(`no bodies of ${type} are known`)
}

const boundary = 'boundary-of-the-contract-suite'

/** The Content-Type header of a media type. */
export function contentTypeOf(type: string): string {
  if (isRange(type)) return type.startsWith('text') ? 'text/plain' : 'application/octet-stream'
  return kindOf(type) === 'multipart' ? `${type}; boundary=${boundary}` : type
}

/** Writes a body; of JSON in one of its spellings. */
export function writtenBody(type: string, value: Json, way: number, files: readonly string[]): string | Buffer {
  if (Buffer.isBuffer(value)) return value
  const kind = kindOf(type)
  if (kind === 'json') return spelled(value, way)
  if (kind === 'text' || kind === 'bytes') return textOf(value)
  const fields = Object.entries(value ?? {}).flatMap(([name, member]) =>
    [member as Json].flat().map((item) => [name, textOf(item)] as const),
  )
  if (kind === 'form') return fields.map((pair) => pair.map(encodeURIComponent).join('=')).join('&')
  const parts = fields.map(([name, text]) => {
    const file = files.includes(name) ? '; filename="file"\r\nContent-Type: application/octet-stream' : ''
    return `--${boundary}\r\nContent-Disposition: form-data; name="${escapedName(name)}"${file}\r\n\r\n${text}\r\n`
  })
  return `${parts.join('')}--${boundary}--\r\n`
}

/** The fields of a form that are files. */
export function filesOf(operation: ContractOperation, type: string, source: SchemaSource): string[] {
  if (kindOf(type) !== 'multipart') return []
  const formatOf = (schema: Schema) => flatten(schema, source).assertions.format
  return Object.entries(flatten(bodySchema(operation, type) ?? {}, source).properties).flatMap(([name, property]) => {
    const { items = {} } = flatten(property, source).assertions
    return [formatOf(property), formatOf(items)].includes('binary') ? [name] : []
  })
}

/** The HTML standard, "multipart/form-data encoding algorithm". */
function escapedName(name: string): string {
  return name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22')
}
