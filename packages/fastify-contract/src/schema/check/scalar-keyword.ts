import { type Code, type KeywordCxt, type Name, _, nil } from 'ajv'
import { and } from 'ajv/dist/compile/codegen/index.js'
import { integerRanges, isDecimal, isExact, isIntegerFormat, isOfBigInts } from '../../json/integers.ts'
import { readJsonInteger, readNumber } from '../../json/integers.ts'
import { mustBe } from './equality-keywords.ts'
import { type CalledKeyword, type GeneratedKeyword, guarded } from './guarded.ts'
import type { RewrittenSchema } from './rewritten-schema.ts'
import { type Scalar, type ScalarSchema, createAssertions } from './scalar-assertions.ts'
import { type Coercion, type KeywordFunction, type Validation, errorAt } from './validation.ts'

/** A value of the type and the format of a schema. */
interface Typed {
  /** As it was sent, for the assertions. */
  exact: Scalar
  /** For the handler; undefined if it cannot get the value as this type: an integer too large, or in another form. */
  coerced: Scalar | undefined
}

/**
 * The keyword that `SchemaRewriter` writes. It coerces a valid value for the handler: to a bigint for `format: int64`
 * and `uint64`, otherwise to a number or a boolean. A valid value that the handler cannot get is refused in the end, unless an
 * alternative gives it.
 *
 * @see https://ajv.js.org/keywords.html
 */
export function scalarKeyword(): GeneratedKeyword {
  const definition: CalledKeyword = {
    schemaType: 'object',
    errors: true,
    // Without `type` the assertions apply to numbers only, as in JSON Schema.
    compile(schema: ScalarSchema) {
      assertKnownFormat(schema)
      const messages = new Map<string, string>()
      const messageOf = (data: unknown, isText: boolean): string => {
        // An object may have no primitive value.
        const isLarge = typeof data !== 'object' && Math.abs(Number(data)) > Number.MAX_SAFE_INTEGER
        const key = `${String(isLarge)} ${String(isText)}`
        const form = isText && schema.type === 'integer' ? ' in plain decimal form' : ''
        const message = messages.get(key) ?? `${describe(schema, isLarge)}${form}`
        messages.set(key, message)
        return message
      }
      const meetsAssertions = createAssertions(schema)
      const validate: KeywordFunction = function (this: Validation, data: unknown, context) {
        // Ajv always passes the context.
        const { parentData: container, parentDataProperty: key, instancePath: place } = context!
        // A default is not text.
        const isText = typeof data === 'string' && this.texts?.has(container) === true
        const source = isText ? data : this.sources?.get(container)?.get(String(key))
        const typed = read(schema, data, source)
        if (source !== undefined && !isText && isRounded(data, source)) this.isRounded = true
        if (schema.type === undefined && typed === undefined) return true
        const isValid = typed !== undefined && meetsAssertions(typed.exact)
        if (!isValid || (typed.coerced === undefined && this.branches === 0)) {
          validate.errors = [{ keyword: 'scalar', message: messageOf(data, isText), params: {} }]
          return false
        }
        const { coerced } = typed
        if (coerced === undefined)
          this.coercions.push({ container, key, problem: errorAt(place, messageOf(data, isText)) })
        // Notes an unchanged bigint too, so that a number of another branch does not replace it.
        else if (schema.type !== undefined && (coerced !== data || typeof coerced === 'bigint')) {
          // An integer becomes the same one.
          const mayBeRounded = schema.type === 'number' && source !== undefined
          this.coercions.push({ container, key, value: coerced, isRounded: mayBeRounded && isRounded(coerced, source) })
        }
        return true
      }
      return validate
    },
  }
  return guarded(definition, isPlainScalar)
}

/**
 * The condition under which a value is valid, and stays as it is or becomes another integer: one of JSON whose source text
 * says no more than the value, or a text of few digits.
 */
function isPlainScalar({ gen, parentSchema, data, it }: KeywordCxt): Code | undefined {
  const { scalar = {} }: RewrittenSchema = parentSchema
  const { type, format, minimum, maximum, exclusiveMinimum, exclusiveMaximum, ...others } = scalar
  if (type === undefined || format === 'float' || Object.keys(others).length > 0) return undefined
  if (type === 'boolean') return _`typeof ${data} === "boolean"`
  const bounds = [
    [minimum, _`>=`],
    [maximum, _`<=`],
    [exclusiveMinimum, _`>`],
    [exclusiveMaximum, _`<`],
  ] as const
  const limits: Code[] = []
  for (const [bound, operator] of bounds) {
    if (typeof bound === 'bigint') return undefined
    if (bound !== undefined) limits.push(_`${operator} ${bound}`)
  }
  const isWithin = (value: Name) => limits.map((limit) => _`${value} ${limit}`)
  if (type === 'number') return and(_`this.sources === undefined && Number.isFinite(${data})`, ...isWithin(data))
  const readText = _`${gen.scopeValue('func', { ref: readDecimal })}(this.texts, ${it.parentData}, ${data})`
  const value = gen.const('integer', _`typeof ${data} === "string" && this.texts !== undefined ? ${readText} : ${data}`)
  const note = (given: Code) =>
    _`${gen.scopeValue('func', { ref: noteInteger })}(this.coercions, ${it.parentData}, ${it.parentDataProperty}, ${given})`
  const isReady = isOfBigInts(format)
    ? _`(typeof ${value} === "bigint" || ${note(_`BigInt(${value})`)})`
    : _`(${value} === ${data} || ${note(value)})`
  return and(isInteger(format, value), ...isWithin(value), isReady)
}

function isInteger(format: string | undefined, value: Name): Code {
  const isSafe = _`this.sources === undefined && Number.isSafeInteger(${value})`
  if (format === 'int32') return _`${isSafe} && (${value} | 0) === ${value}`
  if (!isOfBigInts(format)) return isSafe
  const wrapped = format === 'int64' ? _`BigInt.asIntN(64, ${value})` : _`BigInt.asUintN(64, ${value})`
  const isBigInt = _`this.isReply && typeof ${value} === "bigint" && ${wrapped} === ${value} && (this.hasBigInts = true)`
  return _`(${isBigInt} || ${isSafe}${format === 'int64' ? nil : _` && ${value} >= 0`})`
}

/** An integer in plain decimal form that a double holds. */
const safeDecimal = /^(?:0|-?[1-9][0-9]{0,14})$/

/** Reads a text as most integers are written. @returns the text if it is another one, or was given as a string */
function readDecimal(texts: ReadonlySet<object>, container: object, text: string): number | string {
  return safeDecimal.test(text) && texts.has(container) ? Number(text) : text
}

/** @returns true, for a condition */
function noteInteger(
  coercions: Coercion[],
  container: Coercion['container'],
  key: string | number,
  value: number | bigint,
): true {
  coercions.push({ container, key, value, isRounded: false })
  return true
}

/** @param source of a text itself; of JSON that of a number that a double may not hold */
function read(schema: ScalarSchema, data: unknown, source: string | undefined): Typed | undefined {
  // JSON has no source text for a string.
  const isText = typeof data === 'string' && source !== undefined
  if (schema.type === 'boolean') {
    const value = isText ? booleans.get(source) : data
    return typeof value === 'boolean' ? { exact: value, coerced: value } : undefined
  }
  const number = isText ? readNumber(source) : data
  if (typeof number !== 'number' && typeof number !== 'bigint') return undefined
  if (schema.type !== 'integer') return typedNumber(schema, number, source)
  if (source === undefined)
    return typeof number === 'bigint' || Number.isInteger(number) ? typedInteger(schema, number, true) : undefined
  const integer = readJsonInteger(source)
  if (integer === undefined) return undefined
  return typedInteger(schema, integer, isText ? isDecimal(source) : isExact(source, integer))
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
])

/** Whether a value is an integer that its source text is not, because a double does not hold it. */
function isRounded(value: unknown, source: string): boolean {
  if (typeof value !== 'number' || !Number.isInteger(value)) return false
  return readJsonInteger(source) !== BigInt(value)
}

/** 1e400 is Infinity as a double. */
function typedNumber({ type }: ScalarSchema, data: number | bigint, source: string | undefined): Typed | undefined {
  const coerced = Number(data)
  if (type !== undefined && !Number.isFinite(coerced)) return undefined
  const isRounded = source !== undefined && Number.isInteger(coerced) && !Number.isSafeInteger(coerced)
  return { exact: typeof data === 'bigint' ? data : isRounded ? (readJsonInteger(source) ?? data) : data, coerced }
}

/** @param isGiven whether handlers get an integer in the form in which it was sent */
function typedInteger(
  { format }: ScalarSchema,
  exact: number | bigint | undefined,
  isGiven: boolean,
): Typed | undefined {
  if (exact === undefined) return undefined
  const range = isIntegerFormat(format) ? integerRanges[format] : undefined
  if (range !== undefined && (exact < range.minimum || exact > range.maximum)) return undefined
  if (isOfBigInts(format)) return { exact, coerced: isGiven ? BigInt(exact) : undefined }
  const coerced = Number(exact)
  return { exact, coerced: isGiven && Number.isSafeInteger(coerced) ? coerced : undefined }
}

const checkedFormats: Record<'integer' | 'number', readonly string[]> = {
  integer: Object.keys(integerRanges),
  number: ['float', 'double'],
}

function assertKnownFormat({ type, format }: ScalarSchema): void {
  if (format === undefined || type === undefined) return
  if (type === 'boolean' || !checkedFormats[type].includes(format)) {
    throw new Error(`unknown format "${format}" of a schema of type ${type}`)
  }
}

/** @param isLarge whether the value is beyond the integers that are exact as numbers, which others need not know of */
function describe(schema: ScalarSchema, isLarge: boolean): string {
  const values = schema.const === undefined ? schema.enum : [schema.const]
  if (values !== undefined) return mustBe(values)
  const { type = 'number', format, multipleOf } = schema
  const parts = [type === 'integer' ? 'an integer' : `a ${type}`]
  if (format === 'float') parts.push('in the range of a float')
  parts.push(...describeBounds(schema, isLarge))
  if (multipleOf !== undefined) parts.push(`divisible by ${String(multipleOf)}`)
  return `must be ${parts.join(' ')}`
}

function describeBounds(schema: ScalarSchema, isLarge: boolean): string[] {
  const { type, format, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema
  const isBounded = [minimum, maximum, exclusiveMinimum, exclusiveMaximum].some((bound) => bound !== undefined)
  const typeRange = type === 'integer' && (isLarge || !isBounded) ? safeIntegers : undefined
  const range = isIntegerFormat(format) ? integerRanges[format] : typeRange
  const [from, to] = [greatest(minimum, range?.minimum), greatest(maximum, range?.maximum, -1)]
  const isAbove = exclusiveMinimum !== undefined && greatest(from, exclusiveMinimum) === exclusiveMinimum
  const isBelow = exclusiveMaximum !== undefined && greatest(to, exclusiveMaximum, -1) === exclusiveMaximum
  if (!isAbove && !isBelow && from !== undefined && to !== undefined) return [`from ${String(from)} to ${String(to)}`]
  const low = isAbove ? `above ${String(exclusiveMinimum)}` : from === undefined ? [] : `of at least ${String(from)}`
  const high = isBelow ? `below ${String(exclusiveMaximum)}` : to === undefined ? [] : `of at most ${String(to)}`
  const bounds = [low, high].flat()
  return bounds.length === 0 ? [] : [bounds.join(' and ')]
}

/** The range of integers that are exact as numbers; 64-bit formats use bigints. */
export const safeIntegers = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER } as const

type Bound = number | bigint | undefined

/** The greater of two bounds, or with `sign` -1 the smaller. */
function greatest(a: Bound, b: Bound, sign = 1): Bound {
  if (a === undefined || b === undefined) return a ?? b
  return a > b === (sign === 1) ? a : b
}
