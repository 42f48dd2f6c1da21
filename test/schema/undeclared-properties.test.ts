import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dereference } from '../../packages/fastify-contract/src/document/document.ts'
import { createEngine } from '../../packages/fastify-contract/src/engine/engine.ts'
import { Refusal } from '../../packages/fastify-contract/src/engine/refusal.ts'
import { withComponents } from '../contract/things-contract.ts'
import { contractOf, failures, problemsOf, serve } from '../contract/words/own-contract.ts'

/** The keywords that the schemas of these tests are made of. */
interface Schema {
  type?: string
  $ref?: string
  properties?: Record<string, Schema>
  required?: string[]
  patternProperties?: Record<string, Schema>
  additionalProperties?: Schema
  items?: Schema
  allOf?: Schema[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  if?: Schema
  then?: Schema
  else?: Schema
}

const text = { type: 'string' }
const object = (properties: object, rest: object = {}) => ({ type: 'object', properties, ...rest })
const to = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const kindIs = (kind: string, properties: object) =>
  object({ kind: { const: kind }, ...properties }, { required: ['kind'] })

const schemas = {
  Named: object({ name: text }),
  Tree: object({
    name: text,
    parts: { type: 'array', items: to('Tree') },
    byName: { additionalProperties: to('Tree') },
  }),
  Other: object({ size: { type: 'integer' }, tree: to('Tree') }),
  Cat: kindIs('cat', { purrs: { type: 'boolean' }, friend: to('Pet') }),
  Dog: kindIs('dog', { barks: { type: 'boolean' }, friend: to('Pet') }),
  Pet: { oneOf: [to('Cat'), to('Dog')], discriminator: { propertyName: 'kind' } },
  Chain: { allOf: [to('Named'), object({ next: to('Chain') })] },
}

/** A schema, a body that is valid, and what is left of it. */
const cases: [title: string, schema: object, sent: string, seen: string][] = [
  ['at the root', object({ a: text }), '{"x":1,"a":"b","y":{"a":1}}', '{"a":"b"}'],
  ['in a nested object', object({ a: object({ b: text }) }), '{"a":{"b":"c","x":1}}', '{"a":{"b":"c"}}'],
  [
    'in arrays of objects',
    { type: 'array', items: object({ a: text }) },
    '[{"a":"b","x":1},{"x":2}]',
    '[{"a":"b"},{}]',
  ],
  [
    'in tuples',
    { type: 'array', prefixItems: [object({ a: text }), text], items: false, minItems: 2 },
    '[{"a":"b","x":1},"c"]',
    '[{"a":"b"},"c"]',
  ],
  [
    'in maps of objects',
    object({ a: text }, { additionalProperties: object({ b: text }) }),
    '{"a":"b","c":{"b":"d","x":1}}',
    '{"a":"b","c":{"b":"d"}}',
  ],
  ['behind a reference', object({ a: to('Named') }), '{"a":{"name":"b","x":1}}', '{"a":{"name":"b"}}'],
  [
    'in a recursive schema',
    to('Tree'),
    '{"name":"a","x":1,"parts":[{"x":1,"parts":[{"name":"b","x":1}]}],"byName":{"c":{"x":1,"name":"d"}}}',
    '{"name":"a","parts":[{"parts":[{"name":"b"}]}],"byName":{"c":{"name":"d"}}}',
  ],
  [
    'of both schemas of allOf',
    { allOf: [to('Named'), object({ a: text })] },
    '{"name":"b","a":"c","x":1}',
    '{"name":"b","a":"c"}',
  ],
  [
    'of a reference and the keywords beside it',
    { ...to('Named'), properties: { a: text } },
    '{"name":"b","a":"c","x":1}',
    '{"name":"b","a":"c"}',
  ],
  [
    'of recursive schemas in allOf',
    { allOf: [to('Tree'), to('Other')] },
    '{"name":"a","size":1,"x":1,"tree":{"size":1,"name":"b"}}',
    '{"name":"a","size":1,"tree":{"name":"b"}}',
  ],
  [
    'of a recursive allOf',
    to('Chain'),
    '{"name":"a","x":1,"next":{"name":"b","x":1,"next":{}}}',
    '{"name":"a","next":{"name":"b","next":{}}}',
  ],
  [
    'in parts that several schemas describe',
    {
      allOf: [
        object({ a: object({ b: text }, { required: ['b'] }) }),
        object({ a: object({ c: text }, { required: ['c'] }) }),
      ],
    },
    '{"a":{"b":"d","c":"e","x":1}}',
    '{"a":{"b":"d","c":"e"}}',
  ],
  [
    'in a part that one schema leaves open',
    { allOf: [object({ a: object({ b: text }) }), object({ a: { type: 'object', additionalProperties: true } })] },
    '{"a":{"b":"d","x":1},"x":1}',
    '{"a":{"b":"d","x":1}}',
  ],
  [
    'in a part that one schema takes for a map',
    { allOf: [object({ a: object({ b: text }) }), object({ a: { type: 'object', additionalProperties: text } })] },
    '{"a":{"b":"d","x":"1"}}',
    '{"a":{"b":"d","x":"1"}}',
  ],
  [
    'of the other alternative of oneOf',
    to('Pet'),
    '{"kind":"cat","purrs":true,"barks":true,"friend":{"kind":"dog","barks":true,"purrs":1}}',
    '{"kind":"cat","purrs":true,"friend":{"kind":"dog","barks":true}}',
  ],
  [
    'of no alternative of oneOf, which fail for other reasons',
    {
      oneOf: [object({ a: object({ b: text }), c: { const: 1 } }), object({ a: object({ d: text }), c: { const: 2 } })],
      type: 'object',
      required: ['c'],
    },
    '{"a":{"b":"e","d":"f","x":1},"c":2}',
    '{"a":{"d":"f"},"c":2}',
  ],
  [
    'of alternatives of anyOf, of which several hold',
    {
      anyOf: [
        object({ a: object({ b: text }) }),
        object({ a: object({ c: text }) }),
        object({ a: object({ d: text }) }, { required: ['e'] }),
      ],
    },
    '{"a":{"b":"f","c":"g","d":"h","x":1}}',
    '{"a":{"b":"f","c":"g"}}',
  ],
  [
    'where then and else declare',
    object(
      { a: text, b: object({}) },
      {
        if: { properties: { a: { const: 'x' } } },
        then: object({ b: object({ c: text }) }),
        else: object({ b: object({ d: text }), e: text }),
      },
    ),
    '{"a":"y","b":{"c":"f","d":"g"},"e":"h","x":1}',
    '{"a":"y","b":{"d":"g"},"e":"h"}',
  ],
  [
    'where dependentSchemas declare',
    object({ a: text, b: text }, { dependentSchemas: { a: object({ c: text }), b: object({ d: text }) } }),
    '{"a":"e","c":"f","d":"g"}',
    '{"a":"e","c":"f"}',
  ],
  [
    'where conditions describe more',
    object(
      { a: object({ b: text }) },
      { not: object({ a: object({ c: { const: 1 } }, { required: ['c'] }) }, { required: ['a'] }) },
    ),
    '{"a":{"b":"d","c":2}}',
    '{"a":{"b":"d"}}',
  ],
  [
    'that an alternative has evaluated before it failed',
    { anyOf: [{ allOf: [to('Tree'), { required: ['parts'] }] }, object({ a: text })] },
    '{"name":"b","a":"c"}',
    '{"a":"c"}',
  ],
  [
    'of a condition that does not hold',
    object({ a: text }, { if: object({ b: { const: 1 } }, { required: ['b'] }), then: object({ c: text }) }),
    '{"a":"d","b":2,"c":"e"}',
    '{"a":"d"}',
  ],
  [
    'where contains describes more',
    { type: 'array', items: object({ a: text }), contains: object({ a: text, b: {} }, { required: ['a'] }) },
    '[{"a":"c","b":1}]',
    '[{"a":"c"}]',
  ],
  [
    'beside patterns of names',
    object({ a: text }, { patternProperties: { '^x-': object({ b: text }) } }),
    '{"a":"b","x-c":{"b":"d","x":1},"y":1}',
    '{"a":"b","x-c":{"b":"d"}}',
  ],
  [
    'that JavaScript has in every object',
    object({ a: object({ b: text }) }),
    '{"__proto__":{"a":1},"constructor":1,"toString":1,"a":{"__proto__":null,"hasOwnProperty":1}}',
    '{"a":{}}',
  ],
  [
    'that are declared with such names',
    object({ constructor: object({ toString: text }), valueOf: text }),
    '{"constructor":{"toString":"a","x":1},"valueOf":"b","toString":1}',
    '{"constructor":{"toString":"a"},"valueOf":"b"}',
  ],
  ['beside defaults', object({ a: object({ b: { ...text, default: 'c' } }) }), '{"a":{"x":1}}', '{"a":{"b":"c"}}'],
  [
    'of a value that may be null',
    object({ a: { type: ['object', 'null'], properties: { b: text } } }),
    '{"a":{"b":"c","x":1}}',
    '{"a":{"b":"c"}}',
  ],
  [
    'but those of a schema without properties',
    object({ a: { type: 'object' }, b: {}, c: { type: 'object', patternProperties: { '^a': text } } }),
    '{"a":{"x":1},"b":{"x":{"y":1}},"c":{"ab":"d","x":1}}',
    '{"a":{"x":1},"b":{"x":{"y":1}},"c":{"ab":"d","x":1}}',
  ],
  [
    'but those that additionalProperties allows',
    object({
      a: object({ b: text }, { additionalProperties: true }),
      c: object({ b: text }, { additionalProperties: text }),
    }),
    '{"a":{"x":{"y":1}},"c":{"x":"y"},"x":1}',
    '{"a":{"x":{"y":1}},"c":{"x":"y"}}',
  ],
  [
    'but those that unevaluatedProperties allows',
    { allOf: [to('Named')], type: 'object', unevaluatedProperties: object({ b: text }) },
    '{"name":"a","x":{"b":"c","x":1}}',
    '{"name":"a","x":{"b":"c"}}',
  ],
]

/** A service that answers each body with the same, and shows what its handlers saw. */
async function serveEcho(bodies: object[]) {
  const seen: unknown[] = []
  const paths = bodies.map((schema, index) => {
    const content = { 'application/json': { schema } }
    const responses = { 200: { description: 'The same.', content }, ...failures }
    return [
      `/${String(index)}`,
      { put: { operationId: `echo${String(index)}`, requestBody: { required: true, content }, responses } },
    ]
  })
  const contract = contractOf(Object.fromEntries(paths) as object, { components: { schemas } })
  expect(await problemsOf(contract)).toEqual([])
  const echo = ({ body }: { body: unknown }) => {
    seen.push(body)
    return { status: 200, body }
  }
  const handlers = Object.fromEntries(bodies.map((_, index) => [`echo${String(index)}`, echo]))
  const { send, logLines } = await serve(contract, handlers)
  return {
    send: (index: number, body: string) => send({ method: 'PUT', url: `/${String(index)}`, body }),
    seen,
    logLines,
  }
}

describe('properties that the schema does not declare are gone before a handler, and what is left is a reply', () => {
  test.each(cases)('%s', async (_title, schema, sent, left) => {
    const { send, seen } = await serveEcho([schema])
    expect(await send(0, sent)).toMatchObject({ status: 200, text: left })
    expect(seen.map((body) => JSON.stringify(body))).toEqual([left])
    // What is left is valid, and nothing more is taken from it.
    expect(await send(0, left)).toMatchObject({ status: 200, text: left })
  })
})

test('a body that may have no others is refused for names that every object inherits', async () => {
  const { send } = await serveEcho([{ anyOf: [to('Tree'), to('Other')], type: 'object', unevaluatedProperties: false }])
  expect((await send(0, '{"name":"a"}')).status).toBe(200)
  for (const name of ['constructor', 'toString', '__proto__'])
    expect(await send(0, `{"name":"a","${name}":1}`)).toMatchObject({
      status: 400,
      text: expect.stringContaining(`"body/${name} is not a property here"`) as string,
    })
})

test('a body must be valid as it was sent, and as it is without them', async () => {
  const part = object({ a: text })
  const valid = async (schema: object, body: string) => {
    const { send, seen } = await serveEcho([schema])
    const { status } = await send(0, body)
    return { status, seen }
  }
  const refused = { status: 400, seen: [] }
  // As it was sent.
  expect(await valid(object({ a: text }, { maxProperties: 1 }), '{"a":"b","x":1}')).toEqual(refused)
  expect(await valid(object({ a: text }, { propertyNames: { maxLength: 1 } }), '{"long":1}')).toEqual(refused)
  expect(await valid(object({ a: text }, { dependentRequired: { x: ['a'] } }), '{"x":1}')).toEqual(refused)
  const constant = { allOf: [object({ p: part }), object({ p: { const: { a: 'b' } } })] }
  expect(await valid(constant, '{"p":{"a":"b","x":1}}')).toEqual(refused)
  // As it is without them.
  expect(await valid(object({ a: text }, { minProperties: 2 }), '{"a":"b","x":1}')).toEqual(refused)
  expect(await valid({ type: 'array', items: part, uniqueItems: true }, '[{"x":1},{"x":2}]')).toEqual(refused)
  // One property after the other, each of which only the one before lets the schema declare.
  const chain = object(
    { a: text },
    {
      dependentSchemas: { x: { properties: { y: {} } }, y: { properties: { z: {} } } },
    },
  )
  expect(await valid(chain, '{"a":"b","x":1,"y":1,"z":1}')).toEqual({ status: 200, seen: [{ a: 'b' }] })
})

test('integers keep their exact values where properties beside them are dropped', async () => {
  const int64 = { type: 'integer', format: 'int64' }
  const exact = '9007199254740993'
  const bodies = [
    int64,
    { anyOf: [{ type: 'number' }, int64] },
    { anyOf: [int64, { type: 'number' }] },
    { oneOf: [text, int64] },
  ]
  const { send, seen } = await serveEcho(bodies.map((id) => object({ id, part: object({}) })))
  for (const [index] of bodies.entries()) {
    const left = `{"id":${exact},"part":{}}`
    expect(await send(index, `{"id":${exact},"part":{"x":${exact}},"x":1}`)).toMatchObject({ status: 200, text: left })
    expect(seen.pop()).toEqual({ id: 9007199254740993n, part: {} })
  }
})

test('what a schema of one reply declares is not declared in the next, nor that of an item in the next', async () => {
  const replies = [
    { status: 200, body: { both: { name: 'a', size: 1 } } },
    { status: 200, body: { tree: { name: 'a', size: 1 } } },
    {
      status: 200,
      body: {
        pets: [
          { kind: 'cat', purrs: true },
          { kind: 'dog', purrs: true },
        ],
      },
    },
    // The same object in two places, of which one has no such property.
    (() => {
      const both = { name: 'a', size: 1 }
      return { status: 200, body: { both, tree: both } }
    })(),
  ]
  const body = object({
    both: { allOf: [to('Tree'), to('Other')] },
    tree: to('Tree'),
    pets: { type: 'array', items: to('Pet') },
  })
  const content = { 'application/json': { schema: body } }
  const responses = { 200: { description: 'Things.', content }, ...failures }
  const contract = contractOf({ '/': { get: { operationId: 'listThings', responses } } }, { components: { schemas } })
  const { send } = await serve(contract, { listThings: () => replies.shift() })
  const statuses: number[] = []
  while (replies.length > 0) statuses.push((await send({ method: 'GET', url: '/' })).status)
  expect(statuses).toEqual([200, 500, 500, 500])
})

describe('of any schema', () => {
  const leaf = fc.constantFrom({}, {}, text, to('Node'), { type: 'object' })
  const objectOf = (part: fc.Arbitrary<Schema>): fc.Arbitrary<Schema> => {
    const condition = fc.constantFrom<Schema>({ required: ['a'] }, { properties: { b: text } })
    const one = (name: string) => part.map((each) => ({ properties: { [name]: each } }))
    const more = fc.oneof<fc.Arbitrary<Schema>[]>(
      fc.constant({}),
      fc.constant({ required: ['a'] }),
      fc.record({ additionalProperties: part }),
      fc.record({ patternProperties: part.map((each) => ({ '^d': each })) }),
      fc.record({ allOf: fc.tuple(part) }),
      fc.record({ anyOf: fc.tuple(part, part) }),
      fc.record({ if: condition, then: one('b'), else: one('c') }),
    )
    const properties = fc.dictionary(fc.constantFrom('a', 'b', 'c'), part, { minKeys: 1, maxKeys: 2 })
    return fc.tuple(properties, more).map(([declared, rest]) => ({ properties: declared, ...rest }))
  }
  const schemaOf = (levels: number): fc.Arbitrary<Schema> => {
    if (levels === 0) return fc.oneof(leaf, objectOf(leaf))
    const next = schemaOf(levels - 1)
    const object = objectOf(next)
    return fc.oneof(
      { arbitrary: object, weight: 4 },
      fc.record({ type: fc.constant('array'), items: next }),
      fc.record({ allOf: fc.tuple(object, next) }),
      fc.record({ anyOf: fc.tuple(object, next) }),
      fc.record({ oneOf: fc.tuple(next, object) }),
    )
  }
  const Node = { properties: { a: to('Node'), b: {} } }
  const valueOf = (levels: number): fc.Arbitrary<unknown> => {
    if (levels === 0) return fc.constantFrom('x', {})
    const next = valueOf(levels - 1)
    const object = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), next, { minKeys: 1, maxKeys: 4 })
    return fc.oneof({ arbitrary: object, weight: 4 }, fc.constant('x'), fc.array(next, { maxLength: 2 }))
  }

  /** What a schema says of an object at a place. */
  interface Said {
    place: string
    isClosed: boolean
    names: ReadonlySet<string>
  }

  /** Reads JSON Schema by the letter: what a schema evaluates and says of a value's parts; undefined if invalid. */
  function judge(schema: Schema, value: unknown, place: string): { names: Set<string>; parts: Said[] } | undefined {
    const names = new Set<string>()
    const parts: Said[] = []
    const take = (judgement: ReturnType<typeof judge>) => {
      judgement?.names.forEach((name) => names.add(name))
      parts.push(...(judgement?.parts ?? []))
      return judgement !== undefined
    }
    const part = (of: Schema, member: unknown, at: string) => {
      const judgement = judge(of, member, at)
      if (judgement === undefined) return false
      parts.push({ place: at, isClosed: declares(of), names: judgement.names }, ...judgement.parts)
      return true
    }
    const here = (of: Schema) => judge(of, value, place)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    const members = isObject ? Object.entries(value) : []
    const { type, properties = {}, required = [], patternProperties = {}, additionalProperties, items } = schema
    const typeOf = Array.isArray(value) ? 'array' : typeof value
    if (type !== undefined && type !== typeOf) return undefined
    if (isObject && !required.every((name) => Object.hasOwn(value, name))) return undefined
    for (const [name, member] of members) {
      const schemas = [
        ...(Object.hasOwn(properties, name) ? [properties[name]!] : []),
        ...Object.entries(patternProperties).flatMap(([pattern, each]) =>
          new RegExp(pattern).test(name) ? [each] : [],
        ),
      ]
      if (schemas.length === 0 && additionalProperties !== undefined) schemas.push(additionalProperties)
      if (schemas.length > 0) names.add(name)
      if (!schemas.every((each) => part(each, member, `${place}/${name}`))) return undefined
    }
    if (
      items !== undefined &&
      Array.isArray(value) &&
      !value.every((item, at) => part(items, item, `${place}/${String(at)}`))
    )
      return undefined
    if (schema.$ref !== undefined && !take(here(Node))) return undefined
    if (!(schema.allOf ?? []).every((each) => take(here(each)))) return undefined
    if (schema.anyOf !== undefined && schema.anyOf.map((each) => take(here(each))).every((holds) => !holds))
      return undefined
    if (
      schema.oneOf !== undefined &&
      schema.oneOf.map((each) => take(here(each))).filter((holds) => holds).length !== 1
    )
      return undefined
    if (schema.if !== undefined) {
      const judgement = here(schema.if)
      judgement?.names.forEach((name) => names.add(name))
      const next = judgement === undefined ? schema.else : schema.then
      if (next !== undefined && !take(here(next))) return undefined
    }
    return { names, parts }
  }

  function declares({ properties, $ref, allOf = [], anyOf = [], oneOf = [], then, else: otherwise }: Schema): boolean {
    const inPlace = [...allOf, ...anyOf, ...oneOf, ...[then, otherwise].filter((each) => each !== undefined)]
    return properties !== undefined || $ref !== undefined || inPlace.some(declares)
  }

  /** What is left of a value; undefined where it is refused. */
  function left(schema: Schema, value: unknown): unknown {
    const { parts } = judge({ properties: { body: schema } }, { body: value }, '') ?? {}
    if (parts === undefined) return undefined
    const byPlace = Map.groupBy(parts, ({ place }) => place)
    let removed = 0
    const copy = (member: unknown, place: string): unknown => {
      if (Array.isArray(member)) return member.map((item, at) => copy(item, `${place}/${String(at)}`))
      if (typeof member !== 'object' || member === null) return member
      const said = byPlace.get(place) ?? []
      const kept = Object.entries(member).filter(
        ([name]) => !said.some(({ isClosed }) => isClosed) || said.some(({ names }) => names.has(name)),
      )
      removed += Object.keys(member).length - kept.length
      return Object.fromEntries(kept.map(([name, each]) => [name, copy(each, `${place}/${name}`)]))
    }
    const copied = copy(value, '/body')
    return removed > 0 ? left(schema, copied) : copied
  }

  test('the value that a handler sees has what the schema declares, and it may answer with the same', async () => {
    let [whole, refused, reduced] = [0, 0, 0]
    await fc.assert(
      fc.asyncProperty(schemaOf(2), fc.array(valueOf(3), { minLength: 20, maxLength: 20 }), async (schema, values) => {
        const content = { 'application/json': { schema } }
        const [operation] = await createEngine({
          document: dereference(
            withComponents(
              { schemas: { Node } },
              { requestBody: { content }, responses: { 200: { description: 'The same.', content } } },
            ),
          ),
          handlers: { getThing: ({ body }: { body: unknown }) => ({ status: 200, body }) },
          services: {},
          securitySchemes: ['bearer'],
        })
        for (const value of values) {
          const expected = left(schema, value)
          const [sent, before] = [structuredClone(value), JSON.stringify(value)]
          const reply = (async () =>
            operation!.handle({
              headers: {},
              path: { id: '1' },
              query: {},
              url: '',
              body: { value: sent, sources: new Map() },
              caller: 'me',
            }))()
          if (expected === undefined) refused++
          else if (JSON.stringify(expected) === before) whole++
          else reduced++
          if (expected === undefined) await expect(reply, before).rejects.toThrow(Refusal)
          else expect(await reply, before).toMatchObject({ status: 200, body: expected })
        }
      }),
      { numRuns: 60 },
    )
    // Each happens often.
    expect(Math.min(whole, refused, reduced)).toBeGreaterThan(50)
  })
})
