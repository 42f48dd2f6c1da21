import { Readable } from 'node:stream'
import { beforeAll, describe, expect, it } from 'vitest'
import { keywords as words } from '../../../packages/fastify-contract/src/gate/keywords/openapi-keywords.ts'
import type { Kind } from '../../../packages/fastify-contract/src/gate/keywords/keyword.ts'
import { stringifyJson } from '../../../packages/fastify-contract/src/json/json.ts'
import { contractOf, contractWith, failures, noContent, problemsOf, serve, warningsOf } from './own-contract.ts'

const text = { type: 'string' }
const int64 = { type: 'integer', format: 'int64' }
const json = (schema: unknown, more: object = {}) => ({ 'application/json': { schema, ...more } })
const ok = (content: object, more: object = {}) => ({ 200: { description: 'Done.', content, ...more }, ...failures })
const query = (name: string, schema: object, more: object = {}) => ({ name, in: 'query', schema, ...more })
const list = (items: object) => ({ type: 'array', items })
const id = { name: 'id', in: 'path', required: true, schema: int64 }

/** A contract that generation refuses, and its one line. */
type Refused = [contract: object, because: RegExp]

const withParameter = (parameter: object) =>
  contractWith({ parameters: [{ name: 'a', in: 'query', schema: text, ...parameter }] })
const withResponse = (response: object) =>
  contractWith({ responses: { 200: { description: 'Done.', ...response }, ...failures } })
const withHeader = (header: object) => withResponse({ headers: { 'X-Mark': { schema: text, ...header } } })
const withBody = (requestBody: object) =>
  contractOf({ '/things': { post: { operationId: 'createThing', requestBody, responses: noContent } } })
const withExample = (example: object) =>
  contractWith({ parameters: [{ ...query('a', text), examples: { one: example } }] })
const withItem = (item: object) =>
  contractOf({ '/things': { get: { operationId: 'listThings', responses: noContent }, ...item } })
const withComponents = (components: Record<string, unknown>, operation: object = {}) =>
  contractWith(operation, { components })
const withScheme = (bearer: object) => contractWith({ security: [] }, { components: { securitySchemes: { bearer } } })
const withSchema = (schema: object) => withBody({ content: json(schema) })
const misnamed = (section: string): Refused => [
  withComponents({ [section]: { 'a/b': {} } }),
  new RegExp(`^\\S+: ${section}: a/b is no name of a component`),
]
const ignored = (section: string, kind: object): Refused[] => [
  [withComponents({ [section]: { A: kind } }), /\$ref: OpenAPI ignores \w+ beside it/],
]
const wrong = { example: 5 }
const wrongOf = { examples: { one: { value: 5 } } }
const mustBeText = /the example must be string$/

/** What generation refuses, by the word that it is about. */
const refused: Record<string, Refused[]> = {
  'document.openapi': [[{ ...contractWith({}), openapi: '3.2.0' }, /openapi: must be 3\.1\.x|Unsupported/]],
  'document.jsonSchemaDialect': [
    [contractWith({}, { jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema' }), /only the dialect of Op/],
  ],
  'document.paths': [
    [contractOf({ '/livez': { get: { operationId: 'a', responses: noContent } } }), /\/livez is a path of the service/],
    [
      contractOf({ '/json': { get: { operationId: 'a', responses: noContent } } }, { servers: [{ url: '/docs' }] }),
      /\/docs\/json is a path of the service/,
    ],
    [contractOf({ ...contractWith({}).paths, 'x-note': null }), /x-note is not read here/],
    [contractOf({}), /there is no operation/],
    [contractOf({ '/a/*': { get: { operationId: 'a', responses: noContent } } }), /must be without/],
    [contractOf({ '/a%20b': { get: { operationId: 'a', responses: noContent } } }), /must be without/],
    [
      contractOf({ '/{id}/{id}': { get: { operationId: 'a', parameters: [id], responses: noContent } } }),
      /must name each of its parameters once/,
    ],
  ],
  'document.servers': [[contractWith({}, { servers: [{ url: 'https://' }] }), /https:\/\/ is no url/]],
  'document.security': [
    [{ ...contractWith({}), security: undefined }, /has no security; write security: \[\]/],
    [contractWith({}, { security: [{ none: [] }] }), /securitySchemes\/none: is required by an operation/],
  ],
  'info.version': [[{ ...contractWith({}), info: { title: 'Things' } }, /`version` must be present/]],
  'server.url': [
    [contractWith({}, { servers: [{ url: 'https://{host}/' }] }), /server variables are not supported/],
    [contractWith({}, { servers: [{ url: '/a?b' }] }), /must be without/],
  ],
  'server.variables': [
    [contractWith({}, { servers: [{ url: '/', variables: {} }] }), /variables: server variables are not supported/],
  ],
  'components.schemas': [misnamed('schemas')],
  'components.responses': [
    [withComponents({ responses: { 'a/b': { description: 'Done.' } } }), /a\/b is no name of a component/],
  ],
  'components.parameters': [
    [withComponents({ parameters: { 'a b': query('a', text) } }), /a b is no name of a component/],
    [withComponents({ parameters: { A: query('a', text, wrong) } }), mustBeText],
  ],
  'components.requestBodies': [[withComponents({ requestBodies: { A: { content: json(text, wrong) } } }), mustBeText]],
  'pathItem.$ref': [
    [
      contractOf({ '/things': { $ref: '#/components/pathItems/A' } }, { components: { pathItems: {} } }),
      /the reference #\/components\/pathItems\/A leads to nothing/,
    ],
    [
      contractOf(
        { '/things': { $ref: '#/components/pathItems/A', parameters: [] } },
        {
          components: { pathItems: { A: { get: { operationId: 'a', responses: noContent } } } },
        },
      ),
      /\$ref: OpenAPI ignores parameters beside it/,
    ],
    [
      contractOf({
        '/a': { get: { operationId: 'a', responses: noContent } },
        '/b': { $ref: '#/paths/~1a' },
      }),
      /operationId a: is used more than once/,
    ],
    [
      withComponents({
        pathItems: {
          A: {
            post: {
              operationId: 'b',
              callbacks: { a: { '{$url}': { $ref: '#/components/pathItems/A' } } },
              responses: noContent,
            },
          },
        },
      }),
      /the reference leads back to what it is in; write it out/,
    ],
  ],
  'pathItem.get': [[contractWith({ requestBody: { content: json({}) } }), /get: a GET has no body in HTTP/]],
  'pathItem.options': [
    [withItem({ options: { operationId: 'b', responses: noContent } }), /options: OPTIONS is answered for CORS/],
  ],
  'pathItem.head': [[withItem({ head: { operationId: 'b', responses: noContent } }), /head: HEAD is answered as GET/]],
  'pathItem.trace': [[withItem({ trace: { operationId: 'b', responses: noContent } }), /trace: TRACE would answer/]],
  'pathItem.servers': [[withItem({ servers: [{ url: '/' }] }), /servers: the servers of one path/]],
  'operation.operationId': [
    [contractWith({ operationId: undefined }), /GET \/things: has no operationId/],
    [withItem({ put: { operationId: 'listThings', responses: noContent } }), /is used more than once/],
    [contractWith({ operationId: 'list\nThings' }), /operationId: "list\\nThings" is no name; use letters, digits, p/],
    [contractWith({ operationId: 'list\u202eThings' }), /operationId: "list\\u\{202e\}Things" is no name; use lett/],
    [contractWith({ operationId: ' listThings' }), /operationId: " listThings" is no name; use letters, digits, punct/],
    [contractWith({ operationId: 'a'.repeat(201) }), /operationId: has more than 200 characters; choose a shorter na/],
  ],
  'operation.parameters': [
    [contractWith({ parameters: [query('a', text), query('a', text)] }), /the query parameter a is described twice/],
    [
      contractWith({
        parameters: [
          { name: 'X-A', in: 'header', schema: text },
          { name: 'x-a', in: 'header', schema: text },
        ],
      }),
      /the header parameter x-a is described twice/,
    ],
    [contractWith({ parameters: [id] }), /the path parameter id is not in \/things/],
    [
      contractOf({
        '/things': {
          parameters: [{ name: 'X-A', in: 'header', schema: text }],
          get: {
            operationId: 'a',
            parameters: [{ name: 'x-a', in: 'header', schema: text }],
            responses: noContent,
          },
        },
      }),
      /the header parameter x-a is written X-A at the path; write it the same way/,
    ],
  ],
  'operation.responses': [
    [contractWith({ responses: { ...noContent, '4xx': { description: 'Wrong.' } } }), /4xx is no status/],
    [
      contractWith({ responses: { 204: { description: 'Done.', content: json({}) }, ...failures } }),
      /204 has no content in HTTP/,
    ],
    [contractWith({ responses: { ...noContent, 'x-note': null } }), /x-note is not read here/],
    [
      contractWith({ responses: { ...noContent, 503: { description: 'Busy.', content: json(text) } } }),
      /the response 503 must allow the service's own failure \{ error: 50300, message \}: must be string/,
    ],
    [
      contractWith({ responses: { ...noContent, 503: { description: 'Busy.', content: { 'text/plain': {} } } } }),
      /the response 503 needs the content application\/json/,
    ],
  ],
  'operation.security': [
    [contractWith({ security: [{ bearer: ['a b'] }], responses: noContent }), /asks for the scope "a b"/],
  ],
  'operation.servers': [[contractWith({ servers: [{ url: '/' }] }), /servers: the servers of one operation/]],
  'parameter.$ref': [
    [
      withComponents(
        { parameters: { A: query('a', text) } },
        { parameters: [{ $ref: '#/components/parameters/A', required: true }] },
      ),
      /\$ref: OpenAPI ignores required beside it/,
    ],
    [
      withComponents({ parameters: { A: { $ref: '#/components/parameters/A' } } }),
      /the reference leads back to itself/,
    ],
  ],
  'parameter.name': [
    [withParameter({ name: 'Accept', in: 'header' }), /OpenAPI ignores a header parameter Accept/],
    [withParameter({ name: '__proto__' }), /__proto__ is no name/],
    [withParameter({ name: 'X A', in: 'header' }), /X A is no name of a header; use letters, digits and -/],
  ],
  'parameter.in': [[withParameter({ in: 'cookie' }), /cookies are not read/]],
  'parameter.allowEmptyValue': [[withParameter({ allowEmptyValue: true }), /allowEmptyValue: an empty value is/]],
  'parameter.style': [[withParameter({ style: 'deepObject' }), /deepObject is not read in a query; use form or/]],
  'parameter.explode': [
    [
      withParameter({ schema: list(text), style: 'pipeDelimited', explode: true }),
      /an exploded array has no delimiter/,
    ],
  ],
  'parameter.schema': [
    [withParameter({ schema: { type: 'object' } }), /a parameter is a scalar or an array of scalars/],
    [withParameter({ schema: list(list(text)) }), /the items of a parameter are scalars/],
    [withParameter({ schema: { type: ['string', 'null'] } }), /no text is null; remove null from its type/],
    [withParameter({ schema: { enum: ['a', null] } }), /no text is null/],
    [withParameter({ schema: { anyOf: [text, { type: 'null' }] }, in: 'header' }), /no text is null/],
    [withParameter({ schema: { type: ['array', 'null'], items: text } }), /no text is null/],
    [withParameter({ schema: list({ type: ['string', 'null'] }) }), /no text is null/],
  ],
  'parameter.content': [
    [withParameter({ schema: undefined, content: json({}) }), /a parameter is described by its sch/],
  ],
  'parameter.example': [[withParameter(wrong), mustBeText]],
  'parameter.examples': [[withParameter(wrongOf), mustBeText]],
  'requestBody.$ref': [
    [
      withComponents({
        requestBodies: { A: { $ref: '#/components/requestBodies/B', required: true }, B: { content: json({}) } },
      }),
      /\$ref: OpenAPI ignores required beside it/,
    ],
  ],
  'requestBody.content': [
    [withBody({ content: { 'multipart/form-data': { schema: {} } } }), /multipart\/form-data is not read/],
    [withBody({ content: { ...json({}), 'application/a+json': { schema: {} } } }), /must have one media type/],
  ],
  'requestContent.schema': [[withBody({ content: json(int64) }), /a bare number is not read exactly/]],
  'requestContent.example': [[withBody({ content: json(text, wrong) }), mustBeText]],
  'requestContent.examples': [[withBody({ content: json(text, wrongOf) }), mustBeText]],
  'requestContent.encoding': [[withBody({ content: json(text, { encoding: {} }) }), /encoding is for forms/]],
  'responseContent.example': [
    [withResponse({ content: json(text, wrong) }), mustBeText],
    [withResponse({ content: json({}, { example: { $ref: '#/info' } }) }), /a \$ref in a value is taken for a ref/],
    [
      withResponse({ content: json({ type: 'object', properties: { a: text } }, { example: { b: 'c' } }) }),
      /the example b is not a property here; describe it in the schema, or leave it out$/,
    ],
    [contractWith({}, { webhooks: { a: { post: { requestBody: { content: json(text, wrong) } } } } }), mustBeText],
    [
      contractWith({ callbacks: { a: { '{$url}': { post: { requestBody: { content: json(text, wrong) } } } } } }),
      mustBeText,
    ],
  ],
  'responseContent.examples': [[withResponse({ content: json(text, wrongOf) }), mustBeText]],
  'responseContent.encoding': [[withResponse({ content: json(text, { encoding: {} }) }), /encoding is for forms/]],
  'response.$ref': ignored('responses', { $ref: '#/components/responses/B', content: {} }).map(([, because]) => [
    withComponents({
      responses: { A: { $ref: '#/components/responses/B', content: {} }, B: { description: 'Done.' } },
    }),
    because,
  ]),
  'response.headers': [
    [withResponse({ headers: { 'Content-Type': { schema: text } } }), /OpenAPI ignores a header Content-Type/],
    [withResponse({ headers: { 'X A': { schema: text } } }), /X A is no name of a header; use letters, digits and -/],
    [
      withResponse({ headers: { 'X-A': { schema: text }, 'x-a': { schema: text } } }),
      /X-A and x-a are one header in HTTP; remove one/,
    ],
    [
      withResponse({ headers: { 'Transfer-Encoding': { schema: text } } }),
      /Transfer-Encoding is for the server to write; remove it/,
    ],
  ],
  'response.content': [
    [withResponse({ content: { 'text/event-stream': {} } }), /streams of events are not supported/],
    [withResponse({ content: { 'text/*': {} } }), /text\/\* names no one media type/],
    [withResponse({ content: { 'text/csv; header=present': {} } }), /names no one media type/],
    [
      withResponse({ content: { 'text/csv': { schema: list(text) } } }),
      /text\/csv is text; give its schema type: string/,
    ],
    [
      withResponse({ content: { 'application/xml': { schema: { type: 'object' } } } }),
      /application\/xml is sent as bytes, which are not validated; remove its schema, or write type: string, format: /,
    ],
    [
      withResponse({ content: { 'image/png': { schema: { ...text, format: 'binary', maxLength: 3 } } } }),
      /image\/png is sent as bytes/,
    ],
    [
      withResponse({ content: json({ type: 'object', properties: { a: text }, required: ['b'] }) }),
      /required: b is not among the properties, the only ones of a reply; add it/,
    ],
  ],
  'callback.$ref': [
    [contractWith({ callbacks: { a: { $ref: '#/components/callbacks/A' } } }), /callbacks\/A leads to nothing/],
  ],
  'example.value': [[withExample({ value: 5 }), mustBeText]],
  'example.externalValue': [[withExample({ externalValue: 'https://things.example' }), /an example elsewhere cannot/]],
  'link.operationId': [
    [withResponse({ links: { next: { operationId: 'none' } } }), /links to none, which is no operation/],
  ],
  'link.server': [
    [withResponse({ links: { next: { operationId: 'listThings', server: { url: '/' } } } }), /server: operations are/],
  ],
  'header.$ref': [
    [
      contractWith(
        {
          responses: {
            204: { description: 'Done.', headers: { A: { $ref: '#/components/headers/A', required: true } } },
            ...failures,
          },
        },
        { components: { headers: { A: { schema: text } } } },
      ),
      /\$ref: OpenAPI ignores required beside it/,
    ],
  ],
  'header.allowEmptyValue': [[withHeader({ allowEmptyValue: true }), /allowEmptyValue: an empty value is/]],
  'header.style': [[withHeader({ style: 'form' }), /only simple is a style of headers/]],
  'header.explode': [[withHeader({ explode: false }), /a header is no array here/]],
  'header.allowReserved': [[withHeader({ allowReserved: true }), /headers are not percent-encoded/]],
  'header.schema': [[withHeader({ schema: { type: 'boolean' } }), /a header is text, an integer or a number/]],
  'header.content': [[withHeader({ schema: undefined, content: json({}) }), /a header is described by its schema/]],
  'header.example': [[withHeader(wrong), mustBeText]],
  'header.examples': [[withHeader(wrongOf), mustBeText]],
  'discriminator.propertyName': [
    [withSchema({ oneOf: [{ type: 'object' }], discriminator: { propertyName: 'kind' } }), /kind needs a const or an/],
  ],
  'securityScheme.$ref': [
    [
      withComponents({
        securitySchemes: {
          A: { $ref: '#/components/securitySchemes/bearer', scheme: 'bearer' },
          bearer: { type: 'http', scheme: 'bearer' },
        },
      }),
      /\$ref: OpenAPI ignores scheme beside it/,
    ],
  ],
  'securityScheme.type': [[withScheme({ type: 'mutualTLS' }), /the proxy that ends TLS sees the certificate/]],
  'securityScheme.in': [
    [withScheme({ type: 'apiKey', in: 'cookie', name: 'a' }), /cookies are not read; send the key/],
  ],
  'securityScheme.scheme': [[withScheme({ type: 'http', scheme: 'digest' }), /digest is not verified/]],
}

/** A contract with every word that is only shown. */
const flow = { refreshUrl: 'https://login.example/refresh', scopes: { read: 'Reads.' } }
const authorized = { ...flow, authorizationUrl: 'https://login.example/authorize' }
const issuing = { ...flow, tokenUrl: 'https://login.example/token' }
const docs = { url: 'https://things.example/docs', description: 'More.' }
const told = { summary: 'A summary.', description: 'A description.' }
const shown = {
  ...contractOf(
    {
      '/things': {
        ...told,
        get: {
          operationId: 'listThings',
          ...told,
          tags: ['things', 'others'],
          externalDocs: docs,
          deprecated: true,
          parameters: [
            query('a', text, { description: 'A.', deprecated: true, allowReserved: true, example: 'b' }),
            query('c', text, { examples: { one: { ...told, value: 'd' }, two: { $ref: '#/components/examples/E' } } }),
          ],
          responses: {
            200: {
              description: 'Done.',
              headers: { 'X-Mark': { description: 'A mark.', deprecated: true, schema: text } },
              content: json(text, { example: 'a' }),
              links: {
                again: { $ref: '#/components/links/Again' },
                named: { operationId: 'listThings', parameters: { a: 'b' }, requestBody: {}, description: 'Again.' },
              },
            },
            ...failures,
          },
          callbacks: { done: { $ref: '#/components/callbacks/Done' } },
        },
        post: {
          operationId: 'createThing',
          requestBody: {
            description: 'A thing.',
            content: json({
              oneOf: [
                { type: 'object', required: ['kind'], properties: { kind: { const: 'a' } } },
                { $ref: '#/components/schemas/B' },
              ],
              discriminator: { propertyName: 'kind', mapping: { b: '#/components/schemas/B' } },
            }),
          },
          responses: noContent,
        },
      },
    },
    {
      servers: [{ url: '/', description: 'Here.' }],
      webhooks: { moved: { post: { operationId: 'moved', responses: { 204: { description: 'Received.' } } } } },
      tags: [{ name: 'things', description: 'Things.', externalDocs: docs }],
      externalDocs: docs,
      'x-unmatched-responses': { 404: { description: 'None.' } },
      components: {
        schemas: { B: { type: 'object', required: ['kind'], properties: { kind: { const: 'b' } } } },
        examples: { E: { value: 'e' } },
        links: { Again: { operationRef: '#/paths/~1things/get' } },
        callbacks: { Done: { '{$request.query.a}': { post: { responses: { 204: { description: 'Received.' } } } } } },
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'opaque', description: 'A token.' },
          login: {
            type: 'oauth2',
            flows: {
              implicit: authorized,
              password: issuing,
              clientCredentials: issuing,
              authorizationCode: { ...authorized, ...issuing },
            },
          },
          connect: { type: 'openIdConnect', openIdConnectUrl: 'https://login.example/' },
        },
      },
    },
  ),
  info: {
    title: 'Things',
    version: '1.0.0',
    ...told,
    termsOfService: 'https://things.example/terms',
    contact: { name: 'Me', url: 'https://things.example', email: 'me@things.example' },
    license: { name: 'MIT', identifier: 'MIT', url: 'https://things.example/license' },
  },
  'x-note': { any: ['thing'] },
}

/** The rows of the words that an object of a contract has, and the objects inside it. */
function rowsIn(object: unknown, kind: Kind): string[] {
  if (typeof object !== 'object' || object === null) return []
  return Object.entries(object).flatMap(([name, value]) => {
    const row = Object.hasOwn(words[kind], name) ? name : '*'
    const { holds } = words[kind][row] ?? {}
    const own = value === undefined ? [] : [`${kind}.${row}`]
    if (holds === undefined) return own
    if (typeof holds === 'string') return [...own, ...rowsIn(value, holds)]
    const each = Array.isArray(holds) ? holds[0] : holds.each
    return [...own, ...Object.values((value ?? {}) as object).flatMap((member) => rowsIn(member, each))]
  })
}

/** Rows of the table that requests and replies are about. */
const image = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0x00])
const replies: Record<string, object> = {
  good: { headers: { 'X-Count': 9007199254740993n, 'X-Mark': 'a' }, body: [1n] },
  bare: { headers: { 'X-Count': 1 }, body: [] },
  'without header': { body: [] },
  'wrong header': { headers: { 'X-Count': 'a' }, body: [] },
  'undeclared header': { headers: { 'X-Count': 1, 'X-Other': 'a' }, body: [] },
  'header of two lines': { headers: { 'X-Count': 1, 'X-Mark': 'a\r\nb: c' }, body: [] },
  'header beyond Latin-1': { headers: { 'X-Count': 1, 'X-Mark': '🌱' }, body: [] },
  'wrong body': { headers: { 'X-Count': 1 }, body: ['a'] },
  'without body': { headers: { 'X-Count': 1 } },
  'another type': { headers: { 'X-Count': 1 }, body: 'a', contentType: 'text/csv' },
  range: { status: 418, body: { refused: 'a' } },
  'wrong range': { status: 418, body: {} },
  exact: { status: 409, body: 'taken' },
  default: { status: 507, body: { error: 50000, message: 'full' } },
  'wrong default': { status: 507, body: 'full' },
}
const refusal = { type: 'object', required: ['refused'], properties: { refused: text } }
const thing = { $ref: '#/components/schemas/Thing' }
const served = contractOf(
  {
    '/things': {
      parameters: [{ $ref: '#/components/parameters/Limit' }, query('mark', { type: 'boolean' })],
      get: {
        operationId: 'plants.list',
        parameters: [
          query('limit', { type: 'integer', maximum: 5, default: 2 }),
          query('ids', list(int64)),
          query('csv', list({ type: 'integer' }), { explode: false }),
          query('words', list({ ...text, maxLength: 2 }), { style: 'spaceDelimited', explode: false }),
          query('pipes', list({ ...text, maxLength: 2 }), { style: 'pipeDelimited', explode: false }),
          query('tags[]', list(text), { style: 'form', explode: true }),
          { name: 'X-Numbers', in: 'header', style: 'simple', schema: list(int64) },
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
    '/things/{id}': { $ref: '#/components/pathItems/Thing' },
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
        parameters: [query('stream', { type: 'boolean', default: false })],
        responses: ok({
          'application/json': { schema: list(int64) },
          'text/csv': { schema: { ...text, maxLength: 9 } },
          'application/octet-stream': {},
          'image/png': {},
          'application/problem+json': { schema: { type: 'object' } },
        }),
      },
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
      pathItems: {
        Thing: {
          parameters: [id],
          get: { operationId: 'getThing', responses: ok(json({})) },
          delete: { operationId: 'deleteThing', responses: noContent },
          patch: {
            operationId: 'patchThing',
            requestBody: {
              content: { 'application/merge-patch+json': { schema: { type: 'object', minProperties: 1 } } },
            },
            responses: ok(json({})),
          },
        },
      },
    },
  },
)

const echo = (input: object) => ({ status: 200, body: JSON.parse(stringifyJson(input)) as unknown })
const done = () => ({ status: 204 })
const handlers: [string, (input: never) => unknown][] = [
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
  ['useKey', done],
  ['beOpen', done],
  [
    'exportThings',
    ({ accept, query: { stream } }: { accept: string; query: { stream: boolean } }) => ({
      status: 200,
      contentType: accept,
      body: {
        'application/json': [9007199254740993n],
        'text/csv': stream ? Readable.from([Buffer.from('a,'), Buffer.from('b')]) : 'a,b',
        'application/octet-stream': stream ? Readable.from([image.subarray(0, 3), image.subarray(3)]) : image,
        'image/png': new Uint8Array(image),
        'application/problem+json': {},
      }[accept],
    }),
  ],
]

interface Exchange {
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
const anonymous = { authorization: '' }
const merge = 'application/merge-patch+json'

/** Requests that keep a word and requests that break it; of replies those that are sent and those that are not. */
const enforced: Record<string, Exchange[]> = {
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
  'components.pathItems': [get('/things/1', 200), get('/things/a', 400)],
  'pathItem.$ref': [get('/things/1', 200), get('/things/', 404)],
  'pathItem.get': [
    get('/things/1', 200),
    { send: 'HEAD /things/1', to: 200, text: '' },
    get('/things/new', 405, { has: { allow: 'POST' } }),
    get('/things/new', 405, { headers: anonymous }),
  ],
  'pathItem.put': [
    { send: 'PUT /things', to: 200, text: '"put"' },
    { send: 'PUT /things/1', to: 405, has: { allow: 'DELETE, GET, HEAD, PATCH' } },
  ],
  'pathItem.post': [
    { send: 'POST /things/new', to: 204 },
    { send: 'POST /things/1', to: 405, headers: anonymous, has: { allow: 'DELETE, GET, HEAD, PATCH' } },
  ],
  'pathItem.delete': [
    { send: 'DELETE /things/1', to: 204 },
    { send: 'DELETE /things/1', body: '{"ignored":true}', to: 204 },
    { send: 'DELETE /things', to: 405, has: { allow: 'GET, HEAD, POST, PUT' } },
  ],
  'pathItem.patch': [patch(merge, '{"a":1}', 200), { send: 'PATCH /things/new', to: 405, has: { allow: 'POST' } }],
  'pathItem.parameters': [
    get('/things?mark=true', 200, { text: '{"mark":true,"limit":2}' }),
    get('/things?mark=1', 400),
    get('/things?limit=6', 400),
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
    get('/things', 200, { headers: { 'x-numbers': '1, 2' }, text: '{"limit":2,"X-Numbers":[1,2]}' }),
    get('/things?X-Numbers=1', 400),
  ],
  'parameter.required': [as('good', 200), get('/replies', 400, { text: /query\/as is required/ })],
  'parameter.style': [
    get('/things?words=a%20b&pipes=a%7Cb', 200, { text: '{"words":["a","b"],"pipes":["a","b"],"limit":2}' }),
    get('/things?pipes=a?%7Cb', 200, { text: '{"pipes":["a?","b"],"limit":2}' }),
    get('/things?words=a%7Cb', 400),
    get('/things?pipes=a%20b', 400),
  ],
  'parameter.explode': [
    get('/things?ids=1&ids=2&csv=3,4', 200, { text: '{"ids":[1,2],"csv":[3,4],"limit":2}' }),
    get('/things?ids=1,2', 400),
    get('/things?csv=1&csv=2', 400, { text: /query\/csv is repeated; send it once, with commas between the items"/ }),
    get('/things?words=a&words=b&limit=a', 400, { text: /query\/words is repeated; .* with spaces between/ }),
    get('/things?pipes=a&csv=1&pipes=b', 400, { text: /query\/pipes is repeated; .* with \| between/ }),
  ],
  'parameter.schema': [
    get('/things', 200, { headers: { 'x-numbers': '9007199254740993' }, text: /9007199254740993/ }),
    get('/things', 400, { headers: { 'x-numbers': '1, a' } }),
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
  'requestContent.schema': [patch(merge, '{"a":1}', 200), patch(merge, '{}', 400)],
  'responseContent.schema': [as('good', 200, { text: '[1]' }), as('wrong body', 500)],
  'response.$ref': [as('range', 418), as('wrong range', 500)],
  'response.headers': [
    as('good', 200, { has: { 'x-count': '9007199254740993', 'x-mark': 'a' } }),
    as('undeclared header', 500, { text: /"error":50000/ }),
    as('header of two lines', 500, { text: /"error":50000/ }),
    as('header beyond Latin-1', 500, { text: /"error":50000/ }),
  ],
  'response.content': [
    accepting('*/*', 'application/json', { text: '[9007199254740993]' }),
    accepting('text/*', 'text/csv; charset=utf-8', { text: 'a,b' }),
    accepting('text/csv; charset=UTF-8', 'text/csv; charset=utf-8'),
    accepting('application/json;q=0.1, text/csv;q=0.2', 'text/csv; charset=utf-8'),
    accepting('image/png, text/csv;q=0.9', 'image/png'),
    accepting('application/problem+json', 'application/problem+json', { text: '{}' }),
    accepting('application/octet-stream', 'application/octet-stream', { has: { 'content-length': '6' } }),
    accepting('video/mp4', 'application/json'),
    get('/exports?stream=true', 200, { headers: { accept: 'text/csv' }, text: 'a,b' }),
    get('/exports?stream=true', 200, { headers: { accept: 'application/octet-stream' }, text: image.toString() }),
    as('another type', 500),
    as('without body', 500),
  ],
  'header.$ref': [as('bare', 200), as('without header', 500)],
  'header.required': [as('bare', 200, { has: { 'x-count': '1' } }), as('without header', 500)],
  'header.schema': [as('good', 200), as('wrong header', 500)],
  'securityScheme.$ref': [get('/things', 200), get('/things', 401, { headers: { authorization: 'Bearer x' } })],
  'securityScheme.name': [
    get('/keys', 204, { headers: { 'x-key': 'TOKEN', ...anonymous } }),
    get('/keys?X-Key=TOKEN', 401),
  ],
}

/** What another test file is about. */
const elsewhere = [
  // test/gate/generate.test.ts
  'operation.tags',
]

const rows = Object.entries(words)
  .filter(([kind]) => kind !== 'schema')
  .flatMap(([kind, ofKind]) => Object.entries(ofKind).map(([name, word]) => ({ row: `${kind}.${name}`, ...word })))
const withVerdict = (verdict: string) => rows.filter((word) => word.verdict === verdict).map(({ row }) => row)

describe('each field of OpenAPI', () => {
  it('has a case here', () => {
    const known = rows.map(({ row }) => row)
    const enforcedCases = [...Object.keys(enforced), ...Object.keys(refused), ...elsewhere]
    expect(withVerdict('enforced').filter((row) => !enforcedCases.includes(row))).toEqual([])
    expect(withVerdict('refused').filter((row) => !(row in refused))).toEqual([])
    const inShown = rowsIn(shown, 'document')
    expect(withVerdict('shown').filter((row) => !inShown.includes(row))).toEqual([])
    expect(enforcedCases.filter((row) => !known.includes(row))).toEqual([])
    for (const [row, exchanges] of Object.entries(enforced)) {
      expect(new Set(exchanges.map(({ to }) => to)).size, row).toBeGreaterThan(1)
    }
  })

  it.each(Object.keys(refused))('%s is refused with its line, a reason and a remedy', async (row) => {
    for (const [contract, because] of refused[row] ?? []) {
      const problems = await problemsOf(contract)
      expect(problems, problems.join('\n')).toHaveLength(1)
      expect(problems[0]).toMatch(because)
      expect(problems[0]).toMatch(/^openapi\.yaml:[1-9]\d*:[1-9]\d*: /)
    }
  })

  it('that is shown is taken, and served as it is written', async () => {
    const { send } = await serve(shown, {
      listThings: () => ({ status: 200, body: 'a' }),
      createThing: () => ({ status: 204 }),
    })
    const { text: answer } = await send({ method: 'GET', url: '/openapi.json' })
    expect(JSON.parse(answer)).toEqual(JSON.parse(JSON.stringify(shown)))
  })

  it('whose failures the service answers undeclared is taken, with a warning that lists them', async () => {
    const lines = await warningsOf(contractWith({ responses: { 204: { description: 'Done.' } } }))
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(
      /^\S+:\d+:\d+: warning: operation listThings: the service can answer 400, 401, 408, 429, 431, 500, 503; /,
    )
    expect(await warningsOf(contractWith({}))).toEqual([])
  })

  it('whose failures are undeclared, or declared in several media types, answers them as JSON', async () => {
    const problem = { 'application/problem+json': { schema: { type: 'object' } }, ...failures.default.content }
    for (const failed of [{}, { 400: { description: 'Wrong.', content: problem } }]) {
      const { send } = await serve(contractWith({ responses: { 204: { description: 'Done.' }, ...failed } }), {
        listThings: () => ({ status: 204 }),
      })
      expect(await send({ method: 'GET', url: '/things?a=1' })).toMatchObject({
        status: 400,
        headers: { 'content-type': 'application/json' },
        text: '{"error":40001,"message":"query/a is not a parameter of this operation"}',
      })
    }
  })

  it('that declares content for a range means no status that has none in HTTP', async () => {
    const { send } = await serve(contractWith({ responses: { '2XX': ok(json(text))[200], ...failures } }), {
      listThings: () => ({ status: 204, body: 'a' }),
    })
    expect((await send({ method: 'GET', url: '/things' })).status).toBe(500)
  })

  it.each<[string, object, string]>([
    ['a body', { description: 'Failed.', content: json(text) }, '"content": {'],
    ['a header', { ...failures.default, headers: { 'X-Mark': { required: true, schema: text } } }, '"X-Mark": {'],
  ])('whose failures share a response is refused where that is written, once: %s', async (_part, failed, line) => {
    const responses = { 204: { description: 'Done.' }, default: { $ref: '#/components/responses/Failed' } }
    const contract = contractOf(
      {
        '/a': { get: { operationId: 'a', responses }, put: { operationId: 'b', responses } },
        '/b': { get: { operationId: 'c', responses } },
      },
      { components: { responses: { Failed: failed } } },
    )
    const [problem = '', ...more] = await problemsOf(contract)
    expect(more).toEqual([])
    expect(problem).toMatch(/operation a: the response 400 must /)
    const lines = stringifyJson(contract, 1).split('\n')
    const place = Number(/^openapi\.yaml:(\d+):/.exec(problem)?.[1]) - 1
    expect(lines[place]?.trim()).toBe(line)
    expect(place).toBeGreaterThan(lines.findIndex((each) => each.includes('"components"')))
  })

  it('whose parameter is shared is refused where that is written', async () => {
    const parameters = [{ $ref: '#/components/parameters/A' }]
    const contract = contractOf(
      { '/a/{a}': { get: { operationId: 'a', parameters, responses: noContent } } },
      { components: { parameters: { A: { name: 'a', in: 'path', required: false, schema: text } } } },
    )
    const [problem = ''] = await problemsOf(contract)
    const lines = stringifyJson(contract, 1).split('\n')
    const place = Number(/^openapi\.yaml:(\d+):/.exec(problem)?.[1]) - 1
    expect(place).toBeGreaterThan(lines.findIndex((each) => each.includes('"components"')))
  })

  it('that refers to nothing where the linter does not look is refused with its place', async () => {
    const problems = await problemsOf(
      contractWith({}, { 'x-unmatched-responses': { 404: { $ref: '#/components/responses/Gone' } } }),
    )
    expect(problems).toEqual([
      expect.stringMatching(/^openapi\.yaml:\d+:\d+: the reference #\/components\/responses\/Gone leads to nothing$/),
    ])
  })

  it.each(['#/components/headers/None', '', 'none.yaml'])(
    'that refers to %j deep in an extension of this project is refused with its place',
    async ($ref) => {
      const unmatched = { 404: { description: 'None.', headers: { 'X-None': { $ref } } } }
      expect(await problemsOf(contractWith({}, { 'x-unmatched-responses': unmatched }))).toEqual([
        expect.stringMatching(new RegExp(`^openapi\\.yaml:\\d+:\\d+: the reference ${$ref} leads to nothing$`)),
      ])
    },
  )

  it('that lacks the schema of failures is refused with all that it must have', async () => {
    const { components, ...rest } = contractWith({ responses: { 204: { description: 'Done.' } } })
    const problems = await problemsOf({ ...rest, components: { ...components, schemas: {} } })
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(
      /must have a message, a string, and an error, an enum of 40000 malformed_body, .*50300 /,
    )
  })

  it.each([
    { 405: { description: 'No.', content: null } },
    { 405: { description: 'No.', headers: null } },
    { 405: { description: 'No.', content: { 'application/json': null } } },
    { 405: {} },
    { 405: null },
    [],
    { 405: { $ref: 'x' } },
  ])('x-unmatched-responses is refused as %j', async (unmatched) => {
    const problems = await problemsOf(contractWith({}, { 'x-unmatched-responses': unmatched }))
    expect(problems.join('\n')).toMatch(/^openapi\.yaml:\d+:\d+: (?:x-unmatched-responses: must hold|the reference x )/)
  })

  it('is reported with all other faults in one run, a fault of the structure of a schema too', async () => {
    const problems = await problemsOf(
      contractOf(
        {
          '/livez': { get: { operationId: 'a', responses: noContent } },
          '/a/{id}': {
            trace: { operationId: 'b', responses: noContent },
            get: {
              operationId: 'a',
              parameters: [{ ...query('c', text), in: 'cookie' }, query('d', { type: 'integer', default: 'e' })],
              responses: { 204: { description: 'Done.' } },
            },
          },
        },
        {
          servers: [{ url: 'https://{host}/' }],
          components: {
            schemas: {
              Self: { allOf: [{ $ref: '#/components/schemas/Self' }] },
              Text: { type: 'string', format: 'plant', nullable: true, example: 5 },
              Bounded: { type: 'integer', minimum: 1, exclusiveMinimum: true },
            },
          },
        },
      ),
    )
    for (const because of [
      /\/livez is a path of the service itself/,
      /trace: TRACE would answer/,
      /operationId a: is used more than once/,
      /the path parameter id is not described/,
      /in: cookies are not read/,
      /the default must be an integer/,
      /url: server variables are not supported/,
      /the schema refers to itself for the same value/,
      /format: plant is a format that nobody validates/,
      /nullable: is a word of OpenAPI 3\.0/,
      /Expected type `number` but got `boolean`/,
    ]) {
      expect(
        problems.filter((problem) => because.test(problem)),
        problems.join('\n'),
      ).toHaveLength(1)
    }
  })

  it('that is no word is refused', async () => {
    expect((await problemsOf(contractWith({ sumary: 'A typo.' }))).join()).toMatch(
      /sumary is no word of an? operation$/,
    )
  })

  it('named x-… is taken', async () => {
    expect(await problemsOf(contractWith({ 'x-note': { any: 'thing' } }))).toEqual([])
  })
})

describe('each field of OpenAPI that is enforced', () => {
  let server: Awaited<ReturnType<typeof serve>>
  const finishes: (() => unknown)[] = []
  beforeAll(async () => {
    server = await serve(served, Object.fromEntries(handlers), {}, (finish) => void finishes.unshift(finish))
    return async () => {
      for (const finish of finishes) await finish()
    }
  })

  it.each(Object.keys(enforced))('%s', async (row) => {
    for (const { send: line, to, headers = {}, body, text: expected, has = {} } of enforced[row] ?? []) {
      const [method, url = ''] = line.split(' ')
      const sent = Object.entries(headers).map(([name, value]) => [name, value.replace('TOKEN', server.token)])
      const response = await server.send({
        // Each line begins with one of them.
        method: method as 'GET',
        url,
        headers: Object.fromEntries(sent) as Record<string, string>,
        ...(body === undefined ? {} : { body }),
      })
      expect(response, line).toMatchObject({ status: to, headers: has })
      if (typeof expected === 'string') expect(response.text, line).toBe(expected)
      if (expected instanceof RegExp) expect(response.text, line).toMatch(expected)
    }
  })
})

it('pages of other origins may send the headers of the contract and read those of its replies', async () => {
  const origin = 'https://things.example'
  const { send } = await serve(served, Object.fromEntries(handlers), { corsOrigins: [origin] })
  const preflight = await send({
    method: 'OPTIONS',
    url: '/things',
    headers: { origin, 'access-control-request-method': 'GET' },
  })
  expect(preflight.headers['access-control-allow-headers']).toMatch(/X-Key.*X-Numbers/)
  expect(preflight.headers['access-control-allow-methods']).toBe('GET, PUT, POST, DELETE, PATCH')
  const { headers } = await send({ method: 'GET', url: '/replies?as=good', headers: { origin } })
  expect(headers['access-control-expose-headers']).toMatch(/X-Count.*X-Mark/)
})
