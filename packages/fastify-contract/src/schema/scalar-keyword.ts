import type { FuncKeywordDefinition } from 'ajv'
import { integerRanges, isJsonNumber, readDecimal, readJsonInteger } from '../json/integers.ts'
import type { KeywordFunction, Validation } from './validation.ts'

/** Where a value comes from: `text` is a parameter or a header, `json` a parsed body, a reply or an example. */
export type Source = 'json' | 'text'

/** The assertions about an integer, a number or a boolean, taken out of the schema that makes them. */
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

/** The value that a handler is to see; undefined where the value is not valid. */
type Coerced = { value: Scalar } | undefined

/**
 * The Ajv keyword that `SchemaRewriter` writes. It coerces a valid value to what a handler is to see: a bigint for
 * `format: int64`, a number for every other integer and number, a boolean.
 *
 * @param source where the values come from
 * @see https://ajv.js.org/keywords.html
 */
export function scalarKeyword(source: Source): FuncKeywordDefinition {
  return {
    keyword: 'scalar',
    schemaType: 'object',
    errors: true,
    // Without `type` the assertions hold for numbers alone, as those of JSON Schema do.
    compile(schema: ScalarSchema) {
      assertKnownFormat(schema)
      const message = `must be ${describe(schema, source)}`
      const validate: KeywordFunction = function (this: Validation, data: unknown, context) {
        // Ajv always gives the context to a keyword's function.
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
        // A bigint is noted even where it stands already, because a number of another branch would take its place.
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
  // A default is no text.
  if (typeof data !== 'string') return coerceJson(schema, data, undefined)
  switch (schema.type) {
    case 'boolean':
      return data === 'true' || data === 'false' ? { value: data === 'true' } : undefined
    case 'number':
      return isJsonNumber(data) && Number.isFinite(Number(data)) ? { value: Number(data) } : undefined
    case 'integer':
      return coerceInteger(schema, readDecimal(data))
    case undefined:
      // Another subschema of the same value says that the text is a number.
      return isJsonNumber(data) ? { value: readJsonInteger(data) ?? Number(data) } : undefined
  }
}

function coerceJson(schema: ScalarSchema, data: unknown, source: string | undefined): Coerced {
  if (schema.type === 'boolean') return typeof data === 'boolean' ? { value: data } : undefined
  if (typeof data !== 'number' && typeof data !== 'bigint') return undefined
  // Infinity is what a double makes of 1e400.
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

/** Divides the decimals that are written, not the doubles that stand for them: 0.07 is a multiple of 0.01. */
function isMultiple(value: number | bigint, of: number | bigint): boolean {
  const [[digits, exponent], [divisor, divisorExponent]] = [decimalOf(value), decimalOf(of)]
  const common = Math.min(exponent, divisorExponent)
  const scaled = (integer: bigint, power: number) => integer * 10n ** BigInt(power - common)
  return scaled(digits, exponent) % scaled(divisor, divisorExponent) === 0n
}

/** The digits of a number and the power of ten that they are multiplied by. */
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
  const words = [type === 'integer' ? 'an integer' : `a ${type}`]
  if (format === 'float') words.push('in the range of a float')
  if (schema.enum !== undefined) words.push(`out of ${schema.enum.map(String).join(', ')}`)
  if (schema.const !== undefined) words.push(`equal to ${String(schema.const)}`)
  if (from !== undefined && to !== undefined) words.push(`from ${String(from)} to ${String(to)}`)
  else if (from !== undefined) words.push(`of at least ${String(from)}`)
  else if (to !== undefined) words.push(`of at most ${String(to)}`)
  if (exclusiveMinimum !== undefined) words.push(`above ${String(exclusiveMinimum)}`)
  if (exclusiveMaximum !== undefined) words.push(`below ${String(exclusiveMaximum)}`)
  if (multipleOf !== undefined) words.push(`divisible by ${String(multipleOf)}`)
  if (source === 'text' && type === 'integer') words.push('in plain decimal form')
  return words.join(' ')
}

/** The integers that a number holds exactly; `format: int64` gives a bigint instead. */
export const safeIntegers = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER } as const

type Bound = number | bigint | undefined

/** The greater of two bounds, or with `sign` -1 the smaller. */
function greatest(a: Bound, b: Bound, sign = 1): Bound {
  if (a === undefined || b === undefined) return a ?? b
  return a > b === (sign === 1) ? a : b
}
