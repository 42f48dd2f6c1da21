import { describe, expect, it } from 'vitest'
import type { ContractDocument } from '../../src/document/document.ts'
import { UnservableContract } from '../../src/document/contract.ts'
import type { OperationRequest } from '../../src/engine/engine.ts'
import { Refusal } from '../../src/engine/refusal.ts'
import type { AnyReply } from '../../src/engine/reply-validation.ts'
import { bearer, bind, contractOf, handle, id, int64, parsed, thing } from '../support/contracts.ts'
import { withBody, withParameter } from '../support/contracts.ts'

type Handlers = Parameters<typeof bind>[1]

const reply = (): AnyReply => ({ status: 200, body: { name: 'a thing' } })

/** Starts the engine. @returns the line that explains why it does not start */
async function refusalOf(contract: ContractDocument, handlers: Handlers = { getThing: reply }, problems?: string[]) {
  const problem: unknown = await bind(contract, handlers, problems).then(
    () => 'started',
    (error: unknown) => error,
  )
  if (problem === 'started') return problem
  expect(problem).toBeInstanceOf(UnservableContract)
  const { message } = problem as UnservableContract
  expect(message).not.toContain('\n')
  return message
}

describe('the engine starts', () => {
  it('with a handler for each operation and a verifier for each required scheme', async () => {
    expect(await refusalOf(contractOf())).toBe('started')
    expect(await refusalOf(contractOf(), { getThing: reply, other: undefined })).toBe('started')
    const securitySchemes = { bearer, unused: { type: 'http', scheme: 'basic' } }
    expect(await refusalOf(contractOf({}, { components: { securitySchemes } }))).toBe('started')
  })
})

describe('the engine refuses to start', () => {
  const missing = 'operation getThing: has no handler; add one, or notImplemented'
  const leftOver = 'handler waterThing: no operation that is served has this name'
  const unverified = 'components/securitySchemes/bearer: has no verifier'

  it.each<[string, ContractDocument, Handlers, string[], string]>([
    [
      'without a handler named like a method of every object',
      contractOf({ operationId: 'toString' }),
      {},
      [],
      missing.replace('getThing', 'toString'),
    ],
    ['without a verifier for each scheme', contractOf(), { getThing: reply }, [unverified], unverified],
    [
      'with all reasons at once',
      contractOf(),
      { waterThing: reply },
      [unverified],
      [missing, leftOver, unverified].join('; '),
    ],
    [
      'with control characters of quoted names escaped',
      contractOf(),
      { getThing: reply, 'water\n\u001b[2J\u202eThing': reply },
      [],
      'handler water\\u{a}\\u{1b}[2J\\u{202e}Thing: no operation that is served has this name',
    ],
  ])('%s', async (_why, contract, handlers, schemes, message) => {
    expect(await refusalOf(contract, handlers, schemes)).toBe(message)
  })
})

/** Sends a request to the operation of a contract. @returns the input of its handler */
async function inputOf(contract: ContractDocument, sent: Partial<OperationRequest>): Promise<object> {
  const seen: object[] = []
  const [operation] = await bind(contract, {
    getThing: (input: object, context: object) => {
      expect(context).toEqual({ auth: { bearer: 'me' }, request: {} })
      seen.push(structuredClone(input))
      return reply()
    },
  })
  await handle(operation!, sent)
  return seen[0]!
}

describe('a handler', () => {
  const header = { name: 'X-Generation', in: 'header', schema: int64 }

  it('gets parameters and body as values of their types', async () => {
    const query = (name: string, schema: object) => ({ name, in: 'query', schema })
    const contract = contractOf({
      parameters: [
        ...[id, query('next', int64), query('ratio', { type: 'number' }), query('deep', { type: 'boolean' })],
        ...[query('tag', { type: 'array', items: { type: 'string' } }), query('ids', { type: 'array', items: int64 })],
        ...[query('page', { type: 'integer', default: 1 }), header],
        { name: 'X-Tenant', in: 'header', schema: { type: 'string' } },
      ],
      requestBody: { content: { 'application/json': { schema: { type: 'object', properties: { id: int64 } } } } },
    })
    const ids = ['9007199254740992', '9007199254740993']
    const headers = { 'x-generation': '9007199254740995', authorization: 'Bearer secret', host: 'localhost' }
    const input = await inputOf(contract, {
      path: { id: '9007199254740993' },
      query: { next: '9007199254740994', ratio: '1.5', deep: 'false', tag: 'one', ids },
      headers,
      body: parsed('{"id":9007199254740996,"ids":[1]}'),
    })
    expect(input).toEqual({
      path: { id: 9007199254740993n },
      query: { next: 9007199254740994n, ratio: 1.5, deep: false, tag: ['one'], ids: ids.map(BigInt), page: 1 },
      // Under the name in the contract, without undeclared headers.
      header: { 'X-Generation': 9007199254740995n },
      cookie: {},
      body: { id: 9007199254740996n },
    })
    expect(headers).toMatchObject({ 'x-generation': '9007199254740995' })
  })

  it('does not get inherited members of objects as headers', async () => {
    const contract = withParameter({ name: 'Constructor', in: 'header', schema: { type: 'string' } })
    expect(await inputOf(contract, {})).toMatchObject({ header: {} })
    expect(await inputOf(contract, { headers: { constructor: 'a' } })).toMatchObject({ header: { Constructor: 'a' } })
  })

  it('gets the items of a list with commas', async () => {
    const list = { name: 'list', in: 'query', explode: false, schema: { type: 'array', items: { type: 'string' } } }
    const sent = { query: { list: 'a,b,c' }, url: '/things/54?x=1&list=a%2Cb,c' }
    expect(await inputOf(withParameter(list), sent)).toMatchObject({ query: { list: ['a,b', 'c'] } })
    const repeated = inputOf(withParameter(list), { query: { list: ['a', 'b'] } })
    await expect(repeated).rejects.toThrow(/^query\/list is repeated; send it once, with commas between the items$/)
  })
})

describe('a request that breaks the contract is refused with place and rule:', () => {
  const uuid = { name: 'key', in: 'query', schema: { type: 'string', format: 'uuid' } }
  const since = { name: 'since', in: 'query', required: true, schema: { type: 'string', format: 'date-time' } }
  const tenant = { name: 'X-Tenant', in: 'header', required: true, schema: { type: 'string', minLength: 2 } }
  const plant = {
    type: 'object',
    required: ['id', 'name'],
    properties: {
      name: { type: 'string', minLength: 1 },
      kind: { type: 'string', enum: ['tree', 'herb'] },
      parts: { type: 'array', minItems: 2 },
    },
  }
  const faults = (count: number) =>
    Array.from({ length: count }, (_, index) => `body/${String(index)} must be a string`).join('; ')
  const decimal = 'from -9223372036854775808 to 9223372036854775807 in plain decimal form'

  it.each<[string, ContractDocument, Partial<OperationRequest>, string]>([
    ['a path parameter', contractOf(), { path: { id: '1e3' } }, `path/id must be an integer ${decimal}`],
    [
      'an undescribed parameter',
      contractOf(),
      { query: { limt: '1' } },
      'query/limt is not a parameter of this operation',
    ],
    ['a format', withParameter(uuid), { query: { key: '54' } }, 'query/key must have the format uuid'],
    ['a required query parameter', withParameter(since), {}, 'query/since is required'],
    ['a required header', withParameter(tenant), {}, 'header/x-tenant is required'],
    [
      'a repeated parameter',
      withParameter(uuid),
      { query: { key: ['a', 'b'] } },
      'query/key is repeated; send it once',
    ],
    [
      'the name of a property',
      withBody({ type: 'object', propertyNames: { maxLength: 2 } }),
      { body: parsed('{"key":1}') },
      'the name of body/key must have at most 2 characters',
    ],
    [
      'a body that is required',
      contractOf({ requestBody: { required: true, content: { 'application/json': { schema: thing } } } }),
      {},
      'body is required',
    ],
    [
      'several at once',
      contractOf({
        parameters: [id, { name: 'next', in: 'query', schema: int64 }, tenant],
        requestBody: { content: { 'application/json': { schema: thing } } },
      }),
      { path: { id: '1e3' }, query: { next: '9223372036854775808' }, body: parsed('{}') },
      `body/name is required; path/id must be an integer ${decimal}; query/next must be an integer ${decimal}; ` +
        'header/x-tenant is required',
    ],
    [
      'several in one object',
      withBody(plant),
      { body: parsed('{"name":"","kind":1,"parts":[]}') },
      'body/id is required; body/name must have at least 1 character; body/kind must be a string; ' +
        'body/parts must have at least 2 items',
    ],
    [
      'several in a list and its items',
      withBody({ type: 'array', maxItems: 1, items: plant }),
      { body: parsed('[{"id":1},{"name":"a"}]') },
      'body must have at most 1 item; body/0/name is required; body/1/id is required',
    ],
    [
      'several in a map',
      withBody({ type: 'object', propertyNames: { maxLength: 1 }, additionalProperties: { type: ['string', 'null'] } }),
      { body: parsed('{"aa":1,"b":2}') },
      'the name of body/aa must have at most 1 character; body/aa must be a string or null; ' +
        'body/b must be a string or null',
    ],
    [
      'several in the alternative that applies',
      withBody({ anyOf: [{ type: 'null' }, plant] }),
      { body: parsed('{}') },
      'body must be null; body/id is required; body/name is required; body must match one of the alternatives',
    ],
    [
      'one of several alternatives by one reason of each',
      withBody({ anyOf: [plant, { type: 'object', required: ['a', 'b'] }] }),
      { body: parsed('{}') },
      'body/id is required; body/a is required; body must match one of the alternatives',
    ],
    [
      'properties that are not declared',
      withBody({ type: 'object', unevaluatedProperties: false, anyOf: [{ properties: { a: {} } }] }),
      { body: parsed('{"a":1,"b":2,"c":3}') },
      'body/b is not declared; body/c is not declared',
    ],
    [
      'what two schemas say once',
      withBody({ allOf: [plant, plant] }),
      { body: parsed('{}') },
      'body/id is required; body/name is required',
    ],
    [
      'ten faults',
      withBody({ type: 'array', items: { type: 'string' } }),
      { body: parsed('[1,2,3,4,5,6,7,8,9,10]') },
      faults(10),
    ],
    [
      'more than ten faults',
      withBody({ type: 'array', items: { type: 'string' } }),
      { body: parsed('[1,2,3,4,5,6,7,8,9,10,11]') },
      `${faults(10)}; and more`,
    ],
  ])('%s', async (_place, contract, sent, message) => {
    await expect(inputOf(contract, sent)).rejects.toEqual(new Refusal('invalid_request', message))
  })
})
