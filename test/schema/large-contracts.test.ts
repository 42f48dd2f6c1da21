import { expect, test } from 'vitest'
import { createAjv } from '../../packages/fastify-contract/src/schema/ajv.ts'
import { SchemaRewriter } from '../../packages/fastify-contract/src/schema/rewrite-schema.ts'
import { contractOf, contractWith, failures, problemsOf, serve } from '../contract/words/own-contract.ts'

const named = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const json = (schema: object) => ({ 'application/json': { schema } })
const schemasOf = (names: number, schemaOf: (index: number) => object) =>
  Object.fromEntries(Array.from({ length: names }, (_, index) => [`S${String(index)}`, schemaOf(index)]))

/** So many schemas, each of which refers to the next and the one before. */
const ringOf = (size: number) =>
  contractOf(
    {
      '/things': {
        post: {
          operationId: 'createThing',
          requestBody: { required: true, content: json(named('S0')) },
          responses: { 200: { description: 'The thing.', content: json(named('S0')) }, ...failures },
        },
      },
    },
    {
      components: {
        schemas: schemasOf(size, (index) => ({
          type: 'object',
          properties: {
            count: { type: 'integer', default: 1 },
            next: named(`S${String((index + 1) % size)}`),
            before: named(`S${String((index + size - 1) % size)}`),
          },
        })),
      },
    },
  )

test('schemas that refer to one another, by the hundred, are served', async () => {
  const createThing = ({ body }: { body: unknown }) => ({ status: 200, body })
  const { send } = await serve(ringOf(400), { createThing })
  const create = (body: string) => send({ method: 'POST', url: '/things', body })
  const deep = '{"before":{"next":{"count":2,"next":{"before":{}}}}}'
  const text = '{"before":{"next":{"count":2,"next":{"before":{"count":1},"count":1}},"count":1},"count":1}'
  expect(await create(deep)).toMatchObject({ status: 200, text })
  const wrong = await create('{"before":{"next":{"next":{"count":"2"}}}}')
  expect(wrong).toMatchObject({ status: 400, text: expect.stringContaining('body/before/next/next/count') as string })
})

/** A contract of schemas each of which has the one before twice. */
const sharingOf = (schemaOf: (both: [object, object]) => object, more: object = {}) => {
  const schemas = schemasOf(40, (index) => {
    const before = named(`S${String(index - 1)}`)
    return index === 0 ? { type: 'object' } : schemaOf([before, before])
  })
  const requestBody = { required: true, content: { 'application/json': { schema: named('S39'), ...more } } }
  const post = { operationId: 'createThing', requestBody, responses: { 204: { description: 'Done.' }, ...failures } }
  return contractOf({ '/things': { post } }, { components: { schemas } })
}

test('schemas that share their parts, level after level, are checked in the time that each takes once', async () => {
  const contract = sharingOf(([a, b]) => ({ type: 'object', properties: { a, b } }), { example: { a: { b: {} } } })
  expect(await problemsOf(contract)).toEqual([])
})

test('a schema that several refer to is compiled once', () => {
  const rewriter = new SchemaRewriter(
    { A: { type: 'object', properties: { b: named('B') } }, B: { counted: 1 } },
    undefined,
  )
  const ajv = createAjv('json', rewriter)
  let count = 0
  ajv.addKeyword({
    keyword: 'counted',
    compile: () => {
      count++
      return () => true
    },
  })
  ajv.opts.inlineRefs = false
  for (const schema of [named('B'), named('A'), { type: 'array', items: named('B') }]) {
    ajv.compile(rewriter.ofValue(schema) as object)
  }
  expect(count).toBe(1)
})

test('a reference whose percent-encoding is broken is refused with its place', async () => {
  const content = json({ $ref: '#/components/schemas/%zz' })
  const responses = { 200: { description: 'A thing.', content }, ...failures }
  const problems = await problemsOf(contractWith({ responses }))
  expect(problems).toEqual([
    expect.stringMatching(
      /^openapi\.yaml:\d+:\d+: the percent-encoding of the reference .* is broken; write % as %25$/,
    ),
  ])
})
