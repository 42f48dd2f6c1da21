import { beforeAll, describe, expect, it } from 'vitest'
import { contractOf, contractWith, failures, json, noContent, serve, withSchema } from './contracts.ts'
import { enforcedFields, handlers, served } from './requests.ts'
import { accepted, enforcedKeywords, otherSchemas, schemas } from './schemas.ts'

const text = { type: 'string' }
const done = { createThing: () => ({ status: 204 }) }

describe('each field of OpenAPI that is enforced', () => {
  let send: Awaited<ReturnType<typeof serve>>
  beforeAll(async () => {
    let close: () => Promise<void> = () => Promise.resolve()
    send = await serve(served, Object.fromEntries(handlers), (finish) => (close = finish))
    return () => close()
  })

  it.each(Object.keys(enforcedFields))('%s', async (name) => {
    const exchanges = enforcedFields[name] ?? []
    expect(exchanges.length).toBeGreaterThan(1)
    for (const { send: line, to, headers = {}, body, text: expected, has = {} } of exchanges) {
      const [method = '', url = ''] = line.split(' ')
      const response = await send({ method, url, headers, ...(body === undefined ? {} : { body }) })
      expect(response, line).toMatchObject({ status: to, headers: has })
      if (typeof expected === 'string') expect(response.text, line).toBe(expected)
      if (expected instanceof RegExp) expect(response.text, line).toMatch(expected)
    }
  })
})

const value = (schema: unknown) => json({ type: 'object', properties: { value: schema } })
const echo = (path: string, request: unknown, response: unknown) =>
  ({
    post: {
      operationId: path,
      requestBody: { content: value(request) },
      responses: { 200: { description: 'The same.', content: value(response) }, ...failures },
    },
  }) as object
const echoed = ({ body }: { body: unknown }) => ({ status: 200, body })

// Each case compiles two validators, which takes long on a busy machine.
it(
  'each keyword of schemas that is enforced is validated in requests and in replies',
  { timeout: 60_000 },
  async () => {
    const cases = Object.entries(enforcedKeywords)
    const paths = cases.flatMap(([name, { schema }]): [string, object][] => [
      [`/request-${name}`, echo(`request-${name}`, schema, {})],
      [`/response-${name}`, echo(`response-${name}`, {}, schema)],
    ])
    const ids = cases.flatMap(([name]) => [`request-${name}`, `response-${name}`])
    const send = await serve(
      contractOf(Object.fromEntries(paths), { components: { schemas } }),
      Object.fromEntries(ids.map((id) => [id, echoed])),
    )
    for (const [name, { valid, invalid, only }] of cases) {
      const statusOf = async (direction: string, member: string) =>
        (await send({ url: `/${direction}-${name}`, body: `{"value":${member}}` })).status
      for (const [direction, other, refusal] of [
        ['request', 'response', 400],
        ['response', 'request', 500],
      ] as const) {
        if (only === other) continue
        for (const member of valid) expect(await statusOf(direction, member), `${name} ${member}`).toBe(200)
        for (const member of invalid) expect(await statusOf(direction, member), `${name} ${member}`).toBe(refusal)
      }
    }
  },
)

it('schemas that people write are accepted, and let their values through unchanged', { timeout: 60_000 }, async () => {
  const paths = accepted.map(([schema], index) => [`/${String(index)}`, echo(`echo${String(index)}`, schema, schema)])
  const send = await serve(
    contractOf(Object.fromEntries(paths) as object, { components: { schemas: otherSchemas } }),
    Object.fromEntries(accepted.map((_, index) => [`echo${String(index)}`, echoed])),
  )
  for (const [index, [schema, values]] of accepted.entries()) {
    for (const member of values) {
      const body = `{"value":${member}}`
      const reply = await send({ url: `/${String(index)}`, body })
      expect(reply, JSON.stringify(Object.keys(schema))).toMatchObject({ status: 200, text: body })
    }
  }
})

it('a keyword about properties means those of the object itself, whatever every object inherits', async () => {
  const properties = { constructor: { type: 'integer' }, toString: text }
  const schema = { type: 'object', properties, required: ['constructor'], additionalProperties: false }
  const send = await serve(withSchema(schema), done)
  for (const [member, status] of [
    ['{"constructor":1}', 204],
    ['{}', 400],
    ['{"constructor":1,"toString":2}', 400],
    ['{"constructor":1,"valueOf":2}', 400],
  ] as const)
    expect((await send({ url: '/things', body: `{"value":${member}}` })).status, member).toBe(status)
})

it('a condition asks for no property that the direction does not have', async () => {
  const properties = { id: { ...text, readOnly: true }, name: text }
  const send = await serve(withSchema({ type: 'object', properties, not: { required: ['id'] } }), done)
  expect((await send({ url: '/things', body: '{"value":{"name":"a"}}' })).status).toBe(204)
  expect((await send({ url: '/things', body: '{"value":{"id":"a"}}' })).status).toBe(400)
})

it('failures that are undeclared, or declared in several media types, are answered as JSON', async () => {
  const problem = { 'application/problem+json': { schema: { type: 'object' } }, ...failures.default.content }
  for (const failed of [{}, { 400: { description: 'Wrong.', content: problem } }]) {
    const responses = { 204: { description: 'Done.' }, ...failed }
    const send = await serve(contractWith({ responses }), { listThings: () => ({ status: 204 }) })
    expect(await send({ method: 'GET', url: '/things?a=1' })).toMatchObject({
      status: 400,
      headers: { 'content-type': 'application/json' },
      text: '{"error":50000,"message":"query/a is not a parameter of this operation"}',
    })
  }
})

it('content that is declared for a range means no status that has none in HTTP', async () => {
  const responses = { '2XX': { description: 'Done.', content: json(text) }, ...failures }
  const send = await serve(contractWith({ responses }), { listThings: () => ({ status: 204, body: 'a' }) })
  expect((await send({ method: 'GET', url: '/things' })).status).toBe(500)
})

/** What every object of JavaScript inherits. */
const inherited = Object.getOwnPropertyNames(Object.prototype).filter((name) => name !== '__proto__')

it('a property or a parameter that is left out has its default, whatever every object inherits', async () => {
  const names = [...inherited, 'name']
  const all = Object.fromEntries(names.map((name) => [name, `the ${name}`]))
  const properties = Object.fromEntries(names.map((name) => [name, { ...text, default: `the ${name}` }]))
  const part = { type: 'object', required: ['toString'], properties }
  const thing = {
    allOf: [{ $ref: '#/components/schemas/Part' }],
    type: 'object',
    properties: { parts: { type: 'array', items: part }, others: { type: 'object', additionalProperties: part } },
  }
  const parameters = names.flatMap((name) => [
    { name, in: 'query', schema: { ...text, default: `the ${name}` } },
    { name: name.toLowerCase(), in: 'header', schema: { ...text, default: `the ${name}` } },
  ])
  const requestBody = { required: true, content: json(thing) }
  const createThing = { operationId: 'createThing', parameters, requestBody, responses: noContent }
  const seen: unknown[] = []
  const send = await serve(
    contractOf({ '/things': { post: createThing } }, { components: { schemas: { Part: part } } }),
    {
      createThing: ({ body, query, header }: { body: unknown; query: object; header: object }) => {
        seen.push(body, { ...query }, { ...header })
        return { status: 204 }
      },
    },
  )
  const body = JSON.stringify({ parts: [{}, { valueOf: 'given' }], others: { a: {} } })
  expect(await send({ url: '/things?constructor=given', body })).toMatchObject({ status: 204, text: '' })
  expect(seen[0]).toEqual({ ...all, parts: [all, { ...all, valueOf: 'given' }], others: { a: all } })
  expect(seen[1]).toEqual({ ...all, constructor: 'given' })
  expect(seen[2]).toEqual(Object.fromEntries(names.map((name) => [name.toLowerCase(), `the ${name}`])))
})

it('a default is a value of its own in each request', async () => {
  const schema = { type: 'object', properties: { tags: { type: 'array', items: text, default: ['a'] } } }
  const seen: string[][] = []
  const send = await serve(withSchema(schema), {
    createThing: ({ body }: { body: { value: { tags: string[] } } }) => {
      seen.push([...body.value.tags])
      body.value.tags.push('b')
      return { status: 204 }
    },
  })
  for (let count = 0; count < 2; count++) await send({ url: '/things', body: '{"value":{}}' })
  expect(seen).toEqual([['a'], ['a']])
})

it('a header that is left out is undefined, whatever every object inherits', async () => {
  const seen: unknown[] = []
  const parameters = [{ name: 'Constructor', in: 'header', schema: text }]
  const send = await serve(contractWith({ parameters }), {
    listThings: ({ header }: { header: object }) => {
      seen.push(Object.entries(header))
      return { status: 204 }
    },
  })
  for (const headers of [{}, { constructor: 'a' }]) await send({ method: 'GET', url: '/things', headers })
  expect(seen).toEqual([[], [['Constructor', 'a']]])
})
