import { stringifyJson } from 'fastify-contract/json'
import { beforeAll, describe, expect, it } from 'vitest'
import { contractOf, failures, json, serve } from './contracts.ts'
import { accepted, casesWith, like, schemas, served, unsatisfiable, validated } from './keyword-cases.ts'

const replies: Record<string, object> = {
  good: { headers: { 'X-Count': 9007199254740993n, 'X-Mark': 'a' }, body: [1n] },
  bare: { headers: { 'X-Count': 1 }, body: [] },
  'without header': { body: [] },
  'wrong header': { headers: { 'X-Count': 'a' }, body: [] },
  'undeclared header': { headers: { 'X-Count': 1, 'X-Other': 'a' }, body: [] },
  'wrong body': { headers: { 'X-Count': 1 }, body: ['a'] },
  'without body': { headers: { 'X-Count': 1 } },
  'another type': { headers: { 'X-Count': 1 }, body: 'a', contentType: 'text/csv' },
  range: { status: 418, body: { refused: 'a' } },
  'wrong range': { status: 418, body: {} },
  exact: { status: 409, body: 'taken' },
  default: { status: 507, body: { error: 50000, message: 'full' } },
  'wrong default': { status: 507, body: 'full' },
}
const echoInput = (input: object) => ({ status: 200, body: JSON.parse(stringifyJson(input)) as unknown })
const done = () => ({ status: 204 })
/** The handlers of the contract. */
const handlers: [string, (input: never) => unknown][] = [
  [
    'plants.list',
    ({ query: given, header }: { query: object; header: object }) => ({ status: 200, body: { ...given, ...header } }),
  ],
  ['toString', () => ({ status: 200, body: 'put' })],
  ['__proto__', ({ body }: { body: unknown }) => ({ status: 200, body })],
  ['valueOf', done],
  ['reply', ({ query: { as } }: { query: { as: string } }) => ({ status: 200, ...replies[as] })],
  ['getThing', echoInput],
  ['deleteThing', done],
  ['patchThing', echoInput],
  ['headFound', done],
  ['askFound', () => ({ status: 200, body: 'asked' })],
  ['find', ({ body }: { body: { id?: bigint } }) => ({ status: 200, body: body.id === 5n ? {} : body })],
  ['copy', echoInput],
  ['search', done],
  ['sendForm', ({ body }: { body: unknown }) => ({ status: 200, body: JSON.parse(stringifyJson(body)) as unknown })],
  ['getMoved', done],
  ['putMoved', done],
  ['watchThings', () => ({ status: 200, body: ReadableStream.from([{ data: { kind: 'a', id: 9007199254740993n } }]) })],
  ['useKey', done],
  ['beOpen', done],
  [
    'exportThings',
    ({ accept }: { accept: string }) => ({
      status: 200,
      contentType: accept,
      body: {
        'application/json': [9007199254740993n],
        'text/csv': 'a,b',
        'application/octet-stream': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0x00]),
      }[accept],
    }),
  ],
]

describe('each enforced field of OpenAPI', () => {
  let send: Awaited<ReturnType<typeof serve>>
  beforeAll(async () => {
    let close: () => Promise<void> = () => Promise.resolve()
    send = await serve(served, Object.fromEntries(handlers), (finish) => (close = finish))
    return () => close()
  })

  it.each([...Map.groupBy(casesWith('send'), ({ keyword }) => keyword)])('%s', async (_keyword, exchanges) => {
    expect(exchanges.length).toBeGreaterThan(1)
    for (const { send: line, to, type, headers: given, body, text, has = {} } of exchanges) {
      const [method = '', url = ''] = line.split(' ')
      const headers = { ...(type !== undefined && { 'content-type': type }), ...given }
      const response = await send({ method, url, headers, ...(body === undefined ? {} : { body }) })
      expect(response, line).toMatchObject({ status: to, headers: has })
      if (text !== undefined) expect(response.text, line).toMatch(like(text))
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

/** Serves each schema twice, each with a path: in requests, and in replies. */
async function serveBoth(cases: readonly { schema: object }[], named: object = {}) {
  const paths = cases.flatMap(({ schema }, index): [string, object][] => [
    [`/request-${String(index)}`, echo(`request-${String(index)}`, schema, {})],
    [`/response-${String(index)}`, echo(`response-${String(index)}`, {}, schema)],
  ])
  const ids = paths.map(([path]) => path.slice(1))
  const contract = contractOf(Object.fromEntries(paths), { components: { schemas: named } })
  return serve(contract, Object.fromEntries(ids.map((id) => [id, echoed])))
}

// Each case compiles two validators, which takes long on a busy machine.
it('each enforced keyword of schemas is validated in requests and replies', async () => {
  const send = await serveBoth(validated, schemas)
  for (const [index, { keyword, valid, invalid, only }] of validated.entries()) {
    const statusOf = async (direction: string, member: string) =>
      (await send({ url: `/${direction}-${String(index)}`, body: `{"value":${member}}` })).status
    for (const [direction, other, refusal] of [
      ['request', 'response', 400],
      ['response', 'request', 500],
    ] as const) {
      if (only === other) continue
      for (const member of valid) expect(await statusOf(direction, member), `${keyword} ${member}`).toBe(200)
      for (const member of invalid) expect(await statusOf(direction, member), `${keyword} ${member}`).toBe(refusal)
    }
  }
})

it('a server refuses requests and sends no replies that nothing satisfies', async () => {
  const send = await serveBoth(unsatisfiable)
  for (const [index, { schema, invalid }] of unsatisfiable.entries()) {
    for (const [direction, refusal] of [
      ['request', 400],
      ['response', 500],
    ] as const) {
      for (const value of invalid) {
        const { status, text } = await send({ url: `/${direction}-${String(index)}`, body: `{"value":${value}}` })
        expect({ status, text }, stringifyJson(schema)).toMatchObject({ status: refusal })
      }
      expect(await send({ url: `/${direction}-${String(index)}`, body: '{}' })).toMatchObject({ status: 200 })
    }
  }
})

it('common schemas are accepted and leave their values unchanged', async () => {
  const { unchanged, schemas } = accepted
  const paths = unchanged.map(({ schema }, index) => [
    `/${String(index)}`,
    echo(`echo${String(index)}`, schema, schema),
  ])
  const send = await serve(
    contractOf(Object.fromEntries(paths) as object, { components: { schemas } }),
    Object.fromEntries(unchanged.map((_, index) => [`echo${String(index)}`, echoed])),
  )
  for (const [index, { schema, values }] of unchanged.entries()) {
    for (const member of values) {
      const body = `{"value":${member}}`
      const reply = await send({ url: `/${String(index)}`, body })
      expect(reply, JSON.stringify(Object.keys(schema))).toMatchObject({ status: 200, text: body })
    }
  }
})
