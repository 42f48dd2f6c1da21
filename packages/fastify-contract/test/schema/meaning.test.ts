import { describe, expect, it } from 'vitest'
import { typesOf } from '../../src/schema/meaning.ts'
import type { NamedSchemas, Subschema } from '../../src/schema/schema.ts'

const schemas: NamedSchemas = {
  Texts: { type: 'array', items: { type: 'string' } },
  Loop: { allOf: [{ $ref: '#/components/schemas/Loop' }] },
}

describe('typesOf', () => {
  it.each<[Subschema, string[]]>([
    [{ type: 'number' }, ['number', 'integer']],
    [{ type: ['integer', 'null'] }, ['integer', 'null']],
    [{ enum: ['a', 1] }, ['string', 'integer', 'number']],
    [{ const: null }, ['null']],
    [{ $ref: '#/components/schemas/Texts' }, ['array']],
    [{ allOf: [{ $ref: '#/components/schemas/Texts' }, { minItems: 1 }] }, ['array']],
    [{ anyOf: [{ type: 'string' }, { $ref: '#/components/schemas/Texts' }] }, ['string', 'array']],
    [{ type: 'string', enum: [1] }, []],
    [{ if: { type: 'string' }, then: { enum: ['a', 1] }, else: { type: 'null' } }, ['string', 'null']],
    [false, []],
  ])('returns the possible types of %j', (schema, types) => {
    expect([...typesOf(schema, schemas)].toSorted()).toEqual(types.toSorted())
  })

  it('ends for a recursive schema', () => {
    expect(typesOf({ $ref: '#/components/schemas/Loop' }, schemas).size).toBe(7)
  })
})
