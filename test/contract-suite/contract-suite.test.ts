import type { Schema } from 'fastify-contract/schema'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { failure } from '../../src/contract.ts'
import { handlers } from '../../src/handlers.ts'
import { receive } from '../support/client/raw-http.ts'
import { type SentRequest, problemsOf } from '../../packages/fastify-contract-cli/src/suite/check-response.ts'
import {
  errorNumber,
  expectedContract,
  expectedOperations,
} from '../../packages/fastify-contract-cli/src/suite/expected-contract.ts'
import { type TestAppOptions, shareApp, startApp, temporaryStore } from '../support/server/start-app.ts'
import { faultsOf, wantsCredentials } from '../../packages/fastify-contract-cli/src/suite/broken-requests.ts'
import {
  type Send,
  coverage,
  createSend,
  errorOf,
  isWholeRun,
  observe,
  seed,
} from '../../packages/fastify-contract-cli/src/suite/run.ts'
import { validRequest } from '../../packages/fastify-contract-cli/src/suite/requests.ts'
import { testOperations } from '../../packages/fastify-contract-cli/src/suite/test-operations.ts'
import { examplesNeed, ownRequests } from './own-requests.ts'

beforeAll(() => {
  console.log(`seed ${String(seed)}; the same run again: npm run test:contract -- --seed ${String(seed)}`)
})

const newApp = shareApp()
let origin: Promise<string> | undefined

testOperations({
  newCaller: async () => {
    const { app, token } = await newApp()
    origin ??= app.listen({ host: '127.0.0.1', port: 0 })
    return createSend(await origin, token)
  },
  examplesNeed,
  assertUnchanged: async (send) => {
    expect((await send({ method: 'GET', url: '/plants' })).text).toBe('[]')
  },
})

/** Starts a server that ends with the test. */
async function startService(options: TestAppOptions = {}): Promise<{ origin: string; send: Send }> {
  const { token, listen } = await startApp(options)
  const started = await listen()
  return { origin: started, send: createSend(started, token) }
}

/** More requests than a test sends. */
const rateLimit = 600
const withCaller = expectedOperations.filter(wantsCredentials)
const list = { method: 'GET', url: '/plants' }

test.each([undefined, rateLimit])('own requests have their statuses with a limit of rates of %s', async (limit) => {
  const { send } = await startService({ rateLimit: limit })
  for (const [status, request] of ownRequests) {
    expect((await send(request)).status, `${request.method} ${request.url}`).toBe(status)
  }
})

test('each refusal of a caller says what is left of a limit of rates', async () => {
  const { send } = await startService({ rateLimit })
  for (const operation of expectedOperations) {
    for (const [stage, title, , changes] of faultsOf(operation)) {
      const { headers } = await send(changes[0]!(validRequest(operation)))
      const hasCaller = wantsCredentials(operation) && stage !== 'target' && stage !== 'credentials'
      expect('ratelimit' in headers, `${operation.id}: ${title}`).toBe(hasCaller)
    }
  }
})

const faults = {
  internal: () => {
    throw new Error('a fault of the handler')
  },
  unavailable: () => failure('unavailable', 'the handler cannot work now', { 'Retry-After': 1 }),
}

test.each([undefined, rateLimit])('a handler at fault answers 500 and 503 with a limit of %s', async (limit) => {
  for (const [error, fault] of Object.entries(faults)) {
    const faulty = Object.fromEntries(Object.keys(handlers).map((id) => [id, fault]))
    const { send } = await startService({ rateLimit: limit, handlers: faulty })
    for (const operation of expectedOperations)
      expect(errorOf(await send(validRequest(operation))), operation.id).toBe(errorNumber(error))
  }
})

test('a request id that the contract allows comes back, and any other does not', async () => {
  const { send } = await startService()
  // `generate` has checked that a header has a schema.
  const { schema } = (expectedContract.components?.['headers'] as Record<string, { schema: Schema }>)['X-Request-Id']!
  const printable = Array.from({ length: 94 }, (_, index) => `a${String.fromCodePoint(0x21 + index)}b`)
  const long = [1, 2, 127, 128, 129, 130, 500].map((length) => 'a'.repeat(length))
  const example = '8f14e45f-ceea-467f-a9c1-6b1f0a6b3f0e'
  for (const id of [example, ...printable, ...long]) {
    const { headers } = await send({ ...list, headers: { 'x-request-id': id } })
    expect(headers['x-request-id'] === id, id).toBe(problemsOf(id, schema).length === 0)
  }
})

test('headers that are too large or do not end are answered on each operation, and on none', async () => {
  const hasty = { headersMilliseconds: 200, requestMilliseconds: 300, checkMilliseconds: 50 }
  const service = await startService({ limits: hasty })
  const refused = async (meant: SentRequest, bytes: string, error: string) => {
    const [response, ...others] = await receive(service.origin, bytes)
    expect(others).toEqual([])
    expect(errorOf(observe(meant, response!)), bytes.slice(0, 50)).toBe(errorNumber(error))
  }
  await Promise.all(
    [...expectedOperations.map(validRequest), { method: 'GET', url: '/nothing' }].flatMap((meant) => {
      const head = `${meant.method} ${meant.url} HTTP/1.1\r\nHost: a\r\nX-A: b`
      return [
        refused(meant, `${head.padEnd(20_000, 'b')}\r\n\r\n`, 'headers_too_large'),
        refused(meant, head, 'request_timeout'),
      ]
    }),
  )
})

test('a caller over the rate is told when to try again', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const { send } = await startService({ rateLimit })
  for (let request = 0; request < rateLimit; request++) await send({ method: 'HEAD', url: '/plants?limit=0' })
  vi.advanceTimersByTime(48_000)
  for (const operation of withCaller) {
    const response = await send(validRequest(operation))
    expect(errorOf(response), operation.id).toBe(errorNumber('rate_limited'))
    expect(response.headers['retry-after']).toBe('12')
  }
})

test('an address with too many refused tokens is refused, without a word of a caller', async () => {
  const { send } = await startService({ rateLimit: 1 })
  expect((await send({ ...list, headers: { authorization: 'Bearer x' } })).status).toBe(401)
  for (const operation of withCaller) {
    const response = await send(validRequest(operation))
    expect(errorOf(response), operation.id).toBe(errorNumber('rate_limited'))
    expect(response.headers['ratelimit'], operation.id).toBe(undefined)
  }
})

test('a store that cannot be read now makes the list answer 503', async () => {
  const unreadable = { ...(await temporaryStore()), list: () => Promise.resolve('unavailable' as const) }
  const { send } = await startService({ store: unreadable })
  expect(errorOf(await send(list))).toBe(errorNumber('unavailable'))
})

// The last of all: it checks what the others have seen. A run of a part has not seen everything.
test.runIf(isWholeRun)('the responses have shown all that the contract declares, and nothing that it does not', () => {
  console.log(coverage.table())
  const remedy = 'a request that is answered so closes a gap: add it to test/contract-suite/own-requests.ts'
  expect(coverage.gaps(), remedy).toEqual([])
})
