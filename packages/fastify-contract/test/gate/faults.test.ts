import { describe, expect, it } from 'vitest'
import { readContract } from '../../src/gate/check/read-contract.ts'
import type { Kind } from '../../src/gate/keywords/keyword.ts'
import { keywords } from '../../src/gate/keywords/openapi-keywords.ts'
import { stringifyJson } from '../../src/json/json.ts'
import { contractOf, contractWith, errorSchema, failures } from './contracts.ts'
import { json, noContent, problemsOf } from './contracts.ts'

const text = { type: 'string' }
const to = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const withSchemas = (schemas: object) => contractWith({}, { components: { schemas } })

/** The lines with which the gate warns of a contract that it takes. */
async function warningsOf(contract: object): Promise<string[]> {
  return (await readContract(Buffer.from(stringifyJson(contract, 1)), 'openapi.yaml')).warnings
}

describe('a contract is refused', () => {
  it('with all of its faults at once, those in the structure of a schema, too', async () => {
    const problems = await problemsOf(
      contractOf(
        {
          '/docs': { get: { operationId: 'a', responses: noContent } },
          '/a/{id}': {
            trace: { operationId: 'a', responses: noContent },
            put: { operationId: 'b', responses: noContent },
            get: {
              operationId: 'a',
              parameters: [
                { name: 'c', in: 'cookie', schema: text },
                { name: 'd', in: 'query', schema: { type: 'integer', default: 'e' } },
              ],
              responses: { 204: { description: 'Done.' } },
            },
          },
        },
        {
          servers: [{ url: 'https://{host}/' }],
          components: {
            schemas: {
              Text: { type: 'string', format: 'plant', nullable: true, example: 5 },
              Bounded: { type: 'integer', minimum: 1, exclusiveMinimum: true },
            },
          },
        },
      ),
    )
    for (const because of [
      /\/docs is the service's own path/,
      /trace: TRACE would expose/,
      /operation a: the operationId is used twice/,
      /operation b: the path parameter id is not declared/,
      /in: cookie is not supported/,
      /the default must be an integer/,
      /url: server variables are not supported/,
      /format: plant is not a supported format/,
      /nullable: is a keyword of OpenAPI 3\.0/,
      /Expected type `number` but got `boolean`/,
    ])
      expect(problems.filter((problem) => because.test(problem)).length, problems.join('\n')).toBe(1)
    expect(problems.filter((problem) => !/^openapi\.yaml:\d+:\d+: /.test(problem))).toEqual([])
  })

  const itself = to('Itself')
  const list = { type: 'array', items: itself }
  it.each([{ allOf: [itself] }, { anyOf: [{}, { not: itself }] }, { oneOf: [{ oneOf: [itself] }] }, list, itself])(
    'where a schema contains itself with no object between: %j',
    async (Itself) => {
      expect(await problemsOf(withSchemas({ Itself }))).toEqual([
        expect.stringMatching(/^openapi\.yaml:\d+:\d+: the (?:schema contains|reference leads back to) itself/),
      ])
    },
  )

  it.each<[string, (next: object) => object]>([
    ['$ref and allOf', (next) => ({ ...next, allOf: [next] })],
    ['anyOf', (next) => ({ anyOf: [next, next] })],
  ])('where billions of schemas apply to one value, soon and once: %s', async (_keyword, twice) => {
    const levels = Array.from({ length: 40 }, (_, index) => [`L${String(index)}`, twice(to(`L${String(index + 1)}`))])
    const schemas = { ...Object.fromEntries(levels), L40: text } as object
    const responses = { 200: { description: 'A.', content: json(to('L0'), { example: 5 }) }, ...failures }
    const start = performance.now()
    expect(await problemsOf(contractWith({ responses }, { components: { schemas } }))).toEqual([
      expect.stringMatching(/the example (?:must be string|the body takes too long to validate)/),
    ])
    expect(performance.now() - start).toBeLessThan(10_000)
  })

  it.each<[Kind, string, object]>([
    ['pathItem', 'head', { operationId: 'getA', requestBody: { content: json(text) } }],
    ['pathItem', 'options', { operationId: 'other', responses: noContent }],
    ['pathItem', 'trace', { responses: { 200: { $ref: '#/components/responses/None' } } }],
    ['pathItem', 'servers', [{ uri: '/' }]],
    ['operation', 'servers', [{ url: 'https://{host}/' }]],
    ['parameter', 'content', json(to('Error'))],
    ['schema', '$defs', { A: { ...to('Error'), readOnly: true } }],
    ['schema', 'if', { properties: { a: to('None') } }],
    ['schema', 'prefixItems', [to('Error'), 5]],
  ])('once for a member that is not supported, whatever it has inside: %s %s', async (kind, keyword, value) => {
    const of = (each: string) => (each === kind ? { [keyword]: value } : {})
    const parameters = [
      { name: 'id', in: 'path', required: true, ...(kind === 'parameter' ? {} : { schema: text }), ...of('parameter') },
    ]
    const content = json({ type: 'object', ...of('schema') })
    const responses = { 200: { description: 'A.', content }, ...failures }
    const get = { operationId: 'getA', parameters, responses, ...of('operation') }
    const problems = await problemsOf(contractOf({ '/a/{id}': { get, ...of('pathItem') } }))
    expect(problems.map((problem) => problem.replace(/^openapi\.yaml:\d+:\d+: /, ''))).toEqual([
      String(keywords[kind][keyword]?.rejects).replace(/^/, `${keyword}: `),
    ])
  })

  it('once for a failure that several operations share', async () => {
    const responses = { 204: { description: 'Done.' }, default: { $ref: '#/components/responses/Failed' } }
    const paths = { '/a': { get: { operationId: 'a', responses }, put: { operationId: 'b', responses } } }
    const headers = { 'X-Mark': { required: true, schema: text } }
    const Failed = { description: 'Failed.', headers, content: json(text) }
    expect(await problemsOf(contractOf(paths, { components: { responses: { Failed } } }))).toEqual([
      expect.stringMatching(/operation a: the response 400 must allow .* must not require the header X-Mark, which/),
    ])
  })

  it('without the schema of failures, with all that it must have', async () => {
    const { components, ...rest } = contractWith({ responses: { 204: { description: 'Done.' } } })
    expect(await problemsOf({ ...rest, components: { ...components, schemas: {} } })).toEqual([
      expect.stringMatching(/properties\/error: must be an enum; add 40000 malformed_body, .*50300 /),
    ])
  })

  it.each<[string, object, RegExp]>([
    [
      'a name twice',
      { 'x-enum-varnames': ['unavailable', 'unavailable'] },
      /the number 50000 or its name is a duplicate/,
    ],
    ['a number twice', { enum: [50300, 50300] }, /the number 50300 or its name is a duplicate/],
    ['no status', { enum: [50300, 999] }, /the number 999 must start with an HTTP status/],
    ['too many texts', { 'x-enum-descriptions': ['a', 'b', 'c'] }, /more names or descriptions than numbers/],
    ['no name', { 'x-enum-varnames': ['unavailable', 'A'] }, /the number 50000 needs a name in x-enum-varnames/],
    ['not those of the server', {}, /failures are missing; add 40000 malformed_body, .*43100 headers_too_large/],
  ])('where the error numbers have %s', async (_fault, members, because) => {
    const error = { enum: [50300, 50000], 'x-enum-varnames': ['unavailable', 'internal'] }
    const own = { type: 'integer', 'x-enum-descriptions': ['a', 'b'], ...error, ...members }
    const schemas = { Error: { ...errorSchema, properties: { ...errorSchema.properties, error: own } } }
    expect((await problemsOf(withSchemas(schemas))).join('\n')).toMatch(because)
  })

  it.each([
    [{ get: null }],
    [{ get: { operationId: 5, parameters: 'a', responses: [] } }],
    [{ parameters: [null], get: { operationId: 'a', responses: { 200: null } } }],
    [[]],
    [null],
    ['text'],
  ])('where its structure is wrong, with places and without a stack: %j', async (item) => {
    const problems = await problemsOf(contractOf({ '/a': item }))
    expect(problems.filter((problem) => !/^openapi\.yaml:\d+:\d+: /.test(problem))).toEqual([])
    expect(problems.length).toBeGreaterThan(0)
  })

  it.each(['components', 'paths', 'servers', 'security', 'tags', 'info', 'webhooks', 'x-unmatched-responses'])(
    'where %s is of another type',
    async (member) => {
      for (const value of [null, 'text', [null], { a: [] }]) {
        const problems = await problemsOf({ ...contractWith({}), [member]: value })
        expect(problems.join('\n'), JSON.stringify(value)).toMatch(/^openapi\.yaml/)
      }
    },
  )
})

it('failures that the server answers undeclared are a warning that lists them', async () => {
  expect(await warningsOf(contractWith({ responses: { 204: { description: 'Done.' } } }))).toEqual([
    expect.stringMatching(
      /^\S+:\d+:\d+: warning: operation listThings: the server may respond with 400, 401, 408, 429, 431, 500, 503; /,
    ),
  ])
  expect(await warningsOf(contractWith({}))).toEqual([])
})
