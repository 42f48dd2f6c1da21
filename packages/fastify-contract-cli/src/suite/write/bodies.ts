import fc from 'fast-check'
import { type ContractOperation, type Encoding, isRange, kindOf } from 'fastify-contract/document'
import type { Schema, Subschema } from 'fastify-contract/schema'
import { type SchemaSource, flatten, sent, namedTypesOf } from '../draw/flat-schema.ts'
import type { Json } from '../draw/json-value.ts'
import { canBeSplit, fieldsOf, isTextual, pairsOf, textual } from './parameters.ts'
import { examplesOf } from '../ground/examples.ts'
import { spelled, textOf } from './spellings.ts'
import { NoGenerator, attempt } from '../ground/no-generator.ts'
import { plainValue } from '../draw/plain-value.ts'
import { exact, found, valuesOf } from '../draw/values.ts'
import { isObject } from '../ground/members.ts'

/** The media types of an operation's body, JSON first; a range stands for one of its types. */
export function bodyTypes({ object }: ContractOperation): string[] {
  const types = Object.keys(object.requestBody?.content ?? {}).filter((type) => !type.includes('*') || isRange(type))
  return types.toSorted((a, b) => Number(kindOf(b) === 'json') - Number(kindOf(a) === 'json'))
}

/** The schema of a body of a media type. */
export function bodySchema({ object }: ContractOperation, type = ''): Schema | undefined {
  return object.requestBody?.content[type]?.schema
}

/** The examples of a body of a media type that the contract gives and allows. */
function bodyExamples(operation: ContractOperation, type: string, source: SchemaSource): Json[] {
  const schema = bodySchema(operation, type) ?? {}
  const isValid = (value: Json) => value !== undefined && source.problemsOf(value, schema).length === 0
  const examples = [...examplesOf(operation.object.requestBody?.content[type] ?? {}).values()].map(exact)
  const kind = kindOf(type)
  const isText = (value: Json) => typeof value === 'string' && (kind === 'text' || kind === 'bytes')
  return examples.filter(kind === 'json' ? isValid : isText)
}

/** Bodies of a media type: a value, a text, or bytes; the examples of the contract among them. @throws NoGenerator */
export function bodiesOf(operation: ContractOperation, type: string, source: SchemaSource): fc.Arbitrary<Json> {
  const examples = bodyExamples(operation, type, source)
  const draw = () => drawnBodies(operation, type, source)
  const drawn = examples.length === 0 ? draw() : attempt('', {}, draw)
  if (drawn === undefined) return fc.constantFrom(...examples)
  if (examples.length === 0) return drawn
  return fc.oneof({ weight: 6, arbitrary: drawn }, { weight: 1, arbitrary: fc.constantFrom(...examples) })
}

/** @throws NoGenerator */
function drawnBodies(operation: ContractOperation, type: string, source: SchemaSource): fc.Arbitrary<Json> {
  const schema = bodySchema(operation, type) ?? {}
  switch (bodyKind(operation, type, source)) {
    case 'json':
      return valuesOf(schema, source)
    case 'form': {
      const { isDeep, isWhole, isSplit } = formRules(operation, type)
      return found(textual(sent(flatten(schema, source)), isDeep, isWhole), isSplit, source)
    }
    case 'text':
      return valuesOf({ ...schema, type: 'string' }, source)
    case 'bytes':
      return fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes))
  }
}

/** The body of a media type that a reader expects: the first example, or else a plain value. @throws NoGenerator */
export function plainBody(operation: ContractOperation, type: string, source: SchemaSource): Json {
  const [example] = bodyExamples(operation, type, source)
  if (example !== undefined) return example
  const schema = bodySchema(operation, type) ?? {}
  switch (bodyKind(operation, type, source)) {
    case 'json':
      return plainValue(schema, source)
    case 'form': {
      const { isDeep, isWhole, isSplit } = formRules(operation, type)
      return plainValue(schema, source, 0, (value) => isTextual(value, isDeep, isWhole) && isSplit(value))
    }
    case 'text':
      return plainValue({ ...schema, type: 'string' }, source)
    case 'bytes':
      return Buffer.from('text')
  }
}

/** What bodies of a media type are made of. @throws NoGenerator for one that is not known */
function bodyKind(operation: ContractOperation, type: string, source: SchemaSource) {
  const types = namedTypesOf(flatten(bodySchema(operation, type) ?? {}, source))
  const mayBeText = types.length === 0 || types.includes('string')
  const kind = kindOf(type)
  if (kind === 'json') return kind
  if (kind === 'form' || kind === 'multipart') return 'form'
  if (kind === 'text' && mayBeText) return kind
  if (kind === 'bytes' && mayBeText && !/xml|yaml|zip|pdf/.test(type)) return kind
  throw new NoGenerator(`cannot generate a body of ${type}; give it an example`)
}

/** Which properties of a form are written in the style `deepObject`, which as JSON, and whether its texts can be told apart. */
function formRules(operation: ContractOperation, type: string) {
  const encodings = encodingsOf(operation, type)
  const as = kindOf(type) === 'form' ? 'encoded' : 'written'
  return {
    isDeep: (name: string) => encodings[name]?.style === 'deepObject',
    isWhole: (name: string) => encodings[name]?.style === undefined && encodings[name]?.explode === undefined,
    isSplit: (form: Json) =>
      isObject(form) && Object.entries(form).every(([name, member]) => canBeSplit(member, encodings[name], as)),
  }
}

const boundary = 'boundary-of-the-contract-suite'

/** The Content-Type header of a media type. */
export function contentTypeOf(type: string): string {
  if (isRange(type) && kindOf(type) === 'json') return type.replace('*', 'vnd.any')
  if (isRange(type)) return type.startsWith('text') ? 'text/plain' : 'application/octet-stream'
  return kindOf(type) === 'multipart' ? `${type}; boundary=${boundary}` : type
}

/** The encoding of the fields of a form, by name. */
export function encodingsOf({ object }: ContractOperation, type: string): Record<string, Encoding> {
  return object.requestBody?.content[type]?.encoding ?? {}
}

/** What a multipart form says of its fields, by name. */
export interface PartTypes {
  files: readonly string[]
  /** Media types. */
  types: Readonly<Record<string, string>>
}

/** Writes a body; of JSON in one of its spellings. */
export function writtenBody(
  type: string,
  value: Json,
  way: number,
  { files, types }: PartTypes,
  encodings: Record<string, Encoding>,
): string | Buffer {
  if (Buffer.isBuffer(value)) return value
  const kind = kindOf(type)
  if (kind === 'json') return spelled(value, way)
  if (kind === 'text' || kind === 'bytes') return textOf(value)
  if (kind === 'form') return pairsOf(value, encodings, encodeURIComponent).join('&')
  const parts = Object.entries(value ?? {}).flatMap(([property, member]) => {
    const fields = fieldsOf(property, member, encodings[property], String)
    const file = files.includes(property) ? '; filename="file"' : ''
    const media = types[property] ?? (file === '' ? undefined : 'application/octet-stream')
    const partHeaders = `${file}${media === undefined ? '' : `\r\nContent-Type: ${media}`}\r\n\r\n`
    return fields.map(([name, text]) => {
      return `--${boundary}\r\nContent-Disposition: form-data; name="${escapedName(name)}"${partHeaders}${text}\r\n`
    })
  })
  return `${parts.join('')}--${boundary}--\r\n`
}

/** The first media type that each part of a multipart form may have. */
export function partTypesOf(operation: ContractOperation, type: string): Record<string, string> {
  const typed = Object.entries(encodingsOf(operation, type)).flatMap(([name, { contentType, style, explode }]) => {
    const [first] = style === undefined && explode === undefined ? (contentType?.split(/,\s*/) ?? []) : []
    return first === undefined ? [] : [[name, first.replace('*/*', 'text/plain').replace('/*', '/x-any')] as const]
  })
  return kindOf(type) === 'multipart' ? Object.fromEntries(typed) : {}
}

/** The fields of a form that are files. */
export function filesOf(operation: ContractOperation, type: string, source: SchemaSource): string[] {
  if (kindOf(type) !== 'multipart') return []
  const formatOf = (schema: Subschema) => flatten(schema, source).assertions.format
  return Object.entries(flatten(bodySchema(operation, type) ?? {}, source).properties).flatMap(([name, property]) => {
    const { items = {} } = flatten(property, source).assertions
    return [formatOf(property), formatOf(items)].includes('binary') ? [name] : []
  })
}

/** The HTML standard, "multipart/form-data encoding algorithm". */
function escapedName(name: string): string {
  return name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22')
}
