import { describe, expect, test } from 'vitest'
import type { ContractOperation, Exampled } from '../../../src/contract/document.ts'
import { parseJsonWithBigInts, stringifyJson } from '../../../src/json/json.ts'
import { judgedOperation } from '../../support/responses/judged-contract.ts'
import { type ContractClient, type ContractRequest, startService } from '../contract-client.ts'
import { canonical } from '../coverage.ts'
import { bodyType } from '../requests/request-arbitrary.ts'

/** Tests that each example of a request is answered with the example of a response that has its name. */
export function testExamples(): void {
  describe('the examples of the contract', () => {
    test('are answered with the examples of the same name', async () => {
      const client = await startService()
      const create = judgedOperation('createPlant')
      const list = judgedOperation('listPlants')
      const remove = judgedOperation('deletePlant')

      const created = await sendExamples(client, create, 200)
      await sendExamples(client, list, 200)
      for (const [name, id] of parameterExamples(remove)) {
        // A plant for the example to delete, unless another example has created it.
        if (!created.includes(id))
          await client.send({ method: 'POST', url: create.path, body: stringifyJson({ id, name }) })
      }
      await sendExamples(client, remove, 204)
    })

    test('tell of a plant that is there already, and of one that is not', async () => {
      const { send } = await startService()
      const [, plant] = bodyExamples(judgedOperation('createPlant'))[0]!
      const body = stringifyJson(plant)
      await send({ method: 'POST', url: '/plants', body })
      expect((await send({ method: 'POST', url: '/plants', body })).status).toBe(409)
      const url = `/plants/${String((plant as { id: number }).id)}`
      await send({ method: 'DELETE', url })
      expect((await send({ method: 'DELETE', url })).status).toBe(404)
    })

    test('lead by the link of each created plant to its deletion', async () => {
      const { send } = await startService()
      const create = judgedOperation('createPlant')
      // OpenAPI 3.1, "Link Object"; the contract's types leave it out, because the service does not read it.
      const { links } = create.object.responses['200'] as { links?: Record<string, Link> }
      expect(Object.values(links ?? {})).toHaveLength(1)
      for (const { operationId, parameters } of Object.values(links ?? {})) {
        const { method, path } = judgedOperation(operationId)
        for (const [, request, body] of requestExamples(create)) {
          expect((await send(request)).status).toBe(200)
          const url = Object.entries(parameters).reduce((text, [name, expression]) => {
            const [, property = ''] = /^\$request\.body#\/(\w+)$/.exec(expression) ?? []
            // The example of a body of properties is an object.
            return text.replace(`{${name}}`, String((body as Record<string, unknown>)[property]))
          }, path)
          expect((await send({ method: method.toUpperCase(), url })).status, url).toBe(204)
        }
      }
    })
  })
}

interface Link {
  operationId: string
  parameters: Record<string, string>
}

/**
 * Sends the examples of an operation in their order.
 *
 * @returns the ids in their bodies
 */
async function sendExamples(
  { send }: ContractClient,
  operation: ContractOperation,
  status: number,
): Promise<unknown[]> {
  const { content } = operation.object.responses[String(status)] ?? {}
  const answers = new Map(valuesOf(Object.values(content ?? {})[0] ?? {}))
  const ids: unknown[] = []
  for (const [name, request, body] of requestExamples(operation)) {
    const response = await send(request)
    expect(response.status, `${operation.id}: ${name}: ${response.text}`).toBe(status)
    if (content !== undefined)
      expect(canonical(parseJsonWithBigInts(response.text)), `${operation.id}: ${name}`).toBe(
        canonical(answers.get(name)),
      )
    if (typeof body === 'object' && body !== null && 'id' in body) ids.push(body.id)
  }
  return ids
}

function requestExamples(operation: ContractOperation): [name: string, request: ContractRequest, body: unknown][] {
  const method = operation.method.toUpperCase()
  const headers = { 'content-type': bodyType(operation) }
  return [
    ...bodyExamples(operation).map(([name, value]): [string, ContractRequest, unknown] => [
      name,
      { method, url: operation.path, headers, body: stringifyJson(value) },
      value,
    ]),
    ...operation.parameters.flatMap((parameter) =>
      valuesOf(parameter).map(([name, value]): [string, ContractRequest, unknown] => {
        const text = encodeURIComponent(String(value))
        return [
          name,
          {
            method,
            url:
              parameter.in === 'path'
                ? operation.path.replace(`{${parameter.name}}`, text)
                : `${operation.path}?${parameter.name}=${text}`,
          },
          undefined,
        ]
      }),
    ),
  ]
}

function bodyExamples(operation: ContractOperation): [name: string, value: unknown][] {
  return valuesOf(operation.object.requestBody?.content[String(bodyType(operation))] ?? {})
}

function parameterExamples(operation: ContractOperation): [name: string, value: unknown][] {
  return operation.parameters.flatMap(valuesOf)
}

function valuesOf({ examples = {} }: Exampled): [name: string, value: unknown][] {
  return Object.entries(examples).map(([name, { value }]) => [name, value])
}
