import { describe, expect, it } from 'vitest'
import { contractOf, contractWith, failures } from './contracts.ts'
import { json, noContent, problemsOf, warningsOf, withSchema } from './contracts.ts'

const text = { type: 'string' }
const to = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const withSchemas = (schemas: object) => contractWith({}, { components: { schemas } })

describe('a contract is refused', () => {
  it('with all of its faults at once', async () => {
    const get = {
      operationId: 'a',
      parameters: [{ name: '__proto__', in: 'query', schema: text }],
      responses: noContent,
    }
    const schemas = { Text: { ...text, minLength: 'a' }, Bounded: { type: 'object', required: 'a' } }
    const problems = await problemsOf(contractOf({ a: { get } }, { components: { schemas } }))
    for (const named of [
      'must begin with /',
      '__proto__',
      'minLength: is not a count',
      'required: is not a list of names',
    ])
      expect(problems).toContainEqual(expect.stringMatching(new RegExp(`^openapi\\.yaml:\\d+:\\d+: .*${named}`)))
  })

  it('with the quotes that a text needs where YAML reads a number', async () => {
    const contract = (version: string, name = 'a') => `openapi: 3.1.0
info: { title: Things, version: ${version} }
security: []
paths:
  /things: { get: { operationId: a, parameters: [{ name: v, in: query, schema: { type: string, enum: [1.10, b] } }], responses: { 200: { description: Done., content: { application/json: { schema: { type: object, properties: { 1.10: {} }, required: [${name}] } } } } } } }
`
    expect(await problemsOf(contract('1.0', '1.10'))).toEqual([
      expect.stringMatching(/:2:24: version: is not text; write '1\.0'$/),
      expect.stringMatching(/: required: has a name that is not text; write '1\.10'$/),
    ])
    // The property has the name 1.10.
    expect(await warningsOf(contract('"1.0"', '"1.10"'))).toEqual([
      expect.stringMatching(/enum: 1\.10 is not of the type string, and is ignored; put it in quotes \(/),
    ])
  })

  const itself = to('Itself')
  const list = { type: 'array', items: itself }
  const tuple = { type: 'array', prefixItems: [{ type: 'string' }, itself] }
  const chosen = { oneOf: [{ oneOf: [itself] }] }
  it.each([{ allOf: [itself] }, { anyOf: [{}, { not: itself }] }, chosen, list, tuple, itself])(
    'if a schema contains itself without an object between: %j',
    async (Itself) => {
      expect(await problemsOf(withSchemas({ Itself }))).toEqual([
        expect.stringMatching(/^openapi\.yaml:\d+:\d+: the (?:schema contains|reference leads back to) itself/),
      ])
    },
  )

  it('if a schema has too many properties to compile', async () => {
    const wide = (count: number) => ({
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${String(index)}`, text])),
    })
    expect(await problemsOf(withSchema({ anyOf: [wide(3_000), text] }))).toEqual([
      expect.stringMatching(
        /^openapi\.yaml:\d+:\d+: operation createThing: a schema is too large to compile; split it/,
      ),
    ])
    const parts = { A: wide(800), B: wide(800) }
    expect(await problemsOf(withSchema({ anyOf: [{ allOf: Object.keys(parts).map(to) }, text] }, parts))).toEqual([])
  })

  it.each<[string, (next: object) => object]>([
    ['$ref and allOf', (next) => ({ ...next, allOf: [next] })],
    ['anyOf', (next) => ({ anyOf: [next, next] })],
  ])('at once if billions of schemas apply to one value: %s', async (_keyword, twice) => {
    const levels = Array.from({ length: 40 }, (_, index) => [`L${String(index)}`, twice(to(`L${String(index + 1)}`))])
    const schemas = { ...Object.fromEntries(levels), L40: text } as object
    const responses = { 200: { description: 'A.', content: json(to('L0'), { example: 5 }) }, ...failures }
    const before = process.cpuUsage()
    expect(await problemsOf(contractWith({ responses }, { components: { schemas } }), { strict: true })).toEqual([
      expect.stringMatching(/the example (?:must be a string|the body takes too long to validate)/),
    ])
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1_000).toBeLessThan(10_000)
  })

  it('strictly once for a method that is not served', async () => {
    const trace = { responses: { 200: { $ref: '#/components/responses/None' } } }
    const parameters = [{ name: 'id', in: 'path', required: true, schema: text }]
    const get = {
      operationId: 'getA',
      parameters,
      responses: { 200: { description: 'A.', content: json({}) }, ...failures },
    }
    const problems = await problemsOf(contractOf({ '/a/{id}': { get, trace } }), { strict: true })
    expect(problems.map((problem) => problem.replace(/^openapi\.yaml:\d+:\d+: /, ''))).toEqual([
      'trace: TRACE would expose the credentials of the request; remove it',
    ])
  })

  it.each([
    [{ get: null }],
    [{ get: { operationId: 5, parameters: 'a', responses: [] } }],
    [{ parameters: [null], get: { operationId: 'a', responses: { 200: null } } }],
    [[]],
    [null],
    ['text'],
  ])('with places and without a stack if its structure is wrong: %j', async (item) => {
    const problems = await problemsOf(contractOf({ '/a': item }))
    expect(problems.filter((problem) => !/^openapi\.yaml:\d+:\d+: /.test(problem))).toEqual([])
    expect(problems.length).toBeGreaterThan(0)
  })

  it.each(['components', 'paths', 'servers', 'security', 'info'])(
    'strictly if %s has the wrong type',
    async (member) => {
      for (const value of [null, 'text', [null], { a: [] }]) {
        const problems = await problemsOf({ ...contractWith({}), [member]: value }, { strict: true })
        expect(problems.join('\n'), JSON.stringify(value)).toMatch(/^openapi\.yaml/)
      }
    },
  )
})
