import { describe, expect, test } from 'vitest'
import { contractOf, failures, serve } from '../contract/words/own-contract.ts'

const text = { type: 'string' }
const to = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const object = (properties: object, rest: object = {}) => ({ type: 'object', properties, ...rest })
const operation = (name: string, op: string) =>
  object({ left: to(name), right: to(name), op: { const: op } }, { required: ['op'] })
const list = { type: 'array', uniqueItems: true, items: { type: 'string', maxLength: 9 } }

const schemas = {
  Group: { anyOf: [object({ a: to('Group'), b: text }), object({ a: to('Group'), c: text })] },
  Sum: { oneOf: [operation('Sum', '+'), operation('Sum', '-'), { type: 'integer' }] },
  Twice: { allOf: [object({ a: to('Twice') }), object({ a: to('Twice') })] },
  Listed: { anyOf: [object({ a: to('Listed'), list }), object({ a: to('Listed'), list, b: text })] },
  Tree: object({ name: text, parts: { type: 'array', items: to('Tree') } }),
}

const bytes = 65_000
const many = (items: (index: number) => string) => {
  const length = Math.floor(bytes / (items(10_000).length + 1))
  return `[${Array.from({ length }, (_, index) => items(10_000 + index)).join(',')}]`
}
const nested = (levels: number, inside: string) => `${'{"a":'.repeat(levels)}${inside}${'}'.repeat(levels)}`

async function serveEcho(schema: object) {
  const content = { 'application/json': { schema } }
  const responses = { 200: { description: 'The same.', content }, ...failures }
  const put = { operationId: 'echo', requestBody: { required: true, content }, responses }
  const echo = ({ body }: { body: unknown }) => ({ status: 200, body })
  const { send } = await serve(contractOf({ '/': { put } }, { components: { schemas } }), { echo })
  return (body: string) => send({ method: 'PUT', url: '/', body })
}

describe('a body whose validation would take days', () => {
  test.each([
    ['alternatives that lead back', to('Group'), nested(95, '{}')],
    ['operations in one another', to('Sum'), `${'{"left":'.repeat(95)}1${',"op":"-"}'.repeat(95)}`],
    ['parts that two schemas describe', to('Twice'), nested(95, '{}')],
    ['a long list within', to('Listed'), nested(30, `{"list":${many((index) => `"${String(index)}"`)}}`)],
    ['many of them', { type: 'array', items: to('Group') }, many(() => nested(90, '{}'))],
    [
      'others beside it',
      { type: 'array', items: { anyOf: [to('Group'), text] } },
      `[${nested(95, '{}')}${',"a"'.repeat(15_000)}]`,
    ],
  ])('is refused at once: %s', async (_what, schema, body) => {
    const echo = await serveEcho(schema)
    const { status, text } = await echo(body)
    expect([status, JSON.parse(text)]).toEqual([
      400,
      {
        error: 40_001,
        message: 'the body takes too long to validate, because too many alternatives are in one another; nest fewer',
      },
    ])
    expect((await echo(nested(3, '{}'))).status).toBeLessThan(500)
  })

  test.each([
    ['alternatives that lead back', to('Group'), nested(10, '{}')],
    [
      'a deep tree',
      to('Tree'),
      `${'{"parts":['.repeat(48)}${many((index) => `{"name":"${String(index)}"}`)
        .slice(1, 60_000)
        .replace(/,[^,]*$/, '')}${']}'.repeat(48)}`,
    ],
    ['a wide tree', to('Tree'), `{"parts":${many((index) => `{"parts":[{"name":"${String(index)}"}]}`)}}`],
    ['a list', list, many((index) => `"${String(index)}"`)],
    [
      'many alternatives',
      {
        type: 'array',
        items: {
          oneOf: Array.from({ length: 10 }, (_, index) =>
            object({ k: { const: index }, tree: to('Tree') }, { required: ['k'] }),
          ),
        },
      },
      many(() => '{"k":9,"tree":{}}'),
    ],
  ])('is not one that takes its due time: %s', async (_what, schema, body) => {
    const echo = await serveEcho(schema)
    expect(await echo(body)).toMatchObject({ status: 200, text: body })
  })
})

test.each([6, 10, 14, 15, 16])('the errors of %i alternatives in one another make no long answer', async (levels) => {
  const echo = await serveEcho(to('Group'))
  const { status, text } = await echo(nested(levels, '{"b":1,"c":1}'))
  expect(status).toBe(400)
  expect(text.length).toBeLessThan(2_000)
  if (levels < 15) expect(text).toMatch(/body(\/a)+\/b must be string; body(\/a)+\/c must be string; .*; and more"/)
})

test('the errors of a property with a long name name its beginning and the rule', async () => {
  const alternatives = Array.from({ length: 30 }, (_, index) => ({ type: 'string', minLength: 100 + index }))
  const echo = await serveEcho({ type: 'object', additionalProperties: { anyOf: alternatives } })
  const { status, text } = await echo(`{"start${'🌱'.repeat(15_000)}":"a"}`)
  expect(status).toBe(400)
  expect(text).toMatch(/"body\/start🌱+.…🌱*.?🌱+ must NOT have fewer than 100 characters; .*; and more"/u)
  expect(Buffer.byteLength(text)).toBeLessThan(60_000)
})

describe('items that must be unique', () => {
  const open = { type: 'array', uniqueItems: true }

  test.each([
    '[1,1.0]',
    '[1e2,100]',
    '[0,-0.0]',
    '[9007199254740993,9007199254740993]',
    '["a","\\u0061"]',
    '[null,null]',
    '[{"a":1,"b":[2]},{"b":[2],"a":1}]',
    '[{"1":1,"a":1},{"a":1,"1":1}]',
    '[{"__proto__":1},{"__proto__":1}]',
    '[[],{},[]]',
  ])('are not: %s', async (body) => {
    const echo = await serveEcho(open)
    expect(await echo(body)).toMatchObject({
      status: 400,
      text: expect.stringMatching(/body must NOT have duplicate items \(items ## \d and \d are identical\)/) as string,
    })
  })

  test.each([
    '[9007199254740992,9007199254740993,9007199254740994]',
    '[1,"1",true,"true",null,"null",[],{},[[]],"",0,false]',
    '[{"a":1},{"a":2},{"b":1},{"a":[1]},{"a":"1"},{"a":{"b":1}}]',
    '[[1,2],[2,1],[12],["1,2"]]',
    '[{"__proto__":1},{"__proto__":2},{}]',
  ])('are: %s', async (body) => {
    const echo = await serveEcho(open)
    expect(await echo(body)).toMatchObject({ status: 200, text: body })
  })
})
