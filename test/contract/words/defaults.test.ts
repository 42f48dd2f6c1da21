import { expect, test } from 'vitest'
import { contractOf, contractWith, noContent, problemsOf, serve } from './own-contract.ts'

/** What every object of JavaScript inherits. */
const inherited = Object.getOwnPropertyNames(Object.prototype).filter((name) => name !== '__proto__')

const withDefaults = (names: string[]) =>
  Object.fromEntries(names.map((name) => [name, { type: 'string', default: `the ${name}` }]))
const defaultsOf = (names: string[]) => Object.fromEntries(names.map((name) => [name, `the ${name}`]))

test('a property or a parameter that is left out has its default, whatever every object inherits', async () => {
  const names = [...inherited, 'name']
  const part = { type: 'object', required: ['toString'], properties: withDefaults(names) }
  const thing = {
    allOf: [{ $ref: '#/components/schemas/Part' }],
    type: 'object',
    properties: {
      part: { $ref: '#/components/schemas/Part' },
      parts: { type: 'array', items: part },
      others: { type: 'object', additionalProperties: part },
    },
  }
  const parameters = names.flatMap((name) => [
    { name, in: 'query', schema: { type: 'string', default: `the ${name}` } },
    { name: name.toLowerCase(), in: 'header', schema: { type: 'string', default: `the ${name}` } },
  ])
  const seen: unknown[] = []
  const { send } = await serve(
    contractOf(
      {
        '/things': {
          post: {
            operationId: 'sendThing',
            parameters,
            requestBody: { required: true, content: { 'application/json': { schema: thing } } },
            responses: noContent,
          },
        },
      },
      { components: { schemas: { Part: part } } },
    ),
    {
      sendThing: ({ body, query, header }: { body: unknown; query: object; header: object }) => {
        seen.push(body, { ...query }, { ...header })
        return { status: 204 }
      },
    },
  )
  const body = JSON.stringify({ part: {}, parts: [{}, { valueOf: 'given' }], others: { a: {} } })
  const { status, text } = await send({ method: 'POST', url: '/things?constructor=given', body })
  expect([status, text]).toEqual([204, ''])
  const all = defaultsOf(names)
  expect(seen[0]).toEqual({ ...all, part: all, parts: [all, { ...all, valueOf: 'given' }], others: { a: all } })
  expect(seen[1]).toEqual({ ...all, constructor: 'given' })
  expect(seen[2]).toEqual(Object.fromEntries(names.map((name) => [name.toLowerCase(), `the ${name}`])))
})

test('a header that is left out is undefined, whatever every object inherits', async () => {
  const seen: unknown[] = []
  const parameters = [{ name: 'Constructor', in: 'header', schema: { type: 'string' } }]
  const { send } = await serve(contractWith({ parameters }), {
    listThings: ({ header }: { header: object }) => {
      seen.push(header)
      return { status: 204 }
    },
  })
  expect((await send({ method: 'GET', url: '/things' })).status).toBe(204)
  expect((await send({ method: 'GET', url: '/things', headers: { constructor: 'a' } })).status).toBe(204)
  expect(seen.map((header) => Object.entries(header as object))).toEqual([[], [['Constructor', 'a']]])
})

test('a default is a value of its own in each request', async () => {
  const thing = {
    type: 'object',
    properties: { tags: { type: 'array', items: { type: 'string' }, default: ['a'] } },
  }
  const seen: string[][] = []
  const { send } = await serve(
    contractOf({
      '/things': {
        post: {
          operationId: 'sendThing',
          requestBody: { required: true, content: { 'application/json': { schema: thing } } },
          responses: noContent,
        },
      },
    }),
    {
      sendThing: ({ body }: { body: { tags: string[] } }) => {
        seen.push([...body.tags])
        body.tags.push('b')
        return { status: 204 }
      },
    },
  )
  for (let count = 0; count < 2; count++) await send({ method: 'POST', url: '/things', body: '{}' })
  expect(seen).toEqual([['a'], ['a']])
})

const inside = { type: 'object', properties: { a: { type: 'string', default: 'b' } } }
const deepInside = { type: 'object', properties: { part: inside } }

test.each([
  ['contains', { type: 'array', contains: inside }],
  ['a part of an alternative', { anyOf: [deepInside, { type: 'string' }] }],
  ['a part of what is negated', { not: deepInside }],
  ['a part of a condition', { if: deepInside, then: { minProperties: 1 } }],
  ['items of an alternative', { oneOf: [{ type: 'array', items: inside }, { type: 'string' }] }],
  ['an alternative by reference', { anyOf: [{ type: 'array', items: { $ref: '#/components/schemas/Inside' } }] }],
])('a default where its schema may not apply is refused with its place: in %s', async (_where, schema) => {
  const requestBody = { required: true, content: { 'application/json': { schema } } }
  const sendThing = { operationId: 'sendThing', requestBody, responses: noContent }
  const contract = contractOf({ '/things': { post: sendThing } }, { components: { schemas: { Inside: inside } } })
  expect((await problemsOf(contract)).join('\n')).toMatch(/^openapi\.yaml:\d+:\d+: .*default.*only where/)
})

test('a property named __proto__ is refused with a remedy', async () => {
  const properties = JSON.parse('{"__proto__":{"type":"string","default":"a"}}') as object
  const body = { required: true, content: { 'application/json': { schema: { type: 'object', properties } } } }
  const sendThing = { operationId: 'sendThing', requestBody: body, responses: noContent }
  expect(await problemsOf(contractOf({ '/things': { post: sendThing } }))).toEqual([
    expect.stringMatching(/^openapi\.yaml:\d+:\d+: properties: __proto__ is no name .*; choose another$/),
  ])
})
