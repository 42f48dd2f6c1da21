import { expect, test } from 'vitest'
import { createAjv } from '../../packages/fastify-contract/src/schema/ajv.ts'
import { SchemaRewriter } from '../../packages/fastify-contract/src/schema/rewrite-schema.ts'

const object = (...names: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
})
const needs = (name: string) => ({ ...object(name), required: [name] })
const base = { $ref: '#/components/schemas/Base' }
const aIsX = { required: ['a'], properties: { a: { const: 'x' } } }

const cases: [string, schema: object, valid: object[]][] = [
  [
    'anyOf beside $ref',
    { ...base, anyOf: [needs('b'), needs('c')] },
    [
      { a: 'y', b: 'y' },
      { a: 'y', c: 'y' },
    ],
  ],
  [
    'oneOf beside $ref',
    { ...base, oneOf: [needs('b'), needs('c')] },
    [
      { a: 'y', b: 'y' },
      { a: 'y', c: 'y' },
    ],
  ],
  ['if beside $ref', { ...base, if: aIsX, then: object('b') }, [{ a: 'y' }, { a: 'x', b: 'y' }]],
  [
    'if beside allOf',
    { allOf: [object('a')], if: aIsX, then: object('b'), else: object('c') },
    [
      { a: 'x', b: 'y' },
      { a: 'y', c: 'y' },
    ],
  ],
  [
    'dependentSchemas',
    { ...object('a', 'c'), dependentSchemas: { a: object('b'), c: object('d') } },
    [{}, { a: 'y', b: 'y' }, { c: 'y', d: 'y' }, { a: 'y', b: 'y', c: 'y', d: 'y' }],
  ],
]

test.each(cases)('a reply may have each property that its schema evaluates: %s', (_title, schema, valid) => {
  const rewriter = new SchemaRewriter({ Base: object('a') }, 'response')
  const validate = createAjv('json', rewriter).compile(rewriter.ofValue(schema) as object)
  for (const value of valid) {
    expect(validate(value), JSON.stringify(value)).toBe(true)
    expect(validate({ ...value, other: 'y' }), JSON.stringify(value)).toBe(false)
  }
})
