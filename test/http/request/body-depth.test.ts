import { describe, expect, test } from 'vitest'
import { defaultLimits } from '../../../packages/fastify-contract/src/server/limits.ts'
import { stringifyJson } from '../../../packages/fastify-contract/src/json/json.ts'
import { contractOf, failures, serve } from '../../contract/words/own-contract.ts'

const bound = defaultLimits.bodyLevels
const arrays = (levels: number, inside = '') => `${'['.repeat(levels)}${inside}${']'.repeat(levels)}`
const objects = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
const node = { $ref: '#/components/schemas/Node' }
const schemas = {
  Node: { type: 'object', properties: { a: { anyOf: [node, { type: 'integer' }] } } },
  Nest: { type: 'array', items: { $ref: '#/components/schemas/Nest' } },
}

/** A service that answers each body with the same. */
async function serveEcho(schema: object) {
  const content = { 'application/json': { schema } }
  const responses = { 200: { description: 'The same.', content }, ...failures }
  const put = { operationId: 'echo', requestBody: { required: true, content }, responses }
  const echo = ({ body }: { body: unknown }) => ({ status: 200, body })
  const { send, logLines } = await serve(contractOf({ '/': { put } }, { components: { schemas } }), { echo })
  return { send: (body: string) => send({ method: 'PUT', url: '/', body }), logLines }
}

const deep: [string, schema: object, body: (levels: number) => string][] = [
  ['objects of a recursive schema', node, objects],
  ['arrays of a recursive schema', { $ref: '#/components/schemas/Nest' }, arrays],
  ['items that must be unique', { type: 'array', uniqueItems: true }, (levels) => `[${arrays(levels - 1)},[1]]`],
  ['a value that its schema leaves open', {}, objects],
  ['a property that no schema declares', { type: 'object', properties: { b: {} } }, objects],
]

describe('a body that nests deep', () => {
  test.each(deep)('is answered up to the bound, and refused with its place beyond: %s', async (_what, schema, body) => {
    const { send } = await serveEcho(schema)
    expect((await send(body(bound))).status).toBe(200)
    for (const levels of [bound + 1, 2_000, 3_000, 10_000]) {
      const { status, text } = await send(body(levels))
      expect(status).toBe(400)
      expect(JSON.parse(text)).toMatchObject({
        error: 40_001,
        message: expect.stringMatching(/^body(\/[a0]){100} nests deeper than 100 levels$/) as string,
      })
    }
  })

  test.each([
    [arrays(101), `body${'/0'.repeat(100)}`],
    [`{"2":1,"b":[],"1":[0,${arrays(97, '{"a/b":[]}')}],"c":1}`, `body/1/1${'/0'.repeat(97)}/a~1b`],
    [`{"__proto__":[{},${arrays(99)}]}`, `body/__proto__/1${'/0'.repeat(98)}`],
    [`{"a":${arrays(99)},"b":${arrays(100)},"c":${arrays(101)}}`, `body/b${'/0'.repeat(99)}`],
  ])('is refused with the place of the first value beyond the bound: %#', async (body, place) => {
    const { send } = await serveEcho({})
    expect(JSON.parse((await send(body)).text)).toEqual({
      error: 40_001,
      message: `${place} nests deeper than 100 levels`,
    })
  })

  test.each([
    ['a document that is cut', '['.repeat(20_000), 'the body is not one JSON document'],
    ['closed by the wrong bracket', `${arrays(20_000)}}`, 'the body is not one JSON document'],
    ['a name that is doubled', arrays(20_000, '{"a":1,"a":2}'), 'the body names the property "a" twice'],
  ])('is refused for what is no JSON before its depth: %s', async (_what, body, message) => {
    const { send } = await serveEcho({})
    expect(JSON.parse((await send(body)).text)).toEqual({ error: 40_000, message })
  })
})

const nested = (levels: number) => {
  let value: unknown = 1
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? { a: value } : [value]
  return value
}
const circle: { a?: unknown } = {}
circle.a = circle

describe('a reply that nests deeper than it can be written', () => {
  test.each<[string, object, unknown]>([
    ['deep, of a recursive schema', { anyOf: [node, { type: 'array' }] }, nested(200_000)],
    ['deep, of an open schema', {}, nested(200_000)],
    [
      'deep, of an open schema with unique items',
      { type: 'array', uniqueItems: true },
      [nested(200_000), nested(200_000)],
    ],
    ['in itself, of a recursive schema', node, circle],
    ['in itself, of an open schema', {}, circle],
  ])('is answered 500, and the service goes on: %s', async (_what, schema, body) => {
    const replies = [body, { a: 1 }]
    const content = { 'application/json': { schema } }
    const headers = { 'X-Part': { schema: { type: 'string' } } }
    const responses = { 200: { description: 'A value.', headers, content }, ...failures }
    const contract = contractOf({ '/': { get: { operationId: 'get', responses } } }, { components: { schemas } })
    const get = () => ({ status: 200, headers: { 'X-Part': '1' }, body: replies.shift() })
    const { send, logLines } = await serve(contract, { get })
    const response = await send({ method: 'GET', url: '/' })
    expect([response.status, JSON.parse(response.text)]).toMatchObject([500, { error: 50_000 }])
    expect(response.headers['x-part']).toBeUndefined()
    expect(logLines.filter((line) => line.includes('request failed'))).toHaveLength(1)
    const next = await send({ method: 'GET', url: '/' })
    if ('type' in schema) expect(next.status).toBe(500)
    else expect(next).toMatchObject({ status: 200, text: stringifyJson({ a: 1 }) })
  })
})
