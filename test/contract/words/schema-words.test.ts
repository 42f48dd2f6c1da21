import { describe, expect, it } from 'vitest'
import { schemaKeywords } from '../../../packages/fastify-contract/src/gate/keywords/schema-keywords.ts'
import { contractOf, failures, noContent, problemsOf, serve } from './own-contract.ts'

/** A schema with values that it allows and values that it does not, as JSON text. */
interface Enforced {
  schema: object | boolean
  valid: string[]
  invalid: string[]
  /** Only one direction is told apart. */
  only?: 'request' | 'response'
}

/** A schema that generation refuses, and why. */
interface Refused {
  refused: object
  because: RegExp
}

const node = { $ref: '#/components/schemas/Node' }
const int64 = { type: 'integer', format: 'int64' }
const pair = { type: 'array', prefixItems: [int64, { type: 'string' }], items: false, minItems: 2 }
const mappedTo = (name: string, to = '#/components/schemas/A') => ({ propertyName: 'kind', mapping: { [name]: to } })
const kindOf = (kind: string) => ({ type: 'object', required: ['kind'], properties: { kind: { const: kind } } })

const enforced: Record<string, Enforced> = {
  $ref: {
    schema: node,
    valid: [
      '{"name":"a","next":{"name":"b","size":9007199254740993}}',
      '{"name":"a","parts":[{"name":"b","parts":[]}],"byName":{"c":{"name":"d"}}}',
      '{"name":"a","either":{"name":"b","either":"c"}}',
    ],
    invalid: [
      '{"name":"a","next":{"name":1}}',
      '{}',
      '{"name":"a","parts":[{"name":1}]}',
      '{"name":"a","byName":{"b":{}}}',
      '{"name":"a","either":{"name":1}}',
      '{"name":"a","next":{"name":"b","next":{"name":"c","size":"1"}}}',
    ],
  },
  allOf: { schema: { allOf: [int64, { minimum: 3 }] }, valid: ['3'], invalid: ['2', '"3"'] },
  anyOf: { schema: { anyOf: [int64, { type: 'string' }] }, valid: ['3', '"a"'], invalid: ['1.5', 'null'] },
  oneOf: {
    schema: { oneOf: [{ type: 'integer' }, { type: 'number', minimum: 2 }] },
    valid: ['1', '2.5'],
    invalid: ['3'],
  },
  not: { schema: { type: 'integer', not: { const: 3 } }, valid: ['2'], invalid: ['3'] },
  if: { schema: { if: { type: 'string' }, then: { minLength: 2 } }, valid: ['"ab"', '1'], invalid: ['"a"'] },
  then: { schema: { if: { type: 'string' }, then: { minLength: 2 } }, valid: ['"ab"', '1'], invalid: ['"a"'] },
  else: { schema: { if: { type: 'string' }, else: { type: 'integer' } }, valid: ['"a"', '1'], invalid: ['1.5'] },
  dependentSchemas: {
    schema: { type: 'object', dependentSchemas: { a: { required: ['b'] } }, additionalProperties: true },
    valid: ['{"a":1,"b":1}', '{"b":1}'],
    invalid: ['{"a":1}'],
  },
  prefixItems: { schema: pair, valid: ['[9007199254740993,"a"]'], invalid: ['[1]', '[1,"a",2]', '["a",1]'] },
  items: { schema: { type: 'array', items: int64 }, valid: ['[]', '[1]'], invalid: ['["1"]'] },
  contains: { schema: { type: 'array', contains: { const: 3 } }, valid: ['[1,3]'], invalid: ['[1]'] },
  properties: {
    schema: { type: 'object', properties: { a: int64 } },
    valid: ['{}', '{"a":1}'],
    invalid: ['{"a":"1"}'],
  },
  patternProperties: {
    schema: { type: 'object', patternProperties: { '^a': int64 } },
    valid: ['{"ab":1}'],
    invalid: ['{"ab":"1"}'],
  },
  additionalProperties: {
    schema: { type: 'object', additionalProperties: int64 },
    valid: ['{"a":9007199254740993}'],
    invalid: ['{"a":"1"}', '{"a":9223372036854775808}'],
  },
  propertyNames: {
    schema: { type: 'object', propertyNames: { maxLength: 1 }, additionalProperties: true },
    valid: ['{"a":1}'],
    invalid: ['{"ab":1}'],
  },
  unevaluatedProperties: {
    schema: { type: 'object', allOf: [{ properties: { a: int64 } }], unevaluatedProperties: false },
    valid: ['{"a":1}'],
    invalid: ['{"b":1}'],
  },
  type: {
    schema: { type: ['integer', 'null'], format: 'int64' },
    valid: ['9007199254740993', 'null'],
    invalid: ['"1"'],
  },
  enum: {
    schema: { ...int64, enum: [1, 9007199254740993n] },
    valid: ['9007199254740993'],
    invalid: ['9007199254740992'],
  },
  const: {
    schema: { ...int64, const: 9007199254740993n },
    valid: ['9007199254740993'],
    invalid: ['9007199254740992', '"a"'],
  },
  multipleOf: {
    schema: { type: 'number', multipleOf: 0.01 },
    valid: ['0.07', '19.99', '1e2', '0', '1e300'],
    invalid: ['0.075', '0.001'],
  },
  maximum: {
    schema: { ...int64, maximum: 9007199254740993n },
    valid: ['9007199254740993'],
    invalid: ['9007199254740994'],
  },
  exclusiveMaximum: { schema: { type: 'number', exclusiveMaximum: 1 }, valid: ['0.99'], invalid: ['1'] },
  minimum: {
    schema: { ...int64, minimum: 9007199254740993n },
    valid: ['9007199254740993'],
    invalid: ['9007199254740992'],
  },
  exclusiveMinimum: { schema: { type: 'number', exclusiveMinimum: 1 }, valid: ['1.01'], invalid: ['1'] },
  maxLength: { schema: { type: 'string', maxLength: 1 }, valid: ['"🌱"'], invalid: ['"ab"'] },
  minLength: { schema: { type: 'string', minLength: 2 }, valid: ['"🌱🌱"'], invalid: ['"🌱"'] },
  pattern: { schema: { type: 'string', pattern: '^[a-c]+$' }, valid: ['"abc"'], invalid: ['"abd"'] },
  maxItems: { schema: { type: 'array', maxItems: 1 }, valid: ['[1]'], invalid: ['[1,2]'] },
  minItems: { schema: { type: 'array', minItems: 2 }, valid: ['[1,2]'], invalid: ['[1]'] },
  uniqueItems: {
    schema: { type: 'array', items: int64, uniqueItems: true },
    valid: ['[9007199254740992,9007199254740993]'],
    invalid: ['[1,1.0]'],
  },
  maxContains: {
    schema: { type: 'array', contains: { const: 1 }, maxContains: 1 },
    valid: ['[1,2]'],
    invalid: ['[1,1]'],
  },
  minContains: {
    schema: { type: 'array', contains: { const: 1 }, minContains: 2 },
    valid: ['[1,1]'],
    invalid: ['[1,2]'],
  },
  maxProperties: {
    schema: { type: 'object', maxProperties: 1, additionalProperties: true },
    valid: ['{"a":1}'],
    invalid: ['{"a":1,"b":1}'],
  },
  minProperties: {
    schema: { type: 'object', minProperties: 1, additionalProperties: true },
    valid: ['{"a":1}'],
    invalid: ['{}'],
  },
  required: {
    schema: { type: 'object', properties: { a: int64 }, required: ['a'] },
    valid: ['{"a":1}'],
    invalid: ['{}'],
  },
  dependentRequired: {
    schema: { type: 'object', dependentRequired: { a: ['b'] }, additionalProperties: true },
    valid: ['{"a":1,"b":1}', '{}'],
    invalid: ['{"a":1}'],
  },
  format: {
    schema: {
      anyOf: [
        { type: 'string', format: 'date' },
        { type: ['integer', 'boolean'], format: 'int64' },
        { type: 'object', properties: { a: { type: 'number', format: 'float' } } },
      ],
    },
    valid: ['"2026-02-28"', '9007199254740993', 'true', '{"a":3.4e38}'],
    invalid: ['"2026-02-30"', '9223372036854775808', '{"a":3.5e38}'],
  },
  default: {
    schema: { type: 'object', properties: { a: { type: 'integer', default: 3 } }, required: ['a'] },
    valid: ['{}', '{"a":1}'],
    invalid: ['{"a":"1"}'],
    only: 'request',
  },
  readOnly: {
    schema: { type: 'object', properties: { a: { ...int64, readOnly: true } }, required: ['a'] },
    valid: ['{}'],
    invalid: ['{"a":1}'],
    only: 'request',
  },
  writeOnly: {
    schema: { type: 'object', properties: { a: { ...int64, writeOnly: true } }, required: ['a'] },
    valid: ['{}'],
    invalid: ['{"a":1}'],
    only: 'response',
  },
  discriminator: {
    schema: { oneOf: [kindOf('a'), kindOf('b')], discriminator: { propertyName: 'kind' } },
    valid: ['{"kind":"a"}'],
    invalid: ['{"kind":"c"}'],
  },
}

/** Words whose verdict is about the contract alone: what generation takes, and what it refuses. */
const checkedWhenGenerated: Record<string, { taken: object } & Refused> = {
  examples: {
    taken: { type: 'string', examples: ['a'] },
    refused: { type: 'string', examples: [1] },
    because: /the example must be string/,
  },
  example: {
    taken: { type: 'string', example: 'a' },
    refused: { type: 'string', example: 1 },
    because: /the example must be string/,
  },
}

/** Values of words that are refused although the word is not, and the words that are. */
const refused: Record<string, Refused[]> = {
  $ref: [
    { refused: { $ref: '#/components/responses/Failure' }, because: /is outside of components\/schemas/ },
    { refused: { $ref: '#/components/schemas/None' }, because: /leads to nothing/ },
    {
      refused: { $ref: '#/components/schemas/Node/properties/name' },
      because: /is inside of a schema; give it a name/,
    },
  ],
  $defs: [{ refused: { $defs: {} }, because: /\$defs: schemas have names under components/ }],
  $id: [{ refused: { $id: 'a' }, because: /\$id: / }],
  $schema: [{ refused: { $schema: 'https://json-schema.org/draft/2020-12/schema' }, because: /\$schema: / }],
  $anchor: [{ refused: { $anchor: 'a' }, because: /\$anchor: / }],
  $dynamicRef: [{ refused: { $dynamicRef: '#a' }, because: /\$dynamicRef: / }],
  $dynamicAnchor: [{ refused: { $dynamicAnchor: 'a' }, because: /\$dynamicAnchor: / }],
  $vocabulary: [{ refused: { $vocabulary: {} }, because: /\$vocabulary: / }],
  anyOf: [
    {
      refused: { anyOf: [{ type: 'object', properties: { a: { type: 'string', default: 'b' } } }] },
      because: /anyOf: a property in it has a default/,
    },
  ],
  prefixItems: [{ refused: { type: 'array', prefixItems: [int64] }, because: /add items: false and minItems: 1/ }],
  pattern: [
    { refused: { type: 'string', pattern: '^\\p{L}$' }, because: /pattern: / },
    { refused: { type: 'string', pattern: '^(?=a)' }, because: /pattern: / },
  ],
  const: [
    { refused: { const: 9007199254740993n }, because: /needs type: integer and format: int64/ },
    { refused: { const: { a: [9007199254740993n] } }, because: /needs type: integer and format: int64/ },
  ],
  enum: [
    { refused: { enum: ['a', 9007199254740993n] }, because: /needs type: integer and format: int64/ },
    { refused: { enum: ['a', [9007199254740993n]] }, because: /needs type: integer and format: int64/ },
  ],
  type: [
    {
      refused: { type: ['object', 'integer'], properties: { a: { type: 'string', default: 'b' } } },
      because: /type: a property in it has a default, which applies only where the schema always does/,
    },
  ],
  minLength: [{ refused: { type: 'integer', minLength: 1 }, because: /minLength: asserts nothing of integer; remove/ }],
  items: [{ refused: { type: 'object', items: {} }, because: /items: asserts nothing of object; remove it, or add / }],
  minimum: [
    { refused: { type: ['string', 'null'], minimum: 1 }, because: /minimum: asserts nothing of string or null/ },
  ],
  multipleOf: [{ refused: { type: 'number', multipleOf: 0 }, because: /must be above 0/ }],
  maximum: [
    { refused: { type: 'integer', maximum: 18446744073709551615n }, because: /needs format: int64, or bounds within/ },
  ],
  format: [
    { refused: { type: 'string', format: 'plant' }, because: /plant is a format that nobody validates/ },
    { refused: { type: 'string', format: 'int64' }, because: /int64 is a format of integer/ },
  ],
  default: [
    { refused: { type: 'array', items: { type: 'string', default: 'a' } }, because: /default: applies to a property/ },
    {
      refused: { type: 'object', properties: { a: { type: 'string', default: 1 } } },
      because: /the default must be string/,
    },
    {
      refused: {
        type: 'object',
        properties: { a: { type: 'array', items: int64, default: [9007199254740993n] } },
      },
      because: /cannot be a default; require the value/,
    },
  ],
  example: [
    { refused: { example: { $ref: '#/info' } }, because: /example: a \$ref in a value is taken for a reference/ },
  ],
  examples: [
    { refused: { examples: [{ $ref: '#/info' }] }, because: /examples: a \$ref in a value is taken for a reference/ },
  ],
  readOnly: [
    { refused: { type: 'array', items: { type: 'string', readOnly: true } }, because: /applies to a property/ },
  ],
  contentEncoding: [{ refused: { type: 'string', contentEncoding: 'base64' }, because: /contentEncoding: / }],
  contentMediaType: [{ refused: { type: 'string', contentMediaType: 'a/b' }, because: /contentMediaType: / }],
  contentSchema: [{ refused: { type: 'string', contentSchema: {} }, because: /contentSchema: / }],
  discriminator: [
    {
      refused: { oneOf: [node], discriminator: { propertyName: 'kind' } },
      because: /kind needs a const or an enum in each alternative/,
    },
    {
      refused: { oneOf: [{ $ref: '#/components/schemas/A' }], discriminator: mappedTo('b') },
      because: /mapping: b is no kind of #\/components\/schemas\/A, which has a; write what it has/,
    },
    {
      refused: { oneOf: [{ $ref: '#/components/schemas/A' }], discriminator: mappedTo('a', 'A') },
      because: /the reference A leads to nothing; write #\/components\/schemas\/A/,
    },
    {
      refused: { oneOf: [kindOf('a')], discriminator: mappedTo('a') },
      because: /mapping: #\/components\/schemas\/A is none of the alternatives/,
    },
  ],
  unevaluatedItems: [{ refused: { type: 'array', unevaluatedItems: false }, because: /unevaluatedItems: / }],
  xml: [{ refused: { xml: { name: 'a' } }, because: /xml: bodies are JSON/ }],
  nullable: [{ refused: { type: 'string', nullable: true }, because: /nullable: is a word of OpenAPI 3.0/ }],
}

const schemas = {
  A: kindOf('a'),
  Node: {
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string' },
      size: int64,
      next: node,
      parts: { type: 'array', items: node },
      byName: { type: 'object', additionalProperties: node },
      either: { oneOf: [{ type: 'string' }, node] },
    },
  },
}

function withSchema(schema: object) {
  const content = { 'application/json': { schema: { type: 'object', properties: { value: schema } } } }
  return contractOf(
    { '/things': { post: { operationId: 'createThing', requestBody: { content }, responses: noContent } } },
    { components: { schemas } },
  )
}

const shownWords = Object.entries(schemaKeywords).filter(([, { verdict }]) => verdict === 'shown')

describe('each keyword of JSON Schema', () => {
  it('has a case here', () => {
    const cases = [...Object.keys(enforced), ...Object.keys(checkedWhenGenerated), ...Object.keys(refused)]
    const extensions = ['x-enum-varnames', 'x-enum-descriptions']
    const known = [...new Set([...cases, ...shownWords.map(([name]) => name), ...extensions])]
    expect(known.toSorted()).toEqual(Object.keys(schemaKeywords).toSorted())
    const withVerdict = (verdict: string) =>
      Object.entries(schemaKeywords).flatMap(([name, word]) => (word.verdict === verdict ? [name] : []))
    expect(
      withVerdict('enforced')
        .filter((name) => !extensions.includes(name))
        .toSorted(),
    ).toEqual([...Object.keys(enforced), ...Object.keys(checkedWhenGenerated)].toSorted())
    expect(withVerdict('refused').every((name) => name in refused)).toBe(true)
  })

  // Each case compiles two validators, which takes long on a busy machine.
  it('that is enforced is validated in requests and in replies', { timeout: 60_000 }, async () => {
    const cases = Object.entries(enforced)
    const content = (schema: unknown) => ({
      'application/json': { schema: { type: 'object', properties: { value: schema } } },
    })
    const paths = cases.flatMap(([name, { schema }]) => {
      const id = name.replace('$', '')
      return [
        [
          `/requests/${id}`,
          { post: { operationId: `${id}Request`, requestBody: { content: content(schema) }, responses: noContent } },
        ],
        [
          `/replies/${id}`,
          {
            post: {
              operationId: `${id}Reply`,
              requestBody: { content: content({}) },
              responses: { 200: { description: 'Done.', content: content(schema) }, ...failures },
            },
          },
        ],
      ] as [string, object][]
    })
    const handlers = Object.fromEntries(
      cases.flatMap(([name]): [string, (input: never) => unknown][] => [
        [`${name.replace('$', '')}Request`, () => ({ status: 204 })],
        [`${name.replace('$', '')}Reply`, ({ body }: { body: unknown }) => ({ status: 200, body })],
      ]),
    )
    const { send } = await serve(contractOf(Object.fromEntries(paths), { components: { schemas } }), handlers)
    for (const [name, { valid, invalid, only }] of cases) {
      const id = name.replace('$', '')
      const statusOf = async (folder: string, value: string) =>
        (await send({ method: 'POST', url: `/${folder}/${id}`, body: `{"value":${value}}` })).status
      for (const value of valid) {
        if (only !== 'response') expect(await statusOf('requests', value), `${name} ${value}`).toBe(204)
        if (only !== 'request') expect(await statusOf('replies', value), `${name} ${value}`).toBe(200)
      }
      for (const value of invalid) {
        if (only !== 'response') expect(await statusOf('requests', value), `${name} ${value}`).toBe(400)
        if (only !== 'request') expect(await statusOf('replies', value), `${name} ${value}`).toBe(500)
      }
    }
  })

  it('that is about a property means that of the object itself, whatever every object inherits', async () => {
    const properties = { constructor: int64, toString: { type: 'string' } }
    const schema = { type: 'object', properties, required: ['constructor'], additionalProperties: false }
    const { send } = await serve(withSchema(schema), { createThing: () => ({ status: 204 }) })
    const statusOf = async (value: string) =>
      (await send({ method: 'POST', url: '/things', body: `{"value":${value}}` })).status
    expect(await statusOf('{"constructor":1}')).toBe(204)
    expect(await statusOf('{}')).toBe(400)
    expect(await statusOf('{"constructor":1,"toString":2}')).toBe(400)
    expect(await statusOf('{"constructor":1,"valueOf":2}')).toBe(400)
    expect((await problemsOf(withSchema({ properties: { ['__proto__']: {} } }))).join()).toMatch(/__proto__ is no name/)
  })

  it.each(Object.keys(checkedWhenGenerated))('%s is checked when generated', async (name) => {
    const { taken, refused: wrong, because } = checkedWhenGenerated[name]!
    expect(await problemsOf(withSchema(taken))).toEqual([])
    expect((await problemsOf(withSchema(wrong))).join('\n')).toMatch(because)
  })

  it.each(Object.keys(refused))('%s is refused with its line and a reason', async (name) => {
    for (const { refused: schema, because } of refused[name] ?? []) {
      const problems = await problemsOf(withSchema(schema))
      expect(problems, problems.join('\n')).toHaveLength(1)
      expect(problems[0]).toMatch(because)
      expect(problems[0]).toMatch(/^openapi\.yaml:[1-9]\d*:[1-9]\d*: /)
    }
  })

  it('that is shown is taken, and served as it is written', async () => {
    const samples: Record<string, unknown> = {
      $comment: 'a comment',
      title: 'a title',
      description: 'a description',
      deprecated: true,
      externalDocs: { url: 'https://things.example' },
    }
    expect(Object.keys(samples).toSorted()).toEqual(shownWords.map(([name]) => name).toSorted())
    const { send } = await serve(withSchema({ type: 'string', ...samples }), { createThing: () => ({ status: 204 }) })
    const { text } = await send({ method: 'GET', url: '/openapi.json' })
    const { post } = (JSON.parse(text) as { paths: { '/things': { post: object } } }).paths['/things']
    expect(JSON.stringify(post)).toContain(JSON.stringify({ type: 'string', ...samples }).slice(1, -1))
  })

  it('that applies a schema to itself is refused', async () => {
    const itself = { $ref: '#/components/schemas/Itself' }
    for (const Itself of [{ allOf: [itself] }, { anyOf: [{}, { not: itself }] }, { if: itself }, itself]) {
      const problems = await problemsOf(
        contractOf(
          { '/things': { get: { operationId: 'a', responses: noContent } } },
          { components: { schemas: { Itself } } },
        ),
      )
      expect(problems.join('\n')).toMatch(
        /^openapi\.yaml:\d+:\d+: the (?:schema refers to|reference leads back to) itself/,
      )
    }
  })

  it('that asks for a property means none that the direction does not have', async () => {
    const properties = { id: { type: 'string', readOnly: true }, name: { type: 'string' }, note: { type: 'string' } }
    const asked = { required: ['id'] }
    for (const [rule, valid, invalid] of [
      [{ not: asked }, '{"name":"a"}', '{"id":"a"}'],
      [{ if: asked, then: { required: ['name'] }, else: { required: ['note'] } }, '{"note":"a"}', '{"name":"a"}'],
      [{ dependentRequired: { name: ['id', 'note'] } }, '{"name":"a","note":"b"}', '{"name":"a"}'],
    ] as const) {
      const { send } = await serve(withSchema({ type: 'object', properties, ...rule }), {
        createThing: () => ({ status: 204 }),
      })
      const statusOf = async (value: string) =>
        (await send({ method: 'POST', url: '/things', body: `{"value":${value}}` })).status
      expect(await statusOf(valid), JSON.stringify(rule)).toBe(204)
      expect(await statusOf(invalid), JSON.stringify(rule)).toBe(400)
    }
  })

  it.each([
    [{ type: 'strin' }, /strin/],
    [{ type: 'string', format: 'nope' }, /: format: nope is a format that nobody validates/],
    [{ type: 'string', pattern: '(' }, /: pattern: the end at character 2: a group is open/],
  ])('that is refused is reported where a schema contains itself, too: %j', async (note, because) => {
    const properties = { next: { $ref: '#/components/schemas/Loop' }, note }
    const contract = contractOf(
      { '/things': { get: { operationId: 'a', responses: noContent } } },
      { components: { schemas: { Loop: { type: 'object', properties } } } },
    )
    expect(await problemsOf(contract)).toEqual([expect.stringMatching(because)])
  })

  it('named x-… is taken', async () => {
    expect(await problemsOf(withSchema({ type: 'string', 'x-note': { any: 'thing' } }))).toEqual([])
  })

  it('that is no word is refused', async () => {
    expect((await problemsOf(withSchema({ type: 'string', maxLenght: 3 }))).join()).toMatch(
      /^openapi\.yaml:\d+:\d+: maxLenght is no word of a schema$/,
    )
  })
})
