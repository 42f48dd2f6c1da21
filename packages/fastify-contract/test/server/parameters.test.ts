import { describe, expect, test } from 'vitest'
import { serveEcho } from './support/echo.ts'

const int64 = { type: 'integer', format: 'int64' }
const ids = { type: 'array', items: int64 }
const point = {
  type: 'object',
  required: ['id'],
  properties: { id: int64, tags: { type: 'array', items: { type: 'string' } } },
}
const open = { type: 'object', additionalProperties: int64 }
const json = { content: { 'application/json': { schema: point } } }
const exact = '9007199254740993'

const inQuery = (more: object) => ({ name: 'p', in: 'query', ...more })
const inHeader = (more: object) => ({ name: 'X-P', in: 'header', ...more })
const inPath = (more: object) => ({ name: 'p', in: 'path', required: true, ...more })
const inCookie = (more: object) => ({ name: 'p', in: 'cookie', ...more })

/** A parameter, the URL and headers that send it, and the value that the handler gets. */
const taken: [string, object, string, Record<string, string>, string][] = [
  ['a scalar', inQuery({ schema: int64 }), `?p=${exact}`, {}, exact],
  ['a repeated list', inQuery({ schema: ids }), `?p=${exact}&p=2`, {}, `[${exact},2]`],
  ['a list of one', inQuery({ schema: ids }), '?p=1', {}, '[1]'],
  ['a list with commas', inQuery({ schema: ids, explode: false }), `?p=${exact},2`, {}, `[${exact},2]`],
  ['a list with spaces', inQuery({ schema: ids, style: 'spaceDelimited' }), '?p=1%202', {}, '[1,2]'],
  ['a list with pipes', inQuery({ schema: ids, style: 'pipeDelimited' }), '?p=1|2%7C3', {}, '[1,2,3]'],
  ['an object of parameters', inQuery({ schema: point }), `?id=${exact}&tags=a`, {}, `{"id":${exact},"tags":["a"]}`],
  ['an object of any parameters', inQuery({ schema: open }), `?x=${exact}&y=2`, {}, `{"x":${exact},"y":2}`],
  [
    'an object with commas',
    inQuery({ schema: point, explode: false }),
    `?p=id,${exact},tags,a%2Cb`,
    {},
    `{"id":${exact},"tags":["a,b"]}`,
  ],
  [
    'a deep object',
    inQuery({ schema: point, style: 'deepObject' }),
    `?p[id]=${exact}&p%5Btags%5D=a&p[tags]=b`,
    {},
    `{"id":${exact},"tags":["a","b"]}`,
  ],
  ['JSON', inQuery(json), `?p=${encodeURIComponent(`{"id":${exact}}`)}`, {}, `{"id":${exact}}`],
  ['a scalar in JSON', inQuery({ content: { 'application/json': { schema: int64 } } }), `?p=${exact}`, {}, exact],
  ['a scalar in a path', inPath({ schema: int64 }), `/${exact}`, {}, exact],
  ['a list in a path', inPath({ schema: ids }), `/${exact},2`, {}, `[${exact},2]`],
  ['a list of texts in a path', inPath({ schema: { type: 'array' } }), '/a%2Cb,c%2Fd', {}, '["a,b","c/d"]'],
  ['an object in a path', inPath({ schema: point }), `/id,${exact}`, {}, `{"id":${exact}}`],
  [
    'an exploded object in a path',
    inPath({ schema: point, explode: true }),
    `/id=${exact},tags=a=b`,
    {},
    `{"id":${exact},"tags":["a=b"]}`,
  ],
  ['JSON in a path', inPath(json), `/${encodeURIComponent(`{"id":${exact}}`)}`, {}, `{"id":${exact}}`],
  ['a scalar in a header', inHeader({ schema: int64 }), '', { 'x-p': exact }, exact],
  ['a list in a header', inHeader({ schema: ids }), '', { 'x-p': `${exact}, 2` }, `[${exact},2]`],
  ['an object in a header', inHeader({ schema: point }), '', { 'x-p': `id,${exact}` }, `{"id":${exact}}`],
  ['JSON in a header', inHeader(json), '', { 'x-p': `{"id":${exact}}` }, `{"id":${exact}}`],
  ['a cookie', inCookie({ schema: int64 }), '', { cookie: `a=b; p=${exact}; q` }, exact],
  ['a quoted cookie', inCookie({ schema: { type: 'string' } }), '', { cookie: 'p="a%20b=c"; p=d' }, '"a b=c"'],
  ['a list in a cookie', inCookie({ schema: ids, explode: false }), '', { cookie: `p=${exact},2` }, `[${exact},2]`],
  [
    'an object in a cookie',
    inCookie({ schema: point, explode: false }),
    '',
    { cookie: `p=id,${exact}` },
    `{"id":${exact}}`,
  ],
  ['JSON in a cookie', inCookie(json), '', { cookie: `p=${encodeURIComponent(`{"id":${exact}}`)}` }, `{"id":${exact}}`],
  [
    'a list of objects as JSON each',
    inQuery({ schema: { type: 'array', items: point } }),
    `?p=${encodeURIComponent(`{"id":${exact}}`)}&p=${encodeURIComponent('{"id":2}')}`,
    {},
    `[{"id":${exact}},{"id":2}]`,
  ],
  [
    'an object in a deep object as JSON',
    inQuery({ style: 'deepObject', schema: { type: 'object', properties: { a: point } } }),
    `?p[a]=${encodeURIComponent(`{"id":${exact}}`)}`,
    {},
    `{"a":{"id":${exact}}}`,
  ],
  ['a default', inQuery({ schema: { ...int64, default: 7 } }), '', {}, '7'],
]

async function sendTo(parameter: object, target: string, headers: Record<string, string>) {
  const path = 'in' in parameter && parameter.in === 'path' ? '/{p}' : '/'
  const { send } = await serveEcho({ parameters: [parameter] }, { path, method: 'get' })
  const { status, text } = await send({ url: target.startsWith('/') ? target : `/${target}`, headers })
  return { status, text }
}

test.each(taken)('a handler gets %s exactly', async (_what, parameter, target, headers, value) => {
  const { status, text } = await sendTo(parameter, target, headers)
  expect([status, /"(?:p|X-P)":(.*?)\}(?:,"(?:query|header|cookie)":|$)/.exec(text)?.[1]]).toEqual([
    200,
    expect.stringContaining(value),
  ])
})

test.each<[string, object, string, Record<string, string>, string]>([
  ['a repeated scalar', inQuery({ schema: int64 }), '?p=1&p=2', {}, 'query/p is repeated; send it once'],
  ['a list with a bad item', inQuery({ schema: ids }), '?p=1&p=x', {}, 'query/p/1 must be an integer'],
  ['a list with a bad item in a path', inPath({ schema: ids }), '/1,01', {}, 'path/p/1 must be an integer'],
  ['a repeated list with commas', inQuery({ schema: ids, explode: false }), '?p=1&p=2', {}, 'query/p is repeated'],
  ['an undeclared parameter', inQuery({ schema: point }), '?id=1&x=2', {}, 'query/x is not a parameter'],
  ['an object without a property', inQuery({ schema: point, required: true }), '?tags=a', {}, 'query/p/id is required'],
  ['no object', inQuery({ schema: point, required: true }), '', {}, 'query/p is required'],
  [
    'an object with half a pair',
    inQuery({ schema: point, explode: false }),
    '?p=id',
    {},
    'query/p must be names and values',
  ],
  [
    'a deep object with a bad value',
    inQuery({ schema: point, style: 'deepObject' }),
    '?p[id]=x',
    {},
    'query/p/id must be an integer',
  ],
  [
    'a repeated value of an object',
    inQuery({ schema: point, style: 'deepObject' }),
    '?p[id]=1&p[id]=2',
    {},
    'query/p/id must be',
  ],
  ['broken JSON', inQuery(json), '?p={', {}, 'query/p is not one JSON document: it ends too early'],
  [
    'broken JSON in a list',
    inQuery({ schema: { type: 'array', items: point } }),
    '?p={}&p={',
    {},
    'query/p/1 is not one',
  ],
  ['repeated JSON', inQuery(json), '?p={}&p={}', {}, 'query/p is repeated; send it once'],
  [
    'a text for a number in JSON',
    inQuery(json),
    `?p=${encodeURIComponent('{"id":"1"}')}`,
    {},
    'query/p/id must be an integer',
  ],
  ['deep JSON', inQuery(json), `?p=${'['.repeat(1_000)}${']'.repeat(1_000)}`, {}, 'nests deeper than 100 levels'],
  ['a bad item in a header', inHeader({ schema: ids }), '', { 'x-p': '1,,2' }, 'header/x-p/1 must be an integer'],
  [
    'broken encoding of a cookie',
    inCookie({ schema: int64 }),
    '',
    { cookie: 'p=%zz' },
    'the percent-encoding of cookie/p is invalid',
  ],
  [
    'a cookie that is required',
    inCookie({ schema: int64, required: true }),
    '',
    { cookie: 'q=1' },
    'cookie/p is required',
  ],
  [
    'a required parameter with a default',
    inQuery({ required: true, schema: { ...int64, default: 7 } }),
    '',
    {},
    'query/p is required',
  ],
])('%s is refused with its place', async (_what, parameter, target, headers, message) => {
  const { status, text } = await sendTo(parameter, target, headers)
  expect([status, text]).toEqual([400, expect.stringContaining(message) as string])
})

test('undeclared cookies and headers are ignored', async () => {
  const { status, text } = await sendTo(inCookie({ schema: int64 }), '', { cookie: 'q=%zz; __proto__=1', 'x-q': '1' })
  expect([status, JSON.parse(text)]).toEqual([200, { path: {}, query: {}, header: {}, cookie: {} }])
})

describe('a parameter in a part of a path segment', () => {
  test.each([
    ['/{id}.json', '/9007199254740993.json', '{"id":9007199254740993}'],
    ['/{name}.json', '/a.json.json', '{"name":"a.json"}'],
    ['/a{id}c', '/a5c', '{"id":5}'],
    ['/v{id}:cancel', '/v5:cancel', '{"id":5}'],
    ['/{name}-{id}', '/a-5', '{"name":"a","id":5}'],
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

  test('is read in linear time', async () => {
    const parameters = ['a', 'b', 'c'].map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }))
    const { send } = await serveEcho({ parameters }, { path: '/{a}-{b}-{c}.json', method: 'get' })
    const start = process.cpuUsage()
    expect((await send({ url: `/${'-a'.repeat(7_000)}` })).status).toBe(404)
    expect(process.cpuUsage(start).user).toBeLessThan(100_000)
  })
})
