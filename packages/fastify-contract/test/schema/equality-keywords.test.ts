import { expect, test } from 'vitest'
import { parseJsonWithBigInts, stringifyJson } from '../../src/json/json.ts'
import { serveEcho } from '../support/contracts.ts'

/** Values that are equal in JSON Schema. */
const equal = [
  ['1', '1.0'],
  ['1e2', '100'],
  ['1e21', '1000000000000000000000'],
  ['0', '-0.0'],
  ['9007199254740993', '9007199254740993'],
  ['"a"', '"\\u0061"'],
  ['null', 'null'],
  ['{"a":1,"b":[2]}', '{"b":[2],"a":1}'],
  ['{"1":1,"a":1}', '{"a":1,"1":1}'],
  ['{"__proto__":1}', '{"__proto__":1}'],
  ['{"toString":1,"valueOf":2}', '{"valueOf":2,"toString":1}'],
]
/** Values of which no two are equal. */
const different = [
  ['9007199254740992', '9007199254740993', '9007199254740994'],
  ['1', '"1"', 'true', '"true"', 'null', '"null"', '[]', '{}', '[[]]', '""', '0', 'false'],
  ['{"a":1}', '{"a":2}', '{"b":1}', '{"a":[1]}', '{"a":"1"}', '{"a":{"b":1}}', '{"toString":1}'],
  ['[1,2]', '[2,1]', '[12]', '["1,2"]'],
  ['{"__proto__":1}', '{"__proto__":2}', '{}'],
]

test.each([...equal, ['[]', '{}', '[]']])('uniqueItems refuses %s, %s', async (...items) => {
  const echo = await serveEcho({ type: 'array', uniqueItems: true })
  expect(await echo(`[${items.join(',')}]`)).toMatchObject({
    status: 400,
    text: expect.stringMatching(/^body must have unique items, but items \d and \d are equal$/) as string,
  })
})

test.each(different)('uniqueItems accepts %s, %s and so on', async (...items) => {
  const echo = await serveEcho({ type: 'array', uniqueItems: true })
  expect((await echo(`[${items.join(',')}]`)).status).toBe(200)
})

test.each([
  ['enum', (value: unknown) => ({ enum: ['another', value] }), 'must be one of "another", '],
  ['const', (value: unknown) => ({ const: value }), 'must be '],
])('%s allows only equal values', async (_keyword, schemaOf, message) => {
  for (const values of [...equal, ...different]) {
    const [first = '', ...others] = values
    const value = { a: parseJsonWithBigInts(first) }
    const echo = await serveEcho(schemaOf(value))
    for (const other of others) {
      const { status, text } = await echo(`{"a":${other}}`)
      expect([first, other, status]).toEqual([first, other, equal.includes(values) ? 200 : 400])
      if (status === 400) expect(text).toBe(`body ${message}${stringifyJson(value)}`)
    }
  }
})
