import fc from 'fast-check'
import { stringifyJson } from 'fastify-contract/json'
import type { Schema, Subschema } from 'fastify-contract/schema'
import { createValueChecks, inPlace, isSchema, withSubschemas } from 'fastify-contract/schema'
import { expect, test } from 'vitest'
import { AcceptedValues } from '../src/breaking/accepted-values.ts'
import { NoGenerator } from '../src/suite/ground/no-generator.ts'
import { readContract } from '../src/suite/ground/contract.ts'
import { valuesOf } from '../src/suite/draw/values.ts'

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const schemas = {
  Tree: {
    type: 'object',
    required: ['a'],
    properties: { a: { type: 'integer' }, b: { type: 'array', items: ref('Tree') } },
  },
  Code: { type: ['string', 'null'], maxLength: 2 },
} satisfies Record<string, Schema>
const source = readContract({ openapi: '3.1.0', components: { schemas } })

const scalar = fc.constantFrom<Subschema>(
  ...([
    { type: 'string' },
    { type: 'integer' },
    { type: 'number' },
    { type: 'boolean' },
    { type: ['string', 'null'] },
    true,
  ] as const),
  ...[0, 1, 2].flatMap((at): Schema[] => [
    { type: 'integer', minimum: at },
    { type: 'number', exclusiveMaximum: at },
    { type: 'integer', multipleOf: at + 1 },
    { type: 'string', maxLength: at },
    { type: 'string', minLength: at },
    { const: at },
    { enum: ['x', at, null] },
    { type: 'integer', readOnly: true, maximum: at },
  ]),
  ref('Tree'),
  ref('Code'),
)
const name = fc.constantFrom('a', 'b', 'c')
const flag = fc.boolean()

/** Small schemas, of each of which a part may be another one. */
const { schema } = fc.letrec<{ schema: Subschema; object: Schema; choice: Schema; list: Schema }>((tie) => ({
  schema: fc.oneof({ maxDepth: 3 }, scalar, tie('object'), tie('choice'), tie('list')),
  object: fc
    .record({
      properties: fc.dictionary(name, tie('schema'), { maxKeys: 3 }),
      required: fc.uniqueArray(name, { maxLength: 2 }),
      isClosed: fc.option(flag),
    })
    .map(({ isClosed, ...object }) => ({
      type: 'object',
      ...object,
      ...(isClosed === null ? {} : { additionalProperties: !isClosed }),
    })),
  choice: fc
    .tuple(
      fc.constantFrom('allOf', 'anyOf', 'oneOf'),
      fc.array(tie('schema'), { minLength: 1, maxLength: 3 }),
      fc.option(tie('object')),
    )
    .map(([keyword, parts, beside]) => ({ ...beside, [keyword]: parts })),
  list: fc.record({ items: tie('schema'), maxItems: fc.nat(2) }).map((list) => ({ type: 'array', ...list })),
}))

type Edit = (schema: Schema, other: Subschema) => Subschema

/** Changes of a schema: some of its form only, others of what it accepts. */
const edits: Edit[] = [
  (one) => ({ allOf: [one] }),
  (one, other) => ({ anyOf: [one, other] }),
  (one, other) => ({ oneOf: [other, one] }),
  (one, other) => ({ allOf: [one, { anyOf: [other, true] }] }),
  (one, other) => ({ ...one, not: other }),
  ({ properties = {}, required = [], allOf = [], ...rest }) => ({
    ...rest,
    allOf: [
      ...allOf,
      ...Object.entries(properties).map(([key, part]) => ({ properties: { [key]: part } })),
      { required },
    ],
  }),
  ({ oneOf, anyOf = oneOf ?? [true], ...rest }) => ({ ...rest, anyOf }),
  ({ anyOf, oneOf = anyOf ?? [true], ...rest }) => ({ ...rest, oneOf }),
  (one) => Object.fromEntries(Object.entries(one).slice(0, -1)),
  (one, other) => ({
    ...one,
    ...(typeof other === 'object' ? Object.fromEntries(Object.entries(other).slice(-1)) : {}),
  }),
  ({ properties = {}, ...rest }, other) => ({
    ...rest,
    properties: { ...properties, a: { anyOf: [properties['a'] ?? true, other] } },
  }),
  ({ const: constant = 'x', ...rest }) => ({ ...rest, enum: [constant] }),
]
const pair = fc
  .tuple(schema, fc.array(fc.tuple(fc.constantFrom(...edits), schema), { minLength: 1, maxLength: 2 }))
  .map(([one, changes]) => {
    const edited = changes.reduce<Subschema>((now, [edit, other]) => (isSchema(now) ? edit(now, other) : other), one)
    return [one, edited] as const
  })

/** For a client, one alternative is enough. */
function asRead(schema: Subschema): Subschema {
  if (!isSchema(schema)) return schema
  const { oneOf, allOf = [], ...rest } = schema
  const read = oneOf === undefined ? schema : { ...rest, allOf: [...allOf, { anyOf: oneOf }] }
  return withSubschemas(read, (part, _applies, keyword) => (keyword === 'not' ? part : asRead(part)))
}

test.for(['request', 'response'] as const)('what is proven of a %s holds for values', (direction) => {
  const checkOf = createValueChecks(schemas, direction)
  let proven = 0
  const property = fc.property(pair, flag, (given, isBack) => {
    const [earlier, later] = isBack ? ([given[1], given[0]] as const) : given
    if (!new AcceptedValues(schemas, { direction, isText: false }).serves(earlier, later)) return
    const [narrow, wide] = direction === 'request' ? [earlier, later] : [later, asRead(earlier)]
    const [isGiven, isTaken] = [checkOf(narrow), checkOf(wide)]
    if (typeof isGiven === 'string' || typeof isTaken === 'string') return
    proven++
    for (const value of [narrow, ...inPlace(narrow, schemas), ...inPlace(wide, schemas)].flatMap(samplesOf)) {
      if (isGiven(value) !== undefined) continue
      const found = isTaken(value)
      const problem = direction === 'response' && found?.isOnlyUndeclared === true ? undefined : found?.problem
      expect(problem, stringifyJson(value)).toBeUndefined()
    }
  })
  fc.assert(property, { numRuns: 400, seed: 1 })
  expect(proven).toBeGreaterThan(50)
})

function samplesOf(schema: Subschema): unknown[] {
  try {
    return fc
      .sample(valuesOf(schema, source), { seed: 1, numRuns: 8 })
      .map((value): unknown => JSON.parse(stringifyJson(value)))
  } catch (error) {
    if (!(error instanceof NoGenerator)) throw error
    return []
  }
}
