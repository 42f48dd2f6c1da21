import assert from 'node:assert/strict'
import { type ContractOperation, isReading } from 'fastify-contract/document'
import type { Tools } from '../state/test-case.ts'
import { operationNamed, successOf } from '../ground/contract.ts'
import { parseExactly } from '../ground/exact-json.ts'
import { isObject } from '../ground/members.ts'
import { examplesOf } from '../ground/examples.ts'
import { requestExamplesOf } from '../write/requests.ts'
import { exampleText } from '../judge/example-text.ts'
import { linksOf } from '../ground/resources.ts'

/** Creations come first, and deletions last, so that each finds what it speaks of. */
const order = ['post', 'put', 'patch', 'get', 'delete']
const rankOf = ({ method }: ContractOperation) => order.indexOf(isReading(method) ? 'get' : method)

/**
 * Tests that each example of a request leads to the example of the response of the same name, but for what the server
 * sets.
 */
export async function testExamples({ contract, needs, newCaller, skipped }: Tools): Promise<void> {
  const send = await newCaller()
  const tested = contract.operations.filter((operation) => !skipped.has(operation))
  for (const operation of tested.toSorted((a, b) => rankOf(a) - rankOf(b))) {
    for (const request of needs?.[operation.id] ?? []) await send(request)
    const status = successOf(operation)
    const [media = {}] = Object.values(operation.object.responses[String(status)]?.content ?? {})
    const responses = examplesOf(media)
    for (const { name, request } of requestExamplesOf(operation, contract)) {
      const response = await send(request)
      assert.equal(response.status, status, `${operation.id}: ${name}: ${response.text}`)
      if (!responses.has(name)) continue
      const textOf = (body: unknown) => exampleText(body, media, contract)
      const [received, wanted] = [parseExactly(response.text), responses.get(name)].map(textOf)
      assert.equal(received, wanted, `${operation.id}: ${name}: ${String(received)} is not ${String(wanted)}`)
    }
  }
}

/** Tests that what the links of a response lead to succeeds. */
export async function testLinks({ contract, newCaller, skipped }: Tools): Promise<void> {
  for (const create of contract.operations.filter((operation) => !skipped.has(operation))) {
    const status = successOf(create)
    for (const [name, { operationId = '', parameters = {} }] of linksOf(create, status)) {
      const linked = operationNamed(contract, operationId)
      if (skipped.has(linked)) continue
      const send = await newCaller()
      for (const { request, body } of requestExamplesOf(create, contract)) {
        assert.equal((await send(request)).status, status, name)
        const url = Object.entries(parameters).reduce((path, [parameter, expression]) => {
          const [, property = ''] = /^\$request\.body#\/(\w+)$/.exec(String(expression)) ?? []
          return path.replace(`{${parameter}}`, String(isObject(body) ? body[property] : body))
        }, linked.path)
        const response = await send({ method: linked.method.toUpperCase(), url })
        assert.equal(response.status, successOf(linked), `${name}: ${url}`)
      }
    }
  }
}
