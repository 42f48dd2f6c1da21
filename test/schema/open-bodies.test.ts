import { describe, expect, test } from 'vitest'
import { contractOf, failures, serve } from '../contract/words/own-contract.ts'

const any = '{"a":1.5,"b":{"c":[null,true,{"d":9007199254740993}],"__proto__":{"e":"f"}},"":"g"}'

/** A service that answers the body that it gets. */
async function serveEcho(schema: object) {
  const content = { 'application/json': { schema } }
  const responses = { 200: { description: 'The same.', content }, ...failures }
  const put = { operationId: 'echo', requestBody: { required: true, content }, responses }
  const { send } = await serve(contractOf({ '/things': { put } }), {
    echo: ({ body }: { body: unknown }) => ({ status: 200, body }),
  })
  return (body: string) => send({ method: 'PUT', url: '/things', body })
}

describe('a body that its schema leaves open', () => {
  test.each([
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
  ])('passes everything, in the request and in the reply: %s', async (_what, schema) => {
    const echo = await serveEcho(schema)
    expect(await echo(any)).toMatchObject({ status: 200, text: any })
  })
})
