import fastify from 'fastify'
import { describe, expect, test } from 'vitest'
import { serveEcho } from './support/echo.ts'
import { serve } from './support/serve.ts'

const int64 = { type: 'integer', format: 'int64' }
const ids = { type: 'array', items: int64 }
const point = {
  type: 'object',
  required: ['id'],
  properties: { id: int64, tags: { type: 'array', items: { type: 'string' } } },
}
const list = { type: 'array' }
const points = { type: 'array', items: point }
const open = { type: 'object', additionalProperties: int64 }
const json = { content: { 'application/json': { schema: point } } }
const exact = '9007199254740993'

const inQuery = (schema?: object, more: object = {}) => ({ name: 'p', in: 'query', schema, ...more })
const inHeader = (schema?: object, more: object = {}) => ({ ...inQuery(schema, more), name: 'X-P', in: 'header' })
const inPath = (schema?: object, more: object = {}) => ({ ...inQuery(schema, more), in: 'path', required: true })
const inCookie = (schema?: object, more: object = {}) => ({ ...inQuery(schema, more), in: 'cookie' })

const text = { type: 'string' }
const nested = {
  type: 'object',
  properties: { at: point, all: { type: 'array', items: point }, in: { $ref: '#/components/schemas/Nested' } },
}
const deep = (schema: object) => inQuery(schema, { style: 'deepObject', explode: true })
const joined = { explode: false }
const encoded = encodeURIComponent

/** A parameter, the target or the field that sends it, and the value that the handler gets. */
const taken: [string, { in: string }, string, string][] = [
  ['a scalar', inQuery(int64), `?p=${exact}`, exact],
  ['a repeated list', inQuery(ids), `?p=${exact}&p=2`, `[${exact},2]`],
  ['a list of one', inQuery(ids), '?p=1', '[1]'],
  ['a list with commas', inQuery(ids, joined), `?p=${exact},2`, `[${exact},2]`],
  ['a list with spaces', inQuery(ids, { style: 'spaceDelimited' }), '?p=1%202', '[1,2]'],
  ['a list with pipes', inQuery(ids, { style: 'pipeDelimited' }), '?p=1|2%7C3', '[1,2,3]'],
  ['an object of parameters', inQuery(point), `?id=${exact}&tags=a`, `{"id":${exact},"tags":["a"]}`],
  ['an object of any parameters', inQuery(open), `?x=${exact}&y=2`, `{"x":${exact},"y":2}`],
  ['an object with commas', inQuery(point, joined), `?p=id,${exact},tags,a%2Cb`, `{"id":${exact},"tags":["a,b"]}`],
  ['a deep object', deep(point), `?p[id]=${exact}&p%5Btags%5D=a&p[tags]=b`, `{"id":${exact},"tags":["a","b"]}`],
  ['JSON', inQuery(undefined, json), `?p=${encoded(`{"id":${exact}}`)}`, `{"id":${exact}}`],
  [
    'a scalar in JSON',
    inQuery(undefined, { content: { 'application/json': { schema: int64 } } }),
    `?p=${exact}`,
    exact,
  ],
  ['a scalar in a path', inPath(int64), `/${exact}`, exact],
  ['a list in a path', inPath(ids), `/${exact},2`, `[${exact},2]`],
  ['an object in a path', inPath(point), `/id,${exact}`, `{"id":${exact}}`],
  ['JSON in a path', inPath(undefined, json), `/${encoded(`{"id":${exact}}`)}`, `{"id":${exact}}`],
  ['a scalar in a header', inHeader(int64), `X-P: ${exact}`, exact],
  ['a list in a header', inHeader(ids), `X-P: ${exact}, 2`, `[${exact},2]`],
  ['an object in a header', inHeader(point), `X-P: id,${exact}`, `{"id":${exact}}`],
  ['JSON in a header', inHeader(undefined, json), `X-P: {"id":${exact}}`, `{"id":${exact}}`],
  ['a cookie', inCookie(int64), `Cookie: a=b; p=${exact}; q`, exact],
  ['a quoted cookie', inCookie(text), 'Cookie: p="a%20b=c"; p=d', '"a b=c"'],
  ['a cookie as it was sent', inCookie(text, { style: 'cookie' }), 'Cookie: p="a%20%"', String.raw`"\"a%20%\""`],
  ['a list as it was sent', inCookie(list, { style: 'cookie', ...joined }), 'Cookie: p=a%2C,%', '["a%2C","%"]'],
  ['a list in a cookie', inCookie(list, joined), 'Cookie: p="a%2Cb,c%20%25"', '["a,b","c %"]'],
  ['an object in a cookie', inCookie({ type: 'object' }, joined), 'Cookie: p=a%2Cb,c%2Cd', '{"a,b":"c,d"}'],
  ['JSON in a cookie', inCookie(undefined, json), `Cookie: p=${encoded(`{"id":${exact}}`)}`, `{"id":${exact}}`],
  ['a list of objects as JSON each', inQuery(points), `?p=${encoded('{"id":1}')}&p={"id":2}`, '[{"id":1},{"id":2}]'],
  ['a default', inQuery({ ...int64, default: 7 }), '', '7'],
  ['a part of a deep object as JSON', deep(nested), `?p[at]=${encoded(`{"id":${exact}}`)}`, `{"at":{"id":${exact}}}`],
  ['an object in a deep object', deep(nested), `?p[at][id]=${exact}&p[at][tags][]=a`, `"id":${exact},"tags":["a"]`],
  ['an object of any depth', deep(nested), `?p[in][in][at][id]=${exact}`, `{"in":{"in":{"at":{"id":${exact}}}}}`],
  ['objects in a deep list', deep(nested), '?p[all][1][id]=2&p[all][0][id]=1', '{"all":[{"id":1},{"id":2}]}'],
  ['a deep list by its indices', deep(ids), `?p[1]=2&p[0]=${exact}`, `[${exact},2]`],
  ['a deep list without indices', deep(ids), `?p[]=${exact}&p[]=2`, `[${exact},2]`],
  ['a deep list by repetition', deep(ids), '?p=1&p=2', '[1,2]'],
  ['an alternative that is an object', deep({ anyOf: [point, int64] }), `?p[id]=${exact}`, `{"id":${exact}}`],
  ['an alternative that is a text', deep({ anyOf: [point, { enum: [''] }] }), '?p=', '""'],
  ['an integer of either', inPath({ oneOf: [int64, text] }), `/${exact}`, exact],
  ['an integer of any', inPath({ oneOf: [text, int64] }), `/${exact}`, exact],
  ['a text of either', inPath({ oneOf: [int64, text] }), '/a', '"a"'],
  ['a text that is no single number', inPath({ oneOf: [int64, { type: 'number' }, text] }), '/5', '"5"'],
  ['a label', inPath(int64, { style: 'label' }), `/.${exact}`, exact],
  ['a matrix', inPath(text, { style: 'matrix' }), '/;p=a%3Bb;c=d', '"a;b;c=d"'],
  ['an empty matrix', inPath(text, { style: 'matrix' }), '/;p', '""'],
]

test.each([
  ['simple', true, '/x%3Dy=%25,%C3%A9=a=b', { 'x=y': '%', é: 'a=b' }],
  ['simple', true, '/x%2Cy=a%252C+%2B', { 'x,y': 'a%2C++' }],
  ['simple', false, '/x%2Cy,%25,z=,a%3Db', { 'x,y': '%', 'z=': 'a=b' }],
  ['label', true, '/.x%3D%2E=%25.z=a%2Eb', { 'x=.': '%', z: 'a.b' }],
  ['label', false, '/.x%2C.y,%2C', { 'x,.y': ',' }],
  ['matrix', true, '/;x%3D%3b=%25;z=a%3Bb;empty', { 'x=;': '%', z: 'a;b', empty: '' }],
  ['matrix', false, '/;p=x%2C=,%3B%2F', { 'x,=': ';/' }],
  ['simple', false, '/a%252C+,%2C%25', ['a%2C+', ',%']],
  ['label', true, '/.a%2Eb.%25', ['a.b', '%']],
  ['label', false, '/.a.b,%2C', ['a.b', ',']],
  ['matrix', true, '/;%70=a%3Bb;p=%3D', ['a;b', '=']],
  ['matrix', false, '/;p=a%2C,%25', ['a,', '%']],
] as const)('a value in the style %s, exploded: %j, is read from %s', async (style, explode, target, expected) => {
  const { status, text: received } = await sendTo(
    inPath({ type: Array.isArray(expected) ? 'array' : 'object' }, { style, explode }),
    target,
  )
  expect([status, JSON.parse(received)]).toMatchObject([200, { path: { p: expected } }])
})

/** @param sent the target of a request, or a field */
async function sendTo(parameter: { in: string }, sent: string) {
  const path = parameter.in === 'path' ? '/{p}' : '/'
  const { send } = await serveEcho({ parameters: [parameter] }, { path, method: 'get', schemas: { Nested: nested } })
  const [, name = '', value] = /^([\w-]+): (.*)$/.exec(sent) ?? []
  if (name !== '') return send({ headers: { [name]: value } })
  return send({ url: sent.startsWith('/') ? sent : `/${sent}` })
}

test.each(taken)('a handler gets %s exactly', async (_what, parameter, sent, value) => {
  const { status, text: received } = await sendTo(parameter, sent)
  expect([status, /"(?:p|X-P)":(.*?)\}(?:,"(?:query|header|cookie)":|$)/.exec(received)?.[1]]).toEqual([
    200,
    expect.stringContaining(value),
  ])
})

test.each<[string, { in: string }, string, string]>([
  ['a repeated scalar', inQuery(int64), '?p=1&p=2', 'query/p is repeated; send it once'],
  ['a list with a bad item', inQuery(ids), '?p=1&p=x', 'query/p/1 must be an integer'],
  ['a list with a bad item in a path', inPath(ids), '/1,01', 'path/p/1 must be an integer'],
  [
    'a repeated list',
    inQuery(ids, joined),
    '?p=1&p=2',
    'query/p is repeated; send it once, with commas between the items',
  ],
  ['an undeclared parameter', inQuery(point), '?id=1&x=2', 'query/x is not a parameter of this operation'],
  ['an object without a property', inQuery(point, { required: true }), '?tags=a', 'query/p/id is required'],
  ['no object', inQuery(point, { required: true }), '', 'query/p is required'],
  ['an object with half a pair', inQuery(point, joined), '?p=id', 'query/p must be names and values'],
  ['a deep object with a bad value', deep(point), '?p[id]=x', 'query/p/id must be an integer'],
  ['a repeated value of an object', deep(point), '?p[id]=1&p[id]=2', 'query/p/id must be'],
  ['an undeclared member of a deep object', deep(point), '?p[id]=1&p[x]=1', 'query/p[x] is not a parameter'],
  ['an undeclared member further down', deep(nested), '?p[at][id]=1&p[at][x]=1', 'query/p[at][x] is not a parameter'],
  ['a member of a text', deep(nested), '?p[at][id][x]=1', 'query/p[at][id][x] is not a parameter'],
  ['a deep list with a gap', deep(ids), '?p[0]=1&p[2]=1', 'query/p must have the indices from 0 to 1'],
  ['a deep list of both kinds', deep(ids), '?p[]=1&p[0]=1', 'query/p must have the indices from 0 to 1'],
  ['a deep list and its text', deep(ids), '?p=1&p[0]=1', 'query/p is sent as a text and in parts; send one'],
  ['a part and its parts', deep(nested), '?p[at]={}&p[at][id]=1', 'query/p/at is sent as a text and in parts'],
  ['a very deep object', deep(nested), `?p${'[in]'.repeat(101)}[at]=1`, 'query/p nests deeper than 100 levels'],
  ['two numbers', inPath({ oneOf: [int64, { type: 'number' }] }), '/5', 'path/p must match exactly one'],
  ['two texts', inPath({ oneOf: [{}, text] }), '/a', 'path/p must match exactly one'],
  ['a label without its point', inPath(int64, { style: 'label' }), '/1', 'path/p must begin with .'],
  ['a matrix without its name', inPath(int64, { style: 'matrix' }), '/;q=1', 'path/p must begin with ;p='],
  ['an empty matrix', inPath(point, { style: 'matrix', explode: true }), '/;', 'path/p must be names and values'],
  ['broken JSON', inQuery(undefined, json), '?p={', 'query/p is not one JSON document: it ends too early'],
  ['broken JSON in a list', inQuery(points), '?p={}&p={', 'query/p/1 is not one'],
  ['repeated JSON', inQuery(undefined, json), '?p={}&p={}', 'query/p is repeated; send it once'],
  [
    'a text for a number in JSON',
    inQuery(undefined, json),
    `?p=${encoded('{"id":"1"}')}`,
    'query/p/id must be an integer',
  ],
  ['deep JSON', inQuery(undefined, json), `?p=${'['.repeat(1_000)}${']'.repeat(1_000)}`, 'deeper than 100 levels'],
  ['a bad item in a header', inHeader(ids), 'X-P: 1,,2', 'header/x-p/1 must be an integer'],
  ['broken encoding of a cookie', inCookie(int64), 'Cookie: p=%zz', 'the percent-encoding of cookie/p is invalid'],
  ['a cookie that is required', inCookie(int64, { required: true }), 'Cookie: q=1', 'cookie/p is required'],
  ['a required parameter', inQuery({ ...int64, default: 7 }, { required: true }), '', 'query/p is required'],
])('%s is refused with its place', async (_what, parameter, sent, message) => {
  const { status, text: received } = await sendTo(parameter, sent)
  expect([status, received]).toEqual([400, expect.stringContaining(message) as string])
})

test('undeclared cookies and headers are ignored', async () => {
  for (const field of ['Cookie: q=%zz; __proto__=1', 'X-Q: 1']) {
    const { status, text: received } = await sendTo(inCookie(int64), field)
    expect([status, JSON.parse(received)]).toEqual([200, { path: {}, query: {}, header: {}, cookie: {} }])
  }
})

test.each(['constructor', 'toString', 'hasOwnProperty'])(
  'a parameter named %s is there only if it is sent',
  async (name) => {
    const places = ['query', 'header', 'cookie']
    // As text, because JSON has no functions.
    const show = (input: Record<string, unknown>) =>
      Promise.resolve(places.map((place) => String((input[place] as Record<string, unknown>)[name])))
    const sent = { url: `/?${name}=1`, headers: { [name]: '2', cookie: `${name}=3` } }
    for (const required of [false, true]) {
      const parameters = places.map((place) => ({ name, in: place, required, schema: int64 }))
      const { send } = await serveEcho({ parameters }, { method: 'get', show })
      const { status, text } = await send({})
      expect([status, text]).toEqual(
        required ? [400, expect.anything()] : [200, '["undefined","undefined","undefined"]'],
      )
      const missing = text.toLowerCase().matchAll(/(\w+)\/(\w+) is required/g)
      expect([...missing].map(([, place]) => place)).toEqual(required ? places : [])
      expect(await send(sent)).toMatchObject({ status: 200, text: '["1","2","3"]' })
    }
  },
)

describe('a parameter in a part of a path segment', () => {
  test.each([
    ['/{id}.json', '/9007199254740993.json', '{"id":9007199254740993}'],
    ['/{name}.json', '/a.json.json', '{"name":"a.json"}'],
    ['/a{id}c', '/a5c', '{"id":5}'],
    ['/v{id}:cancel', '/v5:cancel', '{"id":5}'],
    ['/{name}-{id}', '/a-5', '{"name":"a","id":5}'],
    ['/{id}-{name}', '/-5-x-y', '{"id":-5,"name":"x-y"}'],
    ['/{name}-{id}', '/---5', '{"name":"-","id":-5}'],
    ['/{name}.json', '/.json.json', '{"name":".json"}'],
    ['/{name}to{id}.x', '/stto5.x', '{"name":"st","id":5}'],
    ['/{name}/{id}.csv', '/a%2Fb/5.csv', '{"name":"a/b","id":5}'],
  ])('in %s is read from %s', async (path, url, expected) => {
    const parameters = ['id', 'name']
      .filter((name) => path.includes(name))
      .map((name) => ({ name, in: 'path', required: true, schema: name === 'id' ? int64 : { type: 'string' } }))
    const { send } = await serveEcho({ parameters }, { path, method: 'get' })
    const { status, text } = await send({ url })
    expect([status, text]).toEqual([200, expect.stringContaining(`"path":${expected}`) as string])
    expect((await send({ url: `${url}.no` })).status).not.toBe(500)
    expect((await send({ url: '/' })).status).toBe(404)
  })

  const texts = { type: 'array', items: { type: 'string' } }
  test.each([
    ['/{p}.json', '/1,2.json', ['1', '2']],
    ['/{p}.json', '/1,2%2Ejson', ['1', '2']],
    ['/{p}.json', '/1%2C2%2cx,3.json', ['1,2,x', '3']],
    ['/{p}-{n}', '/1,2-3', ['1', '2']],
    ['/{p}-{n}', '/1%2C%252C,%E2%82%AC%2D-3', ['1,%2C', '\u20ac']],
    ['/{n}-{p}', '/%2C%2Fn-1%2C2,3', ['1,2', '3']],
    ['/\u20ac{n}.{p}', '/%E2%82%AC5.1%2C2,%F0%9F%98%80', ['1,2', '\ud83d\ude00']],
    ['/{q}-{p}', '/a,b-1%2C2,3', ['1,2', '3']],
    ['/{q}-{p}.x', '/%F0%9F%98%80,%252D-1%2C2,%25%2Ex', ['1,2', '%']],
  ])('in %s is a list, if %s is sent', async (path, url, expected) => {
    const parameters = ['n', 'p', 'q']
      .filter((name) => path.includes(`{${name}}`))
      .map((name) => ({ name, in: 'path', required: true, schema: name === 'n' ? { type: 'string' } : texts }))
    const { send } = await serveEcho({ parameters }, { path, method: 'get' })
    const { status, text } = await send({ url })
    expect(status).toBe(200)
    expect(JSON.parse(text)).toMatchObject({ path: { p: expected } })
  })

  test('is a list on a server that ignores slashes', async () => {
    const slashes = { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true }
    // Fastify 5.5 moved these options.
    const app = fastify(fastify().version === '5.0.0' ? slashes : { routerOptions: slashes })
    const parameters = [{ name: 'p', in: 'path', required: true, schema: texts }]
    const echo = { operationId: 'echo', security: [], parameters }
    const handlers = { echo: ({ path }: { path: object }) => ({ status: 200, body: path }) }
    const { send } = await serve({ app, paths: { '/a/{p}.x/b': { get: echo } }, handlers, options: { docs: false } })
    expect(JSON.parse((await send({ url: '//a/1%2C2,3.x//b/' })).text)).toEqual({ p: ['1,2', '3'] })
  })
})
