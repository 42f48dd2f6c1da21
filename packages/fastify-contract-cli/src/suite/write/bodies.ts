import { type ContractOperation, isRange, kindOf } from 'fastify-contract/document'
import { type SchemaSource, flatten } from '../draw/flat-schema.ts'
import type { Json } from '../draw/json-value.ts'
import { type Part, bodyParts, fieldOf } from './part.ts'
import { spelled, textOf } from './spellings.ts'
import { fieldsOf, writtenValue } from './written-value.ts'

/** The media type of an operation's bodies of JSON; undefined where it takes none. */
export function jsonType(operation: ContractOperation): string | undefined {
  return bodyParts(operation).find(({ as }) => as === 'json')?.type
}

const boundary = 'boundary-of-the-contract-suite'

/** The Content-Type header of a media type. */
export function contentTypeOf(type: string): string {
  if (isRange(type) && kindOf(type) === 'json') return type.replace('*', 'vnd.any')
  if (isRange(type) && /^(?:image|audio|video|font|model)/i.test(type)) return type.replace('*', 'x-any')
  if (isRange(type)) return type.startsWith('text') ? 'text/plain' : 'application/octet-stream'
  return kindOf(type) === 'multipart' ? `${type}; boundary=${boundary}` : type
}

/** A field of a multipart form with another media type than its own. */
export class OfType {
  readonly type: string
  readonly value: Json

  constructor(type: string, value: Json) {
    this.type = type
    this.value = value
  }
}

/** Writes a body; of JSON in one of its spellings. */
export function writtenBody(value: Json, body: Part, way: number, source: SchemaSource): string | Buffer {
  if (Buffer.isBuffer(value)) return value
  if (body.as === 'json') return spelled(value, way)
  if (body.as !== 'form') return textOf(value)
  if (body.isEncoded) return writtenValue(value, body, encodeURIComponent)
  const { properties } = flatten(body.schema, source)
  const isFile = (name: string) => {
    const { format, items = {} } = flatten(Object.hasOwn(properties, name) ? properties[name]! : {}, source).assertions
    return [format, flatten(items, source).assertions.format].includes('binary')
  }
  const parts = Object.entries(value ?? {}).flatMap(([name, given]: [string, Json]) => {
    const field = fieldOf(body, name)
    const file = isFile(name) ? '; filename="file"' : ''
    const own = field.fieldType ?? (file === '' ? undefined : 'application/octet-stream')
    const { value: member, type } = given instanceof OfType ? given : { value: given, type: own }
    const partHeaders = `${file}${type === undefined ? '' : `\r\nContent-Type: ${type}`}\r\n\r\n`
    return fieldsOf(member, field, String).map(([each = '', text]) => {
      return `--${boundary}\r\nContent-Disposition: form-data; name="${escapedName(each)}"${partHeaders}${text}\r\n`
    })
  })
  return `${parts.join('')}--${boundary}--\r\n`
}

/** The HTML standard, "multipart/form-data encoding algorithm". */
function escapedName(name: string): string {
  return name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22')
}
