import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { failures, ok, serve } from './support/serve.ts'

const bodyOf = (schema: object) => ({ content: { 'application/json': { schema } } })
const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const paths = (schema: object) => ({
  '/large': {
    post: {
      operationId: 'postLarge',
      requestBody: bodyOf(schema),
      responses: { 200: { description: 'A.', ...bodyOf(schema) }, ...failures },
    },
  },
  '/small': { get: { operationId: 'getSmall' } },
})
const handlers = {
  postLarge: ({ body }: { body: object }) => ({ status: 200, body }),
  getSmall: () => ({ status: 200, body: {} }),
}
const large = { method: 'POST', url: '/large', body: '{"next":{}}' }
const small = { url: '/small' }

/** Named schemas, each with a reference to the next. */
const count = 60
const chain = Object.fromEntries(
  Array.from({ length: count }, (_, index) => {
    const next = index + 1 < count ? reference(`S${String(index + 1)}`) : {}
    return [`S${String(index)}`, { type: 'object', properties: { next } }]
  }),
)
const document = { components: { schemas: chain } }

/** Counts the functions that are compiled from text, as Ajv does. */
function countCompiled(): () => number {
  let compiled = 0
  const construct = (target: typeof Function, args: string[]): object => {
    compiled++
    return Reflect.construct(target, args)
  }
  vi.stubGlobal('Function', new Proxy(Function, { construct }))
  onTestFinished(() => void vi.unstubAllGlobals())
  return () => compiled
}

test('a listening server compiles all validators before their first use', async () => {
  const compiled = countCompiled()
  const { listen, send } = await serve({ paths: paths(reference('S0')), handlers, document })
  await listen()
  // Each turn without a request compiles one schema.
  for (let turn = 0; turn < 10 * count; turn++) await nextTurn()
  const before = compiled()
  expect(before).toBeGreaterThan(count)
  expect((await send(large)).status).toBe(200)
  expect((await send(small)).status).toBe(200)
  expect(compiled()).toBe(before)
})

test('a request that waits for many schemas does not block others', async () => {
  const { send } = await serve({ paths: paths(reference('S0')), handlers, document })
  await send(small)
  let passed = 0
  const waiting = send(large).then(({ status }) => ({ status, passed }))
  for (let turn = 0; turn < 10 * count; turn++) {
    expect((await send(small)).status).toBe(200)
    passed++
    await nextTurn()
  }
  const last = await waiting
  expect(last.status).toBe(200)
  expect(last.passed).toBeGreaterThan(count / 2)
})

test('a schema that cannot be compiled fails only requests of its operation', async () => {
  const { listen, lines, send } = await serve({ paths: paths({ type: 'none' }), handlers })
  await listen()
  expect((await send(large)).status).toBe(500)
  expect((await send(small)).status).toBe(200)
  await vi.waitFor(() => {
    expect(lines()).toContainEqual(expect.objectContaining({ msg: 'every request to postLarge fails' }))
  })
})

test('with compilesOnDemand, the first requests of an operation compile it, together', async () => {
  const compiled = countCompiled()
  const options = { compilesOnDemand: true }
  const { listen, send } = await serve({ paths: paths(reference('S0')), handlers, document, options })
  await listen()
  for (let turn = 0; turn < 10 * count; turn++) await nextTurn()
  const before = compiled()
  const wrong = { ...large, body: '{"next":1}' }
  const first = await Promise.all([large, wrong, large].map(async (request) => (await send(request)).status))
  expect(first).toEqual([200, 400, 200])
  const after = compiled()
  // Those of requests and of replies.
  expect(after - before).toBeGreaterThan(2 * count)
  expect(after - before).toBeLessThan(3 * count)
  expect((await send(large)).status).toBe(200)
  expect(compiled()).toBe(after)
})

test('with compilesOnDemand, the reply to a request that cannot be validated says why', async () => {
  const { send } = await serve({ paths: paths({ type: 'none' }), handlers, options: { compilesOnDemand: true } })
  const { status, text } = await send(large)
  expect(status).toBe(501)
  expect(text).toMatch(/operation postLarge: a schema cannot be compiled \(.+\); split it into named schemas/)
  expect((await send(small)).status).toBe(200)
})

test('a closed server stops compiling', async () => {
  const compiled = countCompiled()
  const names = Array.from({ length: 300 }, (_, index) => `get${String(index)}`)
  const { app, listen } = await serve({
    paths: Object.fromEntries(names.map((operationId) => [`/${operationId}`, { get: { operationId, responses: ok } }])),
    handlers: Object.fromEntries(names.map((name) => [name, handlers.getSmall])),
  })
  await listen()
  const before = compiled()
  await app.close()
  for (let turn = 0; turn < 1_000; turn++) await nextTurn()
  expect(compiled() - before).toBeLessThan(names.length)
})
