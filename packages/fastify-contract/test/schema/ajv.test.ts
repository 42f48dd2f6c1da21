import { expect, test } from 'vitest'
import { serveEcho } from '../support/contracts.ts'

const to = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const text = { type: 'string' }

test.each<[string, (next: object) => object]>([
  ['properties', (next) => ({ properties: { next } })],
  ['alternatives', (next) => ({ anyOf: [{ required: ['next'], properties: { next } }, { maxProperties: 0 }] })],
])('hundreds of schemas that reference one another compile: in %s', async (_where, schemaOf) => {
  const size = 400
  const schemas = Array.from({ length: size }, (_, index) => {
    const schema = { type: 'object', ...schemaOf(to(`S${String((index + 1) % size)}`)) }
    return [`S${String(index)}`, schema] as const
  })
  const echo = await serveEcho(to('S0'), Object.fromEntries(schemas))
  expect(await echo('{"next":{"next":{}}}')).toMatchObject({ status: 200, seen: '{"next":{"next":{}}}' })
  expect(await echo('{"next":{"next":{"next":5}}}')).toMatchObject({
    status: 400,
    text: expect.stringMatching(/^body\/next\/next\/next must be an object/) as string,
  })
})

// In alternatives, the first error ends the validation.
test.each<[string, object, string, string]>([
  [
    'a list shorter than prefixItems',
    { type: 'array', prefixItems: [text], contains: { type: 'number' } },
    '[]',
    '["a",1]',
  ],
  ['a missing property without a name', { type: 'object', properties: { '': text }, required: [''] }, '{}', '{"":"a"}'],
])('an alternative is refused for %s', async (_what, schema, invalid, valid) => {
  const echo = await serveEcho({ anyOf: [schema, text] })
  expect(await echo(invalid)).toMatchObject({ status: 400 })
  expect(await echo(valid)).toMatchObject({ status: 200, seen: valid })
})

test('a condition does not keep an int64 within the integers that are exact as numbers', async () => {
  const echo = await serveEcho({ if: { type: 'integer' }, then: { type: 'integer', format: 'int64' } })
  expect(await echo('9007199254740993')).toMatchObject({ status: 200, seen: '9007199254740993' })
  expect(await echo('9223372036854775808')).toMatchObject({ status: 400 })
})

test('a reference may lead to true or false', async () => {
  const schema = { type: 'object', properties: { a: to('Any'), b: to('None') } }
  const echo = await serveEcho(schema, { Any: true, None: false })
  expect(await echo('{"a":5}')).toMatchObject({ status: 200, seen: '{"a":5}' })
  expect(await echo('{"b":5}')).toMatchObject({ status: 400, text: 'body/b is not allowed here' })
})
