import { describe, expect, it } from 'vitest'
import { type ContractDocument, operationsOf } from '../../src/document/document.ts'

const documentOf = (members: object) =>
  ({ openapi: '3.1.0', info: { title: '', version: '' }, ...members }) as ContractDocument

const operation = (members: object, components: object = {}) =>
  operationsOf(documentOf({ paths: { '/a': { get: { operationId: 'getA', ...members } } }, components }))[0]!

describe('operationsOf', () => {
  it('reads objects at the end of their references, equal ones as the same object', () => {
    const text = { $ref: '#/components/schemas/Text' }
    const { parameters, object } = operation(
      {
        parameters: [{ $ref: '#/components/parameters/a~1%7Bb%7D' }],
        requestBody: { $ref: '#/components/requestBodies/B' },
        responses: { 200: { $ref: '#/components/responses/R' }, 404: { $ref: '#/components/responses/R' } },
      },
      {
        schemas: { Text: {} },
        parameters: {
          'a/{b}': { name: 'a', in: 'query', schema: text, examples: { e: { $ref: '#/components/examples/E' } } },
        },
        examples: { E: { value: { $ref: '#/nowhere' } } },
        requestBodies: {
          B: { content: { 'a/b': { schema: text, examples: { e: { $ref: '#/components/examples/E' } } } } },
        },
        headers: { H: { schema: text } },
        responses: {
          R: { $ref: '#/components/responses/S' },
          S: { headers: { h: { $ref: '#/components/headers/H' } } },
        },
      },
    )
    const examples = { e: { value: { $ref: '#/nowhere' } } }
    expect(parameters).toEqual([{ name: 'a', in: 'query', schema: text, examples }])
    expect(object.requestBody).toEqual({ content: { 'a/b': { schema: text, examples } } })
    expect(object.responses).toEqual({
      200: { headers: { h: { schema: text } } },
      404: { headers: { h: { schema: text } } },
    })
    expect(object.responses['404']).toBe(object.responses['200'])
  })

  it.each([
    ['#/b', 'the reference #/b leads to nothing'],
    ['#/toString', 'the reference #/toString leads to nothing'],
    ['b.yaml#/c', 'the reference b.yaml#/c leads out of the contract'],
    ['#/%zz', 'the percent-encoding of the reference #/%zz is broken'],
    ['#/components/responses/R', 'the reference #/components/responses/R leads back to itself'],
  ])('refuses the reference %s', ($ref, message) => {
    const responses = { R: { $ref: '#/components/responses/R' } }
    expect(() => operation({ responses: { 200: { $ref } } }, { responses })).toThrow(new Error(message))
  })
})
