import { describe, expect, it } from 'vitest'
import {
  type ContractDocument,
  dereference,
  operationsOf,
} from '../../packages/fastify-contract/src/document/document.ts'

describe('dereference', () => {
  it('puts what a reference refers to in its place, one object for equal references', () => {
    const { first, second, deep } = dereference({
      first: { $ref: '#/a' },
      second: { $ref: '#/a' },
      deep: [{ $ref: '#/b' }],
      a: { type: 'string' },
      b: { $ref: '#/a' },
    }) as unknown as Record<string, unknown>
    expect(first).toEqual({ type: 'string' })
    expect(second).toBe(first)
    expect(deep).toEqual([first])
  })

  it('follows escaped names, names that are percent-encoded, and places in arrays', () => {
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

  it('keeps references to schemas, with what they assert beside themselves', () => {
    const contract = {
      bounded: { $ref: '#/components/schemas/N', minimum: 9007199254740993n },
      components: { schemas: { N: { type: 'integer' } } },
    }
    expect(dereference(contract)).toEqual(contract)
  })

  it('does not take a property named $ref for a reference', () => {
    expect(dereference({ properties: { $ref: { type: 'string' } } })).toEqual({
      properties: { $ref: { type: 'string' } },
    })
  })

  it('leaves the document that it is given as it is', () => {
    const contract = { a: { $ref: '#/b' }, b: { c: [1] } }
    dereference(contract)
    expect(contract).toEqual({ a: { $ref: '#/b' }, b: { c: [1] } })
  })
})

describe('operationsOf', () => {
  const contract = (members: object) =>
    ({ openapi: '3.1.0', info: { title: '', version: '' }, ...members }) as ContractDocument

  it('lists every method of every path, with what it inherits', () => {
    const path = { name: 'id', in: 'path' }
    const own = { name: 'limit', in: 'query' }
    const operations = operationsOf(
      contract({
        security: [{ bearer: [] }],
        paths: {
          '/a/{id}': {
            parameters: [path],
            get: { operationId: 'getA', parameters: [own] },
            trace: { operationId: 'traceA', security: [] },
            summary: 'not a method',
          },
          '/b': { put: { operationId: 'putB' } },
        },
      }),
    )
    expect(operations).toMatchObject([
      { id: 'getA', method: 'get', path: '/a/{id}', parameters: [own, path], security: [{ bearer: [] }] },
      { id: 'traceA', method: 'trace', path: '/a/{id}', parameters: [path], security: [] },
      { id: 'putB', method: 'put', path: '/b', parameters: [], security: [{ bearer: [] }] },
    ])
  })

  it('finds none where there are no paths', () => {
    expect(operationsOf(contract({}))).toEqual([])
  })
})
