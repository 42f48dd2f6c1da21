import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Schema } from '../../../packages/fastify-contract/src/schema/schema-parts.ts'
import type { ReceivedResponse } from '../../support/responses/check-response.ts'
import { expectedContract, expectedOperations } from '../../support/responses/expected-contract.ts'
import { shareService } from '../contract-client.ts'
import { bodyType, requestOf } from '../requests/request-arbitrary.ts'
import { carriers, numbersOfState, validRequest } from '../requests/valid-request.ts'
import { check, propertyTimeout } from '../run-settings.ts'

/** Tests that what the contract allows is accepted. */
export function testAcceptedRequests(): void {
  describe('what the contract allows', () => {
    const newClient = shareService()
    test.each(expectedOperations)(
      '$id takes every request that the contract allows',
      { timeout: propertyTimeout },
      async (operation) => {
        const { send } = await newClient()
        await check(
          fc.asyncProperty(requestOf(operation), async ({ request }) => {
            expectAccepted(await send(request), request.url)
          }),
          100,
        )
      },
    )

    test(
      'a request id that the contract allows comes back, and any other does not',
      { timeout: propertyTimeout },
      async () => {
        const { send } = await newClient()
        const header = (
          expectedContract.components as unknown as { headers: Record<string, { schema: Schema; example: string }> }
        ).headers['X-Request-Id']!
        const pattern = new RegExp(String(header.schema['pattern']), 'u')
        const printable = Array.from({ length: 94 }, (_, index) => `a${String.fromCodePoint(0x21 + index)}b`)
        const long = [1, 2, 127, 128, 129, 130, 500].map((length) => 'a'.repeat(length))
        for (const id of [header.example, ...printable, ...long]) {
          expect(
            (await send({ method: 'GET', url: carriers.get.path, headers: { 'x-request-id': id } })).headers[
              'x-request-id'
            ] === id,
            id,
          ).toBe(pattern.test(id))
        }
        const ids = fc.oneof(fc.stringMatching(/^[!-~]{1,40}$/), fc.stringMatching(/^[A-Za-z0-9._-]{1,128}$/))
        await check(
          fc.asyncProperty(ids, async (id) => {
            const { headers } = await send({ method: 'GET', url: carriers.get.path, headers: { 'x-request-id': id } })
            expect(headers['x-request-id'] === id).toBe(pattern.test(id))
          }),
          100,
        )
      },
    )

    test.each(expectedOperations)('$id takes the scheme of the credentials in any case', async (operation) => {
      const { send, token } = await newClient()
      for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR ']) {
        const { headers, ...request } = validRequest(operation)
        const response = await send({ ...request, headers: { ...headers, authorization: `${scheme} ${token}` } })
        expectAccepted(response, `${operation.id}: ${scheme}`)
      }
    })

    test('a body may be declared with parameters of its media type, in any case', async () => {
      const { send } = await newClient()
      const type = String(bodyType(carriers.body))
      const request = validRequest(carriers.body)
      const parameters = ['', '; charset=utf-8', ';charset="UTF-8"', ' ; a=b']
      for (const declared of [type.toUpperCase(), ...parameters.map((parameter) => `${type}${parameter}`)])
        expectAccepted(await send({ ...request, headers: { ...request.headers, 'content-type': declared } }), declared)
    })
  })
}

/** The request is not refused, or for what the store has or lacks alone. */
function expectAccepted({ status, text }: ReceivedResponse, place: string): void {
  if (status >= 200 && status < 300) return
  expect(numbersOfState, `${text} to ${place}`).toContain((JSON.parse(text) as { error?: unknown }).error)
}
