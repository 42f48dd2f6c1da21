import type { Send, SentRequest } from 'fastify-contract-cli/suite'
import { connectTo, malformedRequestsOf, validRequest, wantsCredentials } from 'fastify-contract-cli/suite'
import type { Schema } from 'fastify-contract/schema'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { receive } from '../support/client/raw-http.ts'
import { storeUnavailable } from '../../src/failures.ts'
import { handlers } from '../../src/handlers.ts'
import { expectedContract } from '../support/responses/expected-contract.ts'
import { type TestAppOptions, shareApp, startApp } from '../support/server/start-app.ts'
import { examplesNeed, ownRuns } from './own-requests.ts'
import { sendInTurn } from './send-in-turn.ts'
import { createPlantStoreSuite, expectError, isWholeRun, testCase } from './plant-store-suite.ts'

const newApp = shareApp()
let origin: Promise<string> | undefined

const suite = createPlantStoreSuite({
  url: async () => (origin ??= (await newApp()).app.listen({ host: '127.0.0.1', port: 0 })),
  auth: { bearer: async () => `Bearer ${(await newApp()).token}` },
  needs: examplesNeed,
  assertUnchanged: async (send) => {
    expect((await send({ method: 'GET', url: '/plants' })).text).toBe('[]')
  },
})

beforeAll(() => {
  const seed = String(suite.seed)
  console.log(`seed ${seed}; the same run again: npm run test:contract -- --seed ${seed}`)
})
afterAll(() => suite.close())

for (const each of suite.cases()) testCase(suite, each)

test('the suite skips no part of the contract', () => {
  expect([...suite.skippedParts]).toEqual([])
})

/** Starts a server, which ends with the test. */
async function startService(options: TestAppOptions = {}): Promise<{ origin: string; send: Send }> {
  const { token, listen } = await startApp(options)
  const started = await listen()
  const { exchange, close } = connectTo(started)
  onTestFinished(close)
  return { origin: started, send: suite.senderFor({ bearer: `Bearer ${token}` }, exchange) }
}

const { operations } = expectedContract
const valid = operations.map((operation) => validRequest(operation, expectedContract))

/** More requests than a test sends. */
const rateLimit = 600
const withCaller = operations.filter(wantsCredentials)
const list = { method: 'GET', url: '/plants' }

const limits = { 'no rate limit': undefined, 'a rate limit': rateLimit }
const ownServers = Object.entries(ownRuns).flatMap(([name, { options, requests }]) =>
  Object.entries(limits).map(([limit, each]) => ({ name, limit, options: { ...options, rateLimit: each }, requests })),
)

test.each(ownServers)('own requests get their expected statuses with $name and $limit', async (own) => {
  const { send } = await startService(own.options)
  await sendInTurn(own.requests, send)
})

test('each refusal of a caller has rate headers', async () => {
  const { send } = await startService({ rateLimit })
  const options = { schemes: ['bearer'], bodyLimit: 65_536, isStrict: true }
  for (const [index, operation] of operations.entries()) {
    for (const { stage, title, changes } of malformedRequestsOf(operation, expectedContract, options)) {
      const { headers } = await send(changes[0]!(valid[index]!))
      const hasCaller = wantsCredentials(operation) && stage !== 'target' && stage !== 'credentials'
      expect('ratelimit' in headers, `${operation.id}: ${title}`).toBe(hasCaller)
    }
  }
})

const faults = {
  internal: () => {
    throw new Error('a fault of the handler')
  },
  unavailable: storeUnavailable,
}

test.each([undefined, rateLimit])('failing handlers give 500 and 503 with a rate limit of %s', async (limit) => {
  for (const [error, fault] of Object.entries(faults)) {
    const faulty = Object.fromEntries(Object.keys(handlers).map((id) => [id, fault]))
    const { send } = await startService({ rateLimit: limit, handlers: faulty })
    for (const request of valid) expectError(await send(request), error, request.url)
  }
})

test('a valid request id is returned, and any other is replaced', async () => {
  const { send } = await startService()
  // `generate` has checked that a header has a schema.
  const { schema } = (expectedContract.document.components?.['headers'] as Record<string, { schema: Schema }>)[
    'X-Request-Id'
  ]!
  const printable = Array.from({ length: 94 }, (_, index) => `a${String.fromCodePoint(0x21 + index)}b`)
  const long = [1, 2, 127, 128, 129, 130, 500].map((length) => 'a'.repeat(length))
  const example = '8f14e45f-ceea-467f-a9c1-6b1f0a6b3f0e'
  for (const id of [example, ...printable, ...long]) {
    const { headers } = await send({ ...list, headers: { 'x-request-id': id } })
    expect(headers['x-request-id'] === id, id).toBe(expectedContract.problemsOf(id, schema).length === 0)
  }
})

test('headers that are too large or never end are refused on every path', async () => {
  const hasty = { headersMilliseconds: 200, requestMilliseconds: 300, checkMilliseconds: 50 }
  const service = await startService({ limits: hasty })
  const refused = async (meant: SentRequest, bytes: string, error: string) => {
    const [response, ...others] = await receive(service.origin, bytes)
    expect(others).toEqual([])
    expectError(await suite.observe(meant, response!), error, bytes.slice(0, 50))
  }
  await Promise.all(
    [...valid, { method: 'GET', url: '/nothing' }].flatMap((meant) => {
      const head = `${meant.method} ${meant.url} HTTP/1.1\r\nHost: a\r\nX-A: b`
      return [
        refused(meant, `${head.padEnd(20_000, 'b')}\r\n\r\n`, 'headers_too_large'),
        refused(meant, head, 'request_timeout'),
      ]
    }),
  )
})

test('a caller over the rate gets the right Retry-After on each operation', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const { send } = await startService({ rateLimit })
  for (let request = 0; request < rateLimit; request++) await send({ method: 'HEAD', url: '/plants?limit=0' })
  vi.advanceTimersByTime(48_000)
  for (const operation of withCaller) {
    const response = await send(validRequest(operation, expectedContract))
    expectError(response, 'rate_limited', operation.id)
    expect(response.headers['retry-after']).toBe('12')
  }
})

test('an address with too many rejected tokens is refused without rate headers', async () => {
  const { send } = await startService({ rateLimit: 1 })
  expect((await send({ ...list, headers: { authorization: 'Bearer x' } })).status).toBe(401)
  for (const operation of withCaller) {
    const response = await send(validRequest(operation, expectedContract))
    expectError(response, 'rate_limited', operation.id)
    expect(response.headers['ratelimit'], operation.id).toBe(undefined)
  }
})

// The last test checks what the others have seen. A partial run has not seen everything.
test.runIf(isWholeRun)('the responses show everything that the contract declares, and nothing else', () => {
  console.log(suite.coverage.table())
  const remedy =
    'a request that is answered so closes a gap: add it to test/contract-suite/own-requests.ts, ' +
    'with the options of the server that it needs'
  expect(suite.coverage.gaps(), remedy).toEqual([])
})
