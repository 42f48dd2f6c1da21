import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { createAjv } from '../../packages/fastify-contract/src/schema/ajv.ts'
import { SchemaRewriter } from '../../packages/fastify-contract/src/schema/rewrite-schema.ts'
import { type NumberSources, parseJson } from '../../packages/fastify-contract/src/json/json.ts'
import { Reading } from '../../packages/fastify-contract/src/schema/reading.ts'
import type { Source } from '../../packages/fastify-contract/src/schema/scalar-keyword.ts'

/** What becomes of a value: what a handler sees, or the messages of its refusal. */
type Verdict = { value: unknown } | { refused: string }

function readValue(source: Source, schema: object, value: unknown, sources?: NumberSources): Verdict {
  const ajv = createAjv(source)
  const rewritten = new SchemaRewriter({}, undefined).ofValue(schema)
  const validate = ajv.compile({ type: 'object', properties: { value: rewritten } })
  const reading = new Reading(sources)
  const container = { value }
  const object = sources === undefined ? container : (value as { value: unknown })
  if (!validate.call(reading, object)) return { refused: ajv.errorsText(validate.errors, { dataVar: '' }) }
  reading.apply()
  return { value: object.value }
}

/** Validates a value of a JSON body, given as it is written there. */
function readJson(schema: object, text: string): Verdict {
  // The text stands inside of an object, so an object comes out.
  const { value, sources } = parseJson(Buffer.from(`{"value":${text}}`))
  return readValue('json', schema, value, sources)
}

/** Validates a parameter. */
function readText(schema: object, value: string | string[]): Verdict {
  return readValue('text', schema, value)
}

const int64 = { type: 'integer', format: 'int64' }
const int32 = { type: 'integer', format: 'int32' }
const refused = { refused: expect.any(String) as string }

describe('an int64', () => {
  const anyInt64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })

  it('is the bigint that was written, in a body and in a parameter', () => {
    fc.assert(
      fc.property(anyInt64, (integer) => {
        expect(readJson(int64, String(integer))).toEqual({ value: integer })
        expect(readText(int64, String(integer))).toEqual({ value: integer })
      }),
    )
  })

  it.each([
    '9007199254740992',
    '9007199254740993',
    '9007199254740994',
    '-9007199254740993',
    '9223372036854775807',
    '-9223372036854775808',
  ])('keeps %s apart from its neighbours', (text) => {
    expect(readJson(int64, text)).toEqual({ value: BigInt(text) })
    expect(readText(int64, text)).toEqual({ value: BigInt(text) })
  })

  it.each(['9223372036854775808', '-9223372036854775809', '18446744073709551615', '99999999999999999999'])(
    'refuses %s, which is out of range',
    (text) => {
      const range = 'must be an integer from -9223372036854775808 to 9223372036854775807'
      expect(readJson(int64, text)).toEqual({ refused: `/value ${range}` })
      expect(readText(int64, text)).toEqual({ refused: `/value ${range} in plain decimal form` })
    },
  )

  it.each([
    ['54.0', 54n],
    ['5.4e1', 54n],
    ['-0', 0n],
    ['-0.0', 0n],
    ['9007199254740992.0', 9007199254740992n],
  ])('is %s in a body, which is integer-valued, but not in a parameter', (text, integer) => {
    expect(readJson(int64, text)).toEqual({ value: integer })
    expect(readText(int64, text)).toEqual(refused)
  })

  it.each([
    '54.5',
    '9007199254740993.0',
    '9007199254740993e0',
    '1e16',
    '1e400',
    '"54"',
    '54.00000000000000000001',
    'null',
    'true',
    '[54]',
    '{}',
    '""',
  ])('refuses %s in a body', (text) => {
    expect(readJson(int64, text)).toEqual(refused)
  })

  it.each(['', ' 54', '54 ', '+54', '054', '0x36', '5.4e1', 'true', 'null'])('refuses %j in a parameter', (text) => {
    expect(readText(int64, text)).toEqual(refused)
  })

  it('is compared with bounds that no double holds', () => {
    const schema = { ...int64, minimum: 9007199254740993n, maximum: 9007199254740995n }
    const accepted = [2n, 3n, 4n, 5n, 6n]
      .map((last) => 9007199254740990n + last)
      .filter((integer) => 'value' in readJson(schema, String(integer)))
    expect(accepted).toEqual([9007199254740993n, 9007199254740994n, 9007199254740995n])
    expect(readText(schema, '9007199254740992')).toEqual({
      refused: '/value must be an integer from 9007199254740993 to 9007199254740995 in plain decimal form',
    })
    expect(readJson({ ...int64, exclusiveMinimum: 9007199254740992 }, '9007199254740993')).toEqual({
      value: 9007199254740993n,
    })
    expect(readJson({ ...int64, exclusiveMinimum: 9007199254740993n }, '9007199254740993')).toEqual({
      refused: '/value must be an integer from -9223372036854775808 to 9223372036854775807 above 9007199254740993',
    })
    expect(readJson({ ...int64, exclusiveMaximum: 9007199254740993n }, '9007199254740993')).toEqual(refused)
  })

  it('is divided exactly by multipleOf', () => {
    expect(readJson({ ...int64, multipleOf: 3 }, '9007199254740993')).toEqual({ value: 9007199254740993n })
    expect(readJson({ ...int64, multipleOf: 3 }, '9007199254740992')).toEqual(refused)
    expect(readJson({ ...int64, multipleOf: 9007199254740993n }, '9007199254740992')).toEqual(refused)
    expect(readJson({ ...int64, multipleOf: 9007199254740993n }, '-9007199254740993')).toEqual({
      value: -9007199254740993n,
    })
    expect(readText({ ...int64, multipleOf: 2 }, '9007199254740993')).toEqual({
      refused: expect.stringContaining('divisible by 2') as string,
    })
  })

  it('is one of an enum, or a const, that no double holds', () => {
    const schema = { ...int64, enum: [1, 9007199254740993n] }
    expect(readJson(schema, '9007199254740993')).toEqual({ value: 9007199254740993n })
    expect(readJson(schema, '1.0')).toEqual({ value: 1n })
    expect(readJson(schema, '9007199254740992')).toEqual({
      refused: expect.stringContaining('out of 1, 9007199254740993') as string,
    })
    expect(readText({ ...int64, const: 9007199254740993n }, '9007199254740993')).toEqual({ value: 9007199254740993n })
    expect(readText({ ...int64, const: 9007199254740993n }, '9007199254740994')).toEqual({
      refused: expect.stringContaining('equal to 9007199254740993') as string,
    })
  })

  it('is read in arrays, each of its members exactly', () => {
    const list = { type: 'array', items: int64, uniqueItems: true }
    expect(readJson(list, '[9007199254740992,9007199254740993,5.4e1]')).toEqual({
      value: [9007199254740992n, 9007199254740993n, 54n],
    })
    expect(readText(list, ['9007199254740992', '9007199254740993'])).toEqual({
      value: [9007199254740992n, 9007199254740993n],
    })
    expect(readText(list, ['1', '1e3'])).toEqual({
      refused: expect.stringContaining('/value/1 must be an integer') as string,
    })
  })

  it('is read by each of the subschemas that speak of it', () => {
    expect(readJson({ allOf: [int64, { ...int64, minimum: 2 }] }, '9007199254740993')).toEqual({
      value: 9007199254740993n,
    })
    expect(readText({ allOf: [int64, { ...int64, minimum: 2 }] }, '9007199254740993')).toEqual({
      value: 9007199254740993n,
    })
    expect(readText({ allOf: [int64, { ...int64, minimum: 2 }] }, '1')).toEqual(refused)
  })
})

describe('an int32 or an integer without a format', () => {
  it('is a number', () => {
    expect(readJson(int32, '-2147483648')).toEqual({ value: -2147483648 })
    expect(readText(int32, '2147483647')).toEqual({ value: 2147483647 })
    expect(readJson({ type: 'integer' }, '9007199254740991')).toEqual({ value: 9007199254740991 })
    expect(readText({ type: 'integer' }, '-9007199254740991')).toEqual({ value: -9007199254740991 })
    expect(readJson(int32, '54.0')).toEqual({ value: 54 })
  })

  it('is refused beyond what it can hold', () => {
    expect(readJson(int32, '2147483648')).toEqual({
      refused: '/value must be an integer from -2147483648 to 2147483647',
    })
    expect(readText(int32, '-2147483649')).toEqual(refused)
    expect(readJson({ type: 'integer' }, '9007199254740992')).toEqual(refused)
    expect(readText({ type: 'integer' }, '9007199254740993')).toEqual(refused)
  })

  it('names the nearer of the bounds of its schema and of its format', () => {
    expect(readText({ ...int32, minimum: 0, maximum: 9007199254740993n }, 'x')).toEqual({
      refused: '/value must be an integer from 0 to 2147483647 in plain decimal form',
    })
    expect(readJson({ type: 'integer', minimum: 5 }, '4')).toEqual({
      refused: '/value must be an integer from 5 to 9007199254740991',
    })
    expect(readJson({ type: 'integer', maximum: 5 }, '6')).toEqual({
      refused: '/value must be an integer from -9007199254740991 to 5',
    })
    expect(readJson({ type: 'integer', exclusiveMaximum: 5 }, '5')).toEqual({
      refused: '/value must be an integer from -9007199254740991 to 9007199254740991 below 5',
    })
  })
})

describe('a number', () => {
  it.each(['0', '-1.5', '1e3', '1E-2', '9007199254740993'])('is read from %s', (text) => {
    expect(readJson({ type: 'number' }, text)).toEqual({ value: Number(text) })
    expect(readText({ type: 'number', format: 'double' }, text)).toEqual({ value: Number(text) })
  })

  it.each(['1e400', '-1e400'])('is not %s, which a double makes infinite', (text) => {
    expect(readJson({ type: 'number' }, text)).toEqual(refused)
    expect(readText({ type: 'number' }, text)).toEqual(refused)
  })

  it.each(['', ' 1', '+1', '.5', '1.', '01', '0x10', 'NaN', 'Infinity', '1_0', 'true'])(
    'is not read from the parameter %j',
    (text) => {
      expect(readText({ type: 'number' }, text)).toEqual({ refused: '/value must be a number' })
    },
  )

  it('keeps its bounds', () => {
    expect(readText({ type: 'number', exclusiveMinimum: 0, maximum: 1 }, '0.0')).toEqual({
      refused: '/value must be a number of at most 1 above 0',
    })
    expect(readJson({ type: 'number', multipleOf: 0.5 }, '1.5')).toEqual({ value: 1.5 })
    expect(readJson({ type: 'number', multipleOf: 0.5 }, '1.25')).toEqual(refused)
    expect(readJson({ type: 'number', enum: [0.5, 1] }, '0.5')).toEqual({ value: 0.5 })
    expect(readJson({ type: 'number', enum: [0.5, 1] }, '0.25')).toEqual(refused)
  })
})

describe('a boolean', () => {
  it('is true or false, as text in a parameter and as JSON in a body', () => {
    expect(readText({ type: 'boolean' }, 'true')).toEqual({ value: true })
    expect(readText({ type: 'boolean' }, 'false')).toEqual({ value: false })
    expect(readJson({ type: 'boolean' }, 'false')).toEqual({ value: false })
    expect(readText({ type: 'boolean', const: true }, 'false')).toEqual(refused)
    expect(readJson({ type: 'boolean', enum: [true] }, 'true')).toEqual({ value: true })
  })

  it.each(['', '1', '0', 'True', 'TRUE', 'yes', 'on', ' true'])('is not the parameter %j', (text) => {
    expect(readText({ type: 'boolean' }, text)).toEqual({ refused: '/value must be a boolean' })
  })

  it.each(['"true"', '1', '0', 'null'])('is not %s in a body', (text) => {
    expect(readJson({ type: 'boolean' }, text)).toEqual(refused)
  })
})

describe('a union of types', () => {
  it('is read as the first type that the value has', () => {
    const nullable = { type: ['integer', 'null'], format: 'int64', enum: [9007199254740993n, null] }
    expect(readJson(nullable, '9007199254740993')).toEqual({ value: 9007199254740993n })
    expect(readJson(nullable, 'null')).toEqual({ value: null })
    expect(readJson(nullable, '9007199254740992')).toEqual(refused)
    expect(readJson(nullable, '"9007199254740993"')).toEqual(refused)
    expect(readText({ type: ['boolean', 'integer', 'string'] }, 'true')).toEqual({ value: true })
    expect(readText({ type: ['boolean', 'integer', 'string'] }, '54')).toEqual({ value: 54 })
    expect(readText({ type: ['boolean', 'integer', 'string'] }, '0x36')).toEqual({ value: '0x36' })
  })

  it('keeps the bounds of its numbers and has none for its other types', () => {
    const schema = { type: ['integer', 'string'], minimum: 5, minLength: 2 }
    expect(readJson(schema, '4')).toEqual(refused)
    expect(readJson(schema, '5')).toEqual({ value: 5 })
    expect(readJson(schema, '"ab"')).toEqual({ value: 'ab' })
    expect(readJson(schema, '"a"')).toEqual(refused)
  })
})

describe('a bound without a type', () => {
  it('holds for numbers alone', () => {
    expect(readJson({ minimum: 5 }, '4')).toEqual({ refused: '/value must be a number of at least 5' })
    expect(readJson({ minimum: 5 }, '5')).toEqual({ value: 5 })
    expect(readJson({ minimum: 5 }, '"4"')).toEqual({ value: '4' })
    expect(readJson({ minimum: 5 }, 'null')).toEqual({ value: null })
  })

  it.each([
    ['behind', [int64, { minimum: 9007199254740993n }]],
    ['before', [{ minimum: 9007199254740993n }, int64]],
  ])('is exact in an allOf, %s the type', (_place, allOf) => {
    for (const read of [readJson, readText]) {
      expect(read({ allOf }, '9007199254740992')).toEqual(refused)
      expect(read({ allOf }, '9007199254740993')).toEqual({ value: 9007199254740993n })
    }
  })

  it('is exact beside an allOf that gives the type', () => {
    for (const read of [readJson, readText]) {
      expect(read({ allOf: [int64], maximum: 9007199254740992 }, '9007199254740993')).toEqual(refused)
      expect(read({ ...int64, allOf: [{ maximum: 9007199254740992 }] }, '9007199254740993')).toEqual(refused)
      expect(read({ ...int64, allOf: [{ maximum: 9007199254740993n }] }, '9007199254740993')).toEqual({
        value: 9007199254740993n,
      })
    }
  })
})

describe('a format that nobody checks', () => {
  it.each([
    { type: 'integer', format: 'int16' },
    { type: 'integer', format: 'double' },
    { type: 'number', format: 'int64' },
    { type: 'number', format: 'decimal' },
    { type: 'boolean', format: 'int32' },
    { type: 'string', format: 'int64' },
    { type: 'string', format: 'double' },
    { format: 'int64' },
    { type: 'string', format: 'plant' },
  ])('is refused: %j', (schema) => {
    for (const source of ['json', 'text'] as const)
      expect(() => createAjv(source).compile(new SchemaRewriter({}, undefined).ofValue(schema) as object)).toThrow(
        /unknown format "\w+"/,
      )
  })

  it.each(['uuid', 'date-time', 'date', 'email', 'uri'])('is not %s', (format) => {
    expect(readText({ type: 'string', format }, 'neither')).toEqual({ refused: `/value must match format "${format}"` })
  })
})

describe('SchemaRewriter', () => {
  it('tells a property that is named like a keyword from the keyword', () => {
    const names = [
      'type',
      'format',
      'minimum',
      'maximum',
      'multipleOf',
      'enum',
      'const',
      'example',
      'examples',
      'default',
      'required',
      'properties',
      'items',
      'allOf',
      'x-tag',
      'scalar',
      'discriminator',
      'content',
      'headers',
      '$defs',
    ]
    const schema = {
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, int64])),
      required: names,
      additionalProperties: false,
    }
    const body = `{${names.map((name) => `"${name}":9007199254740993`).join(',')}}`
    expect(readJson(schema, body)).toEqual({
      value: Object.fromEntries(names.map((name) => [name, 9007199254740993n])),
    })
    for (const name of names)
      expect(readJson(schema, body.replace(`"${name}":9007199254740993`, `"${name}":"text"`))).toEqual({
        refused: expect.stringContaining(`/value/${name} must be an integer`) as string,
      })
  })

  it('reaches the schemas in every keyword that holds some', () => {
    for (const schema of [
      { type: 'object', patternProperties: { '^m': int64 } },
      { type: 'object', additionalProperties: int64 },
      { type: 'object', dependentSchemas: { member: { properties: { member: int64 } } } },
      { anyOf: [{ type: 'string' }, { type: 'object', properties: { member: int64 } }] },
      { oneOf: [{ type: 'string' }, { type: 'object', properties: { member: int64 } }] },
      { if: { type: 'object' }, then: { properties: { member: int64 } } },
      { if: { type: 'string' }, else: { properties: { member: int64 } } },
      { $defs: { member: int64 }, type: 'object', properties: { member: { $ref: '#/properties/value/$defs/member' } } },
    ]) {
      expect(readJson(schema, '{"member":9007199254740993}')).toEqual({ value: { member: 9007199254740993n } })
      expect(readJson(schema, '{"member":9223372036854775808}')).toEqual(refused)
    }
    expect(
      readJson(
        { type: 'array', prefixItems: [int64, { type: 'string' }], minItems: 2, items: false },
        '[9007199254740993,"a"]',
      ),
    ).toEqual({ value: [9007199254740993n, 'a'] })
    expect(readJson({ type: 'array', contains: int64 }, '["a",54.5]')).toEqual(refused)
    expect(readJson({ not: int64 }, '54')).toEqual(refused)
    expect(readJson({ not: int64 }, '54.5')).toEqual({ value: 54.5 })
  })

  it('leaves out what asserts nothing', () => {
    const schema = {
      type: 'object',
      example: { a: 1n },
      examples: [1n],
      default: {},
      'x-note': 1n,
      xml: {},
      externalDocs: {},
      discriminator: {},
      properties: { a: { type: 'string', enum: ['a'] } },
      required: ['a'],
    }
    const copy = new SchemaRewriter({}, undefined).ofValue(schema) as typeof schema
    expect(copy).toEqual({ type: 'object', properties: { a: { type: 'string', enum: ['a'] } }, required: ['a'] })
  })
})

describe('what one schema of several reads', () => {
  const kind = (name: string, id: object) => ({
    type: 'object',
    required: ['kind', 'id'],
    properties: { id, kind: { const: name } },
  })
  const a = '{"kind":"a","id":9007199254740993}'
  const b = '{"kind":"b","id":5}'

  it.each([
    [int64, { type: 'number' }],
    [{ type: 'number' }, int64],
    [int64, { type: 'integer' }, { type: 'number' }],
    [{ type: 'number' }, int64, { type: ['number', 'null'] }],
  ])('stays exact where a number is valid too: %j, %j', (...anyOf) => {
    for (const text of ['5', '-9007199254740993', '9223372036854775807']) {
      expect(readJson({ anyOf }, text)).toEqual({ value: BigInt(text) })
      expect(readText({ anyOf }, text)).toEqual({ value: BigInt(text) })
    }
    expect(readJson({ anyOf }, '1.5')).toEqual({ value: 1.5 })
    expect(readText({ anyOf }, '1.5')).toEqual({ value: 1.5 })
    expect(readJson({ anyOf }, '18446744073709551616')).toEqual({ value: 18446744073709551616 })
  })

  it.each(['oneOf', 'anyOf'])('is what the one of %s that is valid reads', (keyword) => {
    const number = { [keyword]: [kind('a', int64), kind('b', { type: 'number' })] }
    expect(readJson(number, a)).toEqual({ value: { kind: 'a', id: 9007199254740993n } })
    expect(readJson(number, b)).toEqual({ value: { kind: 'b', id: 5 } })
    const open = { [keyword]: [kind('a', int64), kind('b', {})] }
    expect(readJson(open, b)).toEqual({ value: { kind: 'b', id: 5 } })
    expect(readJson({ [keyword]: [{ ...int64, minimum: 9 }, int32] }, '5')).toEqual({ value: 5 })
    expect(readText({ [keyword]: [{ allOf: [int64], not: { const: 5 } }, { type: 'string' }] }, '5')).toEqual({
      value: '5',
    })
  })

  it('is not what a condition reads', () => {
    const number = { type: 'number' }
    expect(readJson({ type: 'array', items: int64, contains: { const: 3 } }, '[1,3]')).toEqual({ value: [1n, 3n] })
    expect(readJson({ allOf: [int64, { if: number, then: { minimum: 5 } }] }, '9007199254740993')).toEqual({
      value: 9007199254740993n,
    })
    expect(readJson({ allOf: [int64, { not: { type: 'number', minimum: 9 } }] }, '5')).toEqual({ value: 5n })
  })
})

test('a parameter is compared with the constants of its schema, whatever their types', () => {
  for (const [schema, text, value, wrong] of [
    [{ enum: [0.5, 1] }, '1', 1, '2'],
    [{ enum: [true] }, 'true', true, 'false'],
    [{ const: 1.5 }, '1.5', 1.5, '1'],
    [{ enum: [1, 'all'] }, 'all', 'all', '2'],
    [{ enum: [1, 'all'] }, '1', 1, 'none'],
    [{ enum: [1.5], allOf: [{ type: 'number' }] }, '1.5', 1.5, '2'],
  ] as const) {
    expect(readText(schema, text)).toEqual({ value })
    expect(readText(schema, wrong)).toEqual(refused)
  }
})
