import { describe, expect, it } from 'vitest'
import type { ContractDocument, Parameter, Schema } from '../../src/contract/document.ts'
import { type AnyReply, type OperationRequest, UnservableContract, createEngine } from '../../src/contract/engine.ts'
import { parseJson } from '../../src/json/json.ts'

const thing: Schema = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } }
const ok = { 200: { description: 'Done.', content: { 'application/json': { schema: thing } } } }
const id: Parameter = { name: 'id', in: 'path', required: true, schema: { type: 'integer', format: 'int64' } }
const getThing = { operationId: 'getThing', parameters: [id], responses: ok }

/** A contract of one operation, `GET /things/{id}`, changed in the parts that a test is about. */
function contractOf(operation: object = {}, document: object = {}): ContractDocument {
  return {
    openapi: '3.1.0',
    info: { title: 'Things', version: '1.0.0' },
    security: [{ bearer: [] }],
    paths: { '/things/{id}': { get: { ...getThing, ...operation } } },
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
    ...document,
  }
}

function withParameter(parameter: object): ContractDocument {
  return contractOf({ parameters: [id, parameter] })
}

function withBody(schema: object, media: object = {}): ContractDocument {
  return contractOf({ requestBody: { content: { 'application/json': { schema, ...media } } } })
}

function withComponents(components: object, operation: object = {}): ContractDocument {
  return contractOf(operation, { components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } }, ...components } })
}

type Handlers = Parameters<typeof createEngine>[0]['handlers']

const answer = (): AnyReply => ({ status: 200, body: { name: 'a thing' } })

/** Why the engine does not start; one line. */
async function refusalOf(contract: ContractDocument, handlers: Handlers = { getThing: answer }, securitySchemes = ['bearer']): Promise<string> {
  try {
    await createEngine({ contract, handlers, services: {}, securitySchemes })
  } catch (error) {
    expect(error).toBeInstanceOf(UnservableContract)
    const { message } = error as UnservableContract
    expect(message).not.toContain('\n')
    return message
  }
  return 'started'
}

describe('the engine starts', () => {
  it('with a handler for every operation and a verifier for every scheme that is required', async () => {
    expect(await refusalOf(contractOf())).toBe('started')
    expect(await refusalOf(contractOf(), { getThing: answer, other: undefined })).toBe('started')
    expect(await refusalOf(withComponents({ securitySchemes: { bearer: { type: 'http', scheme: 'bearer' }, unused: { type: 'http', scheme: 'basic' } } }))).toBe('started')
  })

  it('with a schema that several places of a request refer to', async () => {
    const twice = { type: 'object', properties: { first: { $ref: '#/components/schemas/Thing' }, second: { $ref: '#/components/schemas/Thing' } } }
    const kind = { type: 'string', enum: ['a', 'b'] }
    const parameters = [id, { name: 'from', in: 'query', schema: { $ref: '#/components/schemas/Kind' } }, { name: 'to', in: 'query', schema: { $ref: '#/components/schemas/Kind' } }]
    expect(await refusalOf(withComponents({ schemas: { Thing: thing, Kind: kind } }, { parameters, requestBody: { content: { 'application/json': { schema: twice } } } }))).toBe('started')
  })
})

describe('the engine refuses to start', () => {
  it('without a handler for every operation', async () => {
    const missing = 'operation getThing: has no handler; npm run generate -- --scaffold writes one'
    expect(await refusalOf(contractOf(), {})).toBe(missing)
    expect(await refusalOf(contractOf(), { getThing: undefined })).toBe(missing)
    expect(await refusalOf(contractOf({ operationId: 'toString' }), {})).toBe(missing.replace('getThing', 'toString'))
  })

  it('with a handler for no operation', async () => {
    expect(await refusalOf(contractOf(), { getThing: answer, waterThing: answer })).toBe('handler waterThing: the contract has no such operation')
  })

  it('without a verifier for every security scheme that is required', async () => {
    expect(await refusalOf(contractOf(), { getThing: answer }, [])).toBe('security scheme bearer: has no verifier')
  })

  it('naming every reason in its one line', async () => {
    expect(await refusalOf(contractOf(), { waterThing: answer }, [])).toBe(
      'operation getThing: has no handler; npm run generate -- --scaffold writes one; handler waterThing: the contract has no such operation; security scheme bearer: has no verifier',
    )
  })

  it.each([
    ['of another version', contractOf({}, { openapi: '3.0.3' }), 'openapi: must be 3.1.x, the version that this service reads, not 3.0.3'],
    ['without a version', contractOf({}, { openapi: undefined }), 'openapi: must be 3.1.x, the version that this service reads, not undefined'],
    ['without paths', contractOf({}, { paths: undefined }), 'paths: there is no operation'],
    ['without an operationId', contractOf({ operationId: undefined }), 'GET /things/{id}: has no operationId'],
    ['with an operationId that is used twice', contractOf({}, { paths: { '/things/{id}': { get: getThing }, '/others/{id}': { get: getThing } } }), 'operationId getThing: is used more than once'],
    ['without responses', contractOf({ responses: undefined }), 'operation getThing: declares no response'],
    ['with a response for no one status', contractOf({ responses: { ...ok, default: { description: 'Other.' } } }), 'operation getThing: declares the response default; name each status, so that a reply can be checked against it'],
    ['with a response for a range', contractOf({ responses: { ...ok, '4XX': { description: 'Other.' } } }), 'operation getThing: declares the response 4XX; name each status, so that a reply can be checked against it'],
    ['without security', contractOf({}, { security: undefined }), 'operation getThing: can be called without credentials, and every operation of this service acts for a caller'],
    ['with an operation without security', contractOf({ security: [] }), 'operation getThing: can be called without credentials, and every operation of this service acts for a caller'],
    ['with security that is optional', contractOf({ security: [{ bearer: [] }, {}] }), 'operation getThing: can be called without credentials, and every operation of this service acts for a caller'],
    ['with a security scheme that it does not describe', withComponents({ securitySchemes: {} }), 'operation getThing: requires the security scheme bearer, which components/securitySchemes does not describe'],
  ])('on a contract %s', async (_fault, contract, message) => {
    expect(await refusalOf(contract)).toBe(message)
  })

  it('on an operation that is named like a hook of openapi-backend', async () => {
    for (const name of ['notFound', 'validationFail', 'unauthorizedHandler', 'postResponseHandler', '404']) {
      expect(await refusalOf(contractOf({ operationId: name }), { [name]: answer })).toBe(`operation ${name}: has a name that openapi-backend keeps for itself`)
    }
  })

  it.each([
    ['in a cookie', { name: 'session', in: 'cookie', schema: { type: 'string' } }, 'operation getThing: the cookie parameter session is in a cookie, which this service does not read'],
    ['with a style of its own', { name: 'tags', in: 'query', style: 'pipeDelimited', schema: { type: 'array' } }, 'operation getThing: the query parameter tags has a style of its own, which this service does not read'],
    ['that is exploded or not', { name: 'tags', in: 'query', explode: false, schema: { type: 'array' } }, 'operation getThing: the query parameter tags has a style of its own, which this service does not read'],
    ['that is an object', { name: 'filter', in: 'query', schema: { type: 'object' } }, 'operation getThing: the query parameter filter is an object, which this service does not read'],
    ['that is an array outside of the query', { name: 'X-Tags', in: 'header', schema: { type: 'array' } }, 'operation getThing: the header parameter X-Tags is an array, which this service reads from queries alone'],
    ['without a schema', { name: 'filter', in: 'query', content: { 'application/json': { schema: {} } } }, 'operation getThing: the query parameter filter has no schema'],
    ['that the path does not have', { name: 'plot', in: 'path', required: true, schema: { type: 'string' } }, 'operation getThing: the path parameter plot is not in /things/{id}'],
    ['that is described twice', { ...id, schema: { type: 'string' } }, 'operation getThing: the path parameter id is described twice'],
  ])('on a parameter %s', async (_fault, parameter, message) => {
    expect(await refusalOf(withParameter(parameter))).toBe(message)
  })

  it('on a path parameter that is not described, or described for the path and the operation', async () => {
    expect(await refusalOf(contractOf({ parameters: [] }))).toBe('operation getThing: the path parameter id is not described')
    expect(await refusalOf(contractOf({}, { paths: { '/things/{id}': { parameters: [id], get: getThing } } }))).toBe('operation getThing: the path parameter id is described twice')
  })

  it('on a path whose segment is a parameter in part', async () => {
    expect(await refusalOf(contractOf({}, { paths: { '/things/{id}.json': { get: getThing } } }))).toBe('operation getThing: a segment of /things/{id}.json must be wholly literal or wholly one {parameter}')
  })

  it.each([
    ['of another media type', { content: { 'text/plain': { schema: { type: 'string' } } } }, 'operation getThing: takes a body of text/plain, and this service reads application/json'],
    ['of several media types', { content: { 'application/json': { schema: thing }, 'application/xml': { schema: thing } } }, 'operation getThing: takes a body of application/json, application/xml, and this service reads application/json'],
    ['that is a bare integer', { content: { 'application/json': { schema: { type: 'integer', format: 'int64' } } } }, 'operation getThing: takes a bare integer as its body; wrap it in an object, so that it is read exactly'],
  ])('on a body %s', async (_fault, requestBody, message) => {
    expect(await refusalOf(contractOf({ requestBody }))).toBe(message)
  })

  it.each([
    ['a string', { type: 'string', format: 'plant' }, /^operation getThing: query\/at: unknown format "plant"/],
    ['an integer', { type: 'integer', format: 'int16' }, /^operation getThing: query\/at: unknown format "int16" of a schema of type integer$/],
    ['a string whose format is one of numbers', { type: 'string', format: 'int64' }, /^operation getThing: query\/at: unknown format "int64"/],
    ['a boolean', { type: 'boolean', format: 'int32' }, /^operation getThing: query\/at: unknown format "int32" of a schema of type boolean$/],
    ['the members of an array', { type: 'array', items: { type: 'number', format: 'decimal' } }, /^operation getThing: query\/at: unknown format "decimal" of a schema of type number$/],
  ])('on a format that nobody checks, of %s', async (_type, schema, message) => {
    expect(await refusalOf(withParameter({ name: 'at', in: 'query', schema }))).toMatch(message)
  })

  it('on such a format in a body, a response, a header and a schema that nothing refers to', async () => {
    const schema = { type: 'string', format: 'plant' }
    expect(await refusalOf(withBody({ type: 'object', properties: { at: schema } }))).toMatch(/^operation getThing: requestBody\/application\/json: unknown format "plant"/)
    expect(await refusalOf(contractOf({ responses: { 200: { description: '', content: { 'application/json': { schema } } } } }))).toMatch(/^operation getThing: responses\/200\/application\/json: unknown format "plant"/)
    expect(await refusalOf(contractOf({ responses: { 200: { description: '', headers: { 'X-At': { schema } } } } }))).toMatch(/^operation getThing: responses\/200\/headers\/X-At: unknown format "plant"/)
    expect(await refusalOf(withComponents({ schemas: { At: schema } }))).toMatch(/^components\/schemas\/At: unknown format "plant"/)
    expect(await refusalOf(contractOf({}, { 'x-unmatched-responses': { 404: { description: '', content: { 'application/json': { schema } } } } }))).toMatch(/^x-unmatched-responses\/404\/application\/json: unknown format "plant"/)
  })

  it('on a keyword that nobody checks', async () => {
    expect(await refusalOf(withBody({ type: 'object', maxProps: 1 }))).toBe('operation getThing: requestBody/application/json: strict mode: unknown keyword: "maxProps"')
  })

  it.each([
    ['a parameter', withParameter({ name: 'limit', in: 'query', schema: { type: 'integer' }, example: 'ten' }), 'operation getThing: query/limit/example: the example must be an integer'],
    ['a parameter, by name', withParameter({ name: 'limit', in: 'query', schema: { type: 'integer', format: 'int32' }, examples: { most: { value: 2147483648 } } }), 'operation getThing: query/limit/examples/most: the example must be an integer from -2147483648 to 2147483647'],
    ["a parameter's schema", withParameter({ name: 'limit', in: 'query', schema: { type: 'integer', examples: [1, 1.5] } }), 'operation getThing: query/limit: the example must be an integer'],
    ['a body', withBody(thing, { example: { name: 1 } }), 'operation getThing: requestBody/application/json/example: the example /name must be string'],
    ["a property of a body's schema", withBody({ type: 'object', properties: { name: { type: 'string', example: 1 } } }), 'operation getThing: requestBody/application/json/properties/name: the example must be string'],
    ['a response', contractOf({ responses: { 200: { description: '', content: { 'application/json': { schema: thing, examples: { none: { value: {} } } } } } } }), "operation getThing: responses/200/application/json/examples/none: the example must have required property 'name'"],
    ['a header', contractOf({ responses: { 200: { description: '', headers: { 'Retry-After': { schema: { type: 'integer', minimum: 1 }, example: 0 } } } } }), 'operation getThing: responses/200/headers/Retry-After/example: the example must be an integer of at least 1'],
    ['a schema', withComponents({ schemas: { Thing: { ...thing, examples: [{ name: 'a' }, {}] } } }), "components/schemas/Thing: the example must have required property 'name'"],
    ['a schema deep inside of another', withComponents({ schemas: { Thing: { allOf: [thing, { type: 'array', items: { type: 'string', examples: [54] } }] } } }), 'components/schemas/Thing/allOf/1/items: the example must be string'],
    ['a response to no operation', contractOf({}, { 'x-unmatched-responses': { 404: { description: '', content: { 'application/json': { schema: thing, example: 1 } } } } }), 'x-unmatched-responses/404/application/json/example: the example must be object'],
  ])('on an example that breaks its schema, of %s', async (_place, contract, message) => {
    expect(await refusalOf(contract)).toBe(message)
  })

  it('on an example that is wrong by one beyond 2^53', async () => {
    const schema = { type: 'integer', format: 'int64', maximum: 9007199254740993n }
    expect(await refusalOf(withParameter({ name: 'n', in: 'query', schema, example: 9007199254740993n }))).toBe('started')
    expect(await refusalOf(withParameter({ name: 'n', in: 'query', schema, example: 9007199254740994n }))).toContain('the example must be an integer from -9223372036854775808 to 9007199254740993')
  })

  it.each([
    ['to nothing', { $ref: '#/components/schemas/None' }, 'the reference #/components/schemas/None leads to nothing'],
    ['out of the document', { $ref: 'other.yaml#/Thing' }, 'the reference other.yaml#/Thing leads out of the contract'],
    ['to another server', { $ref: 'https://example.com/thing.json' }, 'the reference https://example.com/thing.json leads out of the contract'],
    ['to what every object inherits', { $ref: '#/components/constructor' }, 'the reference #/components/constructor leads to nothing'],
    ['that is not percent-encoded as it should be', { $ref: '#/components/%zz' }, 'the percent-encoding of the reference #/components/%zz is broken'],
  ])('on a reference %s', async (_fault, schema, message) => {
    expect(await refusalOf(withBody(schema))).toBe(message)
  })

  it('on references in a circle', async () => {
    const node = { type: 'object', properties: { next: { $ref: '#/components/schemas/Node' } } }
    expect(await refusalOf(withComponents({ schemas: { Node: node } }))).toBe('the reference #/components/schemas/Node leads back to itself, which this service does not support')
  })
})

/** Sends a request of the caller `me` to the one operation of a contract: what its handler saw, or the reply. */
async function send(contract: ContractDocument, request: Partial<OperationRequest>): Promise<{ input: unknown; caller: unknown } | AnyReply> {
  let seen: { input: unknown; caller: unknown } | undefined
  const handler = (input: unknown, { caller }: { caller: unknown }): AnyReply => {
    seen = structuredClone({ input, caller })
    return answer()
  }
  const [operation] = await createEngine({ contract, handlers: { getThing: handler }, services: {}, securitySchemes: ['bearer'] })
  const reply = await operation!.handle({ headers: {}, path: { id: '54' }, query: {}, body: undefined, caller: 'me', ...request })
  return seen ?? reply
}

/** The same, and the input that the handler saw. */
async function inputOf(contract: ContractDocument, request: Partial<OperationRequest>): Promise<object> {
  const seen = await send(contract, request)
  expect(seen).toMatchObject({ caller: 'me' })
  return (seen as { input: object }).input
}

function invalid(message: string) {
  return { status: 400, headers: {}, body: { error: 40001, message } }
}

describe('a handler', () => {
  it('sees each parameter and the body as values of their types, and the caller', async () => {
    const contract = contractOf({
      parameters: [
        id,
        { name: 'next', in: 'query', schema: { type: 'integer', format: 'int64' } },
        { name: 'ratio', in: 'query', schema: { type: 'number' } },
        { name: 'deep', in: 'query', schema: { type: 'boolean' } },
        { name: 'tag', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
        { name: 'ids', in: 'query', schema: { type: 'array', items: { type: 'integer', format: 'int64' } } },
        { name: 'X-Generation', in: 'header', schema: { type: 'integer', format: 'int64' } },
        { name: 'X-Tenant', in: 'header', schema: { type: 'string' } },
      ],
      requestBody: { content: { 'application/json': { schema: { type: 'object', properties: { id: { type: 'integer', format: 'int64' } } } } } },
    })
    const input = await inputOf(contract, {
      path: { id: '9007199254740993' },
      query: { next: '9007199254740994', ratio: '1.5', deep: 'false', tag: 'one', ids: ['9007199254740992', '9007199254740993'] },
      headers: { 'x-generation': '9007199254740995', authorization: 'Bearer secret', host: 'localhost' },
      body: parseJson(Buffer.from('{"id":9007199254740996,"ids":[1]}')),
    })
    expect(input).toEqual({
      path: { id: 9007199254740993n },
      query: { next: 9007199254740994n, ratio: 1.5, deep: false, tag: ['one'], ids: [9007199254740992n, 9007199254740993n] },
      // By the name that the contract gives it, and no header that the contract does not describe.
      header: { 'X-Generation': 9007199254740995n },
      body: { id: 9007199254740996n, ids: [1] },
    })
  })

  it('sees the same headers object that the server has, unchanged', async () => {
    const headers = { 'x-generation': '7' }
    await inputOf(withParameter({ name: 'X-Generation', in: 'header', schema: { type: 'integer' } }), { headers })
    expect(headers).toEqual({ 'x-generation': '7' })
  })

  it('throws through', async () => {
    const fault = new Error('out of water')
    const handlers = { getThing: () => Promise.reject(fault) }
    const [operation] = await createEngine({ contract: contractOf(), handlers, services: {}, securitySchemes: ['bearer'] })
    await expect(operation!.handle({ headers: {}, path: { id: '54' }, query: {}, body: undefined, caller: 'me' })).rejects.toBe(fault)
  })
})

describe('a request that breaks the contract is refused, naming the place and the rule:', () => {
  const uuid = { name: 'key', in: 'query', schema: { type: 'string', format: 'uuid' } }
  const since = { name: 'since', in: 'query', required: true, schema: { type: 'string', format: 'date-time' } }
  const tenant = { name: 'X-Tenant', in: 'header', required: true, schema: { type: 'string', minLength: 2 } }

  it.each<[string, ContractDocument, Partial<OperationRequest>, string]>([
    ['a path parameter', contractOf(), { path: { id: '1e3' } }, 'path/id must be an integer from -9223372036854775808 to 9223372036854775807 in plain decimal form'],
    ['a query parameter that is not described', contractOf(), { query: { limt: '1' } }, 'query/limt is not a parameter of this operation'],
    ['a query parameter named like a part of every object', contractOf(), { query: { constructor: '1' } }, 'query/constructor is not a parameter of this operation'],
    ['a format', withParameter(uuid), { query: { key: '54' } }, 'query/key must match format "uuid"'],
    ['a date', withParameter(since), { query: { since: '2026-02-30T00:00:00Z' } }, 'query/since must match format "date-time"'],
    ['a required query parameter', withParameter(since), {}, 'query/since is required'],
    ['a required header', withParameter(tenant), {}, 'header/x-tenant is required'],
    ['a header', withParameter(tenant), { headers: { 'x-tenant': 'a' } }, 'header/x-tenant must NOT have fewer than 2 characters'],
    ['a repeated parameter', withParameter(uuid), { query: { key: ['a', 'b'] } }, 'query/key must be string'],
    ['a member of an array', withParameter({ name: 'ids', in: 'query', schema: { type: 'array', items: { type: 'integer' } } }), { query: { ids: ['1', 'x'] } }, 'query/ids/1 must be an integer in plain decimal form'],
    ['a boolean', withParameter({ name: 'deep', in: 'query', schema: { type: 'boolean' } }), { query: { deep: '1' } }, 'query/deep must be a boolean'],
    ['a number', withParameter({ name: 'ratio', in: 'query', schema: { type: 'number' } }), { query: { ratio: '0x1' } }, 'query/ratio must be a number'],
    ['a property of the body', withBody(thing), { body: { name: 1 } }, 'body/name must be string'],
    ['a required property', withBody({ type: 'object', properties: { thing } }), { body: { thing: {} } }, 'body/thing/name is required'],
    ['the whole body', withBody(thing), { body: null }, 'body must be object'],
    ['a property that a closed schema does not have', withBody({ ...thing, additionalProperties: false }), { body: { name: 'a', colour: 'green' } }, 'body/colour is not a property here'],
    ['a property that nothing evaluated', withBody({ allOf: [thing], unevaluatedProperties: false }), { body: { name: 'a', colour: 'green' } }, 'body/colour is not a property here'],
    ['a body that is required', contractOf({ requestBody: { required: true, content: { 'application/json': { schema: thing } } } }), {}, 'body is required'],
    ['two int64 parameters at once', withParameter({ name: 'next', in: 'query', schema: { type: 'integer', format: 'int64' } }), { path: { id: '54' }, query: { next: '9223372036854775808' } }, 'query/next must be an integer from -9223372036854775808 to 9223372036854775807 in plain decimal form'],
  ])('%s', async (_place, contract, request, message) => {
    expect(await send(contract, request)).toEqual(invalid(message))
  })

  it('and what the rules allow is not', async () => {
    const request = { query: { key: '8f14e45f-ceea-467f-a9c1-6b1f0a6b3f0e', since: '2026-02-28T23:59:60Z' }, headers: { 'x-tenant': 'ab' } }
    expect(await inputOf(contractOf({ parameters: [id, uuid, since, tenant] }), request)).toMatchObject({ query: request.query, header: { 'X-Tenant': 'ab' } })
    expect(await inputOf(withBody(thing), {})).toMatchObject({ body: undefined })
  })
})

describe('a bound operation', () => {
  it('says what the server needs to know of it', async () => {
    const handlers = { getThing: answer, putThing: answer }
    const contract = contractOf({}, {
      paths: { '/things/{id}': { parameters: [id], get: { ...getThing, parameters: [] }, put: { operationId: 'putThing', security: [{ bearer: [] }, { bearer: [], other: [] }], responses: ok, requestBody: { required: true, content: { 'application/json': { schema: thing } } } } } },
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' }, other: { type: 'http', scheme: 'basic' } } },
    })
    expect(await createEngine({ contract, handlers, services: {}, securitySchemes: ['bearer', 'other'] })).toMatchObject([
      { id: 'getThing', method: 'get', path: '/things/{id}', takesBody: false, requiresBody: false, security: [['bearer']] },
      { id: 'putThing', method: 'put', path: '/things/{id}', takesBody: true, requiresBody: true, security: [['bearer'], ['bearer', 'other']] },
    ])
  })
})
