import { kindOf } from 'fastify-contract/document'
import { integerRanges, isIntegerFormat, isObject, isOfBigInts } from 'fastify-contract/json'
import { choiceNames, inPlace, isAnnotation, keywordNames } from 'fastify-contract/schema'
import { keywordOf } from '../table/table.ts'
import { type Draft, origin, originOf } from '../yaml/node.ts'
import { namedSchemas } from './context.ts'
import type { Mending } from './mending.ts'
import type { ContractObject } from './visit.ts'

/** In OpenAPI 3.0 a reference stands alone (3.0.4, section 4.7.23). */
export function removeBesideReference({ object }: ContractObject, { isOld, remove }: Mending): void {
  if (!isOld || typeof object['$ref'] !== 'string') return
  for (const name of Object.keys(object)) {
    if (name === '$ref' || name === 'nullable' || keywordOf('schema', name)?.isShown === true || name.startsWith('x-'))
      continue
    remove(object, name, `OpenAPI 3.0 ignores ${name} beside $ref; write both into allOf`)
  }
}

/** Reads the flag of OpenAPI 3.0 beside a bound, which authors of later versions may mean as well. */
export function upgradeBound(flag: string, bound: string) {
  return ({ object }: ContractObject, { isOld, warn }: Mending): void => {
    const isExclusive = object[flag]
    if (typeof isExclusive !== 'boolean') return
    Reflect.deleteProperty(object, flag)
    const at = { object, key: flag }
    if (isExclusive && !(bound in object)) warn(at, `${flag}: true limits nothing without ${bound}; write the number`)
    else if (!isOld) {
      const remedy = isExclusive ? `write the number of ${bound} here, without ${bound}` : 'remove it'
      warn(at, `${flag}: is true or false only in OpenAPI 3.0; ${remedy}`)
    }
    if (!isExclusive || !(bound in object)) return
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
const closing = ['$ref', 'allOf', ...choiceNames, 'not', 'const']

/**
 * Reads `nullable` of OpenAPI 3.0, which adds null also beside `$ref`, compositions and `enum`, because authors mean that.
 *
 * @see https://www.openapis.org/blog/2021/02/16/migrating-from-openapi-3-0-to-3-1-0
 */
export function addNull({ object }: ContractObject, { isOld, warn }: Mending): void {
  if (!('nullable' in object)) return
  const isNullable = String(object['nullable']) === 'true'
  if (!isOld) warn({ object, key: 'nullable' }, "nullable: is a keyword of OpenAPI 3.0; use type: [string, 'null']")
  Reflect.deleteProperty(object, 'nullable')
  if (!isNullable) return
  const { type, enum: values } = object
  if (!closing.some((name) => name in object)) {
    if (type !== undefined) object['type'] = [...new Set([type].flat()), 'null']
    if (Array.isArray(values) && !values.includes(null)) object['enum'] = [...(values as unknown[]), null]
    return
  }
  // The discriminator stays beside its alternatives.
  const asserted = Object.keys(object).filter((name) => name === 'discriminator' || !isAnnotation(name))
  const inner: Draft = {
    [origin]: originOf(object),
    ...Object.fromEntries(asserted.map((name) => [name, object[name]])),
  }
  for (const name of asserted) Reflect.deleteProperty(object, name)
  object['anyOf'] = [inner, { [origin]: originOf(object), type: 'null' }]
}

const limits = [
  ...keywordNames({ about: 'numbers' }).filter((name) => name !== 'multipleOf'),
  ...keywordNames({ is: 'assertion', isData: true }),
]

/**
 * Reads integers that may be beyond 2^53 as int64 or uint64, because numbers would round them: those with such a bound, and
 * those that another schema of the same value reads so. With a bound beyond both they are numbers.
 */
export function widenInteger({ object }: ContractObject, { document, warn, attempt }: Mending): void {
  const key = isWithoutFormat(object) ? limits.find((name) => [object[name]].flat().some(isUnsafe)) : undefined
  const format = key === undefined ? undefined : formatFor(object)
  if (key !== undefined && format === undefined) {
    readAsNumber(object)
    const text = `${key}: is beyond int64 and uint64, so the integer is read as a number, which may round it; change it, or use a string`
    warn({ object, key }, text, 'beyond int64')
  } else if (key !== undefined) {
    object['format'] = format
    const text = `${key}: exceeds ±(2^53 − 1), so the integer is read as ${String(format)}; add format: ${String(format)}`
    warn({ object, key }, text, 'int64')
  }
  if (!('allOf' in object || '$ref' in object)) return
  const own = [object, object['allOf']].flat().filter(isObject).filter(isWithoutFormat)
  if (own.length === 0) return
  const all = attempt(() => inPlace(object, namedSchemas(document), 'always')) ?? []
  const other = all.flatMap(({ type, format }) => (type === 'integer' && isOfBigInts(format) ? [format] : []))[0]
  if (other === undefined) return
  for (const part of own) {
    part['format'] = other
    const text = `type: another schema of the value is ${other}, so the integer is read as ${other}; add format: ${other}`
    warn({ object: part, key: 'type' }, text, 'int64 beside')
  }
}

/** The format that has all integers of a schema; undefined if none has. */
function formatFor(schema: Draft): 'int64' | 'uint64' | undefined {
  const values = limits.flatMap((name) =>
    [schema[name]].flat().flatMap((value) => (isUnsafe(value) || Number.isInteger(value) ? [inside(name, value)] : [])),
  )
  return (['int64', 'uint64'] as const).find((format) => values.every((value) => isWithin(value, format)))
}

/** The last integer that an exclusive bound allows, and any other value as it is. */
function inside(name: string, value: unknown): number | bigint {
  const step = name === 'exclusiveMinimum' ? 1n : name === 'exclusiveMaximum' ? -1n : 0n
  // An integer, also as a number.
  const limit = value as number | bigint
  return step === 0n || isShortened(limit) ? limit : BigInt(limit) + step
}

function isWithin(value: number | bigint, format: 'int64' | 'uint64'): boolean {
  const { minimum, maximum } = integerRanges[format]
  // Some tools write the ends of a range as the nearest number.
  const isEnd = isShortened(value) && [minimum, maximum].some((end) => Number(end) === Number(value))
  return isEnd || (value >= minimum && value <= maximum)
}

/** Whether an integer has the digits that JavaScript prints for a double, not all of which it means. */
function isShortened(value: number | bigint): boolean {
  return isUnsafe(value) && String(Number(value)) === String(value)
}

/** Reads the integers of a schema as numbers without a fraction. */
function readAsNumber(schema: Draft): void {
  schema['type'] = Array.isArray(schema['type'])
    ? schema['type'].map((type: unknown) => (type === 'integer' ? 'number' : type))
    : 'number'
  if (Number.isInteger(schema['multipleOf'])) return
  if ('multipleOf' in schema) schema['allOf'] = [schema['allOf'] ?? [], { multipleOf: 1 }].flat()
  else schema['multipleOf'] = 1
}

function isWithoutFormat({ type, format }: Draft): boolean {
  return [type].flat().includes('integer') && !isIntegerFormat(format)
}

function isUnsafe(value: unknown): value is number | bigint {
  return typeof value === 'bigint' || (Number.isInteger(value) && !Number.isSafeInteger(value))
}
