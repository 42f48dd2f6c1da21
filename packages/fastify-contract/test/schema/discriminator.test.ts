import fc from 'fast-check'
import { expect, test } from 'vitest'
import { serveEcho } from '../support/contracts.ts'

const text = { type: 'string' }
const to = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const kind = (constants: object, properties: object = {}) => ({
  type: 'object',
  required: ['kind'],
  properties: { kind: constants, ...properties },
})
const schemas = {
  Cat: kind({ const: 'cat' }, { purrs: { type: 'boolean' } }),
  Dog: { allOf: [kind({ enum: ['dog', 'wolf'] }), { properties: { barks: { type: 'boolean' } } }] },
}
const pet = { oneOf: [to('Cat'), to('Dog'), { type: 'null' }] }

test.each([
  [
    '{"kind":"cat","purrs":1}',
    'body/purrs must be a boolean; body must be null; body must match exactly one of the alternatives',
  ],
  [
    '{"kind":"wolf","barks":1}',
    'body/barks must be a boolean; body must be null; body must match exactly one of the alternatives',
  ],
  [
    '{"kind":"cow"}',
    'body/kind must be "cat"; body/kind must be one of "dog", "wolf"; body must be null; ' +
      'body must match exactly one of the alternatives',
  ],
  ['{}', 'body/kind is required; body must be null; body must match exactly one of the alternatives'],
  ['"cat"', 'body must be an object; body must be null; body must match exactly one of the alternatives'],
])('the refusal of %s describes the alternatives of its kind, or all', async (body, message) => {
  const echo = await serveEcho(pet, schemas)
  expect(await echo(body)).toEqual({ status: 400, text: message, seen: undefined })
})

const constants = fc.constantFrom<object>(
  { const: 'a' },
  { enum: ['a', 'b'] },
  { enum: ['b', 1] },
  { const: 1 },
  { type: 'integer', enum: [1, 2] },
  { type: 'integer', format: 'int64', const: 1 },
  { const: true },
  { const: null },
  { allOf: [{ const: 'b' }] },
  text,
)
const alternative = fc
  .record({
    type: fc.constantFrom({}, { type: 'object' }),
    required: fc.constantFrom({}, { required: ['kind'] }, { required: ['kind', 'a'] }),
    properties: fc.record({ kind: constants, [`a`]: fc.constant(text) }),
    wrap: fc.constantFrom('none', 'allOf', 'readOnly'),
  })
  .map(({ type, required, properties: { kind: value, a }, wrap }) => {
    const properties = { kind: wrap === 'readOnly' ? { ...value, readOnly: true } : value, a }
    const schema = { ...type, ...required, properties }
    return wrap === 'allOf' ? { allOf: [schema] } : schema
  })
const values = ['"a"', '"b"', '1', '1.0', '10e-1', '2', '9007199254740993.0', 'true', 'null', '{}', '[]'].flatMap(
  (each) => [`{"kind":${each}}`, `{"kind":${each},"a":"x","b":1}`],
)

test('a discriminating property changes no verdict', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('anyOf', 'oneOf'),
      fc.array(alternative, { minLength: 2, maxLength: 4 }),
      async (keyword, alternatives) => {
        const echo = await serveEcho({ [keyword]: alternatives })
        // The property of an alternative in an alternative is not looked for.
        const other = await serveEcho({ [keyword]: alternatives.map((each) => ({ anyOf: [each] })) })
        for (const value of [...values, '{}', '{"a":"x"}', '[]', '"a"', '1']) {
          const [{ status, seen }, expected] = [await echo(value), await other(value)]
          expect({ status, seen }, value).toEqual({ status: expected.status, seen: expected.seen })
        }
      },
    ),
    { numRuns: 40 },
  )
})
