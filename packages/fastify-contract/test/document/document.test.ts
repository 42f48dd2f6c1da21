import { describe, expect, it } from 'vitest'
import { type ContractDocument, dereference, operationsOf } from '../../src/document/document.ts'

const documentOf = (members: object) =>
  ({ openapi: '3.1.0', info: { title: '', version: '' }, ...members }) as ContractDocument

describe('dereference', () => {
  it('replaces references, equal ones by the same object', () => {
    const document = { first: { $ref: '#/a' }, second: [{ $ref: '#/b' }], a: { type: 'string' }, b: { $ref: '#/a' } }
    const { first, second } = dereference(document) as unknown as { first: object; second: object[] }
    expect(first).toEqual({ type: 'string' })
    expect(second[0]).toBe(first)
    expect(document.first).toEqual({ $ref: '#/a' })
  })

  it('follows escaped names, percent-encoded names and array indices', () => {
    const contract = {
      first: { $ref: '#/paths/~1things~1%7Bid%7D/get' },
      second: { $ref: '#/list/1' },
      third: { $ref: '#/a~01' },
      paths: { '/things/{id}': { get: 1 } },
      list: [0, 2],
      'a~1': 3,
    }
    expect(dereference(contract)).toMatchObject({ first: 1, second: 2, third: 3 })
  })

  it.each<[string, object]>([
    [
      'references to schemas',
      { a: { $ref: '#/components/schemas/N', minimum: 1 }, components: { schemas: { N: {} } } },
    ],
    ['a property named $ref', { properties: { $ref: { type: 'string' } } }],
    ['a property named like a map', { properties: { properties: { default: { $ref: '#/nowhere' } } } }],
    ['extensions', { 'x-a': { $ref: '#/nowhere' } }],
    ['values', { const: { $ref: '#/nowhere' }, examples: [{ $ref: '#/nowhere' }], default: [{ $ref: '#/nowhere' }] }],
  ])('leaves %s unchanged', (_what, contract) => {
    expect(dereference(contract)).toEqual(contract)
  })

  it('resolves chosen names that look like extensions or values', () => {
    const contract = { paths: { default: { $ref: '#/a' } }, responses: { 'x-a': { $ref: '#/a' } }, a: 1 }
    expect(dereference(contract)).toMatchObject({ paths: { default: 1 }, responses: { 'x-a': 1 } })
  })

  it.each([
    [{ a: { $ref: '#/b' } }, 'the reference #/b leads to nothing'],
    [{ a: { $ref: '#/toString' } }, 'the reference #/toString leads to nothing'],
    [{ a: { $ref: 'b.yaml#/c' } }, 'the reference b.yaml#/c leads out of the contract'],
    [{ a: { $ref: '#/%zz' } }, 'the percent-encoding of the reference #/%zz is broken'],
    [{ a: { b: { $ref: '#/a' } } }, 'the reference #/a leads back to itself'],
  ])('refuses %j', (contract, message) => {
    expect(() => dereference(contract)).toThrow(new Error(message))
  })
})

describe('operationsOf', () => {
  it('lists every method of every path, with the security of the document', () => {
    const own = { name: 'limit', in: 'query' }
    const operations = operationsOf(
      documentOf({
        security: [{ bearer: [] }],
        paths: {
          '/a/{id}': {
            get: { operationId: 'getA', parameters: [own] },
            trace: { operationId: 'traceA', security: [] },
            summary: 'not a method',
          },
          '/b': { put: { operationId: 'putB' } },
          'x-a': { get: { operationId: 'none' } },
        },
      }),
    )
    expect(operations).toMatchObject([
      { id: 'getA', method: 'get', path: '/a/{id}', parameters: [own], security: [{ bearer: [] }] },
      { id: 'traceA', method: 'trace', path: '/a/{id}', parameters: [], security: [] },
      { id: 'putB', method: 'put', path: '/b', parameters: [], security: [{ bearer: [] }] },
    ])
    expect(operationsOf(documentOf({}))).toEqual([])
  })
})
