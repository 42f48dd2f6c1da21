import { describe, expect, test } from 'vitest'
import { bind, contractOf, handle, int64, parsed, serveEcho } from '../support/contracts.ts'

const text = { type: 'string' }
const to = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const object = (properties: object, rest: object = {}) => ({ type: 'object', properties, ...rest })
const operation = (name: string, op: string) =>
  object({ left: to(name), right: to(name), op: { const: op } }, { required: ['op'] })
const kind = (name: string) => object({ kind: { const: name } }, { required: ['kind'] })
const list = { type: 'array', uniqueItems: true, items: { type: 'string', maxLength: 9 } }

/** Without a reference back: each level has the one below twice. */
const levels = Array.from({ length: 40 }, (_, index) => {
  const below = index === 0 ? {} : to(`L${String(index - 1)}`)
  return [`L${String(index)}`, { anyOf: [object({ a: below }), object({ a: below, b: text })] }]
})

const schemas = {
  ...(Object.fromEntries(levels) as object),
  Group: { anyOf: [object({ a: to('Group'), b: text }), object({ a: to('Group'), c: text })] },
  Sum: { oneOf: [operation('Sum', '+'), operation('Sum', '-'), { type: 'integer' }] },
  Not: { not: { not: object({ a: to('Not') }) }, properties: { a: to('Not') } },
  Twice: { allOf: [object({ a: to('Twice') }), object({ a: to('Twice') })] },
  Items: { allOf: [{ items: to('Items') }, { items: to('Items') }] },
  Listed: { anyOf: [object({ a: to('Listed'), list }), object({ a: to('Listed'), list, b: text })] },
  Numbers: { anyOf: [{ type: 'integer' }, { type: 'array', items: to('Numbers') }] },
  Tree: object({ name: text, parts: { type: 'array', items: to('Tree') } }),
}

const bytes = 65_000
const listOf = (items: object) => ({ type: 'array', items })
const many = (items: (index: number) => string) => {
  const length = Math.floor(bytes / (items(10_000).length + 1))
  return `[${Array.from({ length }, (_, index) => items(10_000 + index)).join(',')}]`
}
const nested = (count: number, inside: string) => `${'{"a":'.repeat(count)}${inside}${'}'.repeat(count)}`

const range = (count: number, each: (at: string) => object) =>
  Array.from({ length: count }, (_, at) => each(String(at)))
const named = (index: number) => `{"name":"${String(index)}"}`
const ofNumber = (k: number) => object({ k: { const: k }, tree: to('Tree') }, { required: ['k'] })
/** The items of a list in at most so many bytes. */
const cutTo = (length: number, items: string) => items.slice(1, length).replace(/,[^,]*$/, '')

describe('a body whose validation would take days', () => {
  test.each([
    ['alternatives that lead back', to('Group'), nested(95, '{}')],
    ['alternatives that lead on', to('L39'), nested(39, '{}')],
    ['what is negated', to('Not'), nested(95, '{}')],
    ['parts that two schemas describe', to('Twice'), nested(95, '{}')],
    ['items that two schemas describe', to('Items'), `${'['.repeat(95)}${']'.repeat(95)}`],
    ['a long list within', to('Listed'), nested(30, `{"list":${many((index) => `"${String(index)}"`)}}`)],
  ])('is refused at once: %s', async (_what, schema, body) => {
    const echo = await serveEcho(schema, schemas)
    expect(await echo(body)).toEqual({
      status: 400,
      text: 'the body takes too long to validate; send fewer values, or nest fewer in one another',
      seen: undefined,
    })
    expect((await echo(nested(3, '{}'))).status).toBeLessThan(500)
  })

  test.each([
    ['alternatives that lead back', to('Group'), nested(10, '{}')],
    ['alternatives that a property tells apart', to('Sum'), `${'{"left":'.repeat(95)}1${',"op":"-"}'.repeat(95)}`],
    [
      'a list of one of a hundred kinds',
      listOf({ oneOf: range(100, (at) => kind(`k${at}`)) }),
      many(() => '{"kind":"k99"}'),
    ],
    ['a deep tree', to('Tree'), `${'{"parts":['.repeat(48)}${cutTo(60_000, many(named))}${']}'.repeat(48)}`],
    ['a list', list, many((index) => `"${String(index)}"`)],
    ['many alternatives', listOf({ oneOf: range(10, (at) => ofNumber(Number(at))) }), many(() => '{"k":9,"tree":{}}')],
  ])('is validated in proportion to its size: %s', async (_what, schema, body) => {
    const echo = await serveEcho(schema, schemas)
    expect(await echo(body)).toMatchObject({ status: 200, text: body })
  })
})

const numbers = (from: number) => Array.from({ length: 20_000 }, (_, index) => from + index)
const chainOf = (length: number) =>
  Array.from({ length }, (_, index) => object({ [`y${String(index + 1)}`]: {} }, { required: [`y${String(index)}`] }))

const first = <Each>(count: number, each: (at: number) => Each) => numbers(0).slice(0, count).map(each)
const ofLeast = (minimum: number) => ({ type: 'number', minimum: minimum + 2 })
const withDefault = (name: number) => [name, { default: [] }] as const

describe('a body of 64 KiB is validated fast', () => {
  // Without bounds they take from 4 s to minutes.
  test.each<[string, object, string, number]>([
    ['integers of a long enum', listOf({ ...int64, enum: numbers(7) }), many(() => '7007'), 200],
    ['numbers of a long enum', listOf({ type: 'number', enum: numbers(0.5) }), many(() => '19999.5'), 200],
    ['values of a long enum', listOf({ enum: ['a', {}, ...numbers(7)] }), many(() => '7007'), 200],
    ['objects of many constants', listOf({ anyOf: first(200, (a) => ({ const: { a } })) }), many(() => '{"a":9}'), 400],
    ['one of many alternatives', listOf({ anyOf: first(300, ofLeast) }), many(() => '299'), 400],
    [
      'numbers with many bounds',
      listOf({ type: 'number', allOf: first(1_000, (maximum) => ({ maximum })) }),
      many(() => '1'),
      400,
    ],
    ['objects with many defaults', listOf(object(Object.fromEntries(first(200, withDefault)))), many(() => '{}'), 400],
    [
      'properties that are undeclared one after the other',
      object({ list: listOf(object({ a: text })) }, { anyOf: [{}, ...chainOf(400)] }),
      `{"list":[${cutTo(
        -9_000,
        many(() => '{}'),
      )}],${first(400, (index) => `"y${String(index)}":1`).join(',')}}`,
      400,
    ],
  ])('%s', async (_what, schema, body, status) => {
    const echo = await serveEcho(schema)
    await echo('[]')
    const start = process.cpuUsage()
    expect((await echo(body)).status).toBe(status)
    const { user, system } = process.cpuUsage(start)
    expect((user + system) / 1_000).toBeLessThan(2_000)
  })
})

describe('a body with thousands of faults is refused at once with ten of them', () => {
  const required = Array.from({ length: 20 }, (_, index) => `r${String(index)}`)
  const named = {
    Twice: { allOf: [object({ a: to('Twice') }, { required }), object({ a: to('Twice') })] },
    Closed: { allOf: [object({ a: to('Closed') }, { required, unevaluatedProperties: false }), to('Inner')] },
    Inner: object({ a: to('Closed') }, { unevaluatedProperties: false }),
    Null: { allOf: [object({ a: { anyOf: [to('Null'), { type: 'null' }] } }, { required }), to('Void')] },
    Void: object({ a: { anyOf: [to('Null'), { type: 'null' }] } }),
  }
  const fields = many((index) => `"${String(index)}":{}`).slice(1, -1)

  // Without bounds, those that lead back take seconds and a gigabyte.
  test.each<[string, object, string]>([
    ['a list', listOf({ type: 'integer' }), many(() => '""')],
    ['a list of objects', listOf(object({}, { required })), many(() => '{}')],
    ['a map', { type: 'object', additionalProperties: { type: 'integer' } }, `{${fields}}`],
    ['names', { type: 'object', propertyNames: { maxLength: 4 } }, `{${fields}}`],
    ['parts that two schemas describe', to('Twice'), nested(15, '{}')],
    ['closed parts', to('Closed'), nested(15, '{}')],
    ['parts that may be null', to('Null'), nested(90, '{}')],
  ])('%s', async (_what, schema, body) => {
    const echo = await serveEcho(schema, named)
    await echo('1')
    const start = process.cpuUsage()
    const { status, text } = await echo(body)
    const { user, system } = process.cpuUsage(start)
    expect(status).toBe(400)
    expect(text.split('; ')).toEqual([...Array.from({ length: 10 }, () => expect.any(String) as string), 'and more'])
    expect((user + system) / 1_000).toBeLessThan(300)
  })
})

test('a reply may take longer to validate than a request', async () => {
  const schema = listOf({ type: 'string', pattern: '^[a-z]{0,500}[a-z0-9]{0,500}$' })
  const body = Array.from({ length: 2_000 }, () => 'a'.repeat(128))
  const content = { 'application/json': { schema } }
  const operation = { requestBody: { content }, responses: { 200: { description: 'Names.', content } } }
  const [names] = await bind(contractOf(operation), { getThing: () => ({ status: 200, body }) })
  const send = (sent: string[]) => handle(names!, { body: parsed(JSON.stringify(sent)) })
  await expect(send(body.slice(0, 10))).resolves.toMatchObject({ status: 200 })
  await expect(send(body)).rejects.toThrow(/^body\/\d+ takes too long to match its pattern; send a shorter text$/)
})

describe('a refusal', () => {
  test.each([6, 10, 14, 16])('describes some errors of %i nested alternatives', async (count) => {
    const echo = await serveEcho(to('Group'), schemas)
    const { status, text } = await echo(nested(count, '{"b":1,"c":1}'))
    expect(status).toBe(400)
    expect(text.length).toBeLessThan(2_000)
    if (count > 14) return
    expect(text).toMatch(/^body(\/a)+\/b must be a string; body(\/a)+\/c must be a string; body\/a.* one of the/)
    expect(text.endsWith('; and more')).toBe(count > 7)
    expect(text.split('; ')).toHaveLength(Math.min(count + 3, 11))
  })

  test('truncates a long property name', async () => {
    const alternatives = Array.from({ length: 30 }, (_, index) => ({ type: 'string', minLength: 100 + index }))
    const echo = await serveEcho({ type: 'object', additionalProperties: { anyOf: alternatives } })
    const { status, text } = await echo(`{"start${'🌱'.repeat(15_000)}":"a"}`)
    expect(status).toBe(400)
    expect(text).toMatch(/^body\/start🌱+.…🌱*.?🌱+ must have at least 100 characters; .*; and more$/u)
    expect(Buffer.byteLength(text)).toBeLessThan(60_000)
  })
})
