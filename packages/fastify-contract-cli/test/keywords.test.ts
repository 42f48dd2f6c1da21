import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Kind } from '../src/keywords/keyword.ts'
import { heldBy, objectsOf } from '../src/keywords/objects.ts'
import { keywords } from '../src/keywords/openapi-keywords.ts'
import { formats } from '../src/keywords/schema-keywords.ts'
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
const ofString = 'must be string'
const withDefault = { type: 'object', properties: { a: { ...text, default: 'b' } } }

const lostLink = (link: object) => ({ 200: { description: 'Done.', links: { next: link } } })
const toThings = (method: string) => `#/paths/~1things/${method}`

/** Contracts that are refused, each for one reason: the keyword that it is about, and what the problem names. */
const refused: [keyword: string, named: string, contract: object][] = [
  ['document.openapi', '3.2.0', { ...contractWith({}), openapi: '3.2.0' }],
  [
    'document.jsonSchemaDialect',
    'json-schema.org',
    contractWith({}, { jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema' }),
  ],
  ['document.paths', '/docs/json', withPath('/docs/json')],
  ['document.paths', 'x-note', contractOf({ ...contractWith({}).paths, 'x-note': null })],
  ['document.paths', 'no operation', contractOf({})],
  ['document.paths', '/a/*', withPath('/a/*')],
  ['document.paths', 'repeat', withPath('/{id}/{id}', { parameters: [id] })],
  [
    'document.paths',
    '/{name}',
    contractOf({
      '/{id}': { get: { operationId: 'a', parameters: [id], responses: noContent } },
      '/{name}': { put: { operationId: 'b', parameters: [{ ...id, name: 'name' }], responses: noContent } },
    }),
  ],
  ['document.servers', 'https:// ', contractWith({}, { servers: [{ url: 'https://' }] })],
  ['document.security', 'no security', { ...contractWith({}), security: undefined }],
  [
    'document.security',
    'none is not a security scheme',
    contractWith({}, { security: [{}, { bearer: [], none: [] }] }),
  ],
  ['document.x-unmatched-responses', '`description`', contractWith({}, { 'x-unmatched-responses': { 405: {} } })],
  ['document.info', '`version`', { ...contractWith({}), info: { title: 'Things' } }],
  ['server.url', 'variables', contractWith({}, { servers: [{ url: 'https://{host}/' }] })],
  ['server.url', 'must not contain', contractWith({}, { servers: [{ url: '/a?b' }] })],
  ['components.schemas', 'a/b', withComponents({ schemas: { 'a/b': {} } })],
  ['components.parameters', 'a b', withComponents({ parameters: { 'a b': query('a', text) } })],
  ['components.parameters', ofString, withComponents({ parameters: { A: query('a', text, wrong) } })],
  ['components.requestBodies', ofString, withComponents({ requestBodies: { A: { content: json(text, wrong) } } })],
  ['pathItem.$ref', 'path item', contractOf({ ...contractWith({}).paths, '/a': { $ref: '#/paths/~1b' }, '/b': {} })],
  ['pathItem.get', 'GET', contractWith({ requestBody: { content: json({}) } })],
  ['operation.operationId', 'no operationId', contractWith({ operationId: undefined })],
  ['operation.operationId', 'unique', withItem({ put: { operationId: 'listThings', responses: noContent } })],
  ['operation.operationId', 'list\\nThings', contractWith({ operationId: 'list\nThings' })],
  ['operation.parameters', 'query parameter a', contractWith({ parameters: [query('a', text), query('a', text)] })],
  ['operation.parameters', 'id is not in /things', contractWith({ parameters: [id] })],
  ['operation.parameters', 'a is not declared', withPath('/{a}')],
  [
    'operation.parameters',
    'X-A',
    withItem({
      parameters: [{ name: 'X-A', in: 'header', schema: text }],
      get: { operationId: 'a', parameters: [{ name: 'x-a', in: 'header', schema: text }], responses: noContent },
    }),
  ],
  ['operation.responses', '4xx', contractWith({ responses: { ...noContent, '4xx': { description: 'No.' } } })],
  [
    'operation.responses',
    '204',
    contractWith({ responses: { 204: { description: 'Done.', content: json({}) }, ...failures } }),
  ],
  ['operation.security', '"a b"', contractWith({ security: [{ bearer: ['a b'] }] })],
  ['operation.security', 'none is not a security scheme', contractWith({ security: [{ none: [] }] })],
  [
    'parameter.$ref',
    'required',
    withComponents(
      { parameters: { A: query('a', text) } },
      { parameters: [{ $ref: '#/components/parameters/A', required: true }] },
    ),
  ],
  ['parameter.$ref', 'itself', withComponents({ parameters: { A: { $ref: '#/components/parameters/A' } } })],
  [
    'parameter.$ref',
    '#/components/headers/A',
    contractWith(
      { parameters: [{ $ref: '#/components/headers/A' }] },
      { components: { headers: { A: { schema: text } } } },
    ),
  ],
  ['parameter.name', 'Accept', withParameter({ name: 'Accept', in: 'header' })],
  ['parameter.name', '__proto__', withParameter({ name: '__proto__' })],
  ['parameter.name', 'X A', withParameter({ name: 'X A', in: 'header' })],
  ['parameter.in', 'cookie', withParameter({ in: 'cookie' })],
  ['parameter.style', 'deepObject', withParameter({ style: 'deepObject' })],
  ['parameter.schema', 'header parameter', withParameter({ schema: list(text), in: 'header' })],
  ['parameter.schema', 'scalar or an array', withParameter({ schema: { type: 'object' } })],
  ['parameter.schema', 'items', withParameter({ schema: list(list(text)) })],
  ['parameter.schema', 'null', withParameter({ schema: { type: ['string', 'null'] } })],
  ['parameter.example', ofString, withParameter(wrong)],
  ['parameter.examples', ofString, withParameter(wrongOf)],
  ['requestBody.content', 'multipart/form-data', withBody({ content: { 'multipart/form-data': {} } })],
  ['requestBody.content', 'one media type', withBody({ content: { ...json({}), 'a/b+json': {} } })],
  ['requestContent.schema', 'bare number', withBody({ content: json(int64) })],
  ['requestContent.example', ofString, withBody({ content: json(text, wrong) })],
  ['requestContent.examples', ofString, withBody({ content: json(text, wrongOf) })],
  ['responseContent.example', ofString, withResponse({ content: json(text, wrong) })],
  ['responseContent.example', '$ref', withResponse({ content: json({}, { example: { $ref: '#/info' } }) })],
  [
    'responseContent.example',
    'example b',
    withResponse({ content: json({ type: 'object', properties: { a: text } }, { example: { b: 'c' } }) }),
  ],
  [
    'responseContent.example',
    ofString,
    contractWith({}, { webhooks: { a: { post: { requestBody: { content: json(text, wrong) } } } } }),
  ],
  ['responseContent.examples', ofString, withResponse({ content: json(text, wrongOf) })],
  [
    'response.$ref',
    'responses/Gone',
    contractWith({}, { 'x-unmatched-responses': { 404: { $ref: '#/components/responses/Gone' } } }),
  ],
  [
    'response.$ref',
    '#/x-gone/a',
    contractWith(
      { responses: { 404: { $ref: '#/x-gone/a' }, ...failures } },
      { 'x-gone': { a: { description: 'Gone.' } } },
    ),
  ],
  ['response.headers', 'Content-Type', withResponse({ headers: { 'Content-Type': { schema: text } } })],
  ['response.headers', 'x-a', withResponse({ headers: { 'X-A': { schema: text }, 'x-a': { schema: text } } })],
  ['response.content', 'event streams', withResponse({ content: { 'text/event-stream': {} } })],
  ['response.content', 'text/*', withResponse({ content: { 'text/*': {} } })],
  ['response.content', 'header=present', withResponse({ content: { 'text/csv; header=present': {} } })],
  ['response.content', 'text/csv', withResponse({ content: { 'text/csv': { schema: list(text) } } })],
  [
    'response.content',
    'application/xml',
    withResponse({ content: { 'application/xml': { schema: { type: 'object' } } } }),
  ],
  [
    'response.content',
    'required: b',
    withResponse({ content: json({ type: 'object', properties: { a: text }, required: ['b'] }) }),
  ],
  [
    'response.content',
    'required: b',
    withResponse({ content: json({ oneOf: [kindOf('a'), { allOf: [kindOf('b')] }], required: ['b'] }) }),
  ],
  ['response.links', 'next leads to no operation', withResponse({ links: { next: { description: 'Lost.' } } })],
  ['components.links', 'Next leads to no operation', withComponents({ links: { Next: {} } })],
  ['link.operationId', 'listThing', withResponse({ links: { next: { operationId: 'listThing' } } })],
  ['link.operationId', 'listThing', withComponents({ links: { Next: { operationId: 'listThing' } } })],
  [
    'link.operationId',
    'a',
    contractWith({ callbacks: { a: { '{$url}': { post: { responses: lostLink({ operationId: 'a' }) } } } } }),
  ],
  ['link.operationRef', toThings('put'), withResponse({ links: { next: { operationRef: toThings('put') } } })],
  [
    'link.operationRef',
    '#/components/schemas/Error',
    withResponse({ links: { next: { operationRef: '#/components/schemas/Error' } } }),
  ],
  [
    'discriminator.mapping',
    'b leads to B',
    ofSchema({
      oneOf: [{ $ref: '#/components/schemas/A' }],
      discriminator: { propertyName: 'kind', mapping: { a: 'A', b: 'B' } },
    }),
  ],
  [
    'discriminator.mapping',
    'A/oneOf',
    ofSchema({
      oneOf: [{ $ref: '#/components/schemas/A' }],
      discriminator: { propertyName: 'kind', mapping: { a: '#/components/schemas/A/oneOf' } },
    }),
  ],
  ['callback.$ref', 'callbacks/A', contractWith({ callbacks: { a: { $ref: '#/components/callbacks/A' } } })],
  ['example.value', ofString, contractWith({ parameters: [query('a', text, wrongOf)] })],
  ['header.style', 'form', withHeader({ style: 'form' })],
  ['header.schema', 'header must be', withHeader({ schema: { type: 'boolean' } })],
  ['header.example', ofString, withHeader(wrong)],
  ['header.examples', ofString, withHeader(wrongOf)],
  ['securityScheme.type', 'mutualTLS', withScheme({ type: 'mutualTLS' })],
  ['securityScheme.in', 'cookie', withScheme({ type: 'apiKey', in: 'cookie', name: 'a' })],
  ['securityScheme.scheme', 'digest', withScheme({ type: 'http', scheme: 'digest' })],
  ['schema.$ref', 'responses/A', ofSchema({ $ref: '#/components/responses/A' })],
  ['schema.$ref', 'schemas/None', ofSchema({ $ref: '#/components/schemas/None' })],
  ['schema.$ref', 'Node/properties/name', ofSchema({ $ref: '#/components/schemas/Node/properties/name' })],
  ['schema.unevaluatedProperties', 'only false', ofSchema({ type: 'object', unevaluatedProperties: text })],
  ['schema.type', 'can be one of', ofSchema({ type: 'strin' })],
  ['schema.type', 'has a default', ofSchema({ ...withDefault, type: ['object', 'integer'] })],
  ['schema.anyOf', 'has a default', ofSchema({ anyOf: [withDefault] })],
  ['schema.oneOf', 'has a default', ofSchema({ oneOf: [withDefault] })],
  ['schema.pattern', 'lookaround', ofSchema({ ...text, pattern: '^(?=a)' })],
  ['schema.enum', '1e+21', ofSchema({ type: 'integer', enum: [1, 1e21] })],
  ['schema.const', '9007199254740993', ofSchema({ const: 9007199254740993n })],
  ['schema.multipleOf', 'greater than 0', ofSchema({ type: 'number', multipleOf: 0 })],
  ['schema.maximum', '18446744073709551616', ofSchema({ type: 'integer', maximum: 2n ** 64n })],
  ['schema.format', 'plant', ofSchema({ ...text, format: 'plant' })],
  ['schema.format', 'int64', ofSchema({ ...text, format: 'int64' })],
  ['schema.default', 'only to properties', ofSchema(list({ ...text, default: 'a' }))],
  ['schema.default', ofString, ofSchema({ type: 'object', properties: { a: { ...text, default: 1 } } })],
  [
    'schema.default',
    '9007199254740991',
    ofSchema({ type: 'object', properties: { a: { ...list(int64), default: [9007199254740993n] } } }),
  ],
  ['schema.example', ofString, ofSchema({ ...text, example: 1 })],
  ['schema.examples', ofString, ofSchema({ ...text, examples: [1] })],
  ['schema.readOnly', 'only to properties', ofSchema(list({ ...text, readOnly: true }))],
  ['schema.properties', '__proto__', ofSchema({ properties: { ['__proto__']: {} } })],
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
        post: {
          operationId: 'createThing',
          requestBody: {
            description: 'A thing.',
            content: json({
              oneOf: [kindOf('a'), { $ref: '#/components/schemas/B' }],
              discriminator: {
                propertyName: 'kind',
                mapping: { b: '#/components/schemas/B', c: 'B', d: 'https://things.example/d.json' },
              },
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
const treatments = { shown: 'shown', rejected: 'rejected', enforced: 'enforced' } as const
const treatmentOf = ({ keyword }: (typeof all)[number]) =>
  keyword.isShown === true ? treatments.shown : typeof keyword.rejects === 'string' ? 'rejected' : 'enforced'
const namesOf = (treatment: keyof typeof treatments) =>
  all.filter((each) => treatmentOf(each) === treatment).map(({ name }) => name)

/** What other tests are about: the folder of a handler. */
const elsewhere = ['operation.tags']

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
    const page = readFileSync(join(import.meta.dirname, '../../fastify-contract/docs/keywords.md'), 'utf8')
    const listed = page
      .split(/^### /m)
      .slice(1)
      .flatMap((section) => {
        const kind = section.split('\n', 1).join()
        const lines = [...section.matchAll(/^- (enforced|shown|rejected): ([^]*?)(?=\n- |\n\n|\n*$)/gm)]
        return lines.flatMap(([, treatment, names = '']) =>
          [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => `${kind}.${String(name)} ${String(treatment)}`),
        )
      })
    expect(listed.toSorted()).toEqual(all.map((each) => `${each.name} ${treatmentOf(each)}`).toSorted())
    for (const format of formats.keys()) expect(page).toContain(`\`${format}\``)
  })

  it.each(refused)('%s is refused with its place and a remedy: %s', async (_keyword, named, contract) => {
    const problems = await problemsOf(contract)
    expect(problems).toEqual([expect.stringContaining(named)])
    expect(problems[0]).toMatch(/^openapi\.yaml:[1-9]\d*:[1-9]\d*: .+(?:; .| must | can be )/)
  })

  it.each(all.filter((each) => treatmentOf(each) === 'rejected'))(
    '$name is refused with its place and a remedy, whatever its value is',
    async ({ kind, keyword, name }) => {
      const contract = structuredClone(shown)
      const member = name.slice(kind.length + 1)
      const { object } = objectsOf(contract).find((each) => each.kind === kind && !('$ref' in each.object))!
      for (const value of [null, {}]) {
        object[member] = value
        const problems = await problemsOf(contract)
        expect(problems).toContainEqual(expect.stringMatching(/^openapi\.yaml:[1-9]\d*:[1-9]\d*: /))
        expect(problems.join('\n')).toContain(`: ${member}: ${String(keyword.rejects)}`)
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
      [expect.stringMatching(/^openapi\.yaml:\d+:\d+: sumary: is not a keyword of an operation; remove it$/)],
    ],
    [
      withSchema({ type: 'string', maxLenght: 3 }),
      [expect.stringMatching(/: maxLenght: is not a keyword of a schema; remove it$/)],
    ],
    [contractWith({ 'x-note': { any: 'thing' } }), []],
    [withSchema({ type: 'string', 'x-note': { any: 'thing' } }), []],
  ])('that is none is refused, unless it begins with x-: %#', async (contract, problems) => {
    expect(await problemsOf(contract)).toEqual(problems)
  })
})
