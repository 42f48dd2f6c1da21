import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { parseJson } from '../../src/json/json.ts'
import { createCompiler } from '../../src/schema/check/ajv.ts'
import { describeErrors } from '../../src/schema/check/describe-errors.ts'
import { SchemaRewriter } from '../../src/schema/check/rewrite-schema.ts'
import type { Schema } from '../../src/schema/read/schema.ts'
import { type Origin, validate as validateAll } from '../../src/schema/check/validation.ts'
import { int64 } from '../support/contracts.ts'

/** What becomes of a value: what a handler sees, or the message of its refusal. */
type Verdict = { value: unknown } | { refused: string }

function validate(schema: object, value: unknown, origin: Origin): Verdict {
  const rewriter = new SchemaRewriter({}, 'request')
  const isValid = createCompiler(rewriter).compile({
    type: 'object',
    properties: { value: rewriter.rewriteValue(schema as Schema) },
  })
  const container = value as { value: unknown }
  const { errors } = validateAll([isValid], container, 'request', origin)
  return errors.length > 0 ? { refused: describeErrors(errors) } : { value: container.value }
}

/** Validates a value of a JSON body, given as it is written there. */
function ofBody(schema: object, text: string): Verdict {
  const { value, sources } = parseJson(Buffer.from(`{"value":${text}}`))
  return validate(schema, value, { sources })
}

/** Validates a parameter. */
function ofText(schema: object, value: string | string[]): Verdict {
  const container = { value }
  return validate(schema, container, { texts: new Set([container, ...(Array.isArray(value) ? [value] : [])]) })
}

const int32 = { type: 'integer', format: 'int32' }
const integer = { type: 'integer' }
const number = { type: 'number' }
const boolean = { type: 'boolean' }
const refused = { refused: expect.any(String) as string }
const sources = [ofBody, ofText]

describe('a uint64', () => {
  const uint64 = { type: 'integer', format: 'uint64' }

  it.each(['0', '9007199254740993', '9223372036854775808', '18446744073709551615'])('may be %s, exactly', (text) => {
    for (const read of sources) expect(read(uint64, text)).toEqual({ value: BigInt(text) })
  })

  it.each(['-1', '18446744073709551616', '1.5', '1e19'])('is not %s', (text) => {
    const range = 'value must be an integer from 0 to 18446744073709551615'
    expect(ofBody(uint64, text)).toEqual({ refused: range })
    expect(ofText(uint64, text)).toEqual({ refused: `${range} in plain decimal form` })
  })
})

describe('an int64', () => {
  it('is read as an exact bigint in a body and in a parameter', () => {
    const anyInt64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
    // Around the limits of doubles, formats and numbers of digits.
    const edge = fc.constantFrom(0n, 2n ** 31n, 2n ** 53n, 10n ** 15n, 10n ** 16n, 10n ** 18n, 2n ** 63n - 3n)
    const nearEdge = fc
      .tuple(edge, fc.bigInt({ min: -3n, max: 2n }), fc.constantFrom(1n, -1n))
      .map(([from, step, sign]) => sign * (from + step))
    fc.assert(
      fc.property(fc.oneof(anyInt64, nearEdge), (value) => {
        for (const read of sources) expect(read(int64, String(value))).toEqual({ value })
      }),
    )
  })

  it.each(['9223372036854775808', '-9223372036854775809'])('is not %s, which is out of range', (text) => {
    const range = 'value must be an integer from -9223372036854775808 to 9223372036854775807'
    expect(ofBody(int64, text)).toEqual({ refused: range })
    expect(ofText(int64, text)).toEqual({ refused: `${range} in plain decimal form` })
  })

  it.each(['54.5', '9007199254740993.0', '1e16', '1e400', '"54"', 'null', '[54]', '{"toString":1}'])(
    'is not %s in a body',
    (text) => {
      expect(ofBody(int64, text)).toEqual(refused)
    },
  )

  it.each<[bigint, string[]]>([
    [54n, ['54.0', '54.000', '5.4e1', '5.4E+1', '540e-1', '540.0e-1', '0.54e2', '0.0054e4']],
    [0n, ['-0', '0.0', '-0.0', '0e999999999999', '0e-999999999999', '0.000e5']],
    [-54n, ['-54.0', '-540e-1']],
    [9000000000000000n, ['9e15', '9E+15']],
    [-9007199254740992n, ['-9007199254740992.0', '-9007199254740992e0', '-9.007199254740992e15']],
  ])('is %d in each of its forms in a body', (value, texts) => {
    for (const text of texts) expect(ofBody(int64, text), text).toEqual({ value })
  })

  it('is read, or refused, at once however many digits it has', () => {
    expect(ofBody(int64, `1${'0'.repeat(1_000_000)}e-1000000`)).toEqual({ value: 1n })
    expect(ofBody(int64, `0.${'0'.repeat(1_000_000)}1e1000001`)).toEqual({ value: 1n })
    for (const read of sources) expect(read(int64, `-${'9'.repeat(1_000_000)}`)).toEqual(refused)
  })

  it.each<[string, object, string[], string[]]>([
    ['bounds', { minimum: 9007199254740993n, maximum: 9007199254740994n }, ['3', '4'], ['2', '5']],
    [
      'exclusive bounds',
      { exclusiveMinimum: 9007199254740992n, exclusiveMaximum: 9007199254740994n },
      ['3'],
      ['2', '4'],
    ],
    ['multipleOf beyond doubles', { multipleOf: 9007199254740993n }, ['3'], ['2', '4']],
    ['an enum', { enum: [1, 9007199254740993n] }, ['3'], ['2', '4']],
    ['a const', { const: 9007199254740993n }, ['3'], ['2', '4']],
    ['a bound in an allOf', { allOf: [{ minimum: 9007199254740993n }] }, ['3'], ['2']],
    ['several schemas', { allOf: [int64, { ...int64, maximum: 9007199254740993n }] }, ['3'], ['4']],
  ])('is compared exactly with %s', (_what, assertions, valid, invalid) => {
    const schema = { ...int64, ...assertions }
    for (const read of sources) {
      for (const text of valid.map((last) => `900719925474099${last}`)) {
        expect(read(schema, text), text).toEqual({ value: BigInt(text) })
      }
      for (const last of invalid) expect(read(schema, `900719925474099${last}`), last).toEqual(refused)
    }
  })

  it('is read in arrays', () => {
    const list = { type: 'array', items: int64, uniqueItems: true }
    const value = [9007199254740992n, 9007199254740993n, 54n]
    expect(ofBody(list, '[9007199254740992,9007199254740993,5.4e1]')).toEqual({ value })
    expect(ofText(list, value.map(String))).toEqual({ value })
    expect(ofText(list, ['1', '1e3'])).toMatchObject({ refused: /^value\/1 must be an integer/ })
  })
})

describe('an int32 or an integer without a format', () => {
  it.each([
    [int32, ['-2147483648', '2147483647'], ['2147483648', '-2147483649']],
    [integer, ['9007199254740991', '-9007199254740991'], ['9007199254740992', '-9007199254740993']],
  ])('is a number within its range: %o', (schema, valid, invalid) => {
    for (const read of sources) {
      for (const text of valid) expect(read(schema, text)).toEqual({ value: Number(text) })
      for (const text of invalid) expect(read(schema, text)).toEqual(refused)
    }
    expect(ofBody(schema, '54.0')).toEqual({ value: 54 })
  })
})

describe('a number', () => {
  it.each(['0', '-1.5', '1e3', '1E-2', '9007199254740993'])('is read from %s', (text) => {
    for (const read of sources) expect(read({ ...number, format: 'double' }, text)).toEqual({ value: Number(text) })
  })

  it.each(['1e400', '-1e400'])('is not %s, which overflows a double', (text) => {
    for (const read of sources) expect(read(number, text)).toEqual(refused)
    expect(ofBody({ multipleOf: 2 }, text)).toEqual({ refused: 'value must be a number divisible by 2' })
  })

  it.each(['', ' 1', '+1', '.5', '1.', '01', '0x10', 'NaN', 'Infinity', '1_0', 'true'])(
    'is not read from the parameter %o',
    (text) => {
      expect(ofText(number, text)).toEqual({ refused: 'value must be a number' })
    },
  )

  it.each<[object, string, string]>([
    [{ ...number, multipleOf: 0.01 }, '0.07', '0.075'],
    [{ ...number, multipleOf: 1e-7 }, '1.1e-6', '1.15e-7'],
    [{ ...number, multipleOf: 0.5 }, '1.5', '1.25'],
    [{ ...number, enum: [0.5, 1] }, '0.5', '0.25'],
    [{ ...number, format: 'float' }, '3.4028234e38', '3.5e38'],
    [{ minimum: 5 }, '5', '4'],
  ])('enforces the assertions of %o', (schema, valid, invalid) => {
    for (const read of sources) expect(read(schema, invalid)).toEqual(refused)
    expect(ofBody(schema, valid)).toEqual({ value: Number(valid) })
  })
})

test.each<[object, string, string]>([
  [{ ...int64, exclusiveMinimum: 5 }, '1', 'an integer above 5 and of at most 9223372036854775807'],
  [{ ...int32, minimum: 0, maximum: 9007199254740993n }, '-1', 'an integer from 0 to 2147483647'],
  [{ ...integer, exclusiveMinimum: 0 }, '0', 'an integer above 0'],
  [{ ...integer, exclusiveMaximum: 5 }, '9007199254740993', 'an integer of at least -9007199254740991 and below 5'],
  [{ ...number, exclusiveMinimum: 0, maximum: 1 }, '0.0', 'a number above 0 and of at most 1'],
  [{ ...number, multipleOf: 2, minimum: 3 }, '5', 'a number of at least 3 divisible by 2'],
  [{ ...number, format: 'float' }, '1e300', 'a number in the range of a float'],
  [{ ...number, enum: [0.5, 1] }, '2', 'one of 0.5, 1'],
  [{ ...boolean, const: true }, 'false', 'true'],
])('a refusal names the rules of %o', (schema, text, rules) => {
  expect(ofBody(schema, text)).toEqual({ refused: `value must be ${rules}` })
})

describe('a boolean', () => {
  it('is true or false, as text in a parameter and as JSON in a body', () => {
    for (const read of sources) {
      for (const value of [true, false]) expect(read(boolean, String(value))).toEqual({ value })
      expect(read({ ...boolean, const: true }, 'false')).toEqual(refused)
    }
    for (const text of ['', '1', 'True', ' true'])
      expect(ofText(boolean, text)).toEqual({ refused: 'value must be a boolean' })
    for (const text of ['"true"', '1', 'null']) expect(ofBody(boolean, text)).toEqual(refused)
  })
})

describe('a union of types', () => {
  it('is coerced to the first matching type', () => {
    const nullable = { type: ['integer', 'null'], format: 'int64', enum: [9007199254740993n, null] }
    expect(ofBody(nullable, '9007199254740993')).toEqual({ value: 9007199254740993n })
    expect(ofBody(nullable, 'null')).toEqual({ value: null })
    expect(ofBody(nullable, '9007199254740992')).toEqual(refused)
    expect(ofBody(nullable, '"9007199254740993"')).toEqual(refused)
    const any = { type: ['boolean', 'integer', 'string'] }
    expect(ofText(any, 'true')).toEqual({ value: true })
    expect(ofText(any, '54')).toEqual({ value: 54 })
    expect(ofText(any, '0x36')).toEqual({ value: '0x36' })
  })

  it('applies numeric bounds to numbers only', () => {
    const schema = { type: ['integer', 'string'], minimum: 5, minLength: 2 }
    expect(ofBody(schema, '4')).toEqual(refused)
    expect(ofBody(schema, '5')).toEqual({ value: 5 })
    expect(ofBody(schema, '"ab"')).toEqual({ value: 'ab' })
    expect(ofBody(schema, '"a"')).toEqual(refused)
  })

  it.each([
    [{ enum: [0.5, 1] }, '1', 1, '2'],
    [{ enum: [true] }, 'true', true, 'false'],
    [{ const: 1.5 }, '1.5', 1.5, '1'],
    [{ enum: [1, 'all'] }, 'all', 'all', '2'],
    [{ enum: [1, 'all'] }, '1', 1, 'none'],
    [{ enum: [1.5], allOf: [number] }, '1.5', 1.5, '2'],
  ])('has the type of the constants of %o in a parameter', (schema, text, value, wrong) => {
    expect(ofText(schema, text)).toEqual({ value })
    expect(ofText(schema, wrong)).toEqual(refused)
  })
})

describe('a coercion by one of several schemas', () => {
  const kind = (name: string, id: object) => ({
    type: 'object',
    required: ['kind', 'id'],
    properties: { id, kind: { const: name } },
  })

  it.each([
    [int64, number],
    [number, int64],
    [int64, integer, number],
    [number, int64, { type: ['number', 'null'] }],
  ])('stays exact if a number is valid, too: %o, %o', (...anyOf) => {
    for (const read of sources) {
      for (const text of ['5', '-9007199254740993']) expect(read({ anyOf }, text)).toEqual({ value: BigInt(text) })
      expect(read({ anyOf }, '1.5')).toEqual({ value: 1.5 })
    }
    expect(ofBody({ anyOf }, '18446744073709551616')).toEqual({ value: 18446744073709551616 })
  })

  it.each(['oneOf', 'anyOf'])('follows the valid one of %s', (keyword) => {
    const b = '{"kind":"b","id":5}'
    const choice = { [keyword]: [kind('a', int64), kind('b', number)] }
    expect(ofBody(choice, '{"kind":"a","id":5}')).toEqual({ value: { kind: 'a', id: 5n } })
    expect(ofBody(choice, b)).toEqual({ value: { kind: 'b', id: 5 } })
    expect(ofBody({ [keyword]: [kind('a', int64), kind('b', {})] }, b)).toEqual({ value: { kind: 'b', id: 5 } })
    expect(ofBody({ [keyword]: [{ ...int64, minimum: 9 }, int32] }, '5')).toEqual({ value: 5 })
    const five = { allOf: [int64], not: { const: 5 } }
    expect(ofText({ [keyword]: [five, { type: 'string' }] }, '5')).toEqual({ value: '5' })
    const both = { allOf: [number, int64] }
    expect(ofText({ [keyword]: [both, { type: 'string' }] }, '1e3')).toEqual({ value: '1e3' })
  })

  it('ignores schemas in `not`', () => {
    expect(ofBody({ allOf: [int64, { not: { ...number, minimum: 9 } }] }, '5')).toEqual({ value: 5n })
    expect(ofBody({ not: int64 }, '54')).toEqual(refused)
    expect(ofBody({ not: int64 }, '54.5')).toEqual({ value: 54.5 })
  })
})

/** Numbers that are integers, of which a handler gets none as an integer. */
const otherwise = ['1e21', '1E+21', '123456789012345678901234', '9007199254740993.0', '9007199254740992', '12e307']

describe('an integer in a number or an open value', () => {
  it.each(otherwise)('still counts as an integer: %s', (text) => {
    const value = Number(text)
    // In a text, any form but the plain decimal one is none.
    for (const [read, form] of [
      [ofBody, text],
      [ofText, text],
      [ofBody, `-${text}`],
      [ofText, '5.0'],
      [ofText, '1e2'],
    ] as const) {
      expect(read({ ...number, not: integer }, form)).toEqual(refused)
      expect(read({ oneOf: [integer, number] }, form)).toEqual(refused)
      expect(read({ allOf: [number, integer] }, form)).toEqual(refused)
      expect(read({ anyOf: [integer, { ...integer, minimum: -1e300 }] }, form)).toMatchObject({
        refused: /^value must be an integer from -9007199254740991 to 9007199254740991/,
      })
      expect(read({ anyOf: [integer, number] }, form)).toEqual({ value: Number(form) })
      expect(read({ ...number, not: { not: integer } }, form)).toEqual({ value: Number(form) })
    }
    expect(ofBody({ not: { ...integer, maximum: 5 } }, text)).toEqual({ value: expect.anything() as unknown })
    expect(ofBody({ not: { ...integer, multipleOf: 7 } }, text)).toMatchObject(
      BigInt(value) % 7n === 0n ? refused : { value: expect.anything() as unknown },
    )
  })

  it('is out of the range of a format', () => {
    expect(ofBody({ not: int64 }, '1e21')).toEqual({ value: 1e21 })
    expect(ofBody({ not: int64 }, '9007199254740993.0')).toEqual(refused)
    expect(ofBody({ not: int32 }, '1e10')).toEqual({ value: 1e10 })
    expect(ofBody({ not: int32 }, '1e9')).toEqual(refused)
  })

  it.each(['1.5', '15e-1', '1e-1'])('is not %s', (text) => {
    for (const read of sources) expect(read({ ...number, not: integer }, text)).toEqual({ value: Number(text) })
  })

  it('is equal to a constant', () => {
    for (const schema of [{ enum: [1e21, 'a'] }, { const: 1e21 }, { ...number, enum: [0.5, 1e21] }]) {
      for (const read of sources) {
        expect(read(schema, '1e21')).toEqual({ value: 1e21 })
        expect(read(schema, '1000000000000000000000')).toEqual({ value: 1e21 })
        expect(read(schema, '1000000000000000000001')).toEqual(refused)
        expect(read(schema, '1e22')).toEqual(refused)
      }
    }
  })
})

test.each([
  { type: 'integer', format: 'int16' },
  { type: 'number', format: 'int64' },
  { type: 'string', format: 'int64' },
])('an unchecked format is refused: %o', (schema) => {
  for (const read of sources) expect(() => read(schema, '1')).toThrow(/unknown format "\w+"/)
})

it.each([{ type: [] }, { enum: [] }, { type: 'string', enum: [] }, { anyOf: [] }, { oneOf: [] }])(
  '%j says that it has no valid value',
  (schema) => {
    const text = 'type' in schema && schema.type === 'string' ? '"a"' : '1'
    expect(ofBody(schema, text)).toEqual({ refused: 'value has no valid value' })
  },
)

describe('an integer to which a double rounds another number', () => {
  it.each<[object, string]>([
    [{ not: integer }, '3.0000000000000001'],
    [{ not: { const: 3 } }, '3.0000000000000001'],
    [{ not: { enum: [3] } }, '3.0000000000000001'],
    [{ not: integer }, '9007199254740993.5'],
    [{ not: { const: 9007199254740992 } }, '9007199254740993'],
    [{ not: { const: 0 } }, '1e-400'],
    [{ not: { ...integer, multipleOf: 2 } }, '9007199254740993.0'],
    [{ oneOf: [integer, { type: 'number' }] }, '3.0000000000000001'],
    [{ if: integer, then: { maximum: 1 } }, '3.0000000000000001'],
  ])('is refused where a schema forbids it: %j, %s', (schema, text) => {
    const numbers = { type: 'number', ...schema }
    for (const read of sources) expect(read(numbers, text)).toEqual(refused)
    const dependent = { type: 'object', properties: { a: {} }, dependentSchemas: { a: { properties: { a: numbers } } } }
    expect(ofBody(dependent, `{"a":${text}}`)).toEqual(refused)
    // Of an integer without a type, a handler gets a bigint.
    if (/^\d+$/.test(text)) return
    expect(ofBody(schema, text)).toEqual(refused)
    expect(ofBody({ type: 'array', contains: schema }, `[${text}]`)).toEqual(refused)
  })

  it.each<[object, string, number]>([
    [{}, '3.0000000000000001', 3],
    [{}, '9007199254740993', 9007199254740992],
    [{ not: { const: 4 } }, '3.0000000000000001', 3],
    [{ if: integer, then: { maximum: 5 } }, '3.0000000000000001', 3],
  ])('is what a handler gets where none does: %j, %s', (schema, text, value) => {
    for (const read of sources) expect(read({ type: 'number', ...schema }, text)).toEqual({ value })
  })
})
