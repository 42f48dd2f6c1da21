import { stringifyJson } from 'fastify-contract/json'
import { beforeAll, describe, expect, it } from 'vitest'
import { contractOf, failures, json, serve } from './contracts.ts'
import { enforcedFields, handlers, served } from './requests.ts'
import { accepted, enforcedKeywords, otherSchemas, schemas, unsatisfiable } from './schemas.ts'

describe('each enforced field of OpenAPI', () => {
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
it('each enforced keyword of schemas is validated in requests and replies', async () => {
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
})

it('what nothing satisfies is refused in requests and not sent in replies', async () => {
  const paths = unsatisfiable.flatMap(({ schema }, index): [string, object][] => [
    [`/request-${String(index)}`, echo(`request-${String(index)}`, schema, {})],
    [`/response-${String(index)}`, echo(`response-${String(index)}`, {}, schema)],
  ])
  const ids = paths.map(([path]) => path.slice(1))
  const send = await serve(contractOf(Object.fromEntries(paths)), Object.fromEntries(ids.map((id) => [id, echoed])))
  for (const [index, { schema, value }] of unsatisfiable.entries()) {
    for (const [direction, refusal] of [
      ['request', 400],
      ['response', 500],
    ] as const) {
      const { status, text } = await send({ url: `/${direction}-${String(index)}`, body: `{"value":${value}}` })
      expect({ status, text }, stringifyJson(schema)).toMatchObject({ status: refusal })
      expect(await send({ url: `/${direction}-${String(index)}`, body: '{}' })).toMatchObject({ status: 200 })
    }
  }
})

it('common schemas are accepted and leave their values unchanged', async () => {
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
