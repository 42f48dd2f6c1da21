import { describe, expect, test } from 'vitest'
import { errorNumber } from '../../support/responses/judged-contract.ts'
import { temporaryStore } from '../../support/server/start-app.ts'
import { type ContractRequest, type Service, startService } from '../contract-client.ts'

/** More than this part sends. */
const rateLimit = 600

/** For each operation a request with each status that comes after the caller is known. */
const requests: [status: number, request: ContractRequest][] = [
  [200, { method: 'GET', url: '/plants' }],
  [400, { method: 'GET', url: '/plants?limit=x' }],
  [200, { method: 'POST', url: '/plants', body: '{"id":54,"name":"a"}' }],
  [409, { method: 'POST', url: '/plants', body: '{"id":54,"name":"a"}' }],
  [400, { method: 'POST', url: '/plants', body: '{' }],
  [413, { method: 'POST', url: '/plants', body: ' '.repeat(70_000) }],
  [415, { method: 'POST', url: '/plants', body: 'a', headers: { 'content-type': 'text/plain' } }],
  [204, { method: 'DELETE', url: '/plants/54' }],
  [404, { method: 'DELETE', url: '/plants/54' }],
  [400, { method: 'DELETE', url: '/plants/x' }],
]

const plain: ContractRequest[] = [
  { method: 'GET', url: '/plants' },
  { method: 'POST', url: '/plants', body: '{"id":1,"name":"a"}' },
  { method: 'DELETE', url: '/plants/1' },
]

async function expectRates({ send }: Service, expected: [number, ContractRequest][]): Promise<void> {
  for (const [index, [status, request]] of expected.entries()) {
    const response = await send(request)
    expect({
      status: response.status,
      left: /^"caller";r=(\d+);/.exec(String(response.headers['ratelimit']))?.[1],
    }).toEqual({ status, left: String(rateLimit - 1 - index) })
  }
}

/** Tests what is said of rates where the operator has limited them. */
export function testRates(): void {
  describe('where rates are limited', () => {
    test('every answer to a caller says how many requests are left', async () => {
      await expectRates(await startService({ rateLimit }), requests)
    })

    test.each([
      [500, () => Promise.reject(new Error('a fault of the store'))],
      [503, () => Promise.resolve('unavailable' as const)],
    ])('so does an answer %i', async (status, fail) => {
      const store = { ...(await temporaryStore()), list: fail, create: fail, delete: fail }
      await expectRates(
        await startService({ rateLimit, store }),
        plain.map((request) => [status, request]),
      )
    })

    test('an address with too many refused tokens is refused on every operation, without a word of a caller', async () => {
      const { send } = await startService({ rateLimit: 1 })
      expect((await send({ method: 'GET', url: '/plants', headers: { authorization: 'Bearer x' } })).status).toBe(401)
      for (const request of plain) {
        const { text, headers } = await send(request)
        expect({ error: (JSON.parse(text) as { error: unknown }).error, rate: headers['ratelimit'] }).toEqual({
          error: errorNumber('rate_limited'),
          rate: undefined,
        })
      }
    })
  })
}
