import fc from 'fast-check'
import type { ContractOperation } from 'fastify-contract/document'
import { expect, test } from 'vitest'
import type { ContractRequest, TestOptions, WireRequest } from '../../src/suite.ts'
import { NoGenerator, createContractSuite, readContract, test as testServer, validRequest } from '../../src/suite.ts'
import { baseOf, operationOf } from '../../src/suite/ground/contract.ts'
import { requestBreaksOf } from '../../src/suite/break/broken-requests.ts'
import { requestsOf } from '../../src/suite/write/requests.ts'
import { serve } from '../contracts.ts'

const text = { type: 'string' }
const parameter = (place: string, name: string, more: object = {}) => {
  return { in: place, name, required: place === 'path', schema: text, ...more }
}
const done = { responses: { 204: { description: 'Done.' } } }

/** A contract of one operation. */
function contractOf(operation: object, path = '/things/{id}') {
  const contract = readContract({
    openapi: '3.1.0',
    paths: { [path]: { post: { operationId: 'post', ...done, ...operation } } },
  })
  return { contract, operation: contract.operations[0] as ContractOperation }
}

/** Requests to an operation. */
function drawn(operation: object, path?: string): ContractRequest[] {
  const { contract, operation: own } = contractOf(operation, path)
  return fc.sample(requestsOf(own, contract), { seed: 1, numRuns: 200 })
}

const huge = { type: 'string', maxLength: 1_048_576 }
const places = ['path', 'query', 'header', 'cookie']
const many = Array.from({ length: 40 }, (_, index) => parameter('query', `many${String(index)}`))
const body = (schema: object, more: object = {}) => ({
  requestBody: { content: { 'application/json': { schema, ...more } } },
})
const large = {
  parameters: [...places.map((place) => parameter(place, place === 'path' ? 'id' : place, { schema: huge })), ...many],
  ...body({ type: 'object', properties: { text: huge, list: { type: 'array', maxItems: 1_000_000, items: huge } } }),
}

test('the path of a request is ASCII, and belongs to its operation', () => {
  const path = '/straße/{größe}/😀'
  const { contract } = contractOf({ parameters: [parameter('path', 'größe')] }, path)
  for (const { method, url } of drawn({ parameters: [parameter('path', 'größe')] }, path)) {
    expect(url).toMatch(/^\/stra%C3%9Fe\/[\x21-\x7e]+\/%F0%9F%98%80$/)
    expect(operationOf(contract, { method, url })?.id).toBe('post')
  }
  const document = { ...contract.document, servers: [{ url: '/büro' }] }
  expect(baseOf({ ...contract, document }, { method: 'POST', url: '/' })).toBe('/b%C3%BCro')
})

test('the items of lists, and the objects of forms, are broken', () => {
  const sizes = { type: 'array', items: { type: 'integer', maximum: 9 }, minItems: 2 }
  const owner = { type: 'object', required: ['name'], properties: { name: { type: 'string', maxLength: 3 } } }
  const form = { schema: { type: 'object', properties: { sizes, owner } } }
  const { contract, operation } = contractOf({
    parameters: [
      parameter('path', 'id', { schema: sizes }),
      parameter('query', 'sizes', { schema: sizes, explode: false }),
    ],
    requestBody: { content: { 'multipart/form-data': form } },
  })
  const broken = (place: string, rule: string) => {
    const found = requestBreaksOf(operation, contract, false).find((each) => each.place === place && each.rule === rule)
    if (found === undefined) throw new Error(`${place} is not broken: ${rule}`)
    return fc.sample(found.draw(), { seed: 1, numRuns: 20 }).map(({ request }) => request)
  }
  const numbersOver9 = (text = '') => text.split(',').every((each) => Number(each) > 9)
  for (const { url } of broken('path/id/0', 'maximum'))
    expect(url).toSatisfy((path: string) => numbersOver9(decodeURIComponent(path.split(/[/?]/)[2] ?? '')))
  for (const { url } of broken('query/sizes/0', 'maximum'))
    expect(url).toSatisfy((whole: string) => numbersOver9(new URL(whole, 'http://a').searchParams.get('sizes') ?? ''))
  const bodies = (place: string, rule: string) => broken(place, rule).map((request) => String(request.body))
  expect(bodies('body/sizes/0', 'type').join()).toMatch(/name="sizes"\r\n\r\na\r\n/)
  expect(bodies('body/owner/name', 'maxLength')[0]).toMatch(/name="owner"\r\n\r\n\{.*"name":"[^"]{4,}/)
  expect(bodies('body/owner/name', 'required')[0]).toMatch(/name="owner"\r\n\r\n\{/)
})

test('requests have a size that servers take, whatever the contract allows', () => {
  const { contract, operation } = contractOf(large)
  const breaks = requestBreaksOf(operation, contract, false).filter(({ place }) => !place.startsWith('query/many'))
  const reasons: string[] = []
  const broken = breaks.flatMap(({ draw }) => {
    try {
      return fc.sample(draw(), { seed: 1, numRuns: 10 }).map(({ request }) => request)
    } catch (error) {
      if (!(error instanceof NoGenerator)) throw error
      reasons.push(error.message)
      return []
    }
  })
  expect(new Set(reasons)).toEqual(
    new Set(['no text of 1048577 characters is sent', 'no list of 1000001 items is sent']),
  )
  expect(broken.length).toBeGreaterThan(20)
  for (const { url, headers, body: sent = '' } of [...drawn(large), ...broken]) {
    expect(url.length).toBeLessThanOrEqual(8_000)
    expect(JSON.stringify(headers).length).toBeLessThan(8_000)
    expect(Buffer.byteLength(sent)).toBeLessThan(65_536)
  }
})

test('long texts are drawn at the ends of their range', () => {
  const lengths = drawn(
    body({ required: ['text'], properties: { text: { type: 'string', maxLength: 5_000 } } }),
    '/a',
  ).flatMap(({ body: sent }) =>
    sent === undefined ? [] : [Array.from((JSON.parse(String(sent)) as { text: string }).text).length],
  )
  expect(lengths).toContain(5_000)
  expect(lengths).toContain(0)
  expect(Math.max(...lengths)).toBe(5_000)
})

test.each<[string, object]>([
  ['an example', { example: 'known' }],
  ['one of the examples', { examples: { a: { value: 'known' } } }],
  ['the example of its schema', { schema: { type: 'string', examples: ['known'] } }],
  ['its default', { schema: { type: 'string', default: 'known' } }],
  ['the only value', { schema: { type: 'string', enum: ['known'] } }],
])('a parameter often has %s, and first', (_name, more) => {
  const operation = { parameters: [parameter('path', 'id', more), parameter('query', 'q', more)] }
  const { contract, operation: own } = contractOf(operation)
  expect(validRequest(own, contract).url).toBe('/things/known')
  const urls = drawn(operation).map(({ url }) => decodeURIComponent(url))
  expect(urls.filter((url) => url.startsWith('/things/known')).length).toBeGreaterThan(100)
  expect(urls.filter((url) => url.endsWith('?q=known')).length).toBeGreaterThan(20)
})

test('the plain request of an operation is valid, and always the same', () => {
  const numbers = {
    type: 'object',
    required: ['a'],
    properties: { a: text },
    additionalProperties: { type: 'integer' },
  }
  const schema = { allOf: [numbers, { properties: { c: text } }] }
  const bytes = { required: true, content: { 'application/octet-stream': {} } }
  const bodies = [{ required: true, content: { 'application/json': { schema } } }, bytes].map((requestBody) => {
    const { contract, operation } = contractOf({ requestBody })
    return [1, 2].map(() => String(validRequest(operation, contract).body))
  })
  expect(bodies).toEqual([
    ['{"a":"text"}', '{"a":"text"}'],
    ['text', 'text'],
  ])
})

/** Serves an operation, and sends it what the suite draws. @returns the statuses */
async function statusesOf(operation: object, path = '/'): Promise<{ right: number[]; wrong: Map<string, number[]> }> {
  const document = {
    openapi: '3.1.0',
    info: { title: 'T', version: '1' },
    security: [],
    paths: { [path]: { post: { operationId: 'post', ...done, ...operation } } },
  }
  const contract = readContract(document)
  const own = contract.operations[0] as ContractOperation
  const sendTo = await serve(document, { post: () => ({ status: 204 }) })
  const send = async ({ method, url, headers = {}, body: payload }: ContractRequest) => {
    const given = Object.fromEntries(
      Object.entries(headers).filter((pair): pair is [string, string] => pair[1] !== undefined),
    )
    const content = payload === undefined ? {} : { body: String(payload) }
    const { status } = await sendTo({ method, url, headers: given, ...content })
    return status
  }
  const all = (requests: fc.Arbitrary<ContractRequest>, numRuns: number) =>
    Promise.all(fc.sample(requests, { seed: 1, numRuns }).map(send))
  const wrong = new Map<string, number[]>()
  for (const { place, rule, draw } of requestBreaksOf(own, contract, true)) {
    wrong.set(
      `${place} ${rule}`,
      await all(
        draw().map(({ request }) => request),
        5,
      ),
    )
  }
  return { right: await all(requestsOf(own, contract), 100), wrong }
}

/** Checks that what is right is taken, and that what is wrong is refused, these breaks among it. */
function expectJudged(right: number[], wrong: Map<string, number[]>, ...breaks: string[]) {
  expect(new Set(right)).toEqual(new Set([204]))
  expect([...wrong.keys()]).toEqual(expect.arrayContaining(breaks))
  expect(new Set([...wrong.values()].flat())).toEqual(new Set([400]))
}

const point = { type: 'object', required: ['x'], properties: { x: { type: 'integer' }, note: text } }
const tree = {
  type: 'object',
  required: ['at'],
  properties: { at: point, all: { type: 'array', items: point }, names: { type: 'array', items: text } },
}

test.each(['application/x-www-form-urlencoded', 'multipart/form-data'])(
  'the encoding of %s is drawn and broken',
  async (type) => {
    const ids = { type: 'array', items: { type: 'integer' } }
    const picture = { type: 'string', format: 'binary' }
    const schema = { type: 'object', properties: { tree, ids, words: { type: 'array', items: text }, point, picture } }
    const encoding = {
      tree: { style: 'deepObject', explode: true },
      ids: { explode: false },
      words: { style: 'pipeDelimited' },
      point: { style: 'spaceDelimited' },
      picture: { contentType: 'image/*' },
    }
    const { right, wrong } = await statusesOf({
      requestBody: { required: true, content: { [type]: { schema, encoding } } },
    })
    expectJudged(right, wrong, 'body/tree/at required', 'body/tree/all/0/x type')
    expect(wrong.has('body/picture contentType')).toBe(type.startsWith('multipart'))
  },
)

test.each(['application/x-www-form-urlencoded', 'multipart/form-data'])('objects in %s are drawn', async (type) => {
  const part = { type: 'object', required: ['k'], properties: { k: { type: 'integer' }, more: { type: 'object' } } }
  const properties = { part, parts: { type: 'array', minItems: 1, items: part }, word: text }
  const schema = { type: 'object', required: ['part', 'parts'], properties }
  const operation = { requestBody: { required: true, content: { [type]: { schema } } } }
  const { right, wrong } = await statusesOf(operation)
  expectJudged(right, wrong, 'body/part required')
})

test('bodies of conditions that exclude each other are drawn', async () => {
  const when = (kind: string, then: object) => ({ if: { properties: { kind: { const: kind } } }, then })
  const kinds = { kind: { enum: ['a', 'b', 'c'] } }
  const ofA = when('a', { required: ['n'], properties: { n: { type: 'integer' } } })
  const ofB = when('b', { required: ['t'], properties: { t: text } })
  const schema = { type: 'object', required: ['kind'], properties: kinds, allOf: [ofA, ofB] }
  const { right, wrong } = await statusesOf(body(schema))
  expect(right.length).toBeGreaterThan(0)
  expect(new Set(right)).toEqual(new Set([204]))
  expect([...wrong.keys()]).toContain('body/kind enum')
})

test('each text of a cookie arrives as it was drawn', async () => {
  const cookie = (name: string, style: string, texts: string[]) =>
    parameter('cookie', name, { required: true, style, explode: false, schema: { enum: texts } })
  const parameters = [cookie('c', 'form', ['5%', '%41', 'a;b', '"q"', 'a b']), cookie('raw', 'cookie', ['%41', '"q"'])]
  const { right } = await statusesOf({ parameters })
  expect(new Set(right)).toEqual(new Set([204]))
  const cookies = new Set(drawn({ parameters }).flatMap(({ headers }) => headers?.['cookie']?.split('; ') ?? []))
  const written = ['c=5%25', 'c=%2541', 'c=a%3Bb', 'c=%22q%22', 'c=a b', 'raw=%41', 'raw="q"']
  expect(cookies).toEqual(new Set(written))
})

test('a cookie whose name no header can have is left out', () => {
  const cookies = ['größe', '名', 'a;b'].map((name) => parameter('cookie', name, { schema: { type: 'integer' } }))
  const sent = drawn({ parameters: cookies }).flatMap(({ headers }) => headers?.['cookie']?.split('=')[0] ?? [])
  expect(new Set(sent)).toEqual(new Set(['größe']))
})

test('the lengths of binary content are counted in bytes', async () => {
  const file = { ...text, format: 'binary', minLength: 2, maxLength: 3 }
  const form = { 'multipart/form-data': { schema: { type: 'object', required: ['file'], properties: { file } } } }
  const { right, wrong } = await statusesOf({ requestBody: { required: true, content: form } })
  expectJudged(right, wrong, 'body/file minLength', 'body/file maxLength')
  const bytes = { requestBody: { required: true, content: { 'application/octet-stream': { schema: file } } } }
  const lengths = drawn(bytes).map(({ body: sent = '' }) => Buffer.byteLength(sent))
  expect(new Set(lengths)).toEqual(new Set([2, 3]))
})

test('a quoted integer of a cookie is not a broken one', async () => {
  const { wrong } = await statusesOf({ parameters: [parameter('cookie', 'c', { schema: { type: 'integer' } })] })
  expect(wrong.get('cookie/c canonical decimal form')).toEqual([400, 400, 400, 400, 400])
})

test('parameters of each style are drawn and broken', async () => {
  const list = { type: 'array', minItems: 1, items: { type: 'integer' } }
  const { right, wrong } = await statusesOf(
    {
      parameters: [
        parameter('path', 'a', { style: 'label', schema: { type: 'integer' } }),
        parameter('path', 'b', { style: 'label', explode: true, schema: { ...list, items: text } }),
        parameter('path', 'c', { style: 'matrix', schema: list }),
        parameter('path', 'd', { style: 'matrix', explode: true, schema: list }),
        parameter('path', 'e', { style: 'matrix', explode: true, schema: point }),
        parameter('path', 'f', { style: 'label', explode: true, schema: point }),
        parameter('query', 'p', { schema: tree, style: 'deepObject' }),
        parameter('query', 'q', { schema: { anyOf: [tree, { enum: [''] }] }, style: 'deepObject' }),
        parameter('query', 'r', { style: 'pipeDelimited', required: true, schema: point }),
        parameter('query', 's', { style: 'spaceDelimited', required: true, schema: point }),
      ],
    },
    '/{a}/{b}/{c}/{d}/{e}/{f}',
  )
  expectJudged(right, wrong, 'path/a type', 'query/p/at required', 'query/p/all/0/x type')
})

test('rules within JSON, names in brackets, and fields without a type are broken at their places', async () => {
  const integer = { type: 'integer' }
  const properties = { n: integer, ids: { type: 'array', items: integer } }
  const ids = { type: 'object', required: ['n', 'ids'], properties }
  const form = (properties: object) => ({
    'application/x-www-form-urlencoded': { schema: { type: 'object', required: ['kind'], properties } },
  })
  const { right, wrong } = await statusesOf({
    parameters: [
      parameter('query', 'json', {
        required: true,
        schema: undefined,
        content: { 'application/json': { schema: ids } },
      }),
      parameter('query', 'deep', { style: 'deepObject', schema: ids }),
      parameter('header', 'List', { schema: { type: 'array', minItems: 1, items: { enum: ['a', 'b'] } } }),
    ],
    requestBody: { required: true, content: form({ kind: { enum: ['a', 'b'] } }) },
  })
  expectJudged(right, wrong, 'query/json/ids/0 type', 'query/deep/ids/0 type', 'header/List/0 enum', 'body/kind enum')
  const whole = await statusesOf({
    parameters: [
      parameter('querystring', 'q', { required: true, schema: undefined, content: form({ kind: text, point }) }),
    ],
  })
  expectJudged(whole.right, whole.wrong, 'query/q required', 'query/q/kind required', 'query/q/point/x type')
})

test('texts of cookies, and content of a range of media types, arrive as they were drawn', async () => {
  const picture = { schema: { type: 'string', format: 'binary' } }
  const { right } = await statusesOf({
    parameters: [parameter('cookie', 'c', { required: true, schema: { type: 'string', maxLength: 9 } })],
    requestBody: { required: true, content: { 'image/*': picture } },
  })
  expect(new Set(right)).toEqual(new Set([204]))
})

test('a broken value is alone: parameters of its name stay, and a body has its media type', () => {
  const own = { schema: { type: 'integer' } }
  const { contract, operation } = contractOf({
    parameters: [parameter('path', 'id'), parameter('query', 'id', own), parameter('query', 'constructor')],
    requestBody: { content: { 'application/json': {}, 'text/plain': own } },
  })
  const all = requestBreaksOf(operation, contract, false)
  expect(all.map(({ place }) => place)).toEqual(['query/id', 'body (text/plain)'])
  for (const { place, draw } of all) {
    for (const { request } of fc.sample(draw(), { seed: 1, numRuns: 50 })) {
      const { url, headers } = request
      expect(decodeURIComponent(url)).not.toMatch(/\{id\}|function/)
      if (place.startsWith('body')) expect(headers?.['content-type']).toBe('text/plain')
    }
  }
})

test('a parameter has its example where no other text of its pattern is known', () => {
  const schema = { type: 'string', pattern: '^(?<=)known$' }
  const urls = drawn({ parameters: [parameter('path', 'id', { example: 'known', schema })] }).map(({ url }) => url)
  expect(new Set(urls)).toEqual(new Set(['/things/known', '/things/%6b%6e%6f%77%6e']))
})

/** Of no text. */
const code = { type: 'string', pattern: '/^[a-z]+$/i' }
const coded = { properties: { parts: { type: 'array', items: { type: 'object', properties: { code } } } } }

test('what may be left out and has no known value is left out, by its place', () => {
  const { contract, operation } = contractOf({
    parameters: [parameter('query', 'code', { schema: code }), parameter('header', 'Code', { schema: code })],
    requestBody: { required: true, content: { 'application/json': { schema: coded } } },
  })
  const skippedParts = new Set<string>()
  const requests = fc.sample(requestsOf(operation, { ...contract, skippedParts }), { seed: 1, numRuns: 50 })
  expect(requests.some(({ body: sent }) => String(sent).includes('"parts"'))).toBe(true)
  const places = ['query/code', 'header/Code', 'body/parts/0/code']
  const reason = 'no value is found that keeps all rules of a schema at once'
  expect([...skippedParts]).toEqual(places.map((place) => `POST /things/{id}: ${place}: ${reason}`))
})

test.each<[place: string, operation: object]>([
  ['query/code', { parameters: [parameter('query', 'code', { required: true, schema: code })] }],
  ['body/code', { requestBody: { required: true, ...body({ required: ['code'], properties: { code } }).requestBody } }],
])('an operation is left out where %s must be there and has no known value', (place, operation) => {
  expect(() => drawn(operation)).toThrow(`${place}: no value is found that keeps all rules of a schema at once`)
})

test('an example of a parameter that its schema does not allow is not sent', () => {
  const urls = drawn({ parameters: [parameter('path', 'id', { example: 'known', schema: { type: 'integer' } })] })
  expect(urls.filter(({ url }) => url.includes('known'))).toEqual([])
})

test('the example of a body is sent', () => {
  const bodies = drawn(body({ type: 'object' }, { example: { known: true } }), '/a').map((request) => request.body)
  expect(bodies).toContain('{"known":true}')
})

/** Answers each request with 204, and notes it. */
function watched() {
  const seen: WireRequest[] = []
  const exchange = (request: WireRequest) => {
    seen.push(request)
    return Promise.resolve({ status: 204, headers: {}, text: '' })
  }
  return { seen, exchange }
}

test('given values stand in place of drawn ones, but where a rule about them is broken', async () => {
  const { contract } = contractOf({
    parameters: [parameter('path', 'id'), parameter('query', 'q', { required: true, schema: { type: 'integer' } })],
    ...done,
  })
  const { seen, exchange } = watched()
  const given: TestOptions = {
    pathValues: [['id', 'localhost:8080']],
    query: [
      ['q', '5'],
      ['other', 'o'],
    ],
    headers: { 'X-Other': 'x' },
  }
  for await (const _result of testServer(contract, { exchange, seed: 1, scale: 0.1, ...given })) continue
  const urls = new Set(seen.slice(1).map(({ url }) => url))
  expect(urls).toContain('/things/localhost%3A8080?q=5&other=o')
  expect(urls, 'the parameter is missing on purpose').toContain('/things/localhost%3A8080?other=o')
  for (const url of urls) expect(url).toMatch(/^\/things\/localhost%3A8080\?(?:q=[^&]+&)?other=o$/)
  expect(new Set(seen.slice(1).map(({ headers }) => headers['X-Other']))).toEqual(new Set(['x']))
})

test('a rule that is not broken is left out by its name and place', async () => {
  const open = { ...text, pattern: '^[^]*$' }
  const { contract } = contractOf(body({ properties: { a: open, b: open } }), '/a')
  const { exchange } = watched()
  const reasons: string[] = []
  for await (const result of testServer(contract, { exchange, seed: 1, scale: 0.1 }))
    if (result.verdict === 'left out' && result.because === 'nothing to send') reasons.push(result.reason)
  expect(reasons).toEqual(['a', 'b'].map((name) => `cannot break pattern of body/${name}: no such value is known`))
})

test.each(['query', 'header', 'cookie'])(
  'a key that two schemes have in common is sent once in a %s',
  async (place) => {
    const scheme = { type: 'apiKey', in: place, name: 'key' }
    const contract = readContract({
      security: [{ one: [], two: [] }],
      components: { securitySchemes: { one: scheme, two: scheme } },
      paths: { '/things': { get: { operationId: 'get', ...done } } },
    })
    const { seen, exchange } = watched()
    const suite = createContractSuite(contract, { exchange })
    await suite.senderFor({ one: 'k', two: 'k' })({ method: 'GET', url: '/things' })
    expect(JSON.stringify(seen).match(/"key":"k"|key=k/g)).toHaveLength(1)
  },
)

test('a run reads and deletes what it created with the required parameters', async () => {
  const required = [parameter('header', 'App', { required: true }), parameter('query', 'part', { required: true })]
  const thing = { 'application/json': { schema: { type: 'object', required: ['id'], properties: { id: text } } } }
  const one = { responses: { 200: { description: 'One.', content: thing } } }
  const parameters = [parameter('path', 'id'), ...required]
  const contract = readContract({
    paths: {
      '/things': { post: { operationId: 'add', requestBody: { required: true, content: thing }, ...one } },
      '/things/{id}': {
        get: { operationId: 'get', parameters, ...one },
        delete: { operationId: 'remove', parameters, ...done },
      },
    },
  })
  const refused: WireRequest[] = []
  const exchange = (request: WireRequest) => {
    const { method, url, headers } = request
    const isWhole = method === 'POST' || (headers['App'] !== undefined && url.includes('?part='))
    if (url !== '/' && !isWhole) refused.push(request)
    const type = { 'content-type': 'application/json' }
    return Promise.resolve({
      status: method === 'DELETE' ? 204 : 200,
      headers: type,
      text: method === 'DELETE' ? '' : '{"id":"a"}',
    })
  }
  const suite = createContractSuite(contract, { exchange, seed: 1, scale: 0.1 })
  const state = suite.cases().filter(({ title }) => title.includes('that can be read'))
  expect(state).toHaveLength(1)
  for (const { run } of state) await run()
  expect(refused).toEqual([])
})

test.each<[string, string, object]>([
  ['/things.json', '/things/{Sid}.json', { sid: 'a', id: 'other' }],
  ['/things', '/things/{thing_number}', { id: 'other', number: 'a' }],
  ['/things', '/things/{name}', { metadata: { name: 'a' }, spec: { name: 'other' } }],
  ['/things', '/things/{thingId}', { thing: { id: 'a' } }],
])('what %s creates is read at %s', async (collection, path, created) => {
  const shapeOf = (value: unknown): object =>
    typeof value === 'object' && value !== null
      ? {
          type: 'object',
          properties: Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shapeOf(each)])),
        }
      : text
  const one = {
    responses: { 200: { description: 'One.', content: { 'application/json': { schema: shapeOf(created) } } } },
  }
  const [, name = ''] = /\{(\w+)\}/.exec(path) ?? []
  const contract = readContract({
    paths: {
      [collection]: { post: { operationId: 'add', ...one } },
      [path]: { get: { operationId: 'get', parameters: [parameter('path', name)], ...one } },
    },
  })
  const read = new Set<string>()
  const exchange = ({ method, url }: WireRequest) => {
    if (method === 'GET') read.add(url)
    return Promise.resolve({
      status: 200,
      headers: { 'content-type': 'application/json' },
      text: JSON.stringify(created),
    })
  }
  const suite = createContractSuite(contract, { exchange, seed: 1, scale: 0.1 })
  for (const { title, run } of suite.cases()) if (title.includes('that can be read')) await run()
  expect([...read]).toEqual([path.replace(/\{.*\}/, 'a')])
})
