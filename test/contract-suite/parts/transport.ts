import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { failure } from '../../../src/contract.ts'
import type { ContractOperation } from '../../../packages/fastify-contract/src/document/document.ts'
import { handlers } from '../../../src/handlers.ts'
import { exchange } from '../../support/client/exchange.ts'
import { errorNumber, expectedOperations } from '../../support/responses/expected-contract.ts'
import { type ContractRequest, observe, startService } from '../contract-client.ts'
import { carriers, validRequest } from '../requests/valid-request.ts'

/** More requests than a test sends. */
const rateLimit = 600

/** Operations that nobody is refused for want of credentials have no caller whose rate could be limited. */
const withCaller = expectedOperations.filter(
  ({ security }) => security.length > 0 && security.every((requirement) => Object.keys(requirement).length > 0),
)

/**
 * Tests that every operation answers as it declares where HTTP, the limits of the server or a fault of the service
 * decide. The requests are made from the contract, so that a new operation needs no line here.
 */
export function testTransport(): void {
  describe('whatever the operation', () => {
    test.each([undefined, rateLimit])('refuses what it must not read, with a limit of rates of %s', async (limit) => {
      const { send } = await startService({ rateLimit: limit })
      let sent = 0
      for (const operation of expectedOperations) {
        for (const [error, request] of refusals(operation)) {
          const response = await send(request)
          sent += withCaller.includes(operation) ? 1 : 0
          expect(errorOf(response), `${operation.id}: ${error}`).toBe(errorNumber(error))
          expect(response.headers['ratelimit'] !== undefined, operation.id).toBe(
            limit !== undefined && withCaller.includes(operation),
          )
          if (limit !== undefined && withCaller.includes(operation))
            expect(String(response.headers['ratelimit'])).toMatch(`r=${String(limit - sent)};`)
        }
      }
    })

    test.each([undefined, rateLimit])('a handler at fault answers 500 and 503, with a limit of %s', async (limit) => {
      const throws = (): never => {
        throw new Error('a fault of the handler')
      }
      const faults = {
        internal: throws,
        unavailable: () => failure('unavailable', 'the handler cannot work now', { 'Retry-After': 1 }),
      }
      for (const [error, fault] of Object.entries(faults)) {
        const { send } = await startService({
          rateLimit: limit,
          handlers: Object.fromEntries(Object.keys(handlers).map((id) => [id, fault])),
        })
        for (const operation of expectedOperations)
          expect(errorOf(await send(validRequest(operation))), operation.id).toBe(errorNumber(error))
      }
    })

    test('headers that are too large answer 431, and headers that do not end answer 408', async () => {
      const hasty = { headersMilliseconds: 200, requestMilliseconds: 300, checkMilliseconds: 50 }
      const { origin } = await startService({ limits: hasty })
      await Promise.all(
        expectedOperations.flatMap((operation) => {
          const meant = validRequest(operation)
          const head = `${meant.method} ${meant.url} HTTP/1.1\r\nHost: a\r\nX-A: b`
          return [
            expectFailure(origin, meant, `${head.padEnd(20_000, 'b')}\r\n\r\n`, 'headers_too_large'),
            expectFailure(origin, meant, head, 'request_timeout'),
          ]
        }),
      )
    })

    test('a caller over the rate is told when to try again', async () => {
      vi.useFakeTimers({ toFake: ['performance'] })
      onTestFinished(() => void vi.useRealTimers())
      const { send } = await startService({ rateLimit })
      for (let request = 0; request < rateLimit; request++)
        await send({ method: 'HEAD', url: `${carriers.get.path}?un%20known=1` })
      vi.advanceTimersByTime(48_000)
      for (const operation of withCaller) {
        const response = await send(validRequest(operation))
        expect(errorOf(response), operation.id).toBe(errorNumber('rate_limited'))
        expect(response.headers['retry-after']).toBe('12')
      }
    })

    test('an address with too many refused tokens is refused, without a word of a caller', async () => {
      const { send } = await startService({ rateLimit: 1 })
      const refused = { method: 'GET', url: carriers.get.path, headers: { authorization: 'Bearer x' } }
      expect((await send(refused)).status).toBe(401)
      for (const operation of withCaller) {
        const response = await send(validRequest(operation))
        expect(errorOf(response), operation.id).toBe(errorNumber('rate_limited'))
        expect(response.headers['ratelimit'], operation.id).toBe(undefined)
      }
    })
  })
}

/** Requests for an operation that are refused before its handler is called. */
function refusals(operation: ContractOperation): [error: string, request: ContractRequest][] {
  const valid = validRequest(operation)
  const [path] = valid.url.split('?')
  const unknown: [string, ContractRequest] = ['invalid_request', { ...valid, url: `${String(path)}?un%20known=1` }]
  if (operation.object.requestBody === undefined) return [unknown]
  return [
    unknown,
    ['malformed_body', { ...valid, body: '{' }],
    ['body_too_large', { ...valid, body: ' '.repeat(70_000) }],
    ['unsupported_media_type', { ...valid, headers: { ...valid.headers, 'content-type': 'x/y' }, body: 'a' }],
  ]
}

async function expectFailure(origin: string, meant: ContractRequest, bytes: string, error: string): Promise<void> {
  const [response, ...others] = await exchange(origin, bytes)
  expect(others).toEqual([])
  expect(errorOf(observe(meant, response!)), `${meant.method} ${meant.url}`).toBe(errorNumber(error))
}

function errorOf({ text }: { text: string }): unknown {
  return (JSON.parse(text) as { error?: unknown }).error
}
