import { expect, test } from 'vitest'
import { handlers } from '../../../src/handlers.ts'
import type { Store } from '../../../src/store/store.ts'
import { Encoded } from '../../../packages/fastify-contract/src/types/encoded.ts'
import { expectFailure } from '../../support/responses/expect-failure.ts'
import { startApp, temporaryStore } from '../../support/server/start-app.ts'

const requests = {
  list: { method: 'GET', url: '/plants' },
  create: { method: 'POST', url: '/plants', body: { id: 1, name: 'a' } },
  delete: { method: 'DELETE', url: '/plants/1' },
}

type Operation = keyof typeof requests

function errorLines(logLines: string[]): Record<string, unknown>[] {
  return logLines.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ level }) => Number(level) >= 50)
}

async function storeWith(broken: Partial<Store>): Promise<Store> {
  return { ...(await temporaryStore()), ...broken }
}

const wrong = new Error('the secret of the house')

test.each(Object.keys(requests) as Operation[])(
  'when %s throws, the answer gives nothing away and the log has the error once, under the id of the request',
  async (operation) => {
    const throws = {
      list: () => Promise.reject(wrong),
      create: () => Promise.reject(wrong),
      delete: () => Promise.reject(wrong),
    }
    const { send, logLines } = await startApp({ store: await storeWith(throws) })
    const response = await send({ ...requests[operation], headers: { 'x-request-id': 'mine' } })
    expect(expectFailure(response, 'internal')).toContain('X-Request-Id')
    expect(response.text).not.toMatch(/secret|Error|\.ts/)
    expect(errorLines(logLines)).toMatchObject([
      {
        requestId: 'mine',
        err: { message: wrong.message, stack: expect.stringContaining('internal-errors.test.ts') as string },
      },
    ])
  },
)

const unreadable = {
  get code(): string {
    throw wrong
  },
}

test.each([
  ['a text', 'secret'],
  ['nothing', undefined],
  ['null', null],
  ['a function', () => 'secret'],
  ['an Error that cannot be changed', Object.freeze(new Error('secret'))],
  ['what throws when it is read', unreadable],
  ['a connection of its own that was reset', Object.assign(new Error('secret'), { code: 'ECONNRESET' })],
  [
    'an Error with a status and headers',
    Object.assign(new Error('secret'), { statusCode: 418, headers: { via: 'x' } }),
  ],
])('when a handler or the lookup of a token throws %s, the answer is the same', async (_what, thrown) => {
  const fail = () => {
    // oxlint-disable-next-line typescript/only-throw-error -- JavaScript lets code throw anything
    throw thrown
  }
  const failLater = () => Promise.resolve().then(fail)
  for (const options of [
    { handlers: { ...handlers, listPlants: fail } },
    { handlers: { ...handlers, listPlants: failLater } },
    { store: await storeWith({ findCaller: fail }) },
    { store: await storeWith({ findCaller: failLater }) },
  ]) {
    const { send, logLines } = await startApp(options)
    const response = await send({ ...requests.list, headers: { 'x-request-id': 'mine' } })
    expectFailure(response, 'internal')
    expect(response.text).not.toContain('secret')
    expect(errorLines(logLines)).toMatchObject([{ requestId: 'mine' }])
  }
})

test('when the tokens cannot be looked up by a fault of ours, the answer is 500 and not 401', async () => {
  const { send } = await startApp({
    store: await storeWith({
      findCaller: () => {
        throw wrong
      },
    }),
  })
  expectFailure(await send(requests.list), 'internal')
})

test.each(Object.keys(requests) as Operation[])(
  'while the store is unavailable to %s, the answer is 503 with Retry-After',
  async (operation) => {
    const unavailable = () => Promise.resolve('unavailable' as const)
    const { send, logLines } = await startApp({
      store: await storeWith({ list: unavailable, create: unavailable, delete: unavailable }),
    })
    const response = await send(requests[operation])
    expectFailure(response, 'unavailable')
    expect(response.headers['retry-after']).toBe('1')
    // The store tells of its fault by itself.
    expect(errorLines(logLines)).toEqual([])
  },
)

test('while tokens cannot be checked, the answer is 503 and not 401', async () => {
  const { send } = await startApp({
    store: await storeWith({ findCaller: () => Promise.resolve('unavailable' as const) }),
  })
  const response = await send(requests.list)
  expectFailure(response, 'unavailable')
  expect(response.headers['www-authenticate']).toBeUndefined()
})

test('when a long list fails on its way, the client sees that it is not whole, and the log has the error', async () => {
  async function* failing(): AsyncGenerator<Buffer> {
    yield Buffer.from('[{"name":"a"}')
    await new Promise(setImmediate)
    throw wrong
  }
  const { token, listen, logLines } = await startApp({
    store: await storeWith({ list: () => Promise.resolve(new Encoded(failing())) }),
  })
  const response = await fetch(`${await listen()}/plants`, {
    headers: { authorization: `Bearer ${token}`, 'x-request-id': 'mine' },
  })
  expect(response.status).toBe(200)
  await expect(response.text()).rejects.toThrow()
  await expect
    .poll(() => logLines.filter((line) => line.includes('response cut off') && line.includes('"mine"')))
    .toHaveLength(1)
  expect(errorLines(logLines)).toMatchObject([{ requestId: 'mine', err: { message: wrong.message } }])
})

test('after a request that failed the next one is answered as ever', async () => {
  let calls = 0
  const store = await temporaryStore()
  const list: Store['list'] = (caller, limit) => (calls++ === 0 ? Promise.reject(wrong) : store.list(caller, limit))
  const { send } = await startApp({ store: { ...store, list } })
  expectFailure(await send(requests.list), 'internal')
  expect((await send(requests.list)).text).toBe('[]')
})
