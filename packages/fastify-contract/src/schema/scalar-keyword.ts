import type { FuncKeywordDefinition } from 'ajv'
import { integerRanges, isJsonNumber, readDecimal, readJsonInteger } from '../json/integers.ts'
import type { KeywordFunction, Validation } from './validation.ts'

/** The origin of a value: `text` is a parameter or a header, `json` a parsed body, a reply or an example. */
export type Source = 'json' | 'text'

/** The assertions of a schema about an integer, a number or a boolean. */
interface ScalarSchema {
  type?: 'integer' | 'number' | 'boolean'
  format?: string
  minimum?: number | bigint
  maximum?: number | bigint
  exclusiveMinimum?: number | bigint
  exclusiveMaximum?: number | bigint
  multipleOf?: number | bigint
  enum?: unknown[]
  const?: Scalar
}

type Scalar = number | bigint | boolean

/** The value for the handler; undefined if the value is not valid. */
type Coerced = { value: Scalar } | undefined

/**
 * The keyword that `SchemaRewriter` writes. It coerces a valid value for the handler: to a bigint for `format: int64`,
 * otherwise to a number or a boolean.
 *
 * @param source the origin of the values
 * @see https://ajv.js.org/keywords.html
 */
export function scalarKeyword(source: Source): FuncKeywordDefinition {
  return {
    keyword: 'scalar',
    schemaType: 'object',
    errors: true,
    // Without `type` the assertions apply to numbers only, as in JSON Schema.
    compile(schema: ScalarSchema) {
      assertKnownFormat(schema)
      const message = `must be ${describe(schema, source)}`
      const validate: KeywordFunction = function (this: Validation, data: unknown, context) {
        // Ajv always passes the context.
        const { parentData: container, parentDataProperty: key } = context!
        const coerced =
          source === 'text'
            ? coerceText(schema, data)
            : coerceJson(schema, data, this.sources?.get(container)?.get(String(key)))
        if (schema.type === undefined && coerced === undefined) return true
        if (coerced === undefined || !meetsAssertions(schema, coerced.value)) {
          validate.errors = [{ keyword: 'scalar', message, params: {} }]
          return false
        }
        const { value } = coerced
        // Notes an unchanged bigint too, so that a number of another branch does not replace it.
        if (schema.type !== undefined && (value !== data || typeof value === 'bigint')) {
          this.coercions.push({ container, key, value })
        }
        return true
      }
      return validate
    },
  }
}

function coerceText(schema: ScalarSchema, data: unknown): Coerced {
  // A default is not text.
  if (typeof data !== 'string') return coerceJson(schema, data, undefined)
  switch (schema.type) {
    case 'boolean':
      return data === 'true' || data === 'false' ? { value: data === 'true' } : undefined
    case 'number':
      return isJsonNumber(data) && Number.isFinite(Number(data)) ? { value: Number(data) } : undefined
    case 'integer':
      return coerceInteger(schema, readDecimal(data))
    case undefined:
      // Another subschema gives the type of this value.
      return isJsonNumber(data) ? { value: readJsonInteger(data) ?? Number(data) } : undefined
  }
}

function coerceJson(schema: ScalarSchema, data: unknown, source: string | undefined): Coerced {
  if (schema.type === 'boolean') return typeof data === 'boolean' ? { value: data } : undefined
  if (typeof data !== 'number' && typeof data !== 'bigint') return undefined
  // 1e400 is Infinity as a double.
  if (schema.type === 'number') return Number.isFinite(Number(data)) ? { value: Number(data) } : undefined
  if (schema.type === undefined) return { value: (source === undefined ? undefined : readJsonInteger(source)) ?? data }
  if (source !== undefined) return coerceInteger(schema, readJsonInteger(source))
  if (typeof data === 'bigint') return coerceInteger(schema, data)
  return Number.isSafeInteger(data) ? coerceInteger(schema, BigInt(data)) : undefined
}

function coerceInteger({ format }: ScalarSchema, value: bigint | undefined): Coerced {
  if (value === undefined) return undefined
  if (format === 'int64') return BigInt.asIntN(64, value) === value ? { value } : undefined
  if (format === 'int32' && BigInt.asIntN(32, value) !== value) return undefined
  const number = Number(value)
  return Number.isSafeInteger(number) ? { value: number } : undefined
}

/** JavaScript compares a bigint with a number exactly (ECMA-262, IsLessThan). */
function meetsAssertions(schema: ScalarSchema, value: Scalar): boolean {
  if (schema.const !== undefined && !isEqual(schema.const, value)) return false
  if (schema.enum !== undefined && !schema.enum.some((member) => isEqual(member, value))) return false
  if (typeof value === 'boolean') return true
  const { format, minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  return (
    (format !== 'float' || Number.isFinite(Math.fround(Number(value)))) &&
    (minimum === undefined || value >= minimum) &&
    (maximum === undefined || value <= maximum) &&
    (exclusiveMinimum === undefined || value > exclusiveMinimum) &&
    (exclusiveMaximum === undefined || value < exclusiveMaximum) &&
    (multipleOf === undefined || isMultiple(value, multipleOf))
  )
}

function isEqual(member: unknown, value: Scalar): boolean {
  if (typeof member === 'boolean' || typeof value === 'boolean') return member === value
  return (typeof member === 'number' || typeof member === 'bigint') && !(member < value) && !(member > value)
}

/** Divides decimals, not doubles: 0.07 is a multiple of 0.01. */
function isMultiple(value: number | bigint, of: number | bigint): boolean {
  const [[digits, exponent], [divisor, divisorExponent]] = [decimalOf(value), decimalOf(of)]
  const common = Math.min(exponent, divisorExponent)
  const scaled = (integer: bigint, power: number) => integer * 10n ** BigInt(power - common)
  return scaled(digits, exponent) % scaled(divisor, divisorExponent) === 0n
}

/** The digits of a number and their power of ten. */
function decimalOf(value: number | bigint): [digits: bigint, exponent: number] {
  const [significand = '', exponent = '0'] = String(value).split('e')
  const [whole = '', fraction = ''] = significand.split('.')
  return [BigInt(whole + fraction), Number(exponent) - fraction.length]
}

const checkedFormats: Record<'integer' | 'number', readonly string[]> = {
  integer: ['int32', 'int64'],
  number: ['float', 'double'],
}

function assertKnownFormat({ type, format }: ScalarSchema): void {
  if (format === undefined || type === undefined) return
  if (type === 'boolean' || !checkedFormats[type].includes(format)) {
    throw new Error(`unknown format "${format}" of a schema of type ${type}`)
  }
}

function describe(schema: ScalarSchema, source: Source): string {
  const { type = 'number', format, minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  const range =
    format === 'int32' || format === 'int64' ? integerRanges[format] : type === 'integer' ? safeIntegers : undefined
  const from = greatest(minimum, range?.minimum)
  const to = greatest(maximum, range?.maximum, -1)
  const parts = [type === 'integer' ? 'an integer' : `a ${type}`]
  if (format === 'float') parts.push('in the range of a float')
  if (schema.enum !== undefined) parts.push(`out of ${schema.enum.map(String).join(', ')}`)
  if (schema.const !== undefined) parts.push(`equal to ${String(schema.const)}`)
  if (from !== undefined && to !== undefined) parts.push(`from ${String(from)} to ${String(to)}`)
  else if (from !== undefined) parts.push(`of at least ${String(from)}`)
  else if (to !== undefined) parts.push(`of at most ${String(to)}`)
  if (exclusiveMinimum !== undefined) parts.push(`above ${String(exclusiveMinimum)}`)
  if (exclusiveMaximum !== undefined) parts.push(`below ${String(exclusiveMaximum)}`)
  if (multipleOf !== undefined) parts.push(`divisible by ${String(multipleOf)}`)
  if (source === 'text' && type === 'integer') parts.push('in plain decimal form')
  return parts.join(' ')
}

/** The range of integers that are exact as numbers; `format: int64` uses bigints. */
export const safeIntegers = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER } as const

type Bound = number | bigint | undefined

/** The greater of two bounds, or with `sign` -1 the smaller. */
function greatest(a: Bound, b: Bound, sign = 1): Bound {
  if (a === undefined || b === undefined) return a ?? b
  return a > b === (sign === 1) ? a : b
}
