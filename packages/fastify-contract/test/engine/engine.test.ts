import { describe, expect, it } from 'vitest'
import type { ContractDocument } from '../../src/document/document.ts'
import { UnservableContract } from '../../src/document/contract.ts'
import type { OperationRequest } from '../../src/engine/engine.ts'
import { Refusal } from '../../src/engine/refusal.ts'
import type { AnyReply } from '../../src/engine/reply-validation.ts'
import { bearer, bind, contractOf, handle, id, int64, parsed, serveEcho, thing } from '../support/contracts.ts'

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

describe('a request that breaks the contract is refused with place and rule:', () => {
  const uuid = { name: 'key', in: 'query', schema: { type: 'string', format: 'uuid' } }
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
    Array.from({ length: count }, (_, index) => `body/${String(index)} must be a string`)
  const required = ['body/id is required', 'body/name is required']
  const atLeast = (name: string, least: string) => `body/${name} must have at least ${least}`
  const decimal = 'from -9223372036854775808 to 9223372036854775807 in plain decimal form'

  it.each<[string, ContractDocument, Partial<OperationRequest>, string]>([
    ['a path parameter', contractOf(), { path: { id: '1e3' } }, `path/id must be an integer ${decimal}`],
    [
      'a format',
      contractOf({ parameters: [id, uuid] }),
      { query: { key: '54' } },
      'query/key must have the format uuid',
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
  ])('%s', async (_place, contract, sent, message) => {
    const [operation] = await bind(contract, { getThing: reply })
    await expect(handle(operation!, sent)).rejects.toEqual(new Refusal('invalid_request', message))
  })

  const texts = { type: 'array', items: { type: 'string' } }
  it.each<[string, object, string, string[]]>([
    [
      'several in one object',
      plant,
      '{"name":"","kind":1,"parts":[]}',
      [
        'body/id is required',
        atLeast('name', '1 character'),
        'body/kind must be a string',
        atLeast('parts', '2 items'),
      ],
    ],
    [
      'several in a list and its items',
      { type: 'array', maxItems: 1, items: plant },
      '[{"id":1},{"name":"a"}]',
      ['body must have at most 1 item', 'body/0/name is required', 'body/1/id is required'],
    ],
    [
      'several in a map',
      { type: 'object', propertyNames: { maxLength: 1 }, additionalProperties: { type: ['string', 'null'] } },
      '{"aa":1,"b":2}',
      [
        'the name of body/aa must have at most 1 character',
        ...['aa', 'b'].map((name) => `body/${name} must be a string or null`),
      ],
    ],
    [
      'several in the alternative that applies',
      { anyOf: [{ type: 'null' }, plant] },
      '{}',
      ['body must be null', ...required, 'body must match one of the alternatives'],
    ],
    [
      'one of several alternatives by one reason of each',
      { anyOf: [plant, { type: 'object', required: ['a', 'b'] }] },
      '{}',
      ['body/id is required', 'body/a is required', 'body must match one of the alternatives'],
    ],
    [
      'properties that are not declared',
      { type: 'object', unevaluatedProperties: false, anyOf: [{ properties: { a: {} } }] },
      '{"a":1,"b":2,"c":3}',
      ['body/b is not declared', 'body/c is not declared'],
    ],
    ['what two schemas say once', { allOf: [plant, plant] }, '{}', required],
    ['ten faults', texts, '[1,2,3,4,5,6,7,8,9,10]', faults(10)],
    ['more than ten faults', texts, '[1,2,3,4,5,6,7,8,9,10,11]', [...faults(10), 'and more']],
  ])('%s', async (_place, schema, body, messages) => {
    const echo = await serveEcho(schema)
    expect(await echo(body)).toEqual({ status: 400, text: messages.join('; '), seen: undefined })
  })
})
