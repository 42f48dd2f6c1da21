import { describe, expect, test } from 'vitest'
import { contractOf, failures, serve } from '../contract/words/own-contract.ts'

const any = '{"a":1.5,"b":{"c":[null,true,{"d":9007199254740993}],"__proto__":{"e":"f"}},"":"g"}'

/** A service that answers the body that it gets. */
async function serveEcho(schema: object) {
  const content = { 'application/json': { schema } }
  const responses = { 200: { description: 'The same.', content }, ...failures }
  const put = { operationId: 'echo', requestBody: { required: true, content }, responses }
  const handlers = { echo: ({ body }: { body: unknown }) => ({ status: 200, body }) }
  const { send } = await serve(contractOf({ '/things': { put } }), handlers, { limits: { bodyBytes: 1_000_000 } })
  return (body: string) => send({ method: 'PUT', url: '/things', body })
}

const openSchemas: [string, object][] = [
  ['type: object', { type: 'object' }],
  ['no keyword', {}],
  ['additionalProperties: true', { type: 'object', additionalProperties: true }],
  ['additionalProperties: {}', { type: 'object', additionalProperties: {} }],
  [
    'additionalProperties: true beside properties',
    { type: 'object', properties: { a: { type: 'number' } }, additionalProperties: true },
  ],
  ['an open property', { type: 'object', properties: { a: {}, b: { type: 'object' }, '': {} } }],
  ['an open part', { type: 'object', additionalProperties: { type: ['object', 'number', 'string'] } }],
]

describe('a body that its schema leaves open', () => {
  test.each(openSchemas)('passes everything, in the request and in the reply: %s', async (_what, schema) => {
    const echo = await serveEcho(schema)
    expect(await echo(any)).toMatchObject({ status: 200, text: any })
  })

  test.each(openSchemas)('is refused for a number that a double cannot hold: %s', async (_what, schema) => {
    const echo = await serveEcho(schema)
    expect(await echo('{"b":{"c":[{"d":-1e400}]}}')).toMatchObject({
      status: 400,
      text: expect.stringMatching(/body[/b]* must not have a number beyond the range of a double/) as string,
    })
  })

  test.each([
    ['a property that matches no pattern', { type: 'object', patternProperties: { '^a': {} } }, '{"b":[1e400]}'],
    [
      'an array beside an object',
      { type: ['object', 'array'], properties: { a: {} }, additionalProperties: false },
      '[{"b":1e400}]',
    ],
    [
      'an array of an alternative',
      { anyOf: [{ type: 'object', properties: { a: {} } }, { type: 'array' }] },
      '[1e400]',
    ],
  ])('is refused for such a number where only other values are described: %s', async (_what, schema, body) => {
    const echo = await serveEcho(schema)
    expect(await echo(body)).toMatchObject({ status: 400 })
  })

  test('is refused however deep the number lies, and behind however many others', async () => {
    const echo = await serveEcho({})
    const depth = 100
    expect(await echo(`${'['.repeat(depth)}1e400${']'.repeat(depth)}`)).toMatchObject({ status: 400 })
    expect(await echo(`[${'0,'.repeat(400_000)}1e400]`)).toMatchObject({ status: 400 })
  })

  test('is told what it should be where its schema is not open', async () => {
    const echo = await serveEcho({ type: 'object', properties: { name: { type: 'string', minLength: 1 } } })
    expect(await echo('{"name":1e400}')).toMatchObject({
      status: 400,
      text: expect.stringContaining('"body/name must be string"') as string,
    })
  })

  test('may have such a number in a property that the schema does not declare', async () => {
    const echo = await serveEcho({ type: 'object', properties: { id: { type: 'integer' } } })
    expect(await echo('{"id":1,"more":{"a":1e400}}')).toMatchObject({ status: 200, text: '{"id":1}' })
  })
})
