import { expect, test } from 'vitest'
import { readBody } from '../../src/client/exact-json.ts'

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

test('an int64 is found in maps, and in schemas that refer to themselves', () => {
  const named = { properties: { name: {} }, additionalProperties: int64 }
  expect(readBody('{"name":1,"b":3}', named, {})).toEqual({ name: 1, b: 3n })
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
  expect(readBody('{"toString":1}', { properties: { id: {} }, additionalProperties: int64 }, {})).toEqual({
    toString: 1n,
  })
  expect(readBody('{"__proto__":1}', { properties: { ['__proto__']: int64 } }, {})).toEqual(
    JSON.parse('{"__proto__":1}', (_key, value: unknown) => (value === 1 ? 1n : value)),
  )
})

test('an int64 of an alternative is none of a value of another kind', () => {
  const id = { properties: { id: int64 } }
  const pet = {
    allOf: [
      { ...id, when: { kind: ['cat'] } },
      { $ref: 'Lion', when: { kind: ['lion', 'lioness'] } },
    ],
  }
  const pets = '[{"kind":"cat","id":5},{"id":6,"kind":"dog"},{"kind":"lioness","id":7},{"id":8},{"kind":1,"id":9}]'
  expect(readBody(pets, { items: pet }, { Lion: id })).toEqual([
    { kind: 'cat', id: 5n },
    { id: 6, kind: 'dog' },
    { kind: 'lioness', id: 7n },
    { id: 8n },
    { kind: 1, id: 9 },
  ])
})
