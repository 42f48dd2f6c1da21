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

  test('is refused where a number is beyond the range of a double, and is not echoed as null', async () => {
    const echo = await serveEcho({})
    for (const [body, place] of [
      ['{"a":[{"b":1e400}]}', 'body/a/0/b'],
      ['[0,-1e309]', 'body/1'],
      ['1e400', 'body'],
    ] as const) {
      const { status, text } = await echo(body)
      expect(status).toBe(400)
      expect(text).toContain(`{"error":40001,"message":"${place} must be a number from -1.7976931348623157e+308 to `)
    }
    expect(await echo('[1e308,1e-400]')).toMatchObject({ status: 200, text: '[1e+308,0]' })
  })

  test('keeps the error of a typed number that is beyond the range', async () => {
    const int64 = { type: 'integer', format: 'int64' }
    const echo = await serveEcho({ type: 'object', properties: { id: int64, more: {} } })
    const refusals = ['{"id":1e400}', '{"id":1e400,"more":1e400}', '{"id":9223372036854775808}'].map(echo)
    for (const { status, text } of await Promise.all(refusals)) {
      expect([status, text]).toEqual([
        400,
        expect.stringContaining('body/id must be an integer from -92233720368547758'),
      ])
    }
  })
})
