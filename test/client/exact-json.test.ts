import { expect, test } from 'vitest'
import { createInt64Schemas } from '../../packages/fastify-contract/src/gate/generate/int64-schemas.ts'
import { readBody } from '../../packages/fastify-contract/src/client/exact-json.ts'

const int64 = { format: 'int64' } as const

test('int64 values of a body are read as bigints, however small, and other numbers stay numbers', () => {
  const text = '{"plants":[{"id":9007199254740993,"age":7},{"id":54,"age":8}],"next":-9223372036854775808,"share":0.5}'
  const plants = { items: { properties: { id: int64 } } }
  expect(readBody(text, { properties: { plants, next: int64 } }, {})).toEqual({
    plants: [
      { id: 9007199254740993n, age: 7 },
      { id: 54n, age: 8 },
    ],
    next: -9223372036854775808n,
    share: 0.5,
  })
  expect(readBody('7', int64, {})).toBe(7n)
  expect(readBody('{"plants":null}', { properties: { plants, next: int64 } }, {})).toEqual({ plants: null })
})

test('a number that is no int64 stays a number, beyond 2^53 too', () => {
  const text = '{"share":100000000000000000,"id":100000000000000000}'
  expect(readBody(text, { properties: { id: int64 } }, {})).toEqual({ share: 1e17, id: 100000000000000000n })
  expect(readBody('100000000000000000', {}, {})).toBe(1e17)
})

test('an int64 is found in maps, in tuples and in schemas that refer to themselves', () => {
  const named = { properties: { name: {} }, patternProperties: { '^x-': {} }, additionalProperties: int64 }
  expect(readBody('{"name":1,"x-a":2,"b":3}', named, {})).toEqual({ name: 1, 'x-a': 2, b: 3n })
  expect(readBody('{"n1":1,"m":2}', { patternProperties: { '^n': int64 } }, {})).toEqual({ n1: 1n, m: 2 })
  expect(readBody('[1,2,3,4]', { prefixItems: [{}, int64], items: int64 }, {})).toEqual([1, 2n, 3n, 4n])
  expect(readBody('[1,2,3]', { prefixItems: [{}, int64] }, {})).toEqual([1, 2n, 3])

  const node = { allOf: [{ properties: { weight: int64 } }, { properties: { next: { allOf: [{ $ref: 'Node' }] } } }] }
  const chain = '{"weight":1,"depth":1,"next":{"weight":2,"depth":2,"next":{"weight":3,"depth":3,"next":null}}}'
  expect(readBody(chain, { $ref: 'Node' }, { Node: node })).toEqual({
    weight: 1n,
    depth: 1,
    next: { weight: 2n, depth: 2, next: { weight: 3n, depth: 3, next: null } },
  })
  expect(readBody('1', { $ref: 'A' }, { A: { $ref: 'B' }, B: { $ref: 'A' } })).toBe(1)
})

test('a property that an object inherits is none of the body', () => {
  expect(readBody('{"toString":1,"constructor":2}', { properties: { id: int64 } }, {})).toEqual({
    toString: 1,
    constructor: 2,
  })
  expect(readBody('{"__proto__":1}', { properties: { ['__proto__']: int64 } }, {})).toEqual(
    JSON.parse('{"__proto__":1}', (_key, value: unknown) => (value === 1 ? 1n : value)),
  )
})

test('an int64 of an alternative is none of a value of another kind', () => {
  const kind = (schema: object) => ({ required: ['kind'], properties: { kind: schema } })
  const schemas = {
    Pet: { type: 'object', oneOf: ['Cat', 'Dog', 'Fish'].map((name) => ({ $ref: `#/components/schemas/${name}` })) },
    Cat: { ...kind({ const: 'cat' }), allOf: [{ properties: { id: { type: 'integer', format: 'int64' } } }] },
    Lion: kind({ enum: ['lion', 'lioness'] }),
    Dog: { ...kind({ const: 'dog' }), allOf: [{ properties: { id: { type: 'number' } } }] },
    Fish: { $ref: '#/components/schemas/Lion', properties: { id: { type: ['integer', 'null'], format: 'int64' } } },
  }
  const { of, referred } = createInt64Schemas({ openapi: '3.1.0', info: {}, components: { schemas } } as never)
  const pet = of({ $ref: '#/components/schemas/Pet' })
  const pets = '[{"kind":"cat","id":5},{"id":6,"kind":"dog"},{"kind":"lioness","id":7},{"id":8},{"kind":1,"id":9}]'
  expect(readBody(pets, { items: pet }, Object.fromEntries(referred()))).toEqual([
    { kind: 'cat', id: 5n },
    { id: 6, kind: 'dog' },
    { kind: 'lioness', id: 7n },
    { id: 8n },
    { kind: 1, id: 9 },
  ])
})
