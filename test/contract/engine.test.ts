import { describe, expect, it } from 'vitest'
import { type ContractDocument, dereference } from '../../packages/fastify-contract/src/document/document.ts'
import { UnservableContract } from '../../packages/fastify-contract/src/document/load-contract.ts'
import { type OperationRequest, createEngine } from '../../packages/fastify-contract/src/engine/engine.ts'
import type { AnyReply } from '../../packages/fastify-contract/src/engine/reply-validation.ts'
import { Refusal } from '../../packages/fastify-contract/src/engine/refusal.ts'
import { parseJson } from '../../packages/fastify-contract/src/json/json.ts'
import { contractOf, getThing, id, ok, thing, withBody, withComponents, withParameter } from './things-contract.ts'

type Handlers = Parameters<typeof createEngine>[0]['handlers']

const answer = (): AnyReply => ({ status: 200, body: { name: 'a thing' } })

/** Why the engine does not start; one line. */
async function refusalOf(
  contract: ContractDocument,
  handlers: Handlers = { getThing: answer },
  securitySchemes = ['bearer'],
): Promise<string> {
  try {
    await createEngine({ document: dereference(contract), handlers, services: {}, securitySchemes })
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
    expect(
      await refusalOf(
        withComponents({
          securitySchemes: { bearer: { type: 'http', scheme: 'bearer' }, unused: { type: 'http', scheme: 'basic' } },
        }),
      ),
    ).toBe('started')
  })

  it.each(['notFound', 'validationFail', '404', 'toString', '__proto__', 'things.list', 'get-thing'])(
    'with an operation that is named %s',
    async (name) => {
      const contract = contractOf({ operationId: name })
      const handlers = Object.fromEntries([[name, answer]])
      expect(await refusalOf(contract, handlers)).toBe('started')
      const [operation] = await createEngine({
        document: dereference(contract),
        handlers,
        services: {},
        securitySchemes: ['bearer'],
      })
      const request = { headers: {}, path: { id: '1' }, query: {}, url: '', body: undefined, caller: 'me' }
      expect(await operation?.handle(request)).toMatchObject({ status: 200, body: { name: 'a thing' } })
    },
  )

  it('with a schema that several places of a request refer to', async () => {
    const twice = {
      type: 'object',
      properties: { first: { $ref: '#/components/schemas/Thing' }, second: { $ref: '#/components/schemas/Thing' } },
    }
    const kind = { type: 'string', enum: ['a', 'b'] }
    const parameters = [
      id,
      { name: 'from', in: 'query', schema: { $ref: '#/components/schemas/Kind' } },
      { name: 'to', in: 'query', schema: { $ref: '#/components/schemas/Kind' } },
    ]
    expect(
      await refusalOf(
        withComponents(
          { schemas: { Thing: thing, Kind: kind } },
          { parameters, requestBody: { content: { 'application/json': { schema: twice } } } },
        ),
      ),
    ).toBe('started')
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
    expect(await refusalOf(contractOf(), { getThing: answer, waterThing: answer })).toBe(
      'handler waterThing: the contract has no such operation',
    )
  })

  it('without a verifier for every security scheme that is required', async () => {
    expect(await refusalOf(contractOf(), { getThing: answer }, [])).toBe(
      'components/securitySchemes/bearer: has no verifier',
    )
  })

  it('naming every reason in its one line', async () => {
    expect(await refusalOf(contractOf(), { waterThing: answer }, [])).toBe(
      'operation getThing: has no handler; npm run generate -- --scaffold writes one; ' +
        'handler waterThing: the contract has no such operation; ' +
        'components/securitySchemes/bearer: has no verifier',
    )
  })

  it('with what it quotes made printable', async () => {
    expect(await refusalOf(contractOf(), { getThing: answer, 'water\n\u001b[2J\u202eThing': answer })).toBe(
      'handler water\\u{a}\\u{1b}[2J\\u{202e}Thing: the contract has no such operation',
    )
  })

  it('on an operation whose contract says nothing of security', async () => {
    expect(await refusalOf(contractOf({}, { security: undefined }))).toBe(
      'operation getThing: has no security; write security: [] if everybody may call it',
    )
  })

  it('on a security scheme of a kind that nothing verifies', async () => {
    const components = { securitySchemes: { bearer: { type: 'mutualTLS' } } }
    expect(await refusalOf(contractOf({}, { components }), undefined, [])).toMatch(
      /^components\/securitySchemes\/bearer: is mutualTLS, which this service does not verify; use http bearer, /,
    )
  })
})

/** A body as it is parsed. */
function parsed(value: unknown) {
  return parseJson(Buffer.from(JSON.stringify(value)))
}

/** Sends a request of the caller `me` to the one operation of a contract: what its handler saw, or the reply. */
async function send(
  contract: ContractDocument,
  request: Partial<OperationRequest>,
): Promise<{ input: unknown; caller: unknown } | AnyReply> {
  let seen: { input: unknown; caller: unknown } | undefined
  const handler = (input: unknown, { caller }: { caller: unknown }): AnyReply => {
    seen = structuredClone({ input, caller })
    return answer()
  }
  const [operation] = await createEngine({
    document: dereference(contract),
    handlers: { getThing: handler },
    services: {},
    securitySchemes: ['bearer'],
  })
  const reply = await operation!.handle({
    headers: {},
    path: { id: '54' },
    query: {},
    url: '',
    body: undefined,
    caller: 'me',
    ...request,
  })
  return seen ?? reply
}

/** The same, and the input that the handler saw. */
async function inputOf(contract: ContractDocument, request: Partial<OperationRequest>): Promise<object> {
  const seen = await send(contract, request)
  expect(seen).toMatchObject({ caller: 'me' })
  return (seen as { input: object }).input
}

function invalid(message: string): Refusal {
  return new Refusal('invalid_request', message)
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
      requestBody: {
        content: {
          'application/json': { schema: { type: 'object', properties: { id: { type: 'integer', format: 'int64' } } } },
        },
      },
    })
    const input = await inputOf(contract, {
      path: { id: '9007199254740993' },
      query: {
        next: '9007199254740994',
        ratio: '1.5',
        deep: 'false',
        tag: 'one',
        ids: ['9007199254740992', '9007199254740993'],
      },
      headers: { 'x-generation': '9007199254740995', authorization: 'Bearer secret', host: 'localhost' },
      body: parseJson(Buffer.from('{"id":9007199254740996,"ids":[1]}')),
    })
    expect(input).toEqual({
      path: { id: 9007199254740993n },
      query: {
        next: 9007199254740994n,
        ratio: 1.5,
        deep: false,
        tag: ['one'],
        ids: [9007199254740992n, 9007199254740993n],
      },
      // By the name that the contract gives it, and no header that the contract does not describe.
      header: { 'X-Generation': 9007199254740995n },
      body: { id: 9007199254740996n },
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
    const [operation] = await createEngine({
      document: dereference(contractOf()),
      handlers,
      services: {},
      securitySchemes: ['bearer'],
    })
    await expect(
      operation!.handle({ headers: {}, path: { id: '54' }, query: {}, url: '', body: undefined, caller: 'me' }),
    ).rejects.toBe(fault)
  })
})

describe('a request that breaks the contract is refused, naming the place and the rule:', () => {
  const uuid = { name: 'key', in: 'query', schema: { type: 'string', format: 'uuid' } }
  const since = { name: 'since', in: 'query', required: true, schema: { type: 'string', format: 'date-time' } }
  const tenant = { name: 'X-Tenant', in: 'header', required: true, schema: { type: 'string', minLength: 2 } }

  it.each<[string, ContractDocument, Partial<OperationRequest>, string]>([
    [
      'a path parameter',
      contractOf(),
      { path: { id: '1e3' } },
      'path/id must be an integer from -9223372036854775808 to 9223372036854775807 in plain decimal form',
    ],
    [
      'a query parameter that is not described',
      contractOf(),
      { query: { limt: '1' } },
      'query/limt is not a parameter of this operation',
    ],
    [
      'a query parameter named like a part of every object',
      contractOf(),
      { query: { constructor: '1' } },
      'query/constructor is not a parameter of this operation',
    ],
    ['a format', withParameter(uuid), { query: { key: '54' } }, 'query/key must match format "uuid"'],
    [
      'a date',
      withParameter(since),
      { query: { since: '2026-02-30T00:00:00Z' } },
      'query/since must match format "date-time"',
    ],
    ['a required query parameter', withParameter(since), {}, 'query/since is required'],
    ['a required header', withParameter(tenant), {}, 'header/x-tenant is required'],
    [
      'a header',
      withParameter(tenant),
      { headers: { 'x-tenant': 'a' } },
      'header/x-tenant must NOT have fewer than 2 characters',
    ],
    ['a repeated parameter', withParameter(uuid), { query: { key: ['a', 'b'] } }, 'query/key must be string'],
    [
      'a member of an array',
      withParameter({ name: 'ids', in: 'query', schema: { type: 'array', items: { type: 'integer' } } }),
      { query: { ids: ['1', 'x'] } },
      'query/ids/1 must be an integer from -9007199254740991 to 9007199254740991 in plain decimal form',
    ],
    [
      'a boolean',
      withParameter({ name: 'deep', in: 'query', schema: { type: 'boolean' } }),
      { query: { deep: '1' } },
      'query/deep must be a boolean',
    ],
    [
      'a number',
      withParameter({ name: 'ratio', in: 'query', schema: { type: 'number' } }),
      { query: { ratio: '0x1' } },
      'query/ratio must be a number',
    ],
    ['a property of the body', withBody(thing), { body: parsed({ name: 1 }) }, 'body/name must be string'],
    [
      'a required property',
      withBody({ type: 'object', properties: { thing } }),
      { body: parsed({ thing: {} }) },
      'body/thing/name is required',
    ],
    ['the whole body', withBody(thing), { body: parsed(null) }, 'body must be object'],
    [
      'a property that a closed schema does not have',
      withBody({ ...thing, additionalProperties: false }),
      { body: parsed({ name: 'a', colour: 'green' }) },
      'body/colour is not a property here',
    ],
    [
      'a property that nothing evaluated',
      withBody({ allOf: [thing], unevaluatedProperties: false }),
      { body: parsed({ name: 'a', colour: 'green' }) },
      'body/colour is not a property here',
    ],
    [
      'a body that is required',
      contractOf({ requestBody: { required: true, content: { 'application/json': { schema: thing } } } }),
      {},
      'body is required',
    ],
    [
      'two int64 parameters at once',
      withParameter({ name: 'next', in: 'query', schema: { type: 'integer', format: 'int64' } }),
      { path: { id: '54' }, query: { next: '9223372036854775808' } },
      'query/next must be an integer from -9223372036854775808 to 9223372036854775807 in plain decimal form',
    ],
  ])('%s', async (_place, contract, request, message) => {
    await expect(send(contract, request)).rejects.toEqual(invalid(message))
  })

  it('and what the rules allow is not', async () => {
    const request = {
      query: { key: '8f14e45f-ceea-467f-a9c1-6b1f0a6b3f0e', since: '2026-02-28T23:59:60Z' },
      headers: { 'x-tenant': 'ab' },
    }
    expect(await inputOf(contractOf({ parameters: [id, uuid, since, tenant] }), request)).toMatchObject({
      query: request.query,
      header: { 'X-Tenant': 'ab' },
    })
    expect(await inputOf(withBody(thing), {})).toMatchObject({ body: undefined })
  })
})

describe('a bound operation', () => {
  it('says what the server needs to know of it', async () => {
    const handlers = { getThing: answer, putThing: answer }
    const bearer = { scheme: 'bearer', scopes: [] }
    const contract = contractOf(
      {},
      {
        paths: {
          '/things/{id}': {
            parameters: [id],
            get: { ...getThing, parameters: [] },
            put: {
              operationId: 'putThing',
              security: [{ bearer: [] }, { bearer: [], other: [] }],
              responses: ok,
              requestBody: { required: true, content: { 'application/json': { schema: thing } } },
            },
          },
        },
        components: {
          securitySchemes: { bearer: { type: 'http', scheme: 'bearer' }, other: { type: 'http', scheme: 'basic' } },
        },
      },
    )
    expect(
      await createEngine({
        document: dereference(contract),
        handlers,
        services: {},
        securitySchemes: ['bearer', 'other'],
      }),
    ).toMatchObject([
      {
        id: 'getThing',
        method: 'get',
        path: '/things/{id}',
        bodyTypes: [],
        requiresBody: false,
        security: [[bearer]],
      },
      {
        id: 'putThing',
        method: 'put',
        path: '/things/{id}',
        bodyTypes: ['application/json'],
        requiresBody: true,
        security: [[bearer], [bearer, { scheme: 'other', scopes: [] }]],
      },
    ])
  })
})
