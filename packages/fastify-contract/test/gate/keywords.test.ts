import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Kind } from '../../src/gate/keywords/keyword.ts'
import { heldBy, objectsOf } from '../../src/gate/keywords/objects.ts'
import { keywords } from '../../src/gate/keywords/openapi-keywords.ts'
import { formats } from '../../src/gate/keywords/schema-keywords.ts'
import { contractOf, contractWith, failures, json, noContent, problemsOf, serve, withSchema } from './contracts.ts'
import { enforcedFields } from './requests.ts'
import { enforcedKeywords, schemas } from './schemas.ts'

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
const withHeader = (header: object) => withResponse({ headers: { 'X-Mark': { schema: text, ...header } } })
const withBody = (requestBody: object) =>
  contractOf({ '/things': { post: { operationId: 'createThing', requestBody, responses: noContent } } })
const withItem = (item: object) =>
  contractOf({ '/things': { get: { operationId: 'listThings', responses: noContent }, ...item } })
const withPath = (path: string, more: object = {}) =>
  contractOf({ [path]: { get: { operationId: 'a', responses: noContent, ...more } } })
const withComponents = (components: Record<string, unknown>, operation: object = {}) =>
  contractWith(operation, { components })
const withScheme = (bearer: object) => contractWith({ security: [] }, { components: { securitySchemes: { bearer } } })
const ofSchema = (schema: object) => withSchema(schema, schemas)
const wrong = { example: 5 }
const wrongOf = { examples: { one: { value: 5 } } }
const mustBeText = /the example must be string$/

/** Contracts that are refused, each for one reason, by the keyword that it is about. */
const refused: [keyword: string, contract: object, because: RegExp][] = [
  ['document.openapi', { ...contractWith({}), openapi: '3.2.0' }, /openapi: must be 3\.1\.x/],
  [
    'document.jsonSchemaDialect',
    contractWith({}, { jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema' }),
    /2020-12\/schema is not supported; remove it/,
  ],
  ['document.paths', withPath('/docs/json'), /\/docs\/json is a path of the service itself/],
  ['document.paths', contractOf({ ...contractWith({}).paths, 'x-note': null }), /x-note is not read here/],
  ['document.paths', contractOf({}), /there is no operation; add one/],
  ['document.paths', withPath('/a/*'), /must be without/],
  ['document.paths', withPath('/a%20b'), /must be without/],
  ['document.paths', withPath('/{id}/{id}', { parameters: [id] }), /must name each of its parameters once/],
  ['document.servers', contractWith({}, { servers: [{ url: 'https://' }] }), /https:\/\/ is no url/],
  ['document.security', { ...contractWith({}), security: undefined }, /has no security; write security: \[\]/],
  ['document.security', contractWith({}, { security: [{ none: [] }] }), /securitySchemes\/none: is required by an op/],
  ['document.x-unmatched-responses', contractWith({}, { 'x-unmatched-responses': { 405: {} } }), /`description` must/],
  ['document.info', { ...contractWith({}), info: { title: 'Things' } }, /`version` must be present/],
  ['server.url', contractWith({}, { servers: [{ url: 'https://{host}/' }] }), /server variables are not supported/],
  ['server.url', contractWith({}, { servers: [{ url: '/a?b' }] }), /must be without/],
  ['components.schemas', withComponents({ schemas: { 'a/b': {} } }), /schemas: a\/b is no name of a component/],
  ['components.parameters', withComponents({ parameters: { 'a b': query('a', text) } }), /a b is no name of a comp/],
  ['components.parameters', withComponents({ parameters: { A: query('a', text, wrong) } }), mustBeText],
  ['components.requestBodies', withComponents({ requestBodies: { A: { content: json(text, wrong) } } }), mustBeText],
  [
    'pathItem.$ref',
    contractOf({ ...contractWith({}).paths, '/a': { $ref: '#/paths/~1b' }, '/b': {} }),
    /\$ref: a path is not read from else/,
  ],
  ['pathItem.get', contractWith({ requestBody: { content: json({}) } }), /get: a GET has no body in HTTP/],
  ['operation.operationId', contractWith({ operationId: undefined }), /GET \/things: has no operationId/],
  ['operation.operationId', withItem({ put: { operationId: 'listThings', responses: noContent } }), /more than once/],
  ['operation.operationId', contractWith({ operationId: 'list\nThings' }), /"list\\nThings" is no name; use at most/],
  ['operation.parameters', contractWith({ parameters: [query('a', text), query('a', text)] }), /is described twice/],
  [
    'operation.parameters',
    contractWith({ parameters: ['X-A', 'x-a'].map((name) => ({ name, in: 'header', schema: text })) }),
    /the header parameter x-a is described twice/,
  ],
  ['operation.parameters', contractWith({ parameters: [id] }), /the path parameter id is not in \/things/],
  ['operation.parameters', withPath('/{a}'), /the path parameter a is not described/],
  [
    'operation.parameters',
    withItem({
      parameters: [{ name: 'X-A', in: 'header', schema: text }],
      get: { operationId: 'a', parameters: [{ name: 'x-a', in: 'header', schema: text }], responses: noContent },
    }),
    /the header parameter X-A is described twice/,
  ],
  ['operation.responses', contractWith({ responses: { ...noContent, '4xx': { description: 'No.' } } }), /4xx is no st/],
  [
    'operation.responses',
    contractWith({ responses: { 204: { description: 'Done.', content: json({}) }, ...failures } }),
    /204 has no content in HTTP/,
  ],
  ['operation.responses', contractWith({ responses: { ...noContent, 'x-note': null } }), /x-note is not read here/],
  [
    'operation.responses',
    contractWith({ responses: { ...noContent, 503: { description: 'Busy.', content: json(text) } } }),
    /the response 503 must allow the service's own failure \{ error: 50300, message \}: must be string/,
  ],
  [
    'operation.responses',
    contractWith({ responses: { ...noContent, 503: { description: 'Busy.', content: { 'text/plain': {} } } } }),
    /the response 503 needs the content application\/json/,
  ],
  ['operation.security', contractWith({ security: [{ bearer: ['a b'] }] }), /asks for the scope "a b"/],
  [
    'parameter.$ref',
    withComponents(
      { parameters: { A: query('a', text) } },
      { parameters: [{ $ref: '#/components/parameters/A', required: true }] },
    ),
    /\$ref: OpenAPI ignores required beside it/,
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
    /\$ref: #\/components\/headers\/A leads to no object of OpenAPI/,
  ],
  ['parameter.name', withParameter({ name: 'Accept', in: 'header' }), /OpenAPI ignores a header parameter Accept/],
  ['parameter.name', withParameter({ name: '__proto__' }), /__proto__ is no name/],
  ['parameter.name', withParameter({ name: 'X A', in: 'header' }), /X A is no name of a header/],
  ['parameter.in', withParameter({ in: 'cookie' }), /cookie is not supported; use a header/],
  ['parameter.style', withParameter({ style: 'deepObject' }), /deepObject is not supported; use form or/],
  [
    'parameter.explode',
    withParameter({ schema: list(text), style: 'pipeDelimited', explode: true }),
    /an exploded array has no delimiter/,
  ],
  ['parameter.schema', withParameter({ schema: { type: 'object' } }), /a parameter is a scalar or an array of scalars/],
  ['parameter.schema', withParameter({ schema: list(list(text)) }), /the items of a parameter are scalars/],
  ['parameter.schema', withParameter({ schema: { type: ['string', 'null'] } }), /no text is null; remove null from/],
  ['parameter.schema', withParameter({ schema: { enum: ['a', null] } }), /no text is null/],
  ['parameter.schema', withParameter({ schema: list({ type: ['string', 'null'] }) }), /no text is null/],
  ['parameter.example', withParameter(wrong), mustBeText],
  ['parameter.examples', withParameter(wrongOf), mustBeText],
  [
    'requestBody.$ref',
    withComponents({
      requestBodies: { A: { $ref: '#/components/requestBodies/B', required: true }, B: { content: json({}) } },
    }),
    /\$ref: OpenAPI ignores required beside it/,
  ],
  ['requestBody.content', withBody({ content: { 'multipart/form-data': {} } }), /multipart\/form-data is not read/],
  ['requestBody.content', withBody({ content: { ...json({}), 'a/b+json': {} } }), /must have one media type/],
  ['requestContent.schema', withBody({ content: json(int64) }), /a bare number is not read exactly/],
  ['requestContent.example', withBody({ content: json(text, wrong) }), mustBeText],
  ['requestContent.examples', withBody({ content: json(text, wrongOf) }), mustBeText],
  ['responseContent.example', withResponse({ content: json(text, wrong) }), mustBeText],
  [
    'responseContent.example',
    withResponse({ content: json({}, { example: { $ref: '#/info' } }) }),
    /a \$ref in a value is taken for a ref/,
  ],
  [
    'responseContent.example',
    withResponse({ content: json({ type: 'object', properties: { a: text } }, { example: { b: 'c' } }) }),
    /the example b is not a property here; describe it in the schema, or leave it out$/,
  ],
  [
    'responseContent.example',
    contractWith({}, { webhooks: { a: { post: { requestBody: { content: json(text, wrong) } } } } }),
    mustBeText,
  ],
  ['responseContent.examples', withResponse({ content: json(text, wrongOf) }), mustBeText],
  [
    'response.$ref',
    withComponents({
      responses: { A: { $ref: '#/components/responses/B', content: {} }, B: { description: 'Done.' } },
    }),
    /\$ref: OpenAPI ignores content beside it/,
  ],
  [
    'response.$ref',
    contractWith({}, { 'x-unmatched-responses': { 404: { $ref: '#/components/responses/Gone' } } }),
    /the reference #\/components\/responses\/Gone leads to nothing; write/,
  ],
  [
    'response.$ref',
    contractWith(
      { responses: { 404: { $ref: '#/x-gone/a' }, ...failures } },
      { 'x-gone': { a: { description: 'Gone.' } } },
    ),
    /\$ref: #\/x-gone\/a leads to no object of OpenAPI; move what is there under components/,
  ],
  [
    'response.headers',
    withResponse({ headers: { 'Content-Type': { schema: text } } }),
    /Content-Type is for the server to write/,
  ],
  ['response.headers', withResponse({ headers: { 'X A': { schema: text } } }), /X A is no name of a header/],
  [
    'response.headers',
    withResponse({ headers: { 'X-A': { schema: text }, 'x-a': { schema: text } } }),
    /x-a is there in other letters, and is one header in HTTP; remove one/,
  ],
  ['response.headers', withResponse({ headers: { Date: { schema: text } } }), /Date is for the server to write/],
  ['response.content', withResponse({ content: { 'text/event-stream': {} } }), /streams of events are not supported/],
  ['response.content', withResponse({ content: { 'text/*': {} } }), /text\/\* names no one media type/],
  ['response.content', withResponse({ content: { 'text/csv; header=present': {} } }), /names no one media type/],
  [
    'response.content',
    withResponse({ content: { 'text/csv': { schema: list(text) } } }),
    /text\/csv is text; give its/,
  ],
  [
    'response.content',
    withResponse({ content: { 'application/xml': { schema: { type: 'object' } } } }),
    /application\/xml is sent as bytes, which are not validated; write type: string, /,
  ],
  [
    'response.content',
    withResponse({ content: json({ type: 'object', properties: { a: text }, required: ['b'] }) }),
    /required: b is not among the properties, the only ones of a reply; add it/,
  ],
  [
    'callback.$ref',
    contractWith({ callbacks: { a: { $ref: '#/components/callbacks/A' } } }),
    /callbacks\/A leads to no/,
  ],
  ['example.value', contractWith({ parameters: [query('a', text, wrongOf)] }), mustBeText],
  [
    'header.$ref',
    withComponents(
      { headers: { A: { schema: text } } },
      {
        responses: {
          204: { description: 'Done.', headers: { A: { $ref: '#/components/headers/A', required: true } } },
          ...failures,
        },
      },
    ),
    /\$ref: OpenAPI ignores required beside it/,
  ],
  ['header.style', withHeader({ style: 'form' }), /form is not supported; use simple/],
  ['header.schema', withHeader({ schema: { type: 'boolean' } }), /a header is text, an integer or a number/],
  ['header.example', withHeader(wrong), mustBeText],
  ['header.examples', withHeader(wrongOf), mustBeText],
  [
    'discriminator.propertyName',
    ofSchema({ oneOf: [{ type: 'object' }], discriminator: { propertyName: 'kind' } }),
    /kind needs a const or an enum in each alternative/,
  ],
  [
    'securityScheme.$ref',
    withComponents({
      securitySchemes: {
        A: { $ref: '#/components/securitySchemes/bearer', scheme: 'bearer' },
        bearer: { type: 'http', scheme: 'bearer' },
      },
    }),
    /\$ref: OpenAPI ignores scheme beside it/,
  ],
  ['securityScheme.type', withScheme({ type: 'mutualTLS' }), /mutualTLS is not supported; let the proxy/],
  [
    'securityScheme.in',
    withScheme({ type: 'apiKey', in: 'cookie', name: 'a' }),
    /cookie is not supported; send the key/,
  ],
  [
    'securityScheme.scheme',
    withScheme({ type: 'http', scheme: 'digest' }),
    /digest is not supported; use bearer or basic/,
  ],

  ['schema.$ref', ofSchema({ $ref: '#/components/responses/A' }), /is outside of components\/schemas|leads to nothing/],
  ['schema.$ref', ofSchema({ $ref: '#/components/schemas/None' }), /leads to nothing/],
  ['schema.$ref', ofSchema({ $ref: '#/components/schemas/Node/properties/name' }), /is inside of a schema; give it a/],
  [
    'schema.unevaluatedProperties',
    ofSchema({ type: 'object', unevaluatedProperties: text }),
    /unevaluatedProperties: only false is validated; use additionalProperties, or remove it/,
  ],
  ['schema.type', ofSchema({ type: 'strin' }), /strin|can be one of the following only/],
  [
    'schema.type',
    ofSchema({ type: ['object', 'integer'], properties: { a: { ...text, default: 'b' } } }),
    /type: a property in it has a default, which applies only where the schema always does/,
  ],
  ...['anyOf', 'oneOf'].map((keyword): (typeof refused)[number] => [
    `schema.${keyword}`,
    ofSchema({ [keyword]: [{ type: 'object', properties: { a: { ...text, default: 'b' } } }] }),
    /a property in it has a default, which applies only where the schema always does; move it out/,
  ]),
  [
    'schema.not',
    ofSchema({ not: { type: 'object', properties: { part: { properties: { a: { ...text, default: 'b' } } } } } }),
    /default.*only where/,
  ],
  ['schema.pattern', ofSchema({ ...text, pattern: '^(?=a)' }), /pattern: \(\? at character 2: RE2 and Rust look/],
  ['schema.const', ofSchema({ const: 9007199254740993n }), /needs type: integer and format: int64/],
  ['schema.const', ofSchema({ const: { a: [9007199254740993n] } }), /needs type: integer and format: int64/],
  ['schema.enum', ofSchema({ enum: ['a', 9007199254740993n] }), /needs type: integer and format: int64/],
  ['schema.multipleOf', ofSchema({ type: 'number', multipleOf: 0 }), /must be above 0/],
  ['schema.maximum', ofSchema({ type: 'integer', maximum: 2n ** 64n }), /needs format: int64, or bounds within/],
  ['schema.format', ofSchema({ ...text, format: 'plant' }), /plant is a format that nobody validates/],
  ['schema.format', ofSchema({ ...text, format: 'int64' }), /int64 is a format of integer/],
  ['schema.default', ofSchema(list({ ...text, default: 'a' })), /default: applies to a property or a parameter/],
  ['schema.default', ofSchema({ type: 'object', properties: { a: { ...text, default: 1 } } }), /default must be str/],
  [
    'schema.default',
    ofSchema({ type: 'object', properties: { a: { ...list(int64), default: [9007199254740993n] } } }),
    /cannot be a default; require the value/,
  ],
  ['schema.example', ofSchema({ ...text, example: 1 }), mustBeText],
  ['schema.example', ofSchema({ example: { $ref: '#/info' } }), /example: a \$ref in a value is taken for a refere/],
  ['schema.examples', ofSchema({ ...text, examples: [1] }), mustBeText],
  [
    'schema.examples',
    ofSchema({ examples: [{ $ref: '#/info' }] }),
    /examples: a \$ref in a value is taken for a refer/,
  ],
  ['schema.readOnly', ofSchema(list({ ...text, readOnly: true })), /applies to a property/],
  ['schema.properties', ofSchema({ properties: { ['__proto__']: {} } }), /__proto__ is no name/],
  ['schema.discriminator', ofSchema({ discriminator: { propertyName: 'a' } }), /belongs beside oneOf or anyOf/],
]

/** A contract with every keyword that is only shown. */
const flow = { refreshUrl: 'https://login.example/refresh', scopes: { read: 'Reads.' } }
const authorized = { ...flow, authorizationUrl: 'https://login.example/authorize' }
const issuing = { ...flow, tokenUrl: 'https://login.example/token' }
const docs = { url: 'https://things.example/docs', description: 'More.' }
const told = { summary: 'A summary.', description: 'A description.' }
const annotated = { ...text, $comment: 'a', title: 'b', description: 'c', deprecated: true, externalDocs: docs }
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
              description: 'Done.',
              headers: { 'X-Mark': { description: 'A mark.', deprecated: true, schema: text } },
              content: json(text, { example: 'a' }),
              links: {
                again: { $ref: '#/components/links/Again' },
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
        post: {
          operationId: 'createThing',
          requestBody: {
            description: 'A thing.',
            content: json({
              oneOf: [kindOf('a'), { $ref: '#/components/schemas/B' }],
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
        schemas: { B: kindOf('b') },
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
const treatments = { shown: 'shown', refused: 'refused', enforced: 'enforced' } as const
const treatmentOf = ({ keyword }: (typeof all)[number]) =>
  keyword.isShown === true ? treatments.shown : typeof keyword.refuses === 'string' ? 'refused' : 'enforced'
const namesOf = (treatment: keyof typeof treatments) =>
  all.filter((each) => treatmentOf(each) === treatment).map(({ name }) => name)

/** What other tests are about: the folder of a handler, and the numbers of errors. */
const elsewhere = ['operation.tags', 'schema.x-enum-varnames', 'schema.x-enum-descriptions']

describe('each keyword', () => {
  it('has a case: a refusal, a value that is enforced, or a place where it is shown', () => {
    const inRefused = refused.map(([name]) => name)
    const inEnforced = [
      ...Object.keys(enforcedFields),
      ...Object.keys(enforcedKeywords).map((name) => `schema.${name}`),
    ]
    const inShown = keywordsIn(shown, 'document')
    expect(namesOf('shown').filter((name) => !inShown.includes(name))).toEqual([])
    const cases = [...inEnforced, ...inRefused, ...elsewhere]
    expect(namesOf('enforced').filter((name) => !cases.includes(name))).toEqual([])
    const known = all.map(({ name }) => name)
    expect(cases.filter((name) => !known.includes(name))).toEqual([])
  })

  it('is on the page of keywords, with what happens to it', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/keywords.md'), 'utf8')
    const listed = page
      .split(/^### /m)
      .slice(1)
      .flatMap((section) => {
        const kind = section.split('\n', 1).join()
        const lines = [...section.matchAll(/^- (enforced|shown|refused): ([^]*?)(?=\n- |\n\n|\n*$)/gm)]
        return lines.flatMap(([, treatment, names = '']) =>
          [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => `${kind}.${String(name)} ${String(treatment)}`),
        )
      })
    expect(listed.toSorted()).toEqual(all.map((each) => `${each.name} ${treatmentOf(each)}`).toSorted())
    for (const format of formats.keys()) expect(page).toContain(`\`${format}\``)
  })

  it.each(refused)('%s is refused with its place, a reason and a remedy: %#', async (_name, contract, because) => {
    const problems = await problemsOf(contract)
    expect(problems, problems.join('\n')).toHaveLength(1)
    expect(problems[0]).toMatch(because)
    expect(problems[0]).toMatch(/^openapi\.yaml:[1-9]\d*:[1-9]\d*: /)
  })

  it.each(all.filter((each) => treatmentOf(each) === 'refused'))(
    '$name is refused with its place and a remedy, whatever its value is',
    async ({ kind, keyword, name }) => {
      const contract = structuredClone(shown)
      const member = name.slice(kind.length + 1)
      const { object } = objectsOf(contract).find((each) => each.kind === kind && !('$ref' in each.object))!
      for (const value of [null, 'a', {}, []]) {
        object[member] = value
        const problems = await problemsOf(contract)
        expect(problems).toContainEqual(expect.stringMatching(/^openapi\.yaml:[1-9]\d*:[1-9]\d*: /))
        expect(problems.join('\n')).toContain(`: ${member}: ${String(keyword.refuses)}`)
      }
    },
  )

  it('that is shown is taken, and served as it is written', async () => {
    const send = await serve(shown, {
      listThings: () => ({ status: 200, body: 'a' }),
      createThing: () => ({ status: 204 }),
    })
    const { text: answer } = await send({ method: 'GET', url: '/openapi.json' })
    expect(JSON.parse(answer)).toEqual(JSON.parse(JSON.stringify(shown)))
  })

  it.each([
    [
      contractWith({ sumary: 'A typo.' }),
      [expect.stringMatching(/^openapi\.yaml:\d+:\d+: sumary: is no keyword of an operation; remove it$/)],
    ],
    [
      withSchema({ type: 'string', maxLenght: 3 }),
      [expect.stringMatching(/: maxLenght: is no keyword of a schema; remove it$/)],
    ],
    [contractWith({ 'x-note': { any: 'thing' } }), []],
    [withSchema({ type: 'string', 'x-note': { any: 'thing' } }), []],
  ])('that is none is refused, unless it begins with x-: %#', async (contract, problems) => {
    expect(await problemsOf(contract)).toEqual(problems)
  })
})
