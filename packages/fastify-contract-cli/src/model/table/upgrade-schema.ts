import { kindOf } from 'fastify-contract/document'
import { inPlace, isAnnotation, isSchema } from 'fastify-contract/schema'
import { namedSchemas } from '../context.ts'
import type { ContractObject, Mending } from './keyword.ts'

type Members = Record<string, unknown>

/** In OpenAPI 3.0 a reference stands alone (3.0.4, section 4.7.23). */
export function removeBesideReference({ object }: ContractObject, { isOld, keywordOf, warn }: Mending): void {
  if (!isOld || typeof object['$ref'] !== 'string') return
  for (const name of Object.keys(object)) {
    if (name === '$ref' || name === 'nullable' || keywordOf('schema', name)?.isShown === true || name.startsWith('x-'))
      continue
    Reflect.deleteProperty(object, name)
    warn({ object, key: name }, `OpenAPI 3.0 ignores ${name} beside $ref; write both into allOf`)
  }
}

/** Reads the flag of OpenAPI 3.0 beside a bound. */
export function upgradeBound(flag: string, bound: string) {
  return ({ object }: ContractObject): void => {
    if (typeof object[flag] !== 'boolean') return
    const isExclusive = object[flag] && bound in object
    Reflect.deleteProperty(object, flag)
    if (!isExclusive) return
    object[flag] = object[bound]
    Reflect.deleteProperty(object, bound)
  }
}

/**
 * A string with the media type of bytes, and without an encoding, is `format: binary` (OpenAPI 3.1.1, "Working with
 * Binary Data").
 */
export function readAsBinary({ object }: ContractObject): void {
  const { contentMediaType: media, contentEncoding: encoding, type = 'string' } = object
  if (typeof media !== 'string' || encoding !== undefined || type !== 'string') return
  if (kindOf(media) !== 'bytes' || /[/+]xml\b/i.test(media)) return
  Reflect.deleteProperty(object, 'contentMediaType')
  Object.assign(object, { type, format: 'binary' })
}

/** The keywords that would reject null whatever `type` is. */
const closing = ['$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'const']

/**
 * Reads `nullable` of OpenAPI 3.0, which adds null also beside `$ref`, compositions and `enum`, because authors mean that.
 *
 * @see https://www.openapis.org/blog/2021/02/16/migrating-from-openapi-3-0-to-3-1-0
 */
export function addNull({ object }: ContractObject, { isOld, places, warn }: Mending): void {
  if (!('nullable' in object)) return
  const isNullable = String(object['nullable']) === 'true'
  if (!isOld) warn({ object, key: 'nullable' }, "nullable: is a keyword of OpenAPI 3.0; use type: [string, 'null']")
  Reflect.deleteProperty(object, 'nullable')
  if (!isNullable) return
  const { type, enum: values } = object
  if (!closing.some((name) => name in object)) {
    if (type !== undefined) object['type'] = [...new Set([type].flat()), 'null']
    if (Array.isArray(values) && !values.includes(null))
      object['enum'] = places.share([...(values as unknown[]), null], values)
    return
  }
  // The discriminator stays beside its alternatives.
  const asserted = Object.keys(object).filter((name) => name === 'discriminator' || !isAnnotation(name))
  const inner: Members = places.share(Object.fromEntries(asserted.map((name) => [name, object[name]])), object)
  for (const name of asserted) Reflect.deleteProperty(object, name)
  object['anyOf'] = [inner, places.share({ type: 'null' }, object)]
}

const limits = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'enum', 'const']

/**
 * Reads integers that may be beyond 2^53 as int64, because numbers would round them: those with such a bound, and those
 * that another schema of the same value reads as int64.
 */
export function widenInteger({ object }: ContractObject, { document, warn, attempt }: Mending): void {
  const key = isWithoutFormat(object) ? limits.find((name) => [object[name]].flat().some(isUnsafe)) : undefined
  if (key !== undefined) {
    object['format'] = 'int64'
    const text = `${key}: exceeds ±(2^53 − 1), so the integer is read as int64; add format: int64`
    warn({ object, key }, text, 'int64')
  }
  if (!('allOf' in object || '$ref' in object)) return
  const own = [object, object['allOf']].flat().filter(isSchema).filter(isWithoutFormat)
  if (own.length === 0) return
  const all = attempt(() => inPlace(object, namedSchemas(document), 'always')) ?? []
  if (!all.some(({ type, format }) => type === 'integer' && format === 'int64')) return
  for (const part of own) {
    part['format'] = 'int64'
    const text = 'type: another schema of the value is int64, so the integer is read as int64; add format: int64'
    warn({ object: part, key: 'type' }, text, 'int64 beside')
  }
}

function isWithoutFormat({ type, format }: Members): boolean {
  return [type].flat().includes('integer') && !/^int(?:32|64)$/.test(String(format))
}

function isUnsafe(value: unknown): boolean {
  return typeof value === 'bigint' || (Number.isInteger(value) && !Number.isSafeInteger(value))
}
