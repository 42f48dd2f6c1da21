import { describe, expect, it } from 'vitest'
import { inPlace, subschemasOf, typesOf } from '../../src/schema/schema-parts.ts'

const schemas = {
  Texts: { type: 'array', items: { type: 'string' } },
  Loop: { allOf: [{ $ref: '#/components/schemas/Loop' }] },
}

describe('subschemasOf', () => {
  it('lists the schemas directly inside of a schema, each with its place', () => {
    const at = (name: string) => ({ title: name })
    const schema = {
      properties: { items: at('a'), b: true },
      allOf: [at('c'), false, at('d')],
      items: at('e'),
      not: at('f'),
      additionalProperties: false,
      required: ['b'],
      example: at('no schema'),
      examples: [at('no schema')],
      enum: [at('no schema')],
    }
    expect(subschemasOf(schema)).toEqual([
      { place: 'properties/items', schema: at('a'), applies: 'to a part' },
      { place: 'allOf/0', schema: at('c'), applies: 'to the value' },
      { place: 'allOf/2', schema: at('d'), applies: 'to the value' },
      { place: 'items', schema: at('e'), applies: 'to a part' },
      { place: 'not', schema: at('f'), applies: 'to the value' },
    ])
  })
})

describe('inPlace', () => {
  it('lists the schemas that describe a value: always, or in some case', () => {
    const [always, choice, never] = [{ title: 'always' }, { title: 'choice' }, { title: 'never' }]
    const schema = { $ref: '#/components/schemas/Texts', allOf: [always], oneOf: [choice], not: never, items: never }
    expect(inPlace(schema, schemas)).toEqual([schema, schemas.Texts, always, choice])
    expect(inPlace(schema, schemas, 'always')).toEqual([schema, schemas.Texts, always])
    expect(inPlace(schemas.Loop, schemas)).toHaveLength(2)
  })
})

describe('typesOf', () => {
  it.each([
    [{ type: 'number' }, ['number', 'integer']],
    [{ type: ['integer', 'null'] }, ['integer', 'null']],
    [{ enum: ['a', 1] }, ['string', 'integer', 'number']],
    [{ const: null }, ['null']],
    [{ $ref: '#/components/schemas/Texts' }, ['array']],
    [{ allOf: [{ $ref: '#/components/schemas/Texts' }, { minItems: 1 }] }, ['array']],
    [{ anyOf: [{ type: 'string' }, { $ref: '#/components/schemas/Texts' }] }, ['string', 'array']],
    [{ type: 'string', enum: [1] }, []],
    [false, []],
  ])('of %j are those that its values can have', (schema, types) => {
    expect([...typesOf(schema, schemas)].toSorted()).toEqual(types.toSorted())
  })

  it('ends where a schema refers to itself', () => {
    expect(typesOf({ $ref: '#/components/schemas/Loop' }, schemas).size).toBe(7)
  })
})
