import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { stringifyJson } from '../../src/json/json.ts'
import { bearer, bind, contractOf, handle, int64, serveEcho } from '../support/contracts.ts'

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
}

/** A schema, a body that is valid, and what is left of it. */
const cases: [title: string, schema: object, sent: string, left: string][] = [
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
    'that JavaScript has in every object',
    object({ a: object({ b: text }) }),
    '{"__proto__":{"a":1},"constructor":1,"toString":1,"a":{"__proto__":null,"hasOwnProperty":1}}',
    '{"a":{}}',
  ],
  [
    'beside those that are declared with such names',
    object({ constructor: object({ toString: text }), valueOf: text }),
    '{"constructor":{"toString":"a","x":1},"valueOf":"b","toString":1}',
    '{"constructor":{"toString":"a"},"valueOf":"b"}',
  ],
  [
    'of no alternative of anyOf that applies',
    { anyOf: [object({ a: text }), object({ b: text }), object({ c: text }, { required: ['d'] })] },
    '{"a":"e","b":"f","c":"g","x":1}',
    '{"a":"e","b":"f"}',
  ],
  [
    'beside alternatives that declare none',
    object({ a: text, b: text }, { anyOf: [{ required: ['a'] }, { required: ['b'] }, { required: ['x'] }] }),
    '{"a":"c","x":1}',
    '{"a":"c"}',
  ],
  ['beside defaults', object({ a: object({ b: { ...text, default: 'c' } }) }), '{"a":{"x":1}}', '{"a":{"b":"c"}}'],
  ['beside exact integers', object({ a: { anyOf: [{ type: 'number' }, int64] } }), '{"a":5,"x":1e400}', '{"a":5}'],
]

describe('undeclared properties are removed from requests and replies', () => {
  test.each(cases)('%s', async (_title, schema, sent, left) => {
    const echo = await serveEcho(schema, schemas)
    expect(await echo(sent)).toEqual({ status: 200, text: left, seen: left })
    expect(await echo(left)).toEqual({ status: 200, text: left, seen: left })
    if (sent === left || sent.includes('1e400')) return
    const replied: string[] = []
    const reply = await replies(schema, replied)
    expect(await reply(JSON.parse(sent))).toMatch(/ is not declared$/)
    // A reply has no defaults.
    expect(replied).toEqual([sent === '{"a":{"x":1}}' ? '{"a":{}}' : left])
  })
})

describe('a value is kept whole if one alternative allows all of it', () => {
  const free = { type: 'object' }
  const named = object({ name: text, part: to('Named') })
  const needsName = { ...named, required: ['name'] }

  test.each<[string, object, string]>([
    ['beside one that fails', { anyOf: [needsName, free] }, '{"x":{"y":1}}'],
    ['beside one that applies', { anyOf: [free, named] }, '{"name":"a","part":{"name":"b","x":1},"y":2}'],
    ['in an alternative', { anyOf: [named, { oneOf: [needsName, free], maxProperties: 2 }] }, '{"x":1}'],
    ['as a list', { anyOf: [{ type: 'array', items: named }, { type: 'array' }] }, '[{"x":1}]'],
    ['in a part of another', { anyOf: [named, object({ part: free, y: {} })] }, '{"part":{"x":1},"y":2}'],
    ['as a map', { anyOf: [named, { ...free, additionalProperties: true }] }, '{"part":{"x":1},"y":2}'],
  ])('%s', async (_what, schema, body) => {
    const echo = await serveEcho(schema, schemas)
    expect(await echo(body)).toEqual({ status: 200, text: body, seen: body })
  })
})

/**
 * Serves an operation that replies with what it is given. Returns why the reply breaks the contract, or its status.
 *
 * @param sent receives the JSON text of each body that is sent
 */
async function replies(schema: object, sent: string[] = []): Promise<(body: unknown) => Promise<string | number>> {
  const responses = { 200: { description: 'The same.', content: { 'application/json': { schema } } } }
  const bodies: unknown[] = []
  const contract = contractOf({ responses }, { components: { schemas, securitySchemes: { bearer } } })
  const [operation] = await bind(contract, { getThing: () => ({ status: 200, body: bodies.pop() }) })
  return async (body) => {
    bodies.push(body)
    return handle(operation!).then(
      ({ status, body: left, undeclared }) => {
        sent.push(stringifyJson(left))
        return undeclared ?? status
      },
      (error: unknown) => (error as Error).message,
    )
  }
}

test('unevaluatedProperties: false is for objects alone, and names what it refuses', async () => {
  const closed = { unevaluatedProperties: false }
  const alone = await serveEcho({ type: ['array', 'string'], ...closed })
  for (const body of ['["a"]', '"a"']) expect(await alone(body)).toMatchObject({ status: 200, text: body })
  const echo = await serveEcho(object({ a: { anyOf: [to('Tree'), to('Other')], ...closed } }), schemas)
  expect(await echo('{"a":{"name":"a"}}')).toMatchObject({ status: 200 })
  // Every object inherits these names.
  for (const name of ['constructor', 'toString', '__proto__', 'c/d']) {
    const text = `body/a/${name.replace('/', '~1')} is not declared`
    expect(await echo(`{"a":{"name":"b","${name}":1}}`)).toEqual({ status: 400, text, seen: undefined })
  }
})

test('a body must be valid both as sent and without undeclared properties', async () => {
  const part = object({ a: text })
  const refused: [schema: object, body: string][] = [
    // As it was sent.
    [object({ a: text }, { maxProperties: 1 }), '{"a":"b","x":1}'],
    [object({ a: text }, { propertyNames: { maxLength: 1 } }), '{"long":1}'],
    [{ allOf: [object({ p: part }), object({ p: { const: { a: 'b' } } })] }, '{"p":{"a":"b","x":1}}'],
    // As it is without them.
    [object({ a: text }, { minProperties: 2 }), '{"a":"b","x":1}'],
    [{ type: 'array', items: part, uniqueItems: true }, '[{"x":1},{"x":2}]'],
  ]
  for (const [schema, body] of refused) {
    const echo = await serveEcho(schema)
    expect(await echo(body), body).toMatchObject({ status: 400, seen: undefined })
  }
  // One property after the other, each of which only the one before lets the schema declare.
  const chain = object(
    { a: text },
    { anyOf: [object({ y: {} }, { required: ['x'] }), object({ z: {} }, { required: ['y'] }), {}] },
  )
  const echo = await serveEcho(chain)
  expect(await echo('{"a":"b","x":1,"y":1,"z":1}')).toMatchObject({ status: 200, seen: '{"a":"b"}' })
})

test('properties declared for one reply or item are not declared for the next', async () => {
  const pets = { type: 'array', items: to('Pet') }
  const reply = await replies(object({ both: { allOf: [to('Tree'), to('Other')] }, tree: to('Tree'), pets }))
  const both = { name: 'a', size: 1 }
  expect(await reply({ both })).toBe(200)
  expect(await reply({ tree: { name: 'a', size: 1 } })).toMatch(/body\/tree\/size is not declared/)
  const [cat, dog] = ['cat', 'dog'].map((kind) => ({ kind, purrs: true }))
  expect(await reply({ pets: [cat, dog] })).toMatch(/body\/pets\/1\/purrs is not declared/)
  // The same object in two places, of which one has no such property.
  expect(await reply({ both, tree: both })).toMatch(/body\/tree\/size is not declared/)
})

test('readOnly and writeOnly properties are required in one direction only', async () => {
  const id = { ...text, readOnly: true }
  const secret = { allOf: [{ ...text, writeOnly: true }] }
  const schema = object({ id, secret }, { required: ['id', 'secret'] })
  const request = await serveEcho(schema)
  expect(await request('{"secret":"a"}')).toMatchObject({ seen: '{"secret":"a"}' })
  expect(await request('{}')).toMatchObject({ status: 400, text: 'body/secret is required' })
  expect(await request('{"id":"a","secret":"b"}')).toMatchObject({ status: 400, text: 'body/id is not allowed here' })
  const reply = await replies(schema)
  expect(await reply({ id: 'a' })).toBe(200)
  expect(await reply({})).toMatch('body/id is required')
  expect(await reply({ id: 'a', secret: 'b' })).toMatch('body/secret is not allowed here')
  const without = await serveEcho({ ...object({ id }), not: { required: ['id'] } })
  expect(await without('{}')).toMatchObject({ seen: '{}' })
})

describe('a default', () => {
  const inherited = Object.getOwnPropertyNames(Object.prototype).filter((name) => name !== '__proto__')

  test('is applied to requests only, each time as a new value', async () => {
    const properties = Object.fromEntries(inherited.map((name) => [name, { type: 'array', default: [name] }]))
    const seen: Record<string, string[]>[] = []
    const requestBody = { content: { 'application/json': { schema: object(properties) } } }
    const [operation] = await bind(contractOf({ requestBody }), {
      getThing: ({ body }: { body: Record<string, string[]> }) => {
        seen.push(structuredClone(body))
        for (const name of inherited) body[name]?.push('more')
        return { status: 200, body: { name: 'a' } }
      },
    })
    for (const value of [{}, { valueOf: [] }]) {
      await handle(operation!, { body: { value, sources: new Map() } })
    }
    const all = Object.fromEntries(inherited.map((name) => [name, [name]]))
    expect(seen).toEqual([all, { ...all, valueOf: [] }])
    const reply = await replies(object({ name: { ...text, default: 'a' } }, { required: ['name'] }))
    expect(await reply({})).toMatch('body/name is required')
  })

  test('is found through references and allOf', async () => {
    const more = { Shade: { ...text, default: 'green' } }
    const echo = await serveEcho(object({ a: to('Shade'), b: { allOf: [to('Shade')] } }), more)
    expect(await echo('{}')).toMatchObject({ seen: '{"a":"green","b":"green"}' })
  })

  test('is not applied in a schema that may not apply', async () => {
    const withDefault = object({ name: { ...text, default: 'a' } })
    for (const [schema, body] of [
      [{ anyOf: [withDefault] }, '{}'],
      [{ oneOf: [object({ a: withDefault })] }, '{"a":{}}'],
      [{ not: object({ a: { type: 'array', items: withDefault } }) }, '{"a":1}'],
    ] as const) {
      const echo = await serveEcho(schema)
      expect(await echo(body)).toMatchObject({ status: 200, seen: body })
    }
    const Node = object({ name: { ...text, default: 'a' }, next: to('Node') })
    const either = await serveEcho(object({ a: { anyOf: [to('Default'), { type: 'null' }] } }), {
      Default: withDefault,
    })
    expect(await either('{"a":{}}')).toMatchObject({ seen: '{"a":{}}' })
    const echo = await serveEcho(object({ a: { anyOf: [to('Node'), { type: 'null' }] }, b: to('Node') }), { Node })
    expect(await echo('{"a":{"next":{}},"b":{"next":{}}}')).toMatchObject({
      seen: '{"a":{"next":{}},"b":{"next":{"name":"a"},"name":"a"}}',
    })
  })
})

describe('a number beyond the range of a double', () => {
  test.each([
    { type: 'object' },
    {},
    true,
    { type: 'object', additionalProperties: true },
    object({ a: {} }, { additionalProperties: {} }),
    { anyOf: [text, {}] },
  ])('is refused with its place where any value is allowed: %j', async (schema) => {
    const echo = await serveEcho(schema)
    const any = '{"b":{"c":[null,true,{"d":9007199254740993}],"__proto__":{"e":"f"}},"":1.5}'
    expect(await echo(any)).toMatchObject({ status: 200, seen: any, text: any })
    for (const number of ['-1e400', '9'.repeat(2_000)]) {
      expect(await echo(`{"b":[1.5,{"c/d":${number}}]}`)).toMatchObject({
        status: 400,
        text: 'body/b/1/c~1d must not be a number beyond the range of a double',
      })
    }
  })

  test('is refused where a type is declared, and passes in a removed property', async () => {
    const echo = await serveEcho(object({ name: text }))
    expect(await echo('{"name":1e400}')).toMatchObject({ status: 400, text: 'body/name must be a string' })
    expect(await echo('{"name":"a","more":{"a":1e400}}')).toMatchObject({ status: 200, seen: '{"name":"a"}' })
  })
})

describe('of any schema', () => {
  /** The keywords that the schemas of this test are made of. */
  interface Schema {
    type?: string
    $ref?: string
    properties?: Record<string, Schema>
    required?: string[]
    additionalProperties?: Schema
    unevaluatedProperties?: false
    items?: Schema
    allOf?: Schema[]
    anyOf?: Schema[]
    oneOf?: Schema[]
    not?: Schema
    const?: string
  }

  const constants = ['x', 'y'].map((value) => ({ const: value }))
  const leaf = fc.constantFrom<Schema>({}, {}, text, to('Node'), { type: 'object' }, ...constants)
  const objectOf = (part: fc.Arbitrary<Schema>): fc.Arbitrary<Schema> => {
    const none = fc.constant<Schema>({})
    const closed = fc.oneof(none, fc.constant<Schema>({ unevaluatedProperties: false }))
    const more = fc.oneof<fc.Arbitrary<Schema>[]>(
      none,
      fc.constant({ required: ['a'] }),
      fc.record({ additionalProperties: part }),
      fc.record({ allOf: fc.tuple(part) }),
      fc.record({ anyOf: fc.tuple(part, part) }),
      fc.record({ not: part }),
    )
    const properties = fc.dictionary(fc.constantFrom('a', 'b', 'c'), part, { minKeys: 1, maxKeys: 2 })
    return fc
      .tuple(properties, more, closed)
      .map(([declared, ...rest]) => ({ properties: declared, ...Object.assign({}, ...rest) }))
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
    if (levels === 0) return fc.constantFrom('x', 'y', {})
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

  interface Judgement {
    /** The properties that are evaluated. */
    names: Set<string>
    isClosed: boolean
    parts: Said[]
  }

  /** Reads JSON Schema by the letter: what a schema evaluates and says of a value's parts; undefined if invalid. */
  function judge(schema: Schema, value: unknown, place: string): Judgement | undefined {
    const names = new Set<string>()
    const parts: Said[] = []
    let isClosed = false
    const take = (judgement: Judgement | undefined) => {
      judgement?.names.forEach((name) => names.add(name))
      parts.push(...(judgement?.parts ?? []))
      isClosed ||= judgement?.isClosed === true
      return judgement !== undefined
    }
    /** Takes the alternatives that apply. If one of them keeps the whole value, the others remove nothing. */
    const takeSome = (judgements: (Judgement | undefined)[]) => {
      const valid = judgements.filter((judgement) => judgement !== undefined)
      const opened = (of: Said) => ({ ...of, isClosed: false })
      const isWhole = valid.some(
        ({ parts: inside, ...here }) => reduce(value, place, [{ place, ...here }, ...inside]).removed === 0,
      )
      for (const { parts: inside, ...each } of valid) {
        take(isWhole ? { ...each, isClosed: false, parts: inside.map(opened) } : { ...each, parts: inside })
      }
      return valid.length
    }
    const part = (of: Schema, member: unknown, at: string) => {
      const judgement = judge(of, member, at)
      if (judgement === undefined) return false
      parts.push({ place: at, isClosed: judgement.isClosed, names: judgement.names }, ...judgement.parts)
      return true
    }
    const here = (of: Schema) => judge(of, value, place)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    const members = isObject ? Object.entries(value) : []
    const { type, properties = {}, required = [], additionalProperties, items } = schema
    if (schema.const !== undefined && schema.const !== value) return undefined
    if (type !== undefined && type !== (Array.isArray(value) ? 'array' : typeof value)) return undefined
    if (isObject && !required.every((name) => Object.hasOwn(value, name))) return undefined
    isClosed = isObject && schema.properties !== undefined && additionalProperties === undefined
    for (const [name, member] of members) {
      const of = Object.hasOwn(properties, name) ? properties[name] : additionalProperties
      if (of === undefined) continue
      names.add(name)
      if (!part(of, member, `${place}/${name}`)) return undefined
    }
    if (items !== undefined && Array.isArray(value)) {
      if (!value.every((item, at) => part(items, item, `${place}/${String(at)}`))) return undefined
    }
    const { $ref, allOf = [], anyOf, oneOf, not, unevaluatedProperties } = schema
    if ($ref !== undefined && !take(here(Node))) return undefined
    if (!allOf.every((each) => take(here(each)))) return undefined
    if (anyOf !== undefined && takeSome(anyOf.map(here)) === 0) return undefined
    if (oneOf !== undefined && takeSome(oneOf.map(here)) !== 1) return undefined
    if (not !== undefined && here(not) !== undefined) return undefined
    if (unevaluatedProperties === false && members.some(([name]) => !names.has(name))) return undefined
    return { names, isClosed, parts }
  }

  /** A value without what is said to be closed and not declared. */
  function reduce(value: unknown, root: string, said: Said[]): { value: unknown; removed: number } {
    const byPlace = Map.groupBy(said, ({ place }) => place)
    let removed = 0
    const copy = (member: unknown, place: string): unknown => {
      if (Array.isArray(member)) return member.map((item, at) => copy(item, `${place}/${String(at)}`))
      if (typeof member !== 'object' || member === null) return member
      const here = byPlace.get(place) ?? []
      const kept = Object.entries(member).filter(
        ([name]) => !here.some(({ isClosed }) => isClosed) || here.some(({ names }) => names.has(name)),
      )
      removed += Object.keys(member).length - kept.length
      return Object.fromEntries(kept.map(([name, each]) => [name, copy(each, `${place}/${name}`)]))
    }
    return { value: copy(value, root), removed }
  }

  /** What is left of a value; undefined where it is refused. */
  function left(schema: Schema, value: unknown): unknown {
    const { parts } = judge({ properties: { body: schema } }, { body: value }, '') ?? {}
    if (parts === undefined) return undefined
    const reduced = reduce(value, '/body', parts)
    return reduced.removed > 0 ? left(schema, reduced.value) : value
  }

  test('a handler sees what the schema declares, and may reply with the same', async () => {
    const counts = { whole: 0, refused: 0, reduced: 0 }
    await fc.assert(
      fc.asyncProperty(schemaOf(2), fc.array(valueOf(3), { minLength: 20, maxLength: 20 }), async (schema, values) => {
        const echo = await serveEcho(schema, { Node })
        for (const value of values) {
          const [sent, rest] = [JSON.stringify(value), left(schema, value)]
          const expected = rest === undefined ? undefined : JSON.stringify(rest)
          counts[expected === undefined ? 'refused' : expected === sent ? 'whole' : 'reduced']++
          const outcome = expected === undefined ? { status: 400, seen: undefined } : { status: 200, text: expected }
          expect(await echo(sent), sent).toMatchObject(outcome)
        }
      }),
      { numRuns: 50 },
    )
    // Each happens often.
    expect(Math.min(...Object.values(counts))).toBeGreaterThan(20)
  })
})
