import { describe, expect, test } from 'vitest'
import type { ContractOperation, Exampled } from '../../../packages/fastify-contract/src/document/document.ts'
import { parseJsonWithBigInts, stringifyJson } from '../../../packages/fastify-contract/src/json/json.ts'
import { expectedOperation, expectedOperations } from '../../support/responses/expected-contract.ts'
import { type ContractClient, type ContractRequest, startService } from '../contract-client.ts'
import { canonical, examplesOf as namedExamples } from '../coverage.ts'
import { examplesNeed } from '../own-requests.ts'
import { bodyType } from '../requests/request-arbitrary.ts'
import { successOf } from '../requests/valid-request.ts'

/** Examples of creations come first, those of deletions last, so that each finds what it speaks of. */
const order = ['post', 'put', 'patch', 'get', 'head', 'options', 'trace', 'delete']

/** Tests that each example of a request is answered with the example of a response that has its name. */
export function testExamples(): void {
  describe('the examples of the contract', () => {
    test('are answered with the examples of the same name', async () => {
      const client = await startService()
      for (const operation of expectedOperations.toSorted(
        (a, b) => order.indexOf(a.method) - order.indexOf(b.method),
      )) {
        for (const request of examplesNeed[operation.id] ?? []) await client.send(request)
        await expectExamples(client, operation)
      }
    })

    test('lead by the links of a response to a success', async () => {
      for (const create of expectedOperations) {
        const status = successOf(create)
        // OpenAPI 3.1, "Link Object"; the contract's types leave it out, because the service does not read it.
        const { links = {} } = create.object.responses[String(status)] as { links?: Record<string, Link> }
        for (const [name, { operationId, parameters }] of Object.entries(links)) {
          const { send } = await startService()
          const linked = expectedOperation(operationId)
          for (const [, request, body] of requestExamples(create)) {
            expect((await send(request)).status).toBe(status)
            const url = Object.entries(parameters).reduce((text, [parameter, expression]) => {
              const [, property = ''] = /^\$request\.body#\/(\w+)$/.exec(expression) ?? []
              // The example of a body of properties is an object.
              return text.replace(`{${parameter}}`, String((body as Record<string, unknown>)[property]))
            }, linked.path)
            const response = await send({ method: linked.method.toUpperCase(), url })
            expect(response.status, `${name}: ${url}`).toBe(successOf(linked))
          }
        }
      }
    })
  })
}

interface Link {
  operationId: string
  parameters: Record<string, string>
}

/** Sends the examples of an operation in their order, and expects a success with the example of the same name. */
async function expectExamples({ send }: ContractClient, operation: ContractOperation): Promise<void> {
  const status = successOf(operation)
  const { content } = operation.object.responses[String(status)] ?? {}
  const answers = new Map(examplesOf(Object.values(content ?? {})[0] ?? {}))
  for (const [name, request] of requestExamples(operation)) {
    const response = await send(request)
    expect(response.status, `${operation.id}: ${name}: ${response.text}`).toBe(status)
    if (!answers.has(name)) continue
    expect(canonical(parseJsonWithBigInts(response.text)), `${operation.id}: ${name}`).toBe(
      canonical(answers.get(name)),
    )
  }
}

/** The examples of a request by name. A part without an example of the name has its first one, or none if it may. */
export function requestExamples(
  operation: ContractOperation,
): [name: string, request: ContractRequest, body: unknown][] {
  const method = operation.method.toUpperCase()
  const bodies = examplesOf(operation.object.requestBody?.content[String(bodyType(operation))] ?? {})
  const holders = [bodies, ...operation.parameters.map(examplesOf)]
  const names = new Set(holders.flatMap((examples) => examples.map(([name]) => name)))
  // An operation that is asked for nothing has one request.
  if (operation.parameters.length === 0 && operation.object.requestBody === undefined) names.add('(unnamed)')
  return [...names].map((name) => {
    const values = operation.parameters.flatMap((parameter) => {
      const examples = examplesOf(parameter)
      const value = new Map(examples).get(name) ?? (parameter.required === true ? examples[0]?.[1] : undefined)
      return value === undefined ? [] : [{ ...parameter, texts: [value].flat().map(writtenAs) }]
    })
    const path = values
      .filter((parameter) => parameter.in === 'path')
      .reduce(
        (text, { name: each, texts }) => text.replace(`{${each}}`, texts.map(encodeURIComponent).join()),
        operation.path,
      )
    const query = values
      .filter((parameter) => parameter.in === 'query')
      .flatMap(({ name: each, texts, explode }) => {
        const encoded = texts.map(encodeURIComponent)
        return (explode === false ? [encoded.join()] : encoded).map((text) => `${each}=${text}`)
      })
    const url = query.length === 0 ? path : `${path}?${query.join('&')}`
    const sent = values.filter((parameter) => parameter.in === 'header').map((each) => [each.name, each.texts.join()])
    const body = new Map(bodies).get(name) ?? bodies[0]?.[1]
    const headers = Object.fromEntries(sent) as Record<string, string>
    const content =
      body === undefined
        ? { headers }
        : { headers: { ...headers, 'content-type': bodyType(operation) }, body: stringifyJson(body) }
    return [name, { method, url, ...content }, body]
  })
}

function examplesOf(holder: Exampled): [name: string, value: unknown][] {
  return namedExamples(holder).map(({ name, value }) => [name, value])
}

/** A value as it stands in a URL, before it is encoded, and in a header. */
function writtenAs(value: unknown): string {
  return typeof value === 'string' ? value : stringifyJson(value)
}
