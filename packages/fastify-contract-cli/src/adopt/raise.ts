import { kindOf } from 'fastify-contract/document'
import { isShown, objectsOf } from '../keywords/objects.ts'
import type { Adopted } from './adopt.ts'

type Members = Record<string, unknown>

/**
 * Writes the keywords of OpenAPI 3.0 that 3.1 has otherwise as those of 3.1. `nullable` adds null also beside `$ref`,
 * compositions and `enum`, because authors mean that.
 *
 * @see https://www.openapis.org/blog/2021/02/16/migrating-from-openapi-3-0-to-3-1-0
 */
export function raise(contract: Adopted): void {
  const { document, warn } = contract
  const version = String(document['openapi'])
  const isOld = /^3(?:\.0.*)?$/.test(version)
  if (!version.startsWith('3.1.')) document['openapi'] = '3.1.0'
  for (const { object, kind } of objectsOf(document)) {
    if (kind !== 'schema') continue
    const isNullable = String(object['nullable']) === 'true'
    if (isOld) removeBesideReference(object, warn)
    else if ('nullable' in object)
      warn({ object, key: 'nullable' }, "nullable: is a keyword of OpenAPI 3.0; use type: [string, 'null']")
    Reflect.deleteProperty(object, 'nullable')
    raiseBound(object, 'exclusiveMinimum', 'minimum')
    raiseBound(object, 'exclusiveMaximum', 'maximum')
    raiseBinary(object)
    if (isNullable) addNull(object, contract)
  }
}

/** In OpenAPI 3.0 a reference stands alone (3.0.4, section 4.7.23). */
function removeBesideReference(schema: Members, warn: Adopted['warn']): void {
  if (typeof schema['$ref'] !== 'string') return
  for (const name of Object.keys(schema)) {
    if (name === '$ref' || name === 'nullable' || isShown('schema', name) || name.startsWith('x-')) continue
    Reflect.deleteProperty(schema, name)
    warn({ object: schema, key: name }, `OpenAPI 3.0 ignores ${name} beside $ref; write both into allOf`)
  }
}

function raiseBound(schema: Members, flag: string, bound: string): void {
  if (typeof schema[flag] !== 'boolean') return
  const isExclusive = schema[flag] && bound in schema
  Reflect.deleteProperty(schema, flag)
  if (!isExclusive) return
  schema[flag] = schema[bound]
  Reflect.deleteProperty(schema, bound)
}

/**
 * A string with the media type of bytes, and without an encoding, is `format: binary` (OpenAPI 3.1.1, "Working with
 * Binary Data").
 */
function raiseBinary(schema: Members): void {
  const { contentMediaType: media, contentEncoding: encoding, type = 'string' } = schema
  if (typeof media !== 'string' || encoding !== undefined || type !== 'string') return
  if (kindOf(media) !== 'bytes' || /[/+]xml\b/i.test(media)) return
  Reflect.deleteProperty(schema, 'contentMediaType')
  Object.assign(schema, { type, format: 'binary' })
}

/** The keywords that would reject null whatever `type` is. */
const closing = ['$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'const']
const besides = /^(?:default|examples?|readOnly|writeOnly|x-.*)$/

function addNull(schema: Members, { places }: Adopted): void {
  const { type, enum: values } = schema
  if (!closing.some((name) => name in schema)) {
    if (type !== undefined) schema['type'] = [...new Set([type].flat()), 'null']
    if (Array.isArray(values) && !values.includes(null))
      schema['enum'] = places.share([...(values as unknown[]), null], values)
    return
  }
  const asserted = Object.keys(schema).filter((name) => !besides.test(name) && !isAnnotation(name))
  const inner = places.share(Object.fromEntries(asserted.map((name) => [name, schema[name]])), schema)
  for (const name of asserted) Reflect.deleteProperty(schema, name)
  schema['anyOf'] = [inner, places.share({ type: 'null' }, schema)]
}

/** The discriminator stays beside its alternatives. */
function isAnnotation(name: string): boolean {
  return isShown('schema', name) && name !== 'discriminator'
}
