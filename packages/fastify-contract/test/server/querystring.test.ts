import { describe, expect, test } from 'vitest'
import { serve } from './support/serve.ts'

const text = { type: 'string' }
const filter = {
  type: 'object',
  properties: {
    name: text,
    sizes: { type: 'array', items: { type: 'integer' } },
    near: { type: 'object', properties: { x: { type: 'integer', format: 'int64' } } },
    page: { type: 'integer', default: 1 },
  },
}
const encoding = { near: { style: 'deepObject' } }

/** The text of a refusal of `filter`, which may go on. */
const refusal = (problem: string) => expect.stringContaining(`400 query/filter${problem}`) as unknown

/** Serves `GET /found`, whose whole query is of this content, and echoes what its handler receives. */
async function serveWhole(content: object, more: object = {}, given: object = {}) {
  const parameters = [{ name: 'filter', in: 'querystring', content, ...more }]
  const get = { operationId: 'find', parameters }
  const find = ({ query, ...input }: { query: object; querystring?: unknown }) => {
    expect(query).toEqual({})
    return { status: 200, body: 'querystring' in input ? input.querystring : 'none' }
  }
  const { send } = await serve({ paths: { '/found': { get } }, handlers: { find }, ...given })
  return async (query: string) => {
    const { status, text: body } = await send({ url: `/found${query}` })
    const parsed = JSON.parse(body) as { message?: string }
    return status === 200 ? parsed : `${String(status)} ${String(parsed.message)}`
  }
}

describe('a querystring that is', () => {
  test.each<[string, unknown]>([
    ['?name=a+b%26%2B%25&sizes=1&sizes=2&near%5Bx%5D=9', { name: 'a b&+%', sizes: [1, 2], near: { x: 9 }, page: 1 }],
    ['?name=%7B%7D&other=x&page=2', { name: '{}', page: 2 }],
    ['?name', { name: '', page: 1 }],
    ['?__proto__=1&constructor=2', { page: 1 }],
    ['?', 'none'],
    ['', 'none'],
    ['?page=x', refusal('/page must be an integer')],
    ['?name=a&name=b', refusal('/name is repeated, but is not a list; send it once')],
    ['?sizes=1&sizes=x', refusal('/sizes/1 must be an integer')],
  ])('a form: %s', async (query, expected) => {
    const get = await serveWhole({ 'application/x-www-form-urlencoded': { schema: filter, encoding } })
    expect(await get(query)).toEqual(expected)
  })

  test.each<[string, unknown]>([
    ['?%7B%22name%22:%22a+b%25%20%26%22,%22near%22:%7B%22x%22:5%7D%7D', { name: 'a+b% &', near: { x: 5 }, page: 1 }],
    ['?{"name":"a"}', { name: 'a', page: 1 }],
    ['?%7B%7D', { page: 1 }],
    ['', 'none'],
    ['?[]', refusal(' must be an object')],
    ['?%7B%22page%22:%225%22%7D', refusal('/page must be an integer')],
    ['?a=b', refusal(' is not one JSON document')],
    ['?%7B%22a%22:1,%22a%22:2%7D', refusal('')],
  ])('JSON: %s', async (query, expected) => {
    const get = await serveWhole({ 'application/json': { schema: filter } })
    expect(await get(query)).toEqual(expected)
  })

  test.each<[string, unknown]>([
    ['?%24.a.b%5B1%3A1%5D&c=d?e+f%25', '$.a.b[1:1]&c=d?e+f%'],
    ['?5', '5'],
    [`?${'a'.repeat(41)}`, refusal(' must have at most 40 characters')],
    ['', refusal(' is required')],
    ['?', refusal(' is required')],
  ])('a text: %s', async (query, expected) => {
    const get = await serveWhole({ 'application/jsonpath': { schema: { ...text, maxLength: 40 } } }, { required: true })
    expect(await get(query)).toEqual(expected)
  })
})

test('a querystring that is JSON is no text: "5" is not a number', async () => {
  const get = await serveWhole({ 'application/json': { schema: { type: 'integer', format: 'int64' } } })
  expect(await get('?5')).toBe(5)
  expect(await get('?%225%22')).toEqual(refusal(' must be an integer'))
})

test('an API key is no field of a querystring', async () => {
  const document = { components: { securitySchemes: { key: { type: 'apiKey', in: 'query', name: 'key' } } } }
  const options = { auth: { key: (text: string) => (text === 'k' ? { caller: 'me' } : undefined) } }
  const closed = { ...filter, additionalProperties: false }
  const content = { 'application/x-www-form-urlencoded': { schema: closed } }
  const given = { document: { ...document, security: [{ key: [] }] }, options }
  const get = await serveWhole(content, {}, given)
  expect(await get('?name=a&key=k')).toEqual({ name: 'a', page: 1 })
  expect(await get('?key=k')).toBe('none')
  expect(await get('?name=a')).toMatch(/^401 /)
  expect(await get('?name=a&key=k&other=b')).toEqual(refusal('/other is not declared'))
})

test.each(['application/x-www-form-urlencoded', 'application/json', 'text/plain'])(
  'broken percent-encoding of a querystring of %s is a 400, on any server',
  async (type) => {
    for (const isGuest of [false, true]) {
      const get = await serveWhole({ [type]: {} }, {}, { isGuest })
      for (const query of ['?%', '?a=%zz', '?%ff']) expect(await get(query)).toMatch(/^400 /)
    }
  },
)
