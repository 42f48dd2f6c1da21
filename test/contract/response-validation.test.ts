import { describe, expect, test } from 'vitest'
import { dereference, operationsOf } from '../../packages/fastify-contract/src/document/document.ts'
import {
  type AnyReply,
  ContractViolation,
  createReplyValidators,
} from '../../packages/fastify-contract/src/engine/reply-validation.ts'
import { Encoded } from 'fastify-contract/encoded'
import { handlers as projectHandlers } from '../../src/handlers.ts'
import { startApp } from '../support/server/start-app.ts'
import { expectFailure } from '../support/responses/expect-failure.ts'

const document = dereference({
  openapi: '3.1.0',
  info: { title: 'Things', version: '1.0.0' },
  paths: {
    '/things': {
      get: {
        operationId: 'listThings',
        responses: {
          '200': {
            description: 'Things',
            content: {
              'application/json': {
                schema: {
                  type: 'array',
                  items: {
                    type: 'object',
                    required: ['id'],
                    properties: {
                      id: { type: 'integer', format: 'int64' },
                      part: {
                        type: 'object',
                        properties: {
                          size: { type: 'number' },
                          either: { oneOf: [{ type: 'string' }, { type: 'integer', format: 'int64' }] },
                          byName: {
                            type: 'object',
                            propertyNames: { maxLength: 2 },
                            additionalProperties: { type: 'string', pattern: '^x' },
                          },
                        },
                      },
                    },
                  },
                },
              },
            },
          },
          '204': { description: 'None' },
          '503': {
            description: 'Later',
            headers: {
              'Retry-After': { required: true, schema: { type: 'integer' } },
              'X-Request-Id': { required: true, schema: { type: 'string' } },
            },
          },
        },
      },
    },
  },
})

describe('response validation', () => {
  const validate = createReplyValidators(document)(operationsOf(document)[0]!.object)

  test.each<AnyReply>([
    { status: 200, body: [] },
    { status: 200, body: [{ id: 9223372036854775807n, part: { size: 0.5 } }, { id: 1n }] },
    { status: 200, body: Object.freeze([Object.freeze({ id: 1n, part: Object.freeze({ either: 2n }) })]) },
    { status: 200, body: new Encoded('[{"id":9007199254740993}]') },
    { status: 204 },
    { status: 503, headers: { 'Retry-After': 1 } },
  ])('finds nothing wrong with reply %#, which is as it is declared', (reply) => {
    expect(() => validate(reply)).not.toThrow()
  })

  test.each<[AnyReply, string]>([
    [{ status: 201, body: [] }, 'the status is not declared'],
    [{ status: 200 }, 'the body is missing'],
    [{ status: 204, body: [] }, 'no body is declared'],
    [{ status: 503 }, 'header/Retry-After is required'],
    [{ status: 200, body: {} }, 'body must be array'],
    [{ status: 200, body: [{}] }, 'body/0/id is required'],
    [
      { status: 200, body: [{ id: 0.5 }] },
      'body/0/id must be an integer from -9223372036854775808 to 9223372036854775807',
    ],
    [{ status: 503, headers: { 'Retry-After': 1, 'X-Secret': 1 } }, 'header/X-Secret is not a header of this response'],
    [
      { status: 200, body: [{ id: 1n }, { id: 1n, 'a/b~c': { secret: 'x' } }] },
      'body/1/a~1b~0c is not a property here',
    ],
    [
      { status: 200, body: [{ id: 1n, part: { byName: { key: 0, k: 'x' } } }] },
      'the name of body/0/part/byName/key must NOT have more than 2 characters; ' +
        'body/0/part/byName property name must be valid',
    ],
    [
      { status: 200, body: [{ id: 1n, part: { byName: { k: 'secret' } } }] },
      'body/0/part/byName/k must match pattern "^x"',
    ],
    [{ status: 200, body: [{ id: 1n, secret: 'x' }] }, 'body/0/secret is not a property here'],
    [{ status: 200, body: [{ id: 1n, part: { secret: 1 } }] }, 'body/0/part/secret is not a property here'],
  ])('says what is wrong with reply %#', (reply, problem) => {
    expect(() => validate(reply)).toThrow(new ContractViolation(problem))
  })

  test('does not read a body that was encoded elsewhere, and refuses it where none is declared', () => {
    for (const chunks of ['[{}]', '[', Buffer.from('[')]) {
      expect(() => validate({ status: 200, body: new Encoded(chunks) })).not.toThrow()
    }
    expect(() => validate({ status: 204, body: new Encoded('[]') })).toThrow('no body is declared')
  })
})

describe('a handler whose reply breaks the contract', () => {
  test.each([
    ['an undeclared status', () => ({ status: 418 }), 'createPlant was to answer 418: the status is not declared'],
    [
      'a column that is nobody else’s business',
      () => ({ status: 200, body: { name: 'a', caller: 'secret' } }),
      'createPlant was to answer 200: body/caller is not a property here',
    ],
    [
      'a value of another type',
      () => ({ status: 200, body: { name: 1 } }),
      'createPlant was to answer 200: body/name must be string',
    ],
  ])('is answered 500, logged and counted: %s', async (_name, createPlant, problem) => {
    const broken: string[] = []
    // What the compiler would refuse is what is tested.
    const handlers = {
      ...projectHandlers,
      createPlant,
    } as unknown as NonNullable<Parameters<typeof startApp>[0]>['handlers']
    const { send, logLines } = await startApp({
      ...(handlers === undefined ? {} : { handlers }),
      observer: { answered: () => undefined, contractBroken: (id) => void broken.push(id) },
    })
    const response = await send({ method: 'POST', url: '/plants', body: { id: 1, name: 'a' } })
    expectFailure(response, 'internal')
    expect(response.text).not.toContain('secret')
    expect(broken).toEqual(['createPlant'])
    expect(logLines.join()).toContain(problem)
    expect(logLines.join()).not.toContain('secret')
  })
})
