import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ReceivedResponse } from '../../support/responses/check-response.ts'
import { errorNumber, expectedContract, expectedOperations } from '../../support/responses/expected-contract.ts'
import { type ContractRequest, shareService } from '../contract-client.ts'
import { type Stage, stageBreaks, stages } from '../requests/stage-breaks.ts'
import { requestBreaks, requestOf } from '../requests/request-arbitrary.ts'
import { carriers } from '../requests/valid-request.ts'
import { conflict } from '../own-requests.ts'
import { check, propertyTimeout } from '../run-settings.ts'

/**
 * Tests that each rule of the contract, broken alone, is refused with the declared status and number, naming the place.
 */
export function testRefusedRequests(): void {
  describe('what the contract forbids', () => {
    const newClient = shareService()
    const breaks = expectedOperations.flatMap((operation) =>
      requestBreaks(operation).map((broken) => ({ id: operation.id, ...broken })),
    )
    test.each(breaks)(
      '$id refuses $place that breaks: $rule',
      { timeout: propertyTimeout },
      async ({ place, request }) => {
        const { send } = await newClient()
        await check(
          fc.asyncProperty(request, async (drawn) => {
            const response = await send(drawn)
            expect(failureOf(response), `${drawn.url} ${String(drawn.body)}`).toEqual({
              status: 400,
              error: errorNumber('invalid_request'),
            })
            expect(messageOf(response)).toContain(place)
          }),
          30,
        )
        expect((await send({ method: 'GET', url: carriers.get.path })).text).toBe('[]')
      },
    )

    // The suite knows one kind of credentials; a contract with another one fails here.
    test.each(
      expectedOperations.flatMap((operation) =>
        operation.security
          .flatMap((requirement) => Object.keys(requirement))
          .map((scheme) => ({ id: operation.id, operation, scheme })),
      ),
    )(
      '$id refuses bad credentials for $scheme, and tells which were wanted',
      { timeout: propertyTimeout },
      async ({ operation, scheme }) => {
        const { send } = await newClient()
        expect(expectedContract.components?.securitySchemes?.[scheme]).toMatchObject({ type: 'http', scheme: 'bearer' })
        await check(
          fc.asyncProperty(
            requestOf(operation),
            fc.constantFrom(...Object.values(stageBreaks.credentials)),
            fc.nat(),
            async ({ request }, { error, change }, variant) => {
              const response = await send(change(request, variant))
              expect(failureOf(response)).toEqual({ status: 401, error: errorNumber(error) })
              expect(String(response.headers['www-authenticate']).includes('error="invalid_token"')).toBe(
                error === 'token_invalid',
              )
            },
          ),
          15,
        )
      },
    )

    test('every operation that asks for no credentials takes a request without them', async () => {
      const { send } = await newClient()
      for (const operation of expectedOperations.filter(
        ({ security }) =>
          security.length === 0 || security.some((requirement) => Object.keys(requirement).length === 0),
      )) {
        const [drawn] = fc.sample(requestOf(operation), 1)
        expect(
          (await send({ ...drawn!.request, headers: { ...drawn!.request.headers, authorization: undefined } })).status,
          operation.id,
        ).not.toBe(401)
      }
    })

    const stageTests = stages.flatMap((stage) =>
      Object.entries(stageBreaks[stage]).map(([rule, { error, change }]) => ({ stage, rule, error, change })),
    )
    test.each(stageTests)(
      'a request is refused at the stage $stage: $rule',
      { timeout: propertyTimeout },
      async ({ error, change }) => {
        const service = await newClient()
        const valid = await validRequests(service)
        await check(
          fc.asyncProperty(valid, fc.nat(), async (request, variant) => {
            expect(failureOf(await service.send(change(request, variant)))).toEqual({
              status: Math.floor(errorNumber(error) / 100),
              error: errorNumber(error),
            })
          }),
          15,
        )
      },
    )

    test('of several faults the one of the earliest stage is told', { timeout: propertyTimeout }, async () => {
      const service = await newClient()
      const valid = await validRequests(service)
      await check(
        fc.asyncProperty(
          valid,
          fc.subarray(stages, { minLength: 2 }),
          fc.array(fc.nat(), { minLength: stages.length, maxLength: stages.length }),
          async (request, broken, variants) => {
            const chosen = broken.map((stage, index) => choose(stage, variants[index] ?? 0))
            const changed = chosen.toReversed().reduce((sent, { change }) => change(sent, 0), request)
            expect(failureOf(await service.send(changed)).error, JSON.stringify(broken)).toBe(
              errorNumber(chosen[0]!.error),
            )
          },
        ),
        120,
      )
    })
  })
}

/** Requests with a body, in a store with which `stageBreaks.store` is in conflict. */
async function validRequests({
  send,
}: {
  send: (request: ContractRequest) => Promise<ReceivedResponse>
}): Promise<fc.Arbitrary<ContractRequest>> {
  await conflict.prepare({ send })
  return requestOf(carriers.body).map(({ request }) => request)
}

function choose(stage: Stage, variant: number) {
  const all = Object.values(stageBreaks[stage])
  // Every stage has a break.
  return all[variant % all.length]!
}

function failureOf({ status, text }: ReceivedResponse): { status: number; error: unknown } {
  return { status, error: text === '' ? undefined : (JSON.parse(text) as { error?: unknown }).error }
}

function messageOf({ text }: ReceivedResponse): string {
  return (JSON.parse(text) as { message: string }).message
}
