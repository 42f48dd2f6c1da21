import { lookUp, parseJsonWithBigInts, stringifyJson } from 'fastify-contract/json'
import { describe, expect, it } from 'vitest'
import { readCheckedContract } from '../src/model/read-contract.ts'
import { contractOf, contractWith, failures, json, noContent, serve, withSchema } from './contracts.ts'

const text = { type: 'string' }
const integer = { type: 'integer' }
const to = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const named = (...schemas: unknown[]) => ({
  components: { schemas: Object.fromEntries(schemas.map((each, index) => [`S${String(index)}`, each])) },
})
const old = (contract: object, version = '3.0.3') => ({ ...contract, openapi: version })
const query = (name: string, schema: object, more: object = {}) => ({ name, in: 'query', schema, ...more })
const secured = { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } }
const getThings = (operation: object) => ({ paths: { '/things': { get: operation } } })
const withPath = (path: string, operation: object, item: object = {}) =>
  contractOf({ [path]: { ...item, get: { operationId: 'a', responses: noContent, ...operation } } })
const ofValue = (value: object) => ({
  paths: { '/things': { post: { requestBody: { content: json({ properties: { value } }) } } } },
})
const ofThings = '#/paths/~1things/get'
const id = { name: 'id', in: 'path', required: true, schema: text }

async function adopted(contract: object) {
  const { document, written, warnings } = await readCheckedContract(
    Buffer.from(stringifyJson(contract, 1)),
    'openapi.yaml',
  )
  expect(written).toEqual(contract)
  return {
    document: document as object,
    warnings: warnings.map((line) => line.replace(/^openapi\.yaml:\d+:\d+: warning: /, '')),
  }
}

const bytes = { ...text, format: 'binary' }
const orNull = { type: ['string', 'null'] }
const bounded = { ...integer, minimum: 1, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false }

/** Schemas S0, S1 and so on as they are written and as they are served, the warnings about them, and the version. */
const schemaCases: [
  title: string,
  version: string,
  ...[written: unknown[], served: object[], ...warnings: RegExp[]][],
][] = [
  [
    'writes the schema true, or false, as an object',
    '3.1.0',
    [
      [true, false],
      [{}, { not: {} }],
    ],
  ],
  [
    'reads OpenAPI 3.0 as 3.1',
    '3.0.3',
    [[{ ...text, nullable: true }], [orNull]],
    [[{ ...text, nullable: false }], [text]],
    [[{ ...text, nullable: true, enum: ['a'], default: null }], [{ ...orNull, enum: ['a', null], default: null }]],
    [
      [{ ...to('S1'), nullable: true, description: 'A.', readOnly: true }, text],
      [{ description: 'A.', anyOf: [to('S1'), { type: 'null' }] }, text],
      /^OpenAPI 3\.0 ignores readOnly beside \$ref; write both into allOf$/,
    ],
    [
      [{ nullable: true, allOf: [to('S1')], title: 'T' }, text],
      [{ title: 'T', anyOf: [{ allOf: [to('S1')] }, { type: 'null' }] }, text],
    ],
    [[{ oneOf: [{ ...text, nullable: true }], nullable: true }], [{ anyOf: [{ oneOf: [orNull] }, { type: 'null' }] }]],
    [[bounded], [{ ...integer, exclusiveMinimum: 1, maximum: 9 }]],
    [
      [{ ...to('S1'), maxLength: 3, default: 'a' }, text],
      [to('S1'), text],
      /^OpenAPI 3\.0 ignores maxLength beside \$ref/,
      /^OpenAPI 3\.0 ignores default beside \$ref/,
    ],
    [
      [{ type: 'object', properties: { example: { ...text, nullable: true, example: 'a' }, nullable: text } }],
      [{ type: 'object', properties: { example: { ...orNull, example: 'a' }, nullable: text } }],
    ],
    [
      [{ type: 'array', nullable: true, enum: ['a'], items: { ...text, enum: ['a'] } }],
      [{ type: ['array', 'null'], enum: [null], items: { ...text, enum: ['a'] } }],
      /^enum: "a" is not of the type array, so that nothing is valid; correct it \(openapi\.yaml:/,
    ],
    [[{ ...integer, exclusiveMaximum: true }], [integer], /^exclusiveMaximum: true limits nothing without maximum/],
    [
      [{ ...text, format: 'byte' }, bytes],
      [{ ...text, format: 'byte' }, bytes],
    ],
  ],
  [
    'reads a string of bytes as binary',
    '3.1.0',
    [
      [{ contentMediaType: 'image/png' }, { ...text, contentMediaType: 'application/octet-stream' }],
      [bytes, bytes],
    ],
    [
      [
        { ...text, contentMediaType: 'application/json' },
        { ...text, contentMediaType: 'image/png', contentEncoding: 'base64' },
      ],
      [text, text],
      /^contentMediaType: the content of a string is not parsed; use description \(and 1 more\)$/,
      /^contentEncoding: /,
    ],
  ],
  [
    'reads nullable in OpenAPI 3.1 as it is meant',
    '3.1.0',
    [[{ ...text, nullable: true }], [orNull], /^nullable: is a keyword of OpenAPI 3\.0/],
  ],
  [
    'reads boolean bounds in OpenAPI 3.1 as they are meant',
    '3.1.0',
    [
      [bounded],
      [{ ...integer, exclusiveMinimum: 1, maximum: 9 }],
      /^exclusiveMinimum: is true or false only in OpenAPI 3\.0; write the number of minimum here, without minimum$/,
      /^exclusiveMaximum: is true or false only in OpenAPI 3\.0; remove it$/,
    ],
    [
      [{ ...integer, exclusiveMaximum: true }],
      [integer],
      /^exclusiveMaximum: true limits nothing without maximum; write the number$/,
    ],
  ],
  [
    'reads integers beyond 2^53 as int64 or uint64, or as numbers',
    '3.1.0',
    [
      [
        { ...integer, format: 'int', maximum: 18446744073709551615n },
        { ...integer, minimum: -9 },
      ],
      [
        { ...integer, format: 'uint64', maximum: 18446744073709551615n },
        { ...integer, minimum: -9 },
      ],
      /^maximum: exceeds ±\(2\^53 − 1\), so the integer is read as uint64; add format: uint64$/,
    ],
    // What JavaScript prints for the ends of int64 and uint64.
    [
      [
        { ...integer, minimum: -9223372036854776000n, maximum: 9223372036854776000n },
        { ...integer, minimum: 0, maximum: 18446744073709552000n },
        { ...integer, exclusiveMinimum: -1, exclusiveMaximum: 18446744073709551616n },
      ],
      [{ format: 'int64' }, { format: 'uint64' }, { format: 'uint64', exclusiveMaximum: 18446744073709551616n }],
      / so the integer is read as int64; add format: int64 \(and 2 more\)$/,
    ],
    [
      [
        { ...integer, maximum: 18446744073709551616n },
        { type: ['integer', 'null'], minimum: -1, maximum: 18446744073709551615n },
        { ...integer, enum: [36893488147419103232n] },
      ],
      [
        { type: 'number', multipleOf: 1 },
        { type: ['number', 'null'], multipleOf: 1 },
        { type: 'number', enum: [36893488147419103232n] },
      ],
      /^maximum: is beyond int64 and uint64, so the integer is read as a number, which may .* \(and 2 more\)$/,
    ],
    [[{ ...integer, enum: [9007199254740993n] }], [{ format: 'int64' }], /^enum: exceeds/],
    [
      [{ ...integer, allOf: [to('S2')] }, { allOf: [integer, to('S2')] }, { ...integer, format: 'int64' }],
      [{ format: 'int64' }, { allOf: [{ format: 'int64' }, to('S2')] }, {}],
      /^type: another schema of the value is int64, so the integer is read as int64; add .*int64 \(and 1 more\)$/,
    ],
  ],
  [
    'removes constants that are not of the type beside them',
    '3.1.0',
    [
      [
        { ...text, const: 1 },
        { ...text, enum: ['a', 1.1, 2, null], 'x-enum-varnames': ['A', 'B', 'C', 'D'] },
        { type: ['integer', 'null'], enum: [1, null, 'a'] },
      ],
      [{ enum: [] }, { enum: ['a'], 'x-enum-varnames': ['A'] }, { enum: [1, null] }],
      /^const: 1 is not of the type string, so that nothing is valid; put it in quotes \(/,
      /^enum: 1\.1, 2, null are not of the type string, and are ignored; put them in quotes \(.* \(and 1 more\)$/,
    ],
  ],
  [
    'declares what is required in the schema itself, with any value',
    '3.1.0',
    [
      [
        { type: 'object', required: ['b'], properties: { a: text } },
        { oneOf: [{ required: ['c'], properties: { a: text } }] },
      ],
      [{ properties: { a: text, b: {} } }, { oneOf: [{ properties: { a: text, c: {} } }] }],
    ],
  ],
]

/** Members that are written, and not served. */
const dropped = ['nullable', 'exclusiveMaximum', 'maxLength', 'contentMediaType', 'const']

/** Contracts, the warnings about them, a part of what is served, and references to what is not. */
const cases: Record<string, [contract: object, warnings: RegExp[], served: object, gone?: string[]][]> = {
  'reads OpenAPI 3.2 as 3.1': [
    [
      old(
        contractWith({
          parameters: [query('a', text, { examples: { one: { dataValue: 'a', serializedValue: 'a' } } })],
        }),
        '3.2.0',
      ),
      [],
      {
        openapi: '3.1.0',
        ...getThings({ parameters: [{ examples: { one: { value: 'a', serializedValue: 'a' } } }] }),
      },
    ],
  ],
  'names an operation by its route': [
    [
      withPath('/pets/{id}', { operationId: undefined, parameters: [id] }),
      [],
      { paths: { '/pets/{id}': { get: { operationId: 'GET /pets/{id}' } } } },
    ],
    [withPath('/a', { operationId: '' }), [], { paths: { '/a': { get: { operationId: 'GET /a' } } } }],
    [
      withPath('/a', { operationId: 'GET /b' }),
      [/^operationId: "GET \/b" is not a name/],
      { paths: { '/a': { get: { operationId: 'GET /a' } } } },
    ],
    [
      contractOf({
        '/a': { get: { operationId: 'x', responses: noContent } },
        '/b': { get: { operationId: 'x', responses: noContent } },
      }),
      [/^operationId: "x" names several operations; .*'GET \/a', or choose another name \(and 1 more\)$/],
      { paths: { '/a': { get: { operationId: 'GET /a' } }, '/b': { get: { operationId: 'GET /b' } } } },
    ],
    [
      contractOf({ '/a': { get: { responses: noContent } }, '/b': { $ref: '#/paths/~1a' }, 'x-note': {} }),
      [],
      { paths: { '/a': { get: { operationId: 'GET /a' } }, '/b': { get: { operationId: 'GET /b' } } } },
    ],
  ],
  'gives an operation the parameters that a request can have': [
    [
      withPath(
        '/a/{id}',
        { parameters: [query('id', text)] },
        { parameters: [query('id', integer), query('b', text)] },
      ),
      [/^GET \/a\/\{id\}: the path parameter id is not declared, and is read as a string; add it$/],
      { paths: { '/a/{id}': { get: { parameters: [query('id', text), query('b', text), id] } } } },
    ],
    [
      withPath('/a/{id}', { parameters: [{ ...id, required: false }] }),
      [/^the path parameter id is part of the path, and is required; add required: true$/],
      { paths: { '/a/{id}': { get: { parameters: [id] } } } },
    ],
    [
      contractWith({ parameters: [{ name: 'authorization', in: 'header', schema: text }, query('a', text)] }),
      [/^the header parameter authorization is ignored by OpenAPI; use media types or security schemes$/],
      getThings({ parameters: [query('a', text)] }),
    ],
    [
      contractWith(
        { parameters: [{ $ref: '#/components/parameters/Key' }], security: [{ key: [] }] },
        {
          components: {
            parameters: { Key: { name: 'X-Key', in: 'header', schema: text } },
            securitySchemes: {
              bearer: { type: 'http', scheme: 'bearer' },
              key: { type: 'apiKey', in: 'header', name: 'x-key' },
            },
          },
        },
      ),
      [/^the header parameter X-Key is an API key, which is read before the parameters; remove the parameter$/],
      getThings({ security: [{ key: [] }] }),
    ],
    [
      contractWith({ parameters: [{ name: 'a', in: 'query' }] }),
      [/^the query parameter a has no schema, and is read as a string/],
      getThings({ parameters: [query('a', text)] }),
    ],
    [
      old(
        contractWith(
          { parameters: [query('a', to('S0')), query('b', { ...to('S1'), nullable: true })] },
          named({ ...to('S1'), nullable: true }, { ...text, maxLength: 3 }),
        ),
      ),
      [],
      getThings({ parameters: [query('a', { ...text, maxLength: 3 }), query('b', { ...text, maxLength: 3 })] }),
    ],
    [
      contractWith(
        { parameters: [query('a', { type: ['string', 'null'], enum: ['b', null] }), query('c', to('S0'))] },
        named({ type: 'array', items: { anyOf: [text, { type: 'null' }] } }),
      ),
      [],
      {
        ...getThings({
          parameters: [query('a', { ...text, enum: ['b'] }), query('c', { type: 'array', items: { anyOf: [text] } })],
        }),
        ...named({ items: { anyOf: [text, { type: 'null' }] } }),
      },
    ],
  ],
  'gives an operation the responses that a handler can return': [
    [
      contractWith({ responses: { 100: { description: 'Go on.' }, '1XX': { description: 'Wait.' }, ...noContent } }),
      [/^GET \/things: 100 precedes the response, and no handler returns it; remove it \(and 1 more\)$/],
      getThings({ responses: noContent }),
      [`${ofThings}/responses/100`, `${ofThings}/responses/1XX`],
    ],
    [
      contractWith({
        responses: {
          '4xx': { description: 'No.' },
          'x-note': {},
          204: { description: 'Done.', content: {} },
          ...failures,
        },
      }),
      [/^GET \/things: 4xx is read as 4XX; write 4XX$/],
      getThings({ responses: { '4XX': { description: 'No.' }, ...noContent } }),
      [`${ofThings}/responses/4xx`, `${ofThings}/responses/x-note`, `${ofThings}/responses/204/content`],
    ],
    [
      contractWith(
        { responses: { 204: { $ref: '#/components/responses/R' }, ...failures } },
        { components: { responses: { R: { description: 'R.', content: json(text) } } } },
      ),
      [/^GET \/things: 204 has no content in HTTP/],
      {
        ...getThings({ responses: { 204: { description: 'R.' } } }),
        components: { responses: { R: { content: json(text) } } },
      },
      [`${ofThings}/responses/204/content`],
    ],
    [
      contractWith({
        responses: {
          200: {
            description: 'Done.',
            headers: { 'Content-Length': { schema: integer }, 'a b': {}, A: { schema: { type: 'boolean' } }, B: {} },
          },
          ...failures,
        },
      }),
      [
        /^the header Content-Length is set by the server/,
        /^the header a b is not a header name/,
        /^schema: a header is sent as text/,
        /^the header B has no schema, and is any text; add one/,
      ],
      getThings({
        responses: { 200: { description: 'Done.', headers: { A: { schema: text }, B: { schema: text } } } },
      }),
      [`${ofThings}/responses/200/headers/Content-Length`, `${ofThings}/responses/200/headers/a b`],
    ],
  ],
  'reads media types that are malformed without what is wrong': [
    [
      contractWith({
        responses: {
          200: { description: 'A.', content: { 'text/plain; utf-8': { schema: text }, gzip: {} } },
          ...failures,
        },
      }),
      [/^content: text\/plain; utf-8 is not a media type, and is read as text\/plain \(and 1 more\)$/],
      getThings({ responses: { 200: { content: { 'text/plain': { schema: text } } } } }),
      [`${ofThings}/responses/200/content/gzip`],
    ],
  ],
  'serves paths that differ by the names of their parameters as one': [
    [
      contractOf(
        {
          '/a/{id}/{b}': { parameters: [query('c', text)], get: { operationId: 'a', responses: noContent } },
          '/a/{name}/{b}': {
            parameters: [{ ...id, name: 'name' }, { $ref: '#/components/parameters/B' }],
            put: { responses: noContent },
          },
        },
        { components: { parameters: { B: { ...id, name: 'b', schema: integer } } } },
      ),
      [
        /^GET \/a\/\{id\}\/\{b\}: the path parameter id is not declared, and is read as a string; add it$/,
        /^PUT \/a\/\{name\}\/\{b\}: is the same route as \/a\/\{id\}\/\{b\}; use its parameter names$/,
      ],
      {
        paths: {
          '/a/{id}/{b}': {
            get: { operationId: 'a', parameters: [query('c', text), id, { ...id, name: 'b' }] },
            put: { operationId: 'PUT /a/{id}/{b}', parameters: [id, { ...id, name: 'b', schema: integer }] },
          },
        },
      },
      ['#/paths/~1a~1{name}~1{b}'],
    ],
  ],
  'names the security schemes that are given by URI': [
    [
      contractWith(
        { security: [{ 'https://things.example/api#/components/securitySchemes/a~1b': [] }] },
        {
          $self: 'https://things.example/api',
          security: [{ '#/components/securitySchemes/c': ['read'], '#/components/securitySchemes/d': [] }],
          components: {
            securitySchemes: {
              'a/b': { type: 'http', scheme: 'basic' },
              c: { type: 'http', scheme: 'bearer' },
              '#/components/securitySchemes/d': { type: 'apiKey', in: 'header', name: 'd' },
            },
          },
        },
      ),
      [],
      {
        security: [{ c: ['read'], '#/components/securitySchemes/d': [] }],
        paths: { '/things': { get: { security: [{ 'a/b': [] }] } } },
      },
    ],
  ],
  'asks for the scopes of a scheme that is given by name and by URI': [
    [
      contractWith(
        {
          security: [
            { c: ['read'], '#/components/securitySchemes/c': ['write', 'read'] },
            { '#/components/securitySchemes/c': [], c: ['own'] },
          ],
        },
        { security: [], components: { securitySchemes: { c: { type: 'http', scheme: 'bearer' } } } },
      ),
      [],
      { paths: { '/things': { get: { security: [{ c: ['read', 'write'] }, { c: ['own'] }] } } } },
    ],
  ],
  'gives a QUERY without a body one of any type': [
    [
      withPath('/a', {}, { query: { operationId: 'b', responses: noContent } }),
      [/^QUERY \/a: QUERY always has content in HTTP, and it may be of any type/],
      { paths: { '/a': { query: { requestBody: { required: true, content: { '*/*': {} } } } } } },
    ],
  ],
  'gives servers their defaults': [
    [
      contractWith(
        {},
        {
          servers: [
            { url: '{scheme}://{host}/{base}/v{n}', variables: { scheme: { default: 'https' }, n: { default: '2' } } },
          ],
        },
      ),
      [],
      { servers: [{ url: 'https://host/base/v2' }] },
    ],
    [
      contractWith(
        {},
        {
          servers: [
            ...['https://', 'https://a/%7Bb', 'Your URL', 'urn:x:y', 'C:\\x', 'ftp://a/b', 'localhost:80/b'].map(
              (url) => ({
                url,
              }),
            ),
            { url: '/{a}', variables: { a: { default: '{b}' } } },
            { url: '{scheme}://a/b', variables: { scheme: { default: 'ws' } } },
            { url: '//[::1]/v1' },
          ],
        },
      ),
      [
        /^url: https:\/\/ is no address of HTTP with a base path .*, and is left out; use one such as .* \(and 8 more\)$/,
      ],
      { servers: [{ url: '//[::1]/v1' }] },
    ],
    [
      contractWith({ servers: [{ url: 'urn:a:b' }] }, { servers: [{ url: '/v1' }] }),
      [/^url: urn:a:b is no address of HTTP/],
      { servers: [{ url: '/v1' }] },
      [`${ofThings}/servers`],
    ],
  ],
  'gives operations the servers of their path, unless they are those of the document': [
    [
      withPath('/a', {}, { servers: [{ url: 'https://{host}/v1', variables: { host: { default: 'b' } } }] }),
      [],
      { paths: { '/a': { get: { servers: [{ url: 'https://b/v1' }] } } } },
      ['#/paths/~1a/servers'],
    ],
    [
      withPath('/a', { servers: [{ url: '/v2' }] }, { servers: [{ url: '/v1' }] }),
      [],
      { paths: { '/a': { get: { servers: [{ url: '/v2' }] } } } },
      ['#/paths/~1a/servers'],
    ],
    [
      contractWith({ servers: [{ url: 'https://other.example/v1/' }] }, { servers: [{ url: '/v1' }] }),
      [],
      { servers: [{ url: '/v1' }] },
      [`${ofThings}/servers`],
    ],
  ],
  'makes each reference lead to a component': [
    [
      contractWith(
        { parameters: [query('a', { $ref: '#/x-schemas/A' })] },
        { 'x-schemas': { A: { type: 'array', items: { $ref: '#/x-schemas/B~1c' } }, 'B/c': text } },
      ),
      [/^\$ref: #\/x-schemas\/A is not a component; move it to components \(and 1 more\)$/],
      {
        ...getThings({ parameters: [query('a', to('x-schemas.A'))] }),
        components: {
          schemas: { 'x-schemas.A': { type: 'array', items: to('x-schemas.B_c') }, 'x-schemas.B_c': text },
        },
      },
    ],
    [
      contractOf({
        '/a': {
          get: { responses: { 200: { description: 'A.' } } },
          put: { responses: { 200: { $ref: '#/paths/~1a/get/responses/200' } } },
        },
      }),
      [/^\$ref: #\/paths\/~1a\/get\/responses\/200 is not a component/],
      { components: { responses: { 'paths._a.get.responses.200': { description: 'A.' } } } },
    ],
    // The reference leads to what is written, and the first parameter is dropped.
    [
      contractOf({
        '/a': {
          get: { parameters: [{ name: 'Accept', in: 'header', schema: text }, query('a', text)], responses: noContent },
        },
        '/b': { get: { parameters: [{ $ref: '#/paths/~1a/get/parameters/1' }], responses: noContent } },
      }),
      [
        /^the header parameter Accept is ignored by OpenAPI/,
        /^\$ref: #\/paths\/~1a\/get\/parameters\/1 is not a component/,
      ],
      { components: { parameters: { 'paths._a.get.parameters.1': query('a', text) } } },
    ],
  ],
  'serves a path item of the components, beside a webhook that refers to it': [
    [
      {
        openapi: '3.1.0',
        info: { title: 'Things', version: '1.0.0' },
        components: { pathItems: { A: { parameters: [id], get: { responses: { '4xx': { description: 'No.' } } } } } },
        paths: { '/a/{id}': { $ref: '#/components/pathItems/A' } },
        security: [],
        webhooks: { changed: { $ref: '#/components/pathItems/A' } },
      },
      [/^GET \/a\/\{id\}: 4xx is read as 4XX/],
      { paths: { '/a/{id}': { get: { parameters: [id], responses: { '4XX': {} } } } } },
    ],
  ],
  'follows references by identifiers and anchors': [
    [
      {
        ...contractWith({
          parameters: [query('a', { $ref: 'https://things.example/api.yaml#/components/schemas/S0' })],
          responses: { 204: noContent[204] },
        }),
        ...{
          $self: 'https://things.example/api.yaml',
          components: { ...secured, ...named(text, { $ref: './api.yaml#/components/schemas/S0' }).components },
        },
      },
      [],
      { ...getThings({ parameters: [query('a', to('S0'))] }), components: { schemas: { S1: to('S0') } } },
    ],
    [
      contractWith(
        { parameters: [query('a', { $ref: 'https://things.example/a' }), query('b', { $ref: '#B' })] },
        named(
          { $id: 'https://things.example/a', type: 'array', items: { $ref: '#/$defs/Item' }, $defs: { Item: text } },
          { ...integer, $anchor: 'B' },
          { $dynamicAnchor: 'C', type: 'object', properties: { c: { $dynamicRef: '#C' } } },
        ),
      ),
      [],
      {
        ...getThings({ parameters: [query('a', to('S0')), query('b', to('S1'))] }),
        components: {
          schemas: {
            S0: { type: 'array', items: to('S0._defs.Item') },
            S1: integer,
            S2: { properties: { c: to('S2') } },
            'S0._defs.Item': text,
          },
        },
      },
    ],
  ],
  'declares what is required, with any value': [
    [
      withSchema({ allOf: [to('S0'), { required: ['b'] }] }, { S0: { type: 'object', properties: { a: text } } }),
      [/^required: b is not declared, and may have any value; add it to the properties$/],
      ofValue({ allOf: [to('S0'), { properties: { b: {} } }] }),
    ],
    [
      withSchema(
        { required: ['b'], oneOf: [{ properties: { a: text } }, to('S0')] },
        { S0: { properties: { a: text } } },
      ),
      [/^required: b is not declared/],
      ofValue({ properties: { b: {} }, oneOf: [{ properties: { a: text } }, to('S0')] }),
    ],
  ],
}

describe('adopting a contract', () => {
  for (const [title, version, ...rows] of schemaCases) {
    it(title, async () => {
      for (const [written, served, ...warnings] of rows) {
        const { document, warnings: found } = await adopted(old(contractWith({}, named(...written)), version))
        expect(found).toEqual(warnings.map((warning) => expect.stringMatching(warning) as string))
        expect(document).toMatchObject({ openapi: '3.1.0', ...named(...served) })
        for (const [index, schema] of served.entries()) {
          const left = Object.keys(lookUp(document, `#/components/schemas/S${String(index)}`) as object)
          expect(left.filter((name) => dropped.includes(name) && !(name in schema))).toEqual([])
        }
      }
    })
  }

  for (const [title, contracts] of Object.entries(cases)) {
    it(title, async () => {
      for (const [contract, warnings, served, gone = []] of contracts) {
        const { document, warnings: found } = await adopted(contract)
        expect(found).toEqual(warnings.map((warning) => expect.stringMatching(warning) as string))
        expect(document).toMatchObject(served)
        expect(gone.filter((reference) => lookUp(document, reference) !== undefined)).toEqual([])
      }
    })
  }
})

describe('a contract of OpenAPI 3.0', () => {
  const Thing = {
    type: 'object',
    required: ['id', 'kind'],
    properties: {
      id: { type: 'integer', format: 'int64', minimum: 0, exclusiveMinimum: true },
      kind: { type: 'string', enum: ['a', 'b'], nullable: true },
      part: { $ref: '#/components/schemas/Thing', nullable: true },
      size: { type: 'number', format: 'decimal', xml: { attribute: true }, example: 'large' },
      data: { type: 'string', format: 'byte', pattern: '^(?=a)' },
      code: { type: 'string', pattern: String.raw`^\w+\s$` },
    },
  }
  const contract = {
    openapi: '3.0.4',
    info: { title: 'Things', version: '1.0.0' },
    paths: {
      '/things/{id}': {
        put: {
          parameters: [{ name: 'tag', in: 'query', schema: { type: 'string', nullable: true } }],
          requestBody: { content: json(to('Thing')) },
          responses: { 200: { description: 'The thing.', content: json(to('Thing')) }, '4xx': { description: 'No.' } },
        },
      },
    },
    components: { schemas: { Thing } },
  }

  it('is enforced as OpenAPI 3.0 defines it, and shown unchanged', async () => {
    const send = await serve(contract, {
      'PUT /things/{id}': ({ path, body }: { path: { id: string }; body: object }) =>
        path.id === 'same' ? { status: 200, body } : { status: 200, body: { ...body, kind: 'c' } },
    })
    const put = (thing: string, url = '/things/same?tag=null') => send({ method: 'PUT', url, body: thing })
    for (const thing of [
      '{"id":9007199254740993,"kind":null}',
      '{"id":1,"kind":"a","part":null}',
      '{"id":1,"kind":"b","part":{"id":2,"kind":null},"size":1.5,"data":"YWJj","code":"a\u00a0"}',
    ]) {
      const response = await put(thing)
      expect(response).toMatchObject({ status: 200 })
      expect(parseJsonWithBigInts(response.text)).toEqual(parseJsonWithBigInts(thing))
    }
    for (const thing of [
      '{"id":0,"kind":"a"}',
      '{"id":1,"kind":"c"}',
      '{"id":1}',
      '{"id":1,"kind":"a","part":{}}',
      '{"id":1,"kind":"a","data":"*"}',
      '{"id":1,"kind":"a","code":"-"}',
    ])
      expect(await put(thing), thing).toMatchObject({ status: 400 })
    expect(await put('{"id":1,"kind":"a"}', '/things/other')).toMatchObject({ status: 500 })
    const { text: shown } = await send({ method: 'GET', url: '/openapi.json' })
    expect(JSON.parse(shown)).toEqual(contract)
  })
})
