import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ContractOperation } from '../../../src/contract/document.ts'
import type { Schema } from '../../../src/schema/schema-parts.ts'
import { parseJsonWithBigInts } from '../../../src/json/json.ts'
import type { ReceivedResponse } from '../../support/responses/judge.ts'
import {
  errorNumber,
  judgedContract,
  judgedOperation,
  judgedOperations,
} from '../../support/responses/judged-contract.ts'
import { type ContractClient, startService } from '../contract-client.ts'
import { canonical } from '../coverage.ts'
import { propertiesOf } from '../values/flat-schema.ts'
import { type DrawnRequest, bodyType, requestOf } from '../requests/request-arbitrary.ts'
import { check, propertyTimeout } from '../run-settings.ts'

/** What a request can be refused for although the contract allows it: the state of the store. */
const ofState = ['plant_not_found', 'plant_exists']

/** Tests that what the contract allows is accepted, and comes back as it was sent. */
export function testAcceptedRequests(): void {
  describe('what the contract allows', () => {
    test.each(judgedOperations)(
      '$id takes every request that the contract allows',
      { timeout: propertyTimeout },
      async (operation) => {
        const { send } = await startService()
        await check(
          fc.asyncProperty(requestOf(operation), async ({ request }) => {
            const response = await send(request)
            if (!isSuccess(response))
              expect(ofState.map(errorNumber), `${response.text} to ${request.url}`).toContain(numberOf(response))
          }),
          100,
        )
      },
    )

    test(
      'a plant comes back as it was sent, is listed so, and is gone when it is deleted',
      { timeout: propertyTimeout },
      async () => {
        const client = await startService()
        const create = judgedOperation('createPlant')
        await check(
          fc.asyncProperty(requestOf(create), async (drawn) => {
            await expectRoundTrip(client, create, drawn)
          }),
          250,
        )
      },
    )

    test(
      'a list has as many plants as the limit allows, in the order of their ids',
      { timeout: propertyTimeout },
      async () => {
        const { send } = await startService()
        const ids = [9n, -1n, 9_007_199_254_740_993n, -9_223_372_036_854_775_808n, 9_007_199_254_740_992n]
        for (const id of ids)
          await send({ method: 'POST', url: '/plants', body: `{"id":${String(id)},"name":"${String(id)}"}` })
        const sorted = ids.toSorted((a, b) => (a < b ? -1 : 1)).map((id) => ({ name: String(id) }))
        await check(
          fc.asyncProperty(requestOf(judgedOperation('listPlants')), async ({ request, meant }) => {
            const { limit } = meant.parameters as { limit?: bigint }
            expect(JSON.parse((await send(request)).text)).toEqual(
              limit === undefined || limit > 5n ? sorted : sorted.slice(0, Number(limit)),
            )
          }),
          100,
        )
      },
    )

    test(
      'a request id that the contract allows comes back, and any other does not',
      { timeout: propertyTimeout },
      async () => {
        const { send } = await startService()
        const header = (
          judgedContract.components as unknown as { headers: Record<string, { schema: Schema; example: string }> }
        ).headers['X-Request-Id']!
        const pattern = new RegExp(String(header.schema['pattern']), 'u')
        const printable = Array.from({ length: 94 }, (_, index) => `a${String.fromCodePoint(0x21 + index)}b`)
        const long = [1, 2, 127, 128, 129, 130, 500].map((length) => 'a'.repeat(length))
        for (const id of [header.example, ...printable, ...long]) {
          expect(
            (await send({ method: 'GET', url: '/plants', headers: { 'x-request-id': id } })).headers['x-request-id'] ===
              id,
            id,
          ).toBe(pattern.test(id))
        }
        const ids = fc.oneof(fc.stringMatching(/^[!-~]{1,40}$/), fc.stringMatching(/^[A-Za-z0-9._-]{1,128}$/))
        await check(
          fc.asyncProperty(ids, async (id) => {
            const { headers } = await send({ method: 'GET', url: '/plants', headers: { 'x-request-id': id } })
            expect(headers['x-request-id'] === id).toBe(pattern.test(id))
          }),
          100,
        )
      },
    )

    test.each(judgedOperations)('$id takes the scheme of the credentials in any case', async ({ id, method, path }) => {
      const { send, token } = await startService()
      for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR ']) {
        const response = await send({
          method: method.toUpperCase(),
          url: path.replace(/\{.*\}/, '1'),
          headers: { authorization: `${scheme} ${token}` },
        })
        expect([401, 500], `${id}: ${scheme}`).not.toContain(response.status)
      }
    })

    test('a body may be declared with parameters of its media type, in any case', async () => {
      const { send } = await startService()
      const operation = judgedOperation('createPlant')
      const type = String(bodyType(operation))
      for (const [id, declared] of [
        type,
        `${type}; charset=utf-8`,
        `${type};charset="UTF-8"`,
        type.toUpperCase(),
        `${type} ; a=b`,
      ].entries()) {
        expect(
          (
            await send({
              method: 'POST',
              url: operation.path,
              headers: { 'content-type': declared },
              body: `{"id":${String(id)},"name":"a"}`,
            })
          ).status,
          declared,
        ).toBe(200)
      }
    })
  })
}

async function expectRoundTrip(
  { send }: ContractClient,
  operation: ContractOperation,
  { request, meant }: DrawnRequest,
): Promise<void> {
  const response = await send(request)
  expect(response.status, response.text).toBe(200)
  const sent = meant.body as Record<string, unknown> & { id: bigint }
  const schema = operation.object.responses['200']?.content?.['application/json']?.schema
  const known = [...propertiesOf(schema).keys()].filter((name) => name in sent).map((name) => [name, sent[name]])
  const plant = canonical(Object.fromEntries(known))
  expect(canonical(parseJsonWithBigInts(response.text))).toBe(plant)
  expect(canonical(parseJsonWithBigInts((await send({ method: 'GET', url: '/plants' })).text))).toBe(`[${plant}]`)
  expect((await send({ method: 'DELETE', url: `/plants/${String(sent.id)}` })).status).toBe(204)
  expect((await send({ method: 'GET', url: '/plants' })).text).toBe('[]')
}

function isSuccess({ status }: ReceivedResponse): boolean {
  return status >= 200 && status < 300
}

function numberOf({ text }: ReceivedResponse): unknown {
  return (JSON.parse(text) as { error?: unknown }).error
}
