import fc from 'fast-check'
import type { ContractOperation } from 'fastify-contract/document'
import { describe, expect, test } from 'vitest'
import { type ReceivedResponse, parseExactly } from './check-response.ts'
import { errorNumber, expectedErrors, expectedOperation, expectedOperations } from './expected-contract.ts'
import { canonical } from './coverage.ts'
import { faultsOf, requestBreaksOf, wantsCredentials } from './broken-requests.ts'
import { type ContractRequest, type Send, check, errorOf, timeout } from './run.ts'
import { examplesOf, requestExamplesOf, requestsOf } from './requests.ts'

/** A service that serves the contract. */
export interface TestedService {
  /** Gives what sends requests as a new caller, who has no data. */
  newCaller: () => Promise<Send>
  /** Puts into the store what the examples of an operation need and no example of another operation creates. */
  examplesNeed: Partial<Record<string, ContractRequest[]>>
  /** Checks that the refused requests of a caller have changed nothing. */
  assertUnchanged: (send: Send) => Promise<void>
}

/** The status of an operation's success. @throws Error when the contract declares none */
function successOf({ id, object }: ContractOperation): number {
  const status = Object.keys(object.responses).find((declared) => /^2\d\d$/.test(declared))
  if (status === undefined) throw new Error(`operation ${id} declares no success`)
  return Number(status)
}

/** Tests that a service does what the contract says of its operations, and refuses what the contract does not allow. */
export function testOperations({ newCaller, examplesNeed, assertUnchanged }: TestedService): void {
  describe('each operation', () => {
    testExamples(newCaller, examplesNeed)

    test.each(expectedOperations)('$id takes what the contract allows', { timeout }, async (operation) => {
      const send = await newCaller()
      const requests = fc.tuple(requestsOf(operation), fc.boolean()).map(([request, isNobodys]) => {
        const headers = { ...request.headers, authorization: undefined }
        return isNobodys && !wantsCredentials(operation) ? { ...request, headers } : request
      })
      await check(requests, 100, async (request) => {
        const response = await send(request)
        if (response.status >= 300) expect(errorsOfState, response.text).toContain(errorOf(response))
      })
    })

    const readers = expectedOperations.filter(({ method }) => method === 'get')
    test.each(readers)('$id answers HEAD as it does GET, without the content', { timeout }, async (operation) => {
      const send = await newCaller()
      await check(requestsOf(operation), 20, async (request) => {
        const headers = { ...request.headers, 'x-request-id': 'same' }
        const [get, head] = [await send({ ...request, headers }), await send({ ...request, headers, method: 'HEAD' })]
        expect({ ...head.headers, status: head.status, date: '' }).toEqual({
          ...get.headers,
          status: get.status,
          date: '',
        })
      })
    })

    const breaks = expectedOperations.flatMap((operation) =>
      requestBreaksOf(operation).map(([place, rule, requests]) => ({ id: operation.id, place, rule, requests })),
    )
    test.each(breaks)('$id refuses $place that breaks: $rule', { timeout }, async ({ place, rule, requests }) => {
      if (requests === undefined) throw new Error(`no values break ${rule} of ${place}: teach values.ts`)
      const send = await newCaller()
      await check(requests, 30, async (request) => {
        expectRefused(await send(request), 'invalid_request', place)
      })
      await assertUnchanged(send)
    })

    const faults = expectedOperations.flatMap((operation) =>
      faultsOf(operation).map(([, title, error, changes]) => ({ id: operation.id, title, operation, error, changes })),
    )
    test.each(faults)('$id refuses $title', { timeout }, async ({ operation, error, changes }) => {
      const send = await newCaller()
      const requests = fc.tuple(requestsOf(operation), fc.constantFrom(...changes))
      await check(
        requests.map(([request, change]) => change(request)),
        2 * changes.length,
        async (request) => {
          const response = await send(request)
          expectRefused(response, error)
          // RFC 6750, section 3.1: who has sent no credentials is told of no error.
          expect(/ error="/.test(String(response.headers['www-authenticate']))).toBe(error === 'token_invalid')
        },
      )
      await assertUnchanged(send)
    })

    test.each(expectedOperations)('$id reports the fault of the earliest stage', { timeout }, async (operation) => {
      const send = await newCaller()
      const all = faultsOf(operation).flatMap(([stage, , error, changes]) =>
        changes.map((change) => ({ stage, error, change })),
      )
      const stages = [...new Set(all.map(({ stage }) => stage))].map((stage) =>
        fc.constantFrom(...all.filter((fault) => fault.stage === stage)),
      )
      const spoiled = fc
        .subarray(stages, { minLength: 2 })
        .chain((several) => fc.tuple(requestsOf(operation), ...several))
        .map(([request, ...several]) => ({
          // Two were chosen at least.
          error: several[0]!.error,
          request: several.reduceRight((sent, { change }) => change(sent), request),
        }))
      await check(spoiled, 80, async ({ request, error }) => {
        expectRefused(await send(request), error)
      })
      await assertUnchanged(send)
    })
  })
}

function testExamples(newCaller: TestedService['newCaller'], needs: TestedService['examplesNeed']): void {
  // Creations come first, and deletions last, so that each finds what it speaks of.
  const order = ['post', 'put', 'patch', 'get', 'delete']

  test('the examples of requests are answered with the examples of the same name', async () => {
    const send = await newCaller()
    for (const operation of expectedOperations.toSorted((a, b) => order.indexOf(a.method) - order.indexOf(b.method))) {
      for (const request of needs[operation.id] ?? []) await send(request)
      const status = successOf(operation)
      const [media = {}] = Object.values(operation.object.responses[String(status)]?.content ?? {})
      const answers = examplesOf(media)
      for (const { name, request } of requestExamplesOf(operation)) {
        const response = await send(request)
        expect(response.status, `${operation.id}: ${name}: ${response.text}`).toBe(status)
        if (!answers.has(name)) continue
        expect(canonical(parseExactly(response.text)), `${operation.id}: ${name}`).toBe(canonical(answers.get(name)))
      }
    }
  })

  test('the links of a response lead to a success', async () => {
    for (const create of expectedOperations) {
      const status = successOf(create)
      // OpenAPI 3.1, "Link Object"; the contract's types leave it out, because the service does not read it.
      const { links = {} } = create.object.responses[String(status)] as {
        links?: Record<string, { operationId: string; parameters: object }>
      }
      for (const [name, { operationId, parameters }] of Object.entries(links)) {
        const send = await newCaller()
        const linked = expectedOperation(operationId)
        for (const { request, body } of requestExamplesOf(create)) {
          expect((await send(request)).status).toBe(status)
          const url = Object.entries(parameters).reduce((path, [parameter, expression]) => {
            const [, property = ''] = /^\$request\.body#\/(\w+)$/.exec(String(expression)) ?? []
            // The example of a body of properties is an object.
            return path.replace(`{${parameter}}`, String((body as Record<string, unknown>)[property]))
          }, linked.path)
          const response = await send({ method: linked.method.toUpperCase(), url })
          expect(response.status, `${name}: ${url}`).toBe(successOf(linked))
        }
      }
    }
  })
}

/** The errors with which an allowed request can be refused, because of what the store has or lacks. */
const errorsOfState: readonly unknown[] = [...expectedErrors]
  .filter(([name, number]) => [404, 409].includes(Math.floor(number / 100)) && name !== 'path_not_found')
  .map(([, number]) => number)

/** Expects a failure by its name, and a place in its message. */
function expectRefused(response: ReceivedResponse, name: string, place = ''): void {
  const error = errorNumber(name)
  const wanted = { status: Math.floor(error / 100), error, message: expect.stringContaining(place) as string }
  expect({ status: response.status, ...(JSON.parse(response.text) as object) }).toEqual(wanted)
}
