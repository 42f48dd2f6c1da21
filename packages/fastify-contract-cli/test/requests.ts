import { stringifyJson } from 'fastify-contract/json'
import { contractOf, failures, json, noContent } from './contracts.ts'

const text = { type: 'string' }
const int64 = { type: 'integer', format: 'int64' }
const ok = (content: object) => ({ 200: { description: 'Done.', content }, ...failures })
const query = (name: string, schema: object, more: object = {}) => ({ name, in: 'query', schema, ...more })
const list = (items: object) => ({ type: 'array', items })
const id = { name: 'id', in: 'path', required: true, schema: int64 }

const replies: Record<string, object> = {
  good: { headers: { 'X-Count': 9007199254740993n, 'X-Mark': 'a' }, body: [1n] },
  bare: { headers: { 'X-Count': 1 }, body: [] },
  'without header': { body: [] },
  'wrong header': { headers: { 'X-Count': 'a' }, body: [] },
  'undeclared header': { headers: { 'X-Count': 1, 'X-Other': 'a' }, body: [] },
  'wrong body': { headers: { 'X-Count': 1 }, body: ['a'] },
  'without body': { headers: { 'X-Count': 1 } },
  'another type': { headers: { 'X-Count': 1 }, body: 'a', contentType: 'text/csv' },
  range: { status: 418, body: { refused: 'a' } },
  'wrong range': { status: 418, body: {} },
  exact: { status: 409, body: 'taken' },
  default: { status: 507, body: { error: 50000, message: 'full' } },
  'wrong default': { status: 507, body: 'full' },
}
const ofMediaType = { 'application/json': { $ref: '#/components/mediaTypes/Thing' } }
const refusal = { type: 'object', required: ['refused'], properties: { refused: text } }
const form = {
  type: 'object',
  properties: { at: { type: 'object', properties: { id: int64 } }, ids: list(int64), note: text },
}
const deepObject = { style: 'deepObject', explode: true }
const thing = { $ref: '#/components/schemas/Thing' }
/** A contract with each field of OpenAPI that is enforced. */
export const served = contractOf(
  {
    '/things': {
      parameters: [{ $ref: '#/components/parameters/Limit' }, query('mark', { type: 'boolean' })],
      get: {
        operationId: 'plants.list',
        parameters: [
          query('limit', { type: 'integer', maximum: 5, default: 2 }),
          query('ids', list(int64)),
          query('csv', list({ type: 'integer' }), { explode: false }),
          query('tags[]', list(text), { style: 'form', explode: true }),
          { name: 'X-Number', in: 'header', style: 'simple', schema: int64 },
        ],
        responses: ok(json({})),
      },
      put: { operationId: 'toString', responses: ok(json({})) },
      post: {
        operationId: '__proto__',
        requestBody: { $ref: '#/components/requestBodies/Thing' },
        responses: ok(json({})),
      },
    },
    '/things/new': { post: { operationId: 'valueOf', responses: noContent } },
    '/things/{id}': {
      parameters: [id],
      get: { operationId: 'getThing', responses: ok(json({})) },
      delete: { operationId: 'deleteThing', responses: noContent },
      patch: {
        operationId: 'patchThing',
        requestBody: { content: { 'application/merge-patch+json': { schema: { type: 'object', minProperties: 1 } } } },
        responses: ok(json({})),
      },
    },
    '/replies': {
      get: {
        operationId: 'reply',
        parameters: [query('as', { ...text, enum: Object.keys(replies) }, { required: true })],
        responses: {
          200: {
            description: 'Numbers.',
            headers: {
              'X-Count': { $ref: '#/components/headers/Count' },
              'X-Mark': { style: 'simple', schema: text },
              'x-request-id': { required: true, schema: text },
            },
            content: json(list(int64)),
          },
          409: { description: 'Taken.', content: { 'text/plain': { schema: text } } },
          ...failures,
          '4XX': { $ref: '#/components/responses/Refused' },
        },
      },
    },
    '/exports': {
      get: {
        operationId: 'exportThings',
        responses: ok({
          'application/json': { schema: list(int64) },
          'text/csv': { schema: { ...text, maxLength: 9 } },
          'application/octet-stream': {},
        }),
      },
    },
    '/changes': {
      get: {
        operationId: 'watchThings',
        responses: ok({
          'text/event-stream': {
            itemSchema: {
              type: 'object',
              properties: { data: { ...text, contentMediaType: 'application/json', contentSchema: thing } },
            },
          },
        }),
      },
    },
    '/found': {
      head: { operationId: 'headFound', responses: { 204: { description: 'There.' }, ...failures } },
      options: { operationId: 'askFound', responses: ok(json({})) },
      query: {
        operationId: 'find',
        requestBody: { required: true, content: { ...ofMediaType, 'text/x-query;v=1': { schema: text } } },
        responses: ok(ofMediaType),
      },
      additionalOperations: {
        COPY: { operationId: 'copy', requestBody: { content: json(thing) }, responses: ok(json({})) },
        'M-SEARCH': { operationId: 'search', responses: noContent },
      },
    },
    '/forms': {
      post: {
        operationId: 'sendForm',
        requestBody: {
          content: {
            'application/x-www-form-urlencoded': {
              schema: form,
              encoding: { at: deepObject, ids: { explode: false } },
            },
            'multipart/form-data': { schema: form, encoding: { note: { contentType: 'text/markdown' } } },
          },
        },
        responses: ok(json({})),
      },
    },
    '/moved': {
      servers: [{ url: 'https://{host}.example/v3', variables: { host: { default: 'other' } } }],
      get: { operationId: 'getMoved', responses: noContent },
      put: { operationId: 'putMoved', servers: [{ url: '/v4' }, { url: '/v5' }], responses: noContent },
    },
    '/keys': { get: { operationId: 'useKey', security: [{ key: [] }, { basic: [] }], responses: noContent } },
    '/open': { get: { operationId: 'beOpen', security: [], responses: noContent } },
  },
  {
    servers: [{ url: '/' }, { url: 'https://things.example/v1/' }, { url: '/v2' }],
    components: {
      schemas: { Thing: { type: 'object', required: ['kind'], properties: { kind: text, id: int64 } } },
      parameters: { Limit: query('limit', { type: 'integer', maximum: 99 }) },
      headers: { Count: { required: true, schema: int64 } },
      mediaTypes: { Thing: { $ref: '#/components/mediaTypes/Kind' }, Kind: { schema: thing } },
      requestBodies: { Thing: { required: true, content: json(thing) } },
      responses: {
        Refused: {
          description: 'Refused.',
          content: json({ oneOf: [refusal, { $ref: '#/components/schemas/Error' }] }),
        },
      },
      securitySchemes: {
        bearer: { $ref: '#/components/securitySchemes/issued' },
        issued: { type: 'http', scheme: 'bearer' },
        basic: { type: 'http', scheme: 'basic' },
        key: { type: 'apiKey', in: 'header', name: 'X-Key' },
      },
    },
  },
)

const echo = (input: object) => ({ status: 200, body: JSON.parse(stringifyJson(input)) as unknown })
const done = () => ({ status: 204 })
/** Its handlers. */
export const handlers: [string, (input: never) => unknown][] = [
  [
    'plants.list',
    ({ query: given, header }: { query: object; header: object }) => ({ status: 200, body: { ...given, ...header } }),
  ],
  ['toString', () => ({ status: 200, body: 'put' })],
  ['__proto__', ({ body }: { body: unknown }) => ({ status: 200, body })],
  ['valueOf', done],
  ['reply', ({ query: { as } }: { query: { as: string } }) => ({ status: 200, ...replies[as] })],
  ['getThing', echo],
  ['deleteThing', done],
  ['patchThing', echo],
  ['headFound', done],
  ['askFound', () => ({ status: 200, body: 'asked' })],
  ['find', ({ body }: { body: { id?: bigint } }) => ({ status: 200, body: body.id === 5n ? {} : body })],
  ['copy', echo],
  ['search', done],
  ['sendForm', ({ body }: { body: unknown }) => ({ status: 200, body: JSON.parse(stringifyJson(body)) as unknown })],
  ['getMoved', done],
  ['putMoved', done],
  ['watchThings', () => ({ status: 200, body: ReadableStream.from([{ data: { kind: 'a', id: 9007199254740993n } }]) })],
  ['useKey', done],
  ['beOpen', done],
  [
    'exportThings',
    ({ accept }: { accept: string }) => ({
      status: 200,
      contentType: accept,
      body: {
        'application/json': [9007199254740993n],
        'text/csv': 'a,b',
        'application/octet-stream': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0x00]),
      }[accept],
    }),
  ],
]

/** A request, and what it is answered. */
export interface Exchange {
  send: string
  to: number
  headers?: Record<string, string>
  body?: string
  /** The text of the response, or what it has. */
  text?: string | RegExp
  has?: Record<string, string>
}
const get = (url: string, to: number, rest: Omit<Exchange, 'send' | 'to'> = {}): Exchange => ({
  send: `GET ${url}`,
  to,
  ...rest,
})
const as = (reply: string, to: number, rest: Omit<Exchange, 'send' | 'to'> = {}) =>
  get(`/replies?as=${encodeURIComponent(reply)}`, to, rest)
const accepting = (accept: string, type: string, rest: Omit<Exchange, 'send' | 'to' | 'headers'> = {}) =>
  get('/exports', 200, { headers: { accept }, has: { 'content-type': type, vary: 'Accept' }, ...rest })
const patch = (type: string, body: string, to: number): Exchange => ({
  send: 'PATCH /things/1',
  headers: { 'content-type': type },
  body,
  to,
})
const post = (body: string, to: number): Exchange => ({ send: 'POST /things', body, to })
const find = (body: string, to: number, rest: Omit<Exchange, 'send' | 'to' | 'body'> = {}): Exchange => ({
  send: 'QUERY /found',
  body,
  to,
  ...rest,
})
const acceptQuery = 'application/json, text/x-query;v="1"'
const urlencoded = (body: string, to: number, text?: string): Exchange => ({
  send: 'POST /forms',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body,
  to,
  ...(text === undefined ? {} : { text }),
})
const noteOf = (type: string, to: number): Exchange => ({
  send: 'POST /forms',
  headers: { 'content-type': 'multipart/form-data; boundary=b' },
  body: `--b\r\nContent-Disposition: form-data; name="note"\r\nContent-Type: ${type}\r\n\r\na\r\n--b--`,
  to,
})
const anonymous = { authorization: '' }
const merge = 'application/merge-patch+json'

/** Requests that keep a field and requests that break it; of replies those that are sent and those that are not. */
export const enforcedFields: Record<string, Exchange[]> = {
  'document.servers': [get('/v1/open', 204), get('/v2/open', 204), get('/open', 204), get('/v3/open', 404)],
  'document.paths': [get('/open', 204), get('/open/', 404), get('/Open', 404), get('/none', 404)],
  'document.components': [post('{"kind":"a"}', 200), post('{}', 400)],
  'document.security': [get('/things', 200), get('/things', 401, { headers: anonymous })],
  'server.url': [get('/v1/things/9007199254740993', 200), get('/v1/v2/open', 404), get('/v1', 404)],
  'components.schemas': [post('{"kind":"a","id":9007199254740993}', 200), post('{"kind":"a","id":"1"}', 400)],
  'components.responses': [as('range', 418), as('wrong range', 500)],
  'components.parameters': [get('/things?limit=5', 200), get('/things?limit=a', 400)],
  'components.requestBodies': [post('{"kind":"a"}', 200), post('[]', 400)],
  'components.headers': [as('good', 200), as('wrong header', 500)],
  'components.securitySchemes': [get('/keys', 401), get('/open', 204)],
  'pathItem.get': [
    get('/things/1', 200),
    { send: 'HEAD /things/1', to: 200, text: '' },
    get('/things/new', 405, { has: { allow: 'POST' } }),
  ],
  'pathItem.put': [
    { send: 'PUT /things', to: 200, text: '"put"' },
    { send: 'PUT /things/1', to: 405, has: { allow: 'DELETE, GET, HEAD, PATCH' } },
  ],
  'pathItem.post': [
    { send: 'POST /things/new', to: 204 },
    { send: 'POST /things/1', to: 405, has: { allow: 'DELETE, GET, HEAD, PATCH' } },
  ],
  'pathItem.delete': [
    { send: 'DELETE /things/1', to: 204 },
    { send: 'DELETE /things', to: 405, has: { allow: 'GET, HEAD, POST, PUT' } },
  ],
  'pathItem.patch': [patch(merge, '{"a":1}', 200), { send: 'PATCH /things/new', to: 405, has: { allow: 'POST' } }],
  'pathItem.options': [
    { send: 'OPTIONS /found', to: 200, text: '"asked"', has: { 'accept-query': acceptQuery } },
    { send: 'OPTIONS /things', to: 405 },
  ],
  'pathItem.head': [
    { send: 'HEAD /found', to: 204, text: '', has: { 'accept-query': acceptQuery } },
    get('/found', 405, { has: { allow: 'COPY, HEAD, M-SEARCH, OPTIONS, QUERY' } }),
  ],
  'pathItem.query': [
    find('{"kind":"a","id":7}', 200, { text: '{"kind":"a","id":7}' }),
    find('{}', 400, { text: /body\/kind is required/ }),
    find('<a/>', 415, { headers: { 'content-type': 'text/xml' }, has: { 'accept-query': acceptQuery } }),
    { send: 'QUERY /found', to: 400, text: /the body is empty/ },
    { send: 'QUERY /things', to: 405, has: { allow: 'GET, HEAD, POST, PUT' } },
  ],
  'pathItem.additionalOperations': [
    { send: 'COPY /found', body: '{"kind":"a"}', to: 200, text: /"body":\{"kind":"a"\}/ },
    { send: 'COPY /found', body: '{"kind":1}', to: 400 },
    { send: 'COPY /found', to: 200 },
    { send: 'M-SEARCH /found', to: 204 },
    { send: 'COPY /things', to: 405 },
    { send: 'MOVE /found', to: 405, has: { allow: 'COPY, HEAD, M-SEARCH, OPTIONS, QUERY' } },
  ],
  'pathItem.parameters': [
    get('/things?mark=true', 200, { text: '{"mark":true,"limit":2}' }),
    get('/things?mark=1', 400),
    get('/things?limit=6', 400),
  ],
  'pathItem.servers': [get('/v3/moved', 204), get('/moved', 404), get('/v1/moved', 404)],
  'operation.servers': [
    { send: 'PUT /v4/moved', to: 204 },
    { send: 'PUT /v5/moved', to: 204 },
    { send: 'PUT /v3/moved', to: 405, has: { allow: 'GET, HEAD' } },
    { send: 'PUT /v1/moved', to: 404 },
  ],
  'operation.operationId': [
    { send: 'PUT /things', to: 200, text: '"put"' },
    get('/things', 200, { text: '{"limit":2}' }),
    { send: 'POST /v1/none', to: 404 },
  ],
  'operation.parameters': [
    get('/things?limit=5', 200, { text: '{"limit":5}' }),
    get('/things?Limit=5', 400, { text: /query\/Limit is not a parameter of this operation/ }),
  ],
  'operation.requestBody': [post('{"kind":"a"}', 200), post('{"kind":1}', 400), post('{', 400)],
  'operation.responses': [
    as('range', 418),
    as('wrong range', 500),
    as('exact', 409, { text: 'taken' }),
    as('default', 507),
    as('wrong default', 500),
  ],
  'operation.security': [get('/open', 204, { headers: anonymous }), get('/keys', 401)],
  'parameter.$ref': [get('/things/9007199254740993', 200), get('/things?limit=x', 400)],
  'parameter.name': [
    get('/things?tags%5B%5D=a&tags[]=b', 200, { text: '{"tags[]":["a","b"],"limit":2}' }),
    get('/things?tags=a', 400),
  ],
  'parameter.in': [
    get('/things', 200, { headers: { 'x-number': '1' }, text: '{"limit":2,"X-Number":1}' }),
    get('/things?X-Number=1', 400),
  ],
  'parameter.required': [as('good', 200), get('/replies', 400, { text: /query\/as is required/ })],
  'parameter.style': [get('/things?csv=3,4', 200, { text: '{"csv":[3,4],"limit":2}' }), get('/things?csv=3%204', 400)],
  'parameter.explode': [
    get('/things?ids=1&ids=2&csv=3,4', 200, { text: '{"ids":[1,2],"csv":[3,4],"limit":2}' }),
    get('/things?ids=1,2', 400),
    get('/things?csv=1&csv=2', 400),
  ],
  'parameter.schema': [
    get('/things', 200, { headers: { 'x-number': '9007199254740993' }, text: /9007199254740993/ }),
    get('/things', 400, { headers: { 'x-number': '1, 2' } }),
  ],
  'requestBody.$ref': [post('{"kind":"a"}', 200), post('{"kind":null}', 400)],
  'requestBody.content': [
    patch(merge, '{"a":1}', 200),
    patch(`${merge}; charset=utf-8`, '{"a":1}', 200),
    patch('application/json', '{"a":1}', 415),
    patch('text/plain', '{"a":1}', 415),
  ],
  'requestBody.required': [
    { send: 'PATCH /things/1', to: 200 },
    { send: 'POST /things', to: 400 },
  ],
  'components.mediaTypes': [find('{"kind":"a"}', 200), find('{}', 400), find('{"kind":"a","id":5}', 500)],
  'requestContent.$ref': [find('{"kind":"a"}', 200), find('{"kind":1}', 400)],
  'responseContent.$ref': [find('{"kind":"a"}', 200), find('{"kind":"a","id":5}', 500)],
  'requestContent.schema': [patch(merge, '{"a":1}', 200), patch(merge, '{}', 400)],
  'requestContent.encoding': [urlencoded('at[id]=1', 200, '{"at":{"id":1}}'), urlencoded('at[id]=x', 400)],
  'encoding.style': [urlencoded('at[id]=1', 200, '{"at":{"id":1}}'), urlencoded('at=id,1', 400)],
  'encoding.explode': [urlencoded('ids=1,2', 200, '{"ids":[1,2]}'), urlencoded('ids=1&ids=2', 400)],
  'encoding.contentType': [noteOf('text/markdown', 200), noteOf('text/plain', 400)],
  'responseContent.itemSchema': [
    get('/changes', 200, { text: 'data: {"kind":"a","id":9007199254740993}\n\n' }),
    { send: 'HEAD /changes', to: 200, text: '' },
  ],
  'responseContent.schema': [as('good', 200, { text: '[1]' }), as('wrong body', 500)],
  'response.$ref': [as('range', 418), as('wrong range', 500)],
  'response.headers': [
    as('good', 200, { has: { 'x-count': '9007199254740993', 'x-mark': 'a' } }),
    as('undeclared header', 500, { text: /"error":50000/ }),
  ],
  'response.content': [
    accepting('*/*', 'application/json', { text: '[9007199254740993]' }),
    accepting('text/*', 'text/csv; charset=utf-8', { text: 'a,b' }),
    accepting('application/octet-stream', 'application/octet-stream', { has: { 'content-length': '6' } }),
    as('another type', 500),
    as('without body', 500),
  ],
  'header.$ref': [as('bare', 200), as('without header', 500)],
  'header.required': [as('bare', 200, { has: { 'x-count': '1' } }), as('without header', 500)],
  'header.schema': [as('good', 200), as('wrong header', 500)],
  'securityScheme.$ref': [get('/things', 200), get('/things', 401, { headers: { authorization: 'Bearer x' } })],
  'securityScheme.in': [
    get('/keys', 204, { headers: { 'x-key': 'TOKEN', ...anonymous } }),
    get('/keys', 401, { headers: { cookie: 'X-Key=TOKEN', ...anonymous } }),
  ],
  'securityScheme.name': [
    get('/keys', 204, { headers: { 'x-key': 'TOKEN', ...anonymous } }),
    get('/keys?X-Key=TOKEN', 401, { headers: anonymous }),
  ],
}
