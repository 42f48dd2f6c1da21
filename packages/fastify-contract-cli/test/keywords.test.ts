import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringifyJson } from 'fastify-contract/json'
import { describe, expect, it } from 'vitest'
import { writeTypes } from '../src/generate/write-types.ts'
import { readCheckedContract } from '../src/model/read-contract.ts'
import type { Kind } from '../src/model/table/keyword.ts'

import { heldBy, keywords } from '../src/model/table/table.ts'
import { rootOf, visit } from '../src/model/visit.ts'
import { formats } from '../src/model/table/schema.ts'
import {
  contractOf,
  contractWith,
  failures,
  json,
  noContent,
  problemsOf,
  serve,
  warningsOf,
  withSchema,
} from './contracts.ts'
import { enforcedFields } from './requests.ts'
import { accepted, enforcedKeywords, otherSchemas, schemas, unsatisfiable } from './schemas.ts'

const text = { type: 'string' }
const int64 = { type: 'integer', format: 'int64' }
const query = (name: string, schema: object, more: object = {}) => ({ name, in: 'query', schema, ...more })
const list = (items: object) => ({ type: 'array', items })
const id = { name: 'id', in: 'path', required: true, schema: int64 }
const kindOf = (kind: string) => ({ type: 'object', required: ['kind'], properties: { kind: { const: kind } } })

const withParameter = (parameter: object) =>
  contractWith({ parameters: [{ name: 'a', in: 'query', schema: text, ...parameter }] })
const withResponse = (response: object) =>
  contractWith({ responses: { 200: { description: 'Done.', ...response }, ...failures } })
const jsonOf = (schema: object) => ({ ...text, contentMediaType: 'application/json', contentSchema: schema })
const eventOf = (properties: object) => ({ type: 'object', properties })
const toEvent = { $ref: '#/components/schemas/Event' }
const ofEvents = { 'text/event-stream': { itemSchema: toEvent } }
const withEvents = (properties: object) =>
  withResponse({ content: { 'text/event-stream': { itemSchema: eventOf(properties) } } })
const withHeader = (header: object) => withResponse({ headers: { 'X-Mark': { schema: text, ...header } } })
const withBody = (requestBody: object) =>
  contractOf({ '/things': { post: { operationId: 'createThing', requestBody, responses: noContent } } })
const withItem = (item: object) =>
  contractOf({ '/things': { get: { operationId: 'listThings', responses: noContent }, ...item } })
const withPath = (path: string, more: object = {}) =>
  contractOf({ [path]: { get: { operationId: 'a', responses: noContent, ...more } } })
const withComponents = (components: Record<string, unknown>, operation: object = {}) =>
  contractWith(operation, { components })
const info = { title: 'Things', version: '1.0.0' }
const withScheme = (bearer: object) => contractWith({}, { components: { securitySchemes: { bearer } } })
const ofSchema = (schema: object) => withSchema(schema, schemas)
const whole = (more: object = {}) => ({ name: 'filter', in: 'querystring', content: json({}), ...more })
const wrong = { example: 5 }
const wrongOf = { examples: { one: { value: 5 } } }

const withForm = (encoding: object, type = 'multipart/form-data') =>
  withBody({
    content: { [type]: { schema: { type: 'object', properties: { a: { type: 'object' }, b: text } }, encoding } },
  })

const lostLink = (link: object) => ({ 200: { description: 'Done.', links: { next: link } } })
const toThings = (method: string) => `#/paths/~1things/${method}`
const lost = (target: string) =>
  new RegExp(
    `: the link leads to ${target.replaceAll(/[.#$/{}]/g, String.raw`\$&`)}, which is not an operation of the contract; correct the name, or remove the link$`,
  )

/** Contracts that are refused, each for one reason, by the keyword that it is about. */
const refused: [keyword: string, contract: object, because: RegExp][] = [
  ['link.operationId', withResponse({ links: { next: { operationId: 'listThing' } } }), lost('listThing')],
  ['link.operationId', withComponents({ links: { Next: { operationId: 'listThing' } } }), lost('listThing')],
  [
    'link.operationId',
    contractWith({ callbacks: { a: { '{$url}': { post: { responses: lostLink({ operationId: 'a' }) } } } } }),
    lost('a'),
  ],
  ['link.operationRef', withResponse({ links: { next: { operationRef: toThings('put') } } }), lost(toThings('put'))],
  [
    'link.operationRef',
    withResponse({ links: { next: { operationRef: '#/components/schemas/Error' } } }),
    lost('#/components/schemas/Error'),
  ],
  ['securityScheme.type', withScheme({ type: 'http' }), /type: http needs the member scheme; add it$/],
  ['securityScheme.type', withScheme({ type: 'apiKey', in: 'query' }), /type: apiKey needs the member name; add it$/],
  [
    'securityScheme.name',
    withScheme({ type: 'apiKey', in: 'header', name: 'X Key' }),
    /name: X Key is not a header name; use letters, digits and -$/,
  ],
  ['schema.oneOf', ofSchema({ oneOf: ['text'] }), /oneOf: has a member that is not a schema; write an object$/],
  [
    'schema.pattern',
    withSchema({ not: { $ref: '#/components/schemas/P' } }, { P: { pattern: '^(?=a)' } }),
    /pattern: \(\?= is lookaround, which .* not enforced; .*; without it, a schema of not would refuse valid values/,
  ],
  [
    'document.openapi',
    { ...contractWith({}), openapi: '4.0.0' },
    /openapi: "4\.0\.0" is not supported; use 3\.0, 3\.1 or/,
  ],
  [
    'document.openapi',
    { swagger: '2.0', info: { title: 'Things', version: '1' }, paths: {} },
    /swagger: "2\.0" is not supported; convert it: npx swagger2openapi --patch --outfile openapi\.yaml openapi\.yaml$/,
  ],
  ['document.paths', contractOf({}), /paths: no operation can be served; add one/],
  ['document.paths', withPath('/a#b'), /paths: no operation can be served; add one/],
  ...['\u001b[31m', '\u202e', '\u2066', '\ue000', '\u{e0001}'].map((text): (typeof refused)[number] => [
    'document.paths',
    withPath(`/a${text}`),
    /the path \/a.* must not contain control characters/,
  ]),
  [
    'parameter.example',
    contractWith({
      parameters: [{ name: 'a', in: 'query', schema: text, example: 'a', examples: { a: { value: 'a' } } }],
    }),
    /example: has no meaning beside examples; remove one of them/,
  ],
  [
    'parameter.in',
    contractWith({ parameters: [{ name: 'a', in: 'querry', schema: text }] }),
    /in: querry is not a place of parameters; did you mean query\?$/,
  ],
  [
    'server.variables',
    contractWith({}, { servers: [{ url: '/{a}', variables: { a: { default: 'a', enum: [] } } }] }),
    /variables: the enum of a is empty; name its values, or remove it/,
  ],
  [
    'document.paths',
    withPath('/{id}/{id}', { parameters: [id] }),
    /the path \/\{id\}\/\{id\} must not repeat a parameter/,
  ],
  [
    'document.paths',
    contractOf({
      '/{id}': { get: { operationId: 'a', parameters: [id], responses: noContent } },
      '/{name}': { get: { operationId: 'b', parameters: [{ ...id, name: 'name' }], responses: noContent } },
    }),
    /GET \/\{name\}: is the route \/\{id\}, which has the method too; choose another path$/,
  ],
  [
    'document.security',
    contractWith({}, { security: [{}, { bearer: [], none: [] }] }),
    /: security: none is not a security scheme; describe it in components\/securitySchemes, or correct the name$/,
  ],
  ['info.version', { ...contractWith({}), info: { title: 'Things' } }, /version: is missing; add it$/],
  ['info.title', { ...contractWith({}), info: { version: '1' } }, /title: is missing; add it$/],
  ['document.info', { ...contractWith({}), info: [] }, /info: is not an object; correct it$/],
  [
    'pathItem.$ref',
    contractOf({ ...contractWith({}).paths, '/a': { $ref: '#/paths/~1b' } }),
    /the reference #\/paths\/~1b leads to nothing; correct the name$/,
  ],
  ['operation.security', contractWith({ security: [{ bearer: ['a b'] }] }), /the scope "a b" is not valid/],
  [
    'operation.security',
    contractWith({ security: [{ none: [] }] }),
    /: security: none is not a security scheme; describe/,
  ],
  ...[null, { bearer: [] }, 'bearer'].flatMap((security): typeof refused => [
    [
      'operation.security',
      contractWith({ security }),
      /: security: is not a list; write one such as - bearer: \[\], or/,
    ],
    ['pathItem.security', withItem({ security }), /: security: is not a list; write one such as - bearer: \[\], or/],
    [
      'document.security',
      { ...contractWith({}), security },
      /: security: is not a list; write one such as - bearer: \[\]/,
    ],
  ]),
  ['operation.security', contractWith({ security: [null] }), /: security: has a member that is not an object; write/],
  ['operation.security', contractWith({ security: [{ '': [] }] }), /: security: "" is not a security scheme; describe/],
  [
    'pathItem.security',
    withItem({ security: [{ none: [] }], put: { operationId: 'putThings', responses: noContent } }),
    /:\d+:4: security: none is not a security scheme; describe/,
  ],
  [
    'pathItem.$ref',
    contractOf(
      {
        ...contractWith({}).paths,
        '/a': { $ref: '#/components/pathItems/A' },
      },
      { components: { pathItems: { A: { $ref: '#/components/pathItems/B', security: [] }, B: {} } } },
    ),
    /: OpenAPI ignores security beside \$ref; write out the object, or remove the member$/,
  ],
  [
    'parameter.$ref',
    withComponents({ parameters: { A: { $ref: '#/components/parameters/A' } } }),
    /the reference leads back to itself/,
  ],
  [
    'parameter.$ref',
    contractWith(
      { parameters: [{ $ref: '#/components/headers/A' }] },
      { components: { headers: { A: { schema: text } } } },
    ),
    /\$ref: #\/components\/headers\/A is not a parameter; refer to one in components\/parameters/,
  ],
  [
    'parameter.name',
    withParameter({ name: '__proto__' }),
    /name: JavaScript objects cannot have the name __proto__; choose/,
  ],
  [
    'parameter.name',
    withParameter({ name: 'X A', in: 'header' }),
    /name: X A is not a header name; use letters, digits and -/,
  ],
  ['parameter.in', withParameter({ in: 'qeury' }), /in: qeury is not a place of parameters; did you mean query\?$/],
  ['parameter.in', withParameter({ in: 'body' }), /in: body is not a place of parameters; use requestBody$/],
  ...(
    [
      [[whole({ content: undefined })], /in: querystring needs content with one media type; add it$/],
      [[whole({ schema: text })], /schema: has no meaning for a querystring, which its content describes; remove it$/],
      [
        [whole(), query('a', text)],
        /the querystring parameter filter is the whole query, and the query parameter a is beside it; remove one of them/,
      ],
      [
        [whole(), whole({ name: 'other' })],
        /the querystring parameter filter is the whole query, and the querystring parameter other is beside it; remove/,
      ],
    ] as const
  ).map(([parameters, because]): (typeof refused)[number] => ['parameter.in', contractWith({ parameters }), because]),
  [
    'parameter.in',
    contractWith(
      { parameters: [whole()], security: [{ key: [] }] },
      { security: [], components: { securitySchemes: { key: { type: 'apiKey', in: 'query', name: 'k' } } } },
    ),
    /the querystring parameter filter has no room for the API key k; use application\/x-www-form-urlencoded$/,
  ],
  ...(
    [
      ['POLL', /POLL is not a method that Node reads from a connection; use one of ACL, BIND, /],
      ['copy', /copy is not a method that Node reads from a connection; use COPY$/],
      ['POST', /POST has a field of its own; use post$/],
      ['QUERY', /QUERY has a field of its own; use query$/],
      ['TRACE', /TRACE has a field of its own; use trace$/],
      ['CONNECT', /CONNECT is not a method that Node reads from a connection; use one of/],
    ] as const
  ).map(([method, because]): (typeof refused)[number] => [
    'pathItem.additionalOperations',
    withItem({ additionalOperations: { [method]: { operationId: 'doThings', responses: noContent } } }),
    because,
  ]),
  [
    'pathItem.additionalOperations',
    contractOf(
      Object.fromEntries(
        ['id', 'name'].map((name) => [
          `/{${name}}`,
          {
            parameters: [{ ...id, name }],
            additionalOperations: { COPY: { operationId: `by ${name}`, responses: noContent } },
          },
        ]),
      ),
    ),
    /COPY \/\{name\}: is the route \/\{id\}, which has the method too; choose another path$/,
  ],
  [
    'responseContent.itemSchema',
    withResponse({ content: { 'application/json': { itemSchema: text } } }),
    /: itemSchema: application\/json is no sequence of items; use text\/event-stream, .*, or schema$/,
  ],
  [
    'responseContent.itemSchema',
    withResponse({ content: { 'application/jsonl': { itemSchema: text, schema: list(text) } } }),
    /: itemSchema: stands beside schema; remove one of them$/,
  ],
  [
    'responseContent.itemSchema',
    withEvents({ data: text, name: text }),
    /: name: is no field of an event; use event, data, id, retry$/,
  ],
  [
    'schema.contentSchema',
    withResponse({
      content: {
        'text/event-stream': { itemSchema: { oneOf: [eventOf({ data: text }), eventOf({ data: jsonOf({}) })] } },
      },
    }),
    /: data: the text of another event could be JSON of this one; use an object$/,
  ],
  [
    'schema.contentSchema',
    contractWith(
      { responses: { 200: { description: 'Events.', content: { ...ofEvents, ...json(list(toEvent)) } }, ...failures } },
      { components: { schemas: { Event: eventOf({ data: jsonOf({ type: 'object' }) }) } } },
    ),
    /: data: its schema is also used for other than events, where data is text; write one for events$/,
  ],
  [
    'requestContent.itemSchema',
    withBody({ content: { 'application/jsonl': { itemSchema: text } } }),
    /: itemSchema: the items of a request are not read one by one; use schema$/,
  ],
  ...['itemEncoding', 'prefixEncoding'].map((name): (typeof refused)[number] => [
    `responseContent.${name}`,
    withResponse({ content: { 'multipart/mixed': { [name]: {} } } }),
    /: the parts of such content are not served one by one; use schema$/,
  ]),
  [
    'requestContent.$ref',
    withBody({ content: { 'application/json': { $ref: '#/components/mediaTypes/A' } } }),
    /the reference #\/components\/mediaTypes\/A leads to nothing; correct the name$/,
  ],
  [
    'requestContent.$ref',
    withBody({ content: { 'application/json': { $ref: '#/components/schemas/Error' } } }),
    /\$ref: #\/components\/schemas\/Error is not a media type; refer to one in components\/mediaTypes$/,
  ],
  [
    'parameter.style',
    contractWith({ parameters: [{ name: 'a', in: 'cookie', style: 'cookie', schema: list(text) }] }),
    /style: cookie is not read for a list or an object; declare a text, or use form$/,
  ],
  ['document.$self', { ...contractWith({}), $self: '/openapi#a' }, /\$self: has a fragment; give the URI of the whole/],
  [
    'parameter.content',
    withParameter({ schema: undefined, content: { ...json({}), 'text/plain': {} } }),
    /content: must have one media type; remove the others/,
  ],
  [
    'response.$ref',
    contractWith({}, { 'x-unmatched-responses': { 404: { $ref: '#/components/responses/Gone' } } }),
    /the reference #\/components\/responses\/Gone leads to nothing; correct the/,
  ],
  [
    'callback.$ref',
    contractWith({ callbacks: { a: { $ref: '#/components/callbacks/A' } } }),
    /callbacks\/A leads to no/,
  ],
  [
    'securityScheme.type',
    withScheme({ type: 'mutualTLS' }),
    /security: bearer is of the type mutualTLS, which is not supported; use/,
  ],
  [
    'securityScheme.scheme',
    withScheme({ type: 'http', scheme: 'a b' }),
    /scheme: is not the name of an authentication scheme; correct it/,
  ],

  ['schema.$ref', ofSchema({ $ref: '#/components/responses/A' }), /leads to nothing/],
  ['schema.$ref', ofSchema({ $ref: '#/components/schemas/None' }), /leads to nothing/],
  [
    'schema.patternProperties',
    ofSchema({ not: { type: 'object', patternProperties: { '(?=a)': text } } }),
    /patternProperties: \(\?\S+ is lookaround, which .*; without it, a schema of not would refuse valid values/,
  ],
  [
    'schema.dependentRequired',
    ofSchema({ type: 'object', dependentRequired: { a: 'b' } }),
    /dependentRequired: is not an object of lists of names; correct it/,
  ],
  [
    'schema.$dynamicRef',
    ofSchema({ $dynamicRef: '#a', allOf: [{ $dynamicAnchor: 'a' }, { properties: { a: { $dynamicAnchor: 'a' } } }] }),
    /\$dynamicRef: several schemas have this dynamic anchor; use \$ref/,
  ],
  ['schema.type', ofSchema({ type: 'strin' }), /type: "strin" is not a type; use one of string, /],
  [
    'schema.enum',
    ofSchema({ type: 'integer', format: 'int64', enum: [1, 1e21] }),
    /enum: 1e\+21 is not exact; write out its digits/,
  ],
  [
    'schema.const',
    ofSchema({ const: 9007199254740993n }),
    /const: 9007199254740993 is not exact; add type: integer and format: int64/,
  ],
  ['schema.multipleOf', ofSchema({ type: 'number', multipleOf: 0 }), /multipleOf: must be greater than 0; correct it/],
  [
    'schema.properties',
    ofSchema({ properties: { ['__proto__']: {} } }),
    /properties: JavaScript objects cannot have the name __proto__; choose/,
  ],
]

const brokenExample = /: warning: the example must be a string, and is ignored; put it in quotes$/

/** Contracts that are taken with one warning, by the keyword that it is about. */
const warned: [keyword: string, contract: object, because: RegExp][] = [
  ...unsatisfiable.map(({ keyword, schema, because }): (typeof warned)[number] => [
    `schema.${keyword}`,
    ofSchema(schema),
    because,
  ]),
  // In an operation that is served, it is refused.
  ...[{ get: { parameters: [whole(), query('a', text)] } }, { parameters: [query('a', text), whole()] }].map(
    (A): (typeof warned)[number] => [
      `${'get' in A ? 'operation' : 'pathItem'}.parameters`,
      withComponents({ pathItems: { A } }),
      /the querystring parameter filter is the whole query, and the query parameter a is beside it; remove one of them$/,
    ],
  ),
  ...(
    [
      ['style', { style: 'form' }, /style: has no meaning for a querystring, which its content describes; remove it$/],
      [
        'explode',
        { explode: true },
        /explode: has no meaning for a querystring, which its content describes; remove it$/,
      ],
      [
        'content',
        { content: { 'text/plain': { schema: { type: 'object' } } } },
        /content: text\/plain is read as text; use type: string$/,
      ],
      [
        'content',
        { content: { 'application/x-www-form-urlencoded': { schema: text } } },
        /content: application\/x-www-form-urlencoded is an object; use type: object$/,
      ],
    ] as const
  ).map(([name, more, because]): (typeof warned)[number] => [
    `parameter.${name}`,
    contractWith({ parameters: [whole(more)] }),
    because,
  ]),
  ...(
    [
      [[{ name: 'a', parent: 'b' }], /tags: the parent b of a is not a tag; add it$/],
      [
        [
          { name: 'a', parent: 'b' },
          { name: 'b', parent: 'a' },
        ],
        /tags: a is its own parent; remove one of the parents$/,
      ],
    ] as const
  ).map(([tags, because]): (typeof warned)[number] => ['document.tags', contractWith({}, { tags }), because]),
  ...(
    [
      [{ value: 'a', dataValue: 'a' }, /dataValue: has no meaning beside value; remove one of them$/],
      [{ value: 'a', serializedValue: 'a' }, /serializedValue: has no meaning beside value; remove one of them$/],
      [
        { externalValue: 'a', serializedValue: 'a' },
        /externalValue: has no meaning beside serializedValue; remove one/,
      ],
      [{ dataValue: 5 }, brokenExample],
    ] as const
  ).map(([example, because]): (typeof warned)[number] => [
    'example.dataValue',
    withParameter({ examples: { a: example } }),
    because,
  ]),
  [
    'pathItem.query',
    withItem({ query: { operationId: 'findThings', responses: noContent } }),
    /: QUERY \/things: QUERY always has content in HTTP, and it may be of any type; describe it in requestBody$/,
  ],
  [
    'pathItem.query',
    withItem({ query: { operationId: 'findThings', requestBody: { content: json(text) }, responses: noContent } }),
    /: QUERY \/things: QUERY always has content in HTTP, and it is required; add required: true$/,
  ],
  [
    'parameter.allowEmptyValue',
    withParameter({ allowEmptyValue: true }),
    /allowEmptyValue: an empty value is validated like/,
  ],
  [
    'header.allowEmptyValue',
    withHeader({ allowEmptyValue: true }),
    /allowEmptyValue: an empty value is validated like/,
  ],
  ...['x-enum-varnames', 'x-enum-descriptions'].map((name): (typeof warned)[number] => [
    `schema.${name}`,
    ofSchema({ type: 'integer', enum: [1, 2, 3], [name]: ['one', 'two'] }),
    new RegExp(`${name}: has 2 entries for the 3 values of enum; write one for each value$`),
  ]),
  [
    'schema.maximum',
    ofSchema({ type: 'integer', maximum: 2n ** 64n }),
    /maximum: is beyond int64 and uint64, so the integer is read as a number, which may round it; change it, or use/,
  ],
  [
    'operation.responses',
    contractWith({ responses: {} }),
    /: GET \/things: declares no response, and may have any status/,
  ],
  [
    'schema.required',
    ofSchema({ type: 'object', required: ['b'], properties: { a: text }, additionalProperties: false }),
    /required: b is not declared, and may have any value; add it to the properties/,
  ],
  ...(
    [
      [
        'response.description',
        contractWith({ responses: { 204: {}, ...failures } }),
        /description: is missing; add it$/,
      ],
      ['info.license', { ...contractWith({}), info: { ...info, license: {} } }, /license: name is missing; add it$/],
      ['document.tags', contractWith({}, { tags: [{ name: 1 }] }), /tags: name is not text; put it in quotes$/],
      [
        'document.tags',
        contractWith({}, { tags: [{ name: 'a' }, { name: 'a' }] }),
        /tags: a is listed twice; remove one of them$/,
      ],
      ['operation.tags', contractWith({ tags: [1] }), /tags: 1 is not text; put it in quotes$/],
      [
        'operation.operationId',
        contractWith({ operationId: 123 }),
        /operationId: 123 is not text; .*, or write '123'$/,
      ],
      ['document.externalDocs', contractWith({}, { externalDocs: {} }), /externalDocs: url is missing; add it$/],
      ['operation.externalDocs', contractWith({ externalDocs: {} }), /externalDocs: url is missing; add it$/],
      ['schema.externalDocs', ofSchema({ ...text, externalDocs: {} }), /externalDocs: url is missing; add it$/],
      [
        'server.variables',
        contractWith({}, { servers: [{ url: '/{a}', variables: { a: {} } }] }),
        /variables: of a, default is missing; add it$/,
      ],
      [
        'discriminator.propertyName',
        ofSchema({ oneOf: [text], discriminator: { mapping: {} } }),
        /propertyName: is missing; add it$/,
      ],
      [
        'header.schema',
        withHeader({ schema: undefined }),
        /the header X-Mark has no schema, and is any text; add one$/,
      ],
      ...(
        [
          [{ type: 'oauth2' }, /type: oauth2 needs the member flows; add it$/],
          [{ type: 'openIdConnect' }, /type: openIdConnect needs the member openIdConnectUrl; add it$/],
          [{ type: 'oauth2', flows: { password: { scopes: {} } } }, /flows: of password, tokenUrl is missing; add it$/],
          [
            { type: 'oauth2', flows: { implicit: { authorizationUrl: '/' } } },
            /flows: of implicit, scopes is missing; add it, such as \{\}$/,
          ],
          [{ type: 'oauth2', flows: { implict: {} } }, /flows: implict is not a flow; did you mean implicit\?$/],
        ] as const
      ).map(([scheme, because]) => ['securityScheme.type', withScheme(scheme), because] as const),
    ] as const
  ).map(([name, contract, because]): (typeof warned)[number] => [name, contract, because]),
  [
    'document.jsonSchemaDialect',
    contractWith({}, { jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema' }),
    /jsonSchemaDialect: the dialect is always that of OpenAPI 3\.1; remove it/,
  ],
  [
    'document.servers',
    contractWith({}, { servers: [{ url: 'https://' }] }),
    /url: https:\/\/ is no address of HTTP with a base path that can be served, and is left out; use one such as https:/,
  ],
  [
    'document.security',
    { ...contractWith({}), security: undefined },
    /operation listThings: is public, because it has no security; add it, or secu/,
  ],
  [
    'server.url',
    contractWith({}, { servers: [{ url: '/a?b' }] }),
    /url: a server has neither query nor fragment; remove them/,
  ],
  ['components.parameters', withComponents({ parameters: { A: query('a', text, wrong) } }), brokenExample],
  ['components.requestBodies', withComponents({ requestBodies: { A: { content: json(text, wrong) } } }), brokenExample],
  [
    'pathItem.get',
    contractWith({ requestBody: { content: json({}) } }),
    /requestBody: GET has no body in HTTP, and it is not read; use parameters, or/,
  ],
  [
    'operation.operationId',
    withItem({ put: { operationId: 'listThings', responses: noContent } }),
    /operationId: "listThings" names several operations; the operation is named '/,
  ],
  [
    'operation.operationId',
    contractWith({ operationId: 'list\nThings' }),
    /operationId: "list\\nThings" is not a name; the operation is named 'GET \/thin/,
  ],
  [
    'operation.parameters',
    contractWith({ parameters: [query('a', text), query('a', text)] }),
    /the query parameter a is declared twice, and the first counts; remove the ot/,
  ],
  [
    'pathItem.security',
    withItem({ security: [{ bearer: [] }] }),
    /: security: of a path item is of OpenAPI 3\.3, and counts for its operations that have none; write it in each$/,
  ],
  [
    'operation.security',
    contractWith({ 'x-security': [{ bearer: [] }] }),
    /: x-security: is an extension, which limits no access; use security$/,
  ],
  ['operation.parameters', contractWith({ parameters: [id] }), /the path parameter id is not in the path; remove it/],
  [
    'operation.parameters',
    withPath('/{a}'),
    /GET \/\{a\}: the path parameter a is not declared, and is read as a string; add/,
  ],
  [
    'operation.responses',
    contractWith({ responses: { ...noContent, '4xx': { description: 'No.' } } }),
    /GET \/things: 4xx is read as 4XX; write 4XX/,
  ],
  [
    'operation.responses',
    contractWith({ responses: { 204: { description: 'Done.', content: json({}) }, ...failures } }),
    /GET \/things: 204 has no content in HTTP; remove the content, or use another /,
  ],
  [
    'parameter.$ref',
    withComponents(
      { parameters: { A: query('a', text) } },
      { parameters: [{ $ref: '#/components/parameters/A', required: true }] },
    ),
    /OpenAPI ignores required beside \$ref; write out the object, or remove the me/,
  ],
  [
    'parameter.name',
    withParameter({ name: 'Accept', in: 'header' }),
    /the header parameter Accept is ignored by OpenAPI; use media types or securi/,
  ],
  [
    'requestContent.encoding',
    withForm({ a: { style: 'deepObject' } }, 'application/json'),
    /encoding: applies only to forms; remove it$/,
  ],
  [
    'requestContent.encoding',
    withForm({ a: { style: 'form' } }),
    /encoding: a is an object, which is read as JSON; use deepObject$/,
  ],
  [
    'requestContent.encoding',
    withForm({ a: { contentType: 'application/xml' } }),
    /encoding: a is an object, which is read as JSON; use contentType: application\/json$/,
  ],
  ['encoding.style', withForm({ b: { style: 'simple' } }), /style: simple is not a style of forms; use form$/],
  [
    'encoding.contentType',
    withForm({ b: { contentType: 'text' } }),
    /contentType: text is not a media type; use one such as image\/png$/,
  ],
  [
    'encoding.contentType',
    withForm({ b: { contentType: 'text/plain', explode: false } }),
    /contentType: has no meaning beside style and explode; remove it$/,
  ],
  [
    'requestBody.content',
    withBody({ content: { 'text/plain;charset=latin1': { schema: text } } }),
    /content: text\/plain;charset=latin1 is read in UTF-8; use charset=utf-8$/,
  ],
  [
    'schema.discriminator',
    ofSchema({
      oneOf: [kindOf('a'), { type: 'object', properties: { kind: text } }],
      discriminator: { propertyName: 'kind' },
    }),
    /discriminator: does not select by kind, so all alternatives are tried; in each, require kind, with a const$/,
  ],
  [
    'schema.discriminator',
    ofSchema({ type: 'object', properties: { kind: text }, discriminator: { propertyName: 'kind' } }),
    /discriminator: selects nothing without oneOf beside it; list the schemas in oneOf$/,
  ],
  ['parameter.style', withParameter({ style: 'simple' }), /style: simple is not a style of query; use form$/],
  [
    'parameter.style',
    withParameter({ style: 'pipeDelimitted' }),
    /style: pipeDelimitted is not a style of query; did you mean pipeDelimited\?$/,
  ],
  [
    'parameter.schema',
    withParameter({ schema: list(list(text)) }),
    /schema: OpenAPI has no text for an object in it, which is read as JSON; use content/,
  ],
  [
    'parameter.schema',
    withParameter({ schema: { type: 'object', properties: { a: { type: 'object' } } } }),
    /schema: OpenAPI has no text for an object in it, which is read as JSON; use content/,
  ],
  [
    'parameter.content',
    withParameter({ schema: undefined, content: { 'text/plain': {} } }),
    /content: text\/plain is read as text; use application\/json/,
  ],
  [
    'requestBody.content',
    withBody({ content: { 'application/xml': { schema: { type: 'object' } } } }),
    /content: application\/xml is bytes, which are not validated; use/,
  ],
  [
    'requestBody.content',
    withBody({ content: { 'multipart/form-data': { schema: text } } }),
    /content: multipart\/form-data is an object; use type: object/,
  ],
  ...[
    ['aplication/jsn', 'application/json'],
    ['application/josn', 'application/json'],
    ['text/cvs', 'text/csv'],
    ['multipart/formdata', 'multipart/form-data'],
  ].map(([type = '', meant = '']): (typeof warned)[number] => [
    'response.content',
    withResponse({ content: { [type]: {} } }),
    new RegExp(`content: ${type} is no known media type; did you mean ${meant}\\?$`),
  ]),
  [
    'requestBody.content',
    withBody({ content: { json: {} } }),
    /content: json is not a media type, and is ignored; use one such as application\/json$/,
  ],
  ['response.content', withResponse({ content: { 'a/b\n': {} } }), /is not a media type, and is read as a\/b$/],
  ['parameter.example', withParameter(wrong), brokenExample],
  ['parameter.examples', withParameter(wrongOf), brokenExample],
  [
    'parameter.examples',
    withParameter({ examples: ['b'] }),
    /: examples: is not an object of examples, and is ignored; write one$/,
  ],
  ['requestContent.example', withBody({ content: json(text, wrong) }), brokenExample],
  ['requestContent.examples', withBody({ content: json(text, wrongOf) }), brokenExample],
  ['responseContent.example', withResponse({ content: json(text, wrong) }), brokenExample],
  [
    'responseContent.example',
    withResponse({ content: json({}, { example: { $ref: '#/info' } }) }),
    /example: tools follow a \$ref in a value; remove the member/,
  ],
  [
    'responseContent.example',
    withResponse({ content: json({ type: 'object', properties: { a: text } }, { example: { b: 'c' } }) }),
    /the example b is not declared, and is ignored; declare it in the sche/,
  ],
  [
    'responseContent.example',
    contractWith({}, { webhooks: { a: { post: { requestBody: { content: json(text, wrong) } } } } }),
    brokenExample,
  ],
  ['responseContent.examples', withResponse({ content: json(text, wrongOf) }), brokenExample],
  [
    'response.$ref',
    contractWith(
      { responses: { 404: { $ref: '#/x-gone/a' }, ...failures } },
      { 'x-gone': { a: { description: 'Gone.' } } },
    ),
    /\$ref: #\/x-gone\/a is not a component; move it to components/,
  ],
  [
    'response.headers',
    withResponse({ headers: { 'Content-Type': { schema: text } } }),
    /the header Content-Type is set by the server, and is ignored; remove it/,
  ],
  [
    'response.headers',
    withResponse({ headers: { 'X-A': { schema: text }, 'x-a': { schema: text } } }),
    /the header x-a differs from another header only by case, and is ignored; rem/,
  ],
  [
    'response.content',
    withResponse({ content: json({ type: 'object', properties: { a: text }, required: ['b'] }) }),
    /required: b is not declared, and may have any value; add it to the propertie/,
  ],
  [
    'response.content',
    withResponse({ content: json({ oneOf: [kindOf('a'), { allOf: [kindOf('b')] }], required: ['b'] }) }),
    /required: b is not declared, and may have any value; add it to the propertie/,
  ],
  [
    'response.content',
    withResponse({ content: { 'text/csv': { schema: list(text) } } }),
    /content: text\/csv is text, and is not validated; use type: string/,
  ],
  [
    'response.content',
    withResponse({ content: { 'application/xml': { schema: { type: 'object' } } } }),
    /content: application\/xml is bytes, which are not validated; use/,
  ],
  ['example.value', contractWith({ parameters: [query('a', text, wrongOf)] }), brokenExample],
  [
    'header.schema',
    withHeader({ schema: { type: 'boolean' } }),
    /schema: a header is sent as text, and only strings, integers and numbers are/,
  ],
  ['header.example', withHeader(wrong), brokenExample],
  ['header.examples', withHeader(wrongOf), brokenExample],
  [
    'schema.$ref',
    ofSchema({ $ref: '#/components/schemas/Node/properties/name' }),
    /\$ref: #\/components\/schemas\/Node\/properties\/name points inside a component; make it a schema of its own/,
  ],
  ...['anyOf', 'oneOf'].map((keyword): (typeof refused)[number] => [
    `schema.${keyword}`,
    ofSchema({ [keyword]: [{ type: 'object', properties: { a: { ...text, default: 'b' } } }] }),
    /(?:any|one)Of: a property has a default, which is applied only in a schema that always/,
  ]),
  [
    'schema.type',
    ofSchema({ type: ['object', 'integer'], properties: { a: { ...text, default: 'b' } } }),
    /type: a property has a default, which is applied only in a schema that always/,
  ],
  ...['?b=c', '#b', '%b', ' b', '/*'].map((text): (typeof warned)[number] => [
    'document.paths',
    contractOf({ '/a': { get: { responses: noContent } }, [`/a${text}`]: { get: { responses: noContent } } }),
    /the path \/a.* has (?:\?|#|%|a space|\*), so its operations are not served; use a parameter, or another path/,
  ]),
  [
    'document.paths',
    contractOf({ '/a': { get: { responses: noContent } }, '/{a}{b}': { get: { responses: noContent } } }),
    /the path \/\{a\}\{b\} has no text between two parameters, so its operations are not served; write some, or use/,
  ],
  [
    'document.webhooks',
    { ...contractOf({}, { webhooks: { a: { post: { responses: noContent } } } }) },
    /webhooks: are requests that the service sends, so nothing is served but the docs page; add paths/,
  ],
  [
    'components.schemas',
    contractWith({}, { components: { schemas: { A: 'nothing' } } }),
    /schemas: A is not an object, and is ignored; remove it/,
  ],
  [
    'parameter.allowReserved',
    contractWith({ parameters: [{ name: 'a', in: 'header', schema: text, allowReserved: true }] }),
    /allowReserved: applies only to values that are percent-encoded; remove it/,
  ],
  [
    'header.allowReserved',
    contractWith({
      responses: { 204: { description: 'Done.', headers: { A: { schema: text, allowReserved: true } } } },
    }),
    /allowReserved: applies only to values that are percent-encoded; remove it/,
  ],
  [
    'example.externalValue',
    contractWith({
      parameters: [
        { name: 'a', in: 'query', schema: text, examples: { a: { value: 'a', externalValue: 'https://a' } } },
      ],
    }),
    /externalValue: has no meaning beside value; remove one of them/,
  ],
  [
    'schema.pattern',
    withSchema(
      { oneOf: [{ type: 'integer' }, { $ref: '#/components/schemas/P' }] },
      { P: { type: 'array', items: { ...text, pattern: '^(?=a)' } } },
    ),
    /pattern: \(\?= is lookaround, .*, so the pattern is not enforced, and oneOf around it is read as anyOf; use allOf/,
  ],
  [
    'schema.pattern',
    ofSchema({ ...text, pattern: '^(?=a)' }),
    /pattern: \(\?= is lookaround, which .*, so the pattern is not enforced; use allOf with several patte/,
  ],
  [
    'schema.patternProperties',
    ofSchema({ oneOf: [text, { type: 'object', patternProperties: { '(?=a)': text } }] }),
    /patternProperties: \(\?= is lookaround, which .*, so the pattern is not enforced, and oneOf around it is read as anyOf, and undeclared properties may have any value; write a simpler pattern$/,
  ],
  [
    'schema.patternProperties',
    ofSchema({ type: 'object', patternProperties: { '^x': {}, '(?i)a': text, '(?=a)': text } }),
    /patternProperties: \(\?i\) is not ECMAScript, so the pattern is not enforced, and undeclared properties may have any value; write \[aA\]$/,
  ],
  [
    'schema.format',
    ofSchema({ ...text, format: 'plant' }),
    /format: plant is not a supported format, and is not validated; use a pattern/,
  ],
  [
    'schema.format',
    ofSchema({ ...text, format: 'int64' }),
    /format: int64 is a format of integer, and is not validated; change the type/,
  ],
  [
    'schema.default',
    ofSchema(list({ ...text, default: 'a' })),
    /default: applies only to properties and parameters; remove it/,
  ],
  [
    'schema.default',
    ofSchema({ type: 'object', properties: { a: { ...text, default: 1 } } }),
    /the default must be a string, and is not applied; put it in quotes/,
  ],
  [
    'schema.default',
    ofSchema({ type: 'object', properties: { a: { ...list(int64), default: [9007199254740993n] } } }),
    /default: a default beyond ±9007199254740991 is not applied; require the valu/,
  ],
  ['schema.example', ofSchema({ ...text, example: 1 }), brokenExample],
  ['schema.examples', ofSchema({ ...text, examples: [1] }), brokenExample],
  [
    'schema.examples',
    ofSchema({ ...text, examples: { one: 'a' } }),
    /: examples: is not a list, and is ignored; write one$/,
  ],
  ['schema.readOnly', ofSchema(list({ ...text, readOnly: true })), /readOnly: applies only to properties; remove it/],
]

/** A contract with every keyword that is only shown. */
const flow = { refreshUrl: 'https://login.example/refresh', scopes: { read: 'Reads.' } }
const authorized = { ...flow, authorizationUrl: 'https://login.example/authorize' }
const issuing = { ...flow, tokenUrl: 'https://login.example/token' }
const docs = { url: 'https://things.example/docs', description: 'More.' }
const told = { summary: 'A summary.', description: 'A description.' }
const annotated = {
  ...text,
  enum: ['a'],
  'x-enum-varnames': ['A'],
  'x-enum-descriptions': ['The letter.'],
  $comment: 'a',
  title: 'b',
  description: 'c',
  deprecated: true,
  externalDocs: docs,
}
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
            query('a', annotated, { description: 'A.', deprecated: true, allowReserved: true, example: 'b' }),
            query('c', text, { examples: { one: { ...told, value: 'd' }, two: { $ref: '#/components/examples/E' } } }),
          ],
          responses: {
            200: {
              summary: 'Done',
              description: 'Done.',
              headers: {
                'X-Mark': {
                  description: 'A mark.',
                  deprecated: true,
                  style: 'simple',
                  explode: false,
                  allowReserved: false,
                  schema: text,
                },
              },
              content: json(text, { example: 'a' }),
              links: {
                again: { $ref: '#/components/links/Again' },
                away: { operationRef: 'https://things.example/openapi.yaml#/paths/~1others/get' },
                named: {
                  server: { url: '/' },
                  operationId: 'listThings',
                  parameters: { a: 'b' },
                  requestBody: {},
                  description: 'Again.',
                },
              },
            },
            ...failures,
          },
          callbacks: { done: { $ref: '#/components/callbacks/Done' } },
        },
        put: {
          operationId: 'sendForm',
          requestBody: {
            content: {
              'application/x-www-form-urlencoded': {
                schema: { type: 'object', properties: { a: text } },
                encoding: { a: { style: 'form', explode: true, allowReserved: true } },
              },
            },
          },
          responses: noContent,
        },
        post: {
          operationId: 'createThing',
          requestBody: {
            description: 'A thing.',
            content: json({
              oneOf: [kindOf('a'), { $ref: '#/components/schemas/B' }],
              discriminator: {
                propertyName: 'kind',
                defaultMapping: 'B',
                mapping: { b: '#/components/schemas/B', c: 'B', d: 'https://things.example/d.json' },
              },
            }),
          },
          responses: noContent,
        },
      },
    },
    {
      servers: [{ url: '/', name: 'here', description: 'Here.', variables: { host: { default: 'a' } } }],
      webhooks: { moved: { post: { operationId: 'moved', responses: { 204: { description: 'Received.' } } } } },
      tags: [
        { name: 'things', summary: 'Things', description: 'Things.', externalDocs: docs, kind: 'nav' },
        { name: 'own', parent: 'things', kind: 'badge' },
      ],
      externalDocs: docs,
      'x-unmatched-responses': { 404: { description: 'None.' } },
      components: {
        schemas: { B: { ...kindOf('b'), $defs: { C: text } } },
        examples: {
          E: { value: 'e' },
          G: { dataValue: 'e', serializedValue: 'e' },
          F: { externalValue: 'https://things.example/f' },
        },
        pathItems: { Moved: { summary: 'Unused.' } },
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
              deviceAuthorization: { ...issuing, deviceAuthorizationUrl: 'https://login.example/device' },
            },
            oauth2MetadataUrl: 'https://login.example/metadata',
            deprecated: true,
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

/** The keywords that an object of a contract has, and the objects inside of it. */
function keywordsIn(object: unknown, kind: Kind): string[] {
  if (typeof object !== 'object' || object === null) return []
  const members = object as Record<string, unknown>
  return Object.keys(members).flatMap((name) => {
    const held = heldBy(members, kind, name)
    const inside = held?.names.flatMap((each) => keywordsIn(held.holder[each], held.kind)) ?? []
    return [`${kind}.${Object.hasOwn(keywords[kind], name) ? name : '*'}`, ...inside]
  })
}

const all = Object.entries(keywords).flatMap(([kind, ofKind]) =>
  Object.entries(ofKind).map(([name, keyword]) => ({ name: `${kind}.${name}`, kind, keyword })),
)
const treatmentOf = ({ keyword }: (typeof all)[number]) =>
  keyword.isShown === true
    ? 'shown'
    : typeof keyword.rejects === 'string'
      ? 'rejected'
      : typeof keyword.ignores === 'string'
        ? 'ignored'
        : keyword.mends !== undefined && Object.keys(keyword).length === 1
          ? 'mended'
          : 'enforced'
const namesOf = (treatment: 'shown' | 'enforced') =>
  all.filter((each) => treatmentOf(each) === treatment).map(({ name }) => name)

describe('each keyword', () => {
  it('has a case for its verdict', () => {
    const inRefused = [...refused, ...warned].map(([name]) => name)
    const inEnforced = [
      ...Object.keys(enforcedFields),
      ...Object.keys(enforcedKeywords).map((name) => `schema.${name}`),
    ]
    const inShown = keywordsIn(shown, 'document')
    expect(namesOf('shown').filter((name) => !inShown.includes(name))).toEqual([])
    const cases = [...inEnforced, ...inRefused]
    expect(namesOf('enforced').filter((name) => !cases.includes(name))).toEqual([])
    const known = all.map(({ name }) => name)
    expect(cases.filter((name) => !known.includes(name))).toEqual([])
  })

  it('is on the page of keywords with its verdict', () => {
    const page = readFileSync(join(import.meta.dirname, '../../fastify-contract/docs/keywords.md'), 'utf8')
    const listed = page
      .split(/^### /m)
      .slice(1)
      .flatMap((section) => {
        const kind = section.split('\n', 1).join()
        const lines = [...section.matchAll(/^- (enforced|shown|mended|ignored|rejected): ([^]*?)(?=\n- |\n\n|\n*$)/gm)]
        return lines.flatMap(([, treatment, names = '']) =>
          [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => `${kind}.${String(name)} ${String(treatment)}`),
        )
      })
    expect(listed.toSorted()).toEqual(all.map((each) => `${each.name} ${treatmentOf(each)}`).toSorted())
    for (const format of formats.keys()) expect(page).toContain(`\`${format}\``)
  })

  /** Names each case by its keyword and the beginning of its message. */
  const titled = (cases: typeof refused) =>
    cases.map(([name, contract, because]) => {
      return { name, contract, because, reason: because.source.replaceAll(/[\\^$/]/g, '').slice(0, 40) }
    })

  it.each(titled(refused))('$name is refused: $reason', async ({ contract, because }) => {
    const problems = await problemsOf(contract)
    expect(problems, problems.join('\n')).toHaveLength(1)
    expect(problems[0]).toMatch(because)
    expect(problems[0]).toMatch(/^openapi\.yaml:[1-9]\d*:[1-9]\d*: /)
  })

  it.each(titled(warned))('$name is warned of: $reason', async ({ contract, because }) => {
    const warnings = await warningsOf(contract)
    expect(warnings, warnings.join('\n')).toHaveLength(1)
    expect(warnings[0]).toMatch(because)
    expect(warnings[0]).toMatch(/^openapi\.yaml:[1-9]\d*:[1-9]\d*: warning: /)
    const strictly = await problemsOf(contract, { strict: true })
    expect(strictly.length).toBeGreaterThan(0)
    expect(strictly[0]).toBe(warnings[0]?.replace('warning: ', '').replace(/ \(and \d+ more\)$/, ''))
  })

  it('is named with every media type whose schema is not validated', async () => {
    const content = { 'application/xml': { schema: { type: 'object' } }, 'image/png': { schema: { type: 'object' } } }
    expect(await problemsOf(withBody({ content }), { strict: true })).toEqual([
      expect.stringMatching(/content: application\/xml is bytes/),
      expect.stringMatching(/content: image\/png is bytes/),
    ])
    // A media type of its own is no slip.
    const others = { 'application/gzip': {}, 'application/cbor': {}, 'image/apng': {}, 'text/css': {}, 'audio/mp4': {} }
    expect(await warningsOf(withBody({ content: others }))).toEqual([])
  })

  it('that leaves something is not said to leave nothing', async () => {
    const properties = Object.fromEntries(accepted.map(([schema], index) => [`p${String(index)}`, schema]))
    const warnings = await warningsOf(withSchema({ type: 'object', properties }, otherSchemas))
    expect(warnings.filter((warning) => warning.includes('so that no'))).toEqual([])
  })

  it('that leaves nothing has the type never', async () => {
    const properties = Object.fromEntries(unsatisfiable.map(({ schema }, index) => [`p${String(index)}`, schema]))
    const contract = withSchema({ type: 'object', properties })
    const types = writeTypes(await readCheckedContract(Buffer.from(stringifyJson(contract)), 'openapi.yaml'))
    for (const name of Object.keys(properties)) expect(types).toContain(`${name}?: never`)
  })

  it('that leaves nothing for numbers says so where texts are valid', async () => {
    expect(await warningsOf(ofSchema({ minimum: 2, maximum: 1 }))).toEqual([
      expect.stringMatching(/minimum: is above maximum, so that no number is valid; correct one of them \(/),
    ])
  })

  it.each([{ operationId: 'twice' }, { operationId: 'left' }, { operationRef: '#/paths/~1left%3Fa/get' }])(
    'that links to an operation that is not served, or to several, is served without the link: %j',
    async (link) => {
      const contract = contractOf({
        '/things': { get: { operationId: 'twice', responses: lostLink(link) } },
        '/parts': { get: { operationId: 'twice', responses: noContent } },
        '/left?a': { get: { operationId: 'left', responses: noContent } },
      })
      expect(await warningsOf(contract)).toContainEqual(
        expect.stringContaining(
          `: the link leads to ${Object.values(link).join()}, which is not exactly one operation that is served, and is ignored; `,
        ),
      )
    },
  )

  it.each(all.filter((each) => ['rejected', 'ignored'].includes(treatmentOf(each))))(
    '$name is refused or ignored with its place and a remedy, whatever its value',
    async ({ kind, keyword, name }) => {
      const contract = structuredClone(shown)
      const member = name.slice(kind.length + 1)
      const { object } = [...visit([rootOf(contract)])].find((each) => each.kind === kind && !('$ref' in each.object))!
      for (const value of [null, {}]) {
        object[member] = value
        const problems = await problemsOf(contract, { strict: true })
        expect(problems).toContainEqual(expect.stringMatching(/^openapi\.yaml:[1-9]\d*:[1-9]\d*: /))
        expect(problems.join('\n')).toContain(`: ${member}: ${String(keyword.rejects ?? keyword.ignores)}`)
        if (keyword.ignores !== undefined) expect(await problemsOf(contract)).toEqual([])
      }
    },
  )

  // An operationId that is no text is replaced.
  const formed = all.filter(({ name, keyword: { is, holds, isShown } }) => {
    return name !== 'operation.operationId' && (is !== undefined || (holds !== undefined && isShown !== true))
  })

  it.each(formed)('$name is refused where its value has another form', async ({ kind, keyword, name }) => {
    const contract = structuredClone(shown)
    const member = name.slice(kind.length + 1)
    const { object } = [...visit([rootOf(contract)])].find((each) => each.kind === kind && !('$ref' in each.object))!
    object[member] = keyword.is === 'text' ? 5 : 'text'
    const problems = await problemsOf(contract, { strict: true })
    expect(problems).toContainEqual(expect.stringMatching(/^openapi\.yaml:[1-9]\d*:[1-9]\d*: /))
    expect(problems.join('\n')).toContain(`: ${member}: `)
  })

  it('that is shown is accepted and served unchanged', async () => {
    const send = await serve(shown, {
      listThings: () => ({ status: 200, body: 'a' }),
      createThing: () => ({ status: 204 }),
      sendForm: () => ({ status: 204 }),
    })
    const { text: answer } = await send({ method: 'GET', url: '/openapi.json' })
    expect(JSON.parse(answer)).toEqual(JSON.parse(JSON.stringify(shown)))
  })

  it.each<[name: string, kind: string, remedy: string, contract: object]>([
    ['securty', 'an operation', 'did you mean security?', contractWith({ securty: [] })],
    ['Security', 'a document', 'did you mean security?', contractWith({}, { Security: [] })],
    ['sercurity', 'a path item', 'did you mean security?', withItem({ sercurity: [] })],
    ['securityScheme', 'a components', 'did you mean securitySchemes?', withComponents({ securityScheme: {} })],
    ['SecuritySchemes', 'a document', 'write securitySchemes in c', contractWith({}, { SecuritySchemes: {} })],
    ['securityDefinitions', 'a document', 'describe the schemes in co', contractWith({}, { securityDefinitions: {} })],
    ...(
      [
        ['a response', withResponse({ security: [] })],
        ['a parameter', withParameter({ security: [] })],
        ['a media type', withBody({ content: json({}, { security: [] }) })],
        ['a server', contractWith({}, { servers: [{ url: '/', security: [] }] })],
        ['a tag', contractWith({}, { tags: [{ name: 'a', security: [] }] })],
      ] as const
    ).map(([kind, contract]): [string, string, string, object] => [
      'security',
      kind,
      'write security in the document, in a path item or in an operation',
      contract,
    ]),
  ])('that is unknown and about access is refused: %s of %s', async (name, kind, remedy, contract) => {
    const problems = await problemsOf(contract)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(/^openapi\.yaml:[1-9]\d*:[1-9]\d*: /)
    expect(problems[0]).toMatch(
      `${name}${kind === 'a tag' ? '' : ':'} is not a keyword of ${kind}, and is about access, `,
    )
    expect(problems[0]).toContain(`so it is not ignored; ${remedy}`)
  })

  const listed = [{ key: [] }]
  const onA = { '{$url}': { post: { responses: noContent } } }
  it.each<[keyword: string, member: string, kind: string, contract: object]>([
    ['callbacks', 'security', 'a callback', contractWith({ callbacks: { onA, security: listed } })],
    ['securty', 'securty', 'a path item', contractWith({ callbacks: { onA: { ...onA, securty: listed } } })],
    ['callbacks', 'security', 'a callback', withComponents({ callbacks: { onA, security: listed } })],
    ['links', 'security', 'a link', withResponse({ links: { security: listed } })],
    ['headers', 'security', 'a header', withResponse({ headers: { security: listed } })],
    ['content', 'security', 'a media type', withBody({ content: { ...json({}), security: listed } })],
    ['content', 'security', 'a media type', withResponse({ content: { ...json({}), security: listed } })],
  ])('of a map with a list about access is refused: %s', async (keyword, member, kind, contract) => {
    expect(await problemsOf(contract)).toEqual([
      expect.stringMatching(
        `: ${keyword}: ${member} is not ${kind}, and is about access, so it is not ignored; write `,
      ),
    ])
  })

  it('of a map may have a name about access', async () => {
    expect(await problemsOf(contractWith({ callbacks: { security: onA } }))).toEqual([])
  })

  it('of a merge key of YAML is warned of once', async () => {
    const contract = stringifyJson(contractWith({}), 1)
      .replace(/^\{/, '{ "x-base": &base { in: query, schema: { type: string } },')
      .replace(
        '"operationId"',
        '"parameters": [{ <<: *base, name: a }, { !!merge <<: *base, name: b }],\n "operationId"',
      )
    const text = '<<: is of YAML 1.1, and other tools may not read it; write out the members, or use $ref'
    expect(await warningsOf(contract)).toEqual([`openapi.yaml:15:22: warning: ${text} (and 1 more)`])
    expect(await problemsOf(contract, { strict: true })).toHaveLength(2)
    const send = await serve(contract, { listThings: () => ({ status: 204 }) })
    expect((await send({ method: 'GET', url: '/things?a=1&b=2' })).status).toBe(204)
    expect((await send({ method: 'GET', url: '/things?c=1' })).status).toBe(400)
  })

  it('security of a path item counts for its operations that have none', async () => {
    const operation = (operationId: string, more: object = {}) => ({ operationId, responses: noContent, ...more })
    const open = { security: [], get: operation('open'), put: operation('closed', { security: [{ bearer: [] }] }) }
    const closed = { security: [{ bearer: [] }], additionalOperations: { COPY: operation('copy') } }
    const paths = {
      '/open': open,
      '/closed': closed,
      '/component': { $ref: '#/components/pathItems/A' },
      '/overridden': { $ref: '#/components/pathItems/A', security: [] },
    }
    const A = { security: [{ bearer: [] }], get: { responses: noContent } }
    const contract = contractOf(paths, { security: [], components: { pathItems: { A } } })
    const done = () => ({ status: 204 })
    const handlers = { open: done, closed: done, copy: done, 'GET /component': done, 'GET /overridden': done }
    const send = await serve(contract, handlers)
    const statusOf = async (method: string, url: string) =>
      (await send({ method, url, headers: { authorization: '' } })).status
    expect(await statusOf('GET', '/open')).toBe(204)
    expect(await statusOf('PUT', '/open')).toBe(401)
    expect(await statusOf('COPY', '/closed')).toBe(401)
    expect(await statusOf('GET', '/component')).toBe(401)
    expect(await statusOf('GET', '/overridden')).toBe(204)
    // Swagger UI does not know it.
    const { text: page } = await send({ method: 'GET', url: '/docs/static/swagger-initializer.js' })
    expect(page).toContain('"get":{"security":[],"operationId":"open"')
    expect(page).toContain('"A":{"get":{"security":[{"bearer":[]}]')
  })

  it.each<[name: string, contract: object, problems: string[]]>([
    [
      'sumary',
      contractWith({ sumary: 'A typo.' }),
      ['sumary: is not a keyword of an operation, and is ignored; did you mean summary?'],
    ],
    [
      'maxLenght',
      withSchema({ type: 'string', maxLenght: 3 }),
      ['maxLenght: is not a keyword of a schema, and is ignored; did you mean maxLength?'],
    ],
    ['x-note of an operation', contractWith({ 'x-note': { any: 'thing' } }), []],
    ['x-note of a schema', withSchema({ type: 'string', 'x-note': { any: 'thing' } }), []],
  ])('that is unknown is ignored with a warning, unless it begins with x-: %s', async (_name, contract, problems) => {
    const found = await problemsOf(contract, { strict: true })
    expect(found.map((line) => line.replace(/^openapi\.yaml:[1-9]\d*:[1-9]\d*: /, ''))).toEqual(problems)
    expect(await problemsOf(contract)).toEqual([])
  })
})
