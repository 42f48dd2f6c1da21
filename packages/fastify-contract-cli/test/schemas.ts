/** A schema with values that it allows and values that it does not, as JSON text. */
interface Enforced {
  schema: object | boolean
  valid: string[]
  invalid: string[]
  /** Only one direction is told apart. */
  only?: 'request' | 'response'
}

const node = { $ref: '#/components/schemas/Node' }
const kindOf = (kind: string) => ({ type: 'object', required: ['kind'], properties: { kind: { const: kind } } })
const text = { type: 'string' }
const integer = { type: 'integer' }
const int64 = { type: 'integer', format: 'int64' }

/** What each keyword of schemas lets through and what not. */
export const enforcedKeywords: Record<string, Enforced> = {
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
  not: {
    schema: { not: { anyOf: [{ type: 'integer' }, { const: 'a' }] } },
    valid: ['1.5', '"b"'],
    invalid: ['3', '1e21', '1000000000000000000001', '"a"'],
  },
  items: { schema: { type: 'array', items: int64 }, valid: ['[]', '[1]'], invalid: ['["1"]'] },
  properties: {
    schema: { type: 'object', properties: { a: int64, toString: text }, additionalProperties: false },
    valid: ['{}', '{"a":1}'],
    invalid: ['{"a":"1"}', '{"toString":1}', '{"valueOf":1}'],
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
  patternProperties: {
    schema: {
      type: 'object',
      properties: { b: text },
      patternProperties: { '^a+$': int64 },
      additionalProperties: false,
    },
    valid: ['{"aa":9007199254740993,"b":"a"}', '{}'],
    invalid: ['{"aa":"1"}', '{"c":1}', '{"b":1}'],
  },
  unevaluatedProperties: {
    schema: {
      type: 'object',
      properties: { kind: text },
      if: { properties: { kind: { const: 'a' } }, required: ['kind'] },
      then: { properties: { a: int64 } },
      unevaluatedProperties: { type: 'boolean' },
    },
    valid: ['{"kind":"a","a":1}', '{"kind":"b","a":true}'],
    invalid: ['{"kind":"b","a":1}', '{"kind":"a","b":1}', '{"toString":1}'],
  },
  if: {
    schema: { ...kindOf('a'), if: kindOf('a'), then: { properties: { size: int64 }, required: ['size'] } },
    valid: ['{"kind":"a","size":9007199254740993}'],
    invalid: ['{"kind":"a"}', '{"kind":"a","size":"1"}'],
  },
  then: { schema: { if: int64, then: { minimum: 3 } }, valid: ['3', '"a"'], invalid: ['2'] },
  else: { schema: { if: int64, else: { type: 'string' } }, valid: ['3', '"a"'], invalid: ['1.5', 'null'] },
  dependentRequired: {
    schema: { type: 'object', properties: { a: {}, b: {} }, dependentRequired: { a: ['b'] } },
    valid: ['{}', '{"b":1}', '{"a":1,"b":1}'],
    invalid: ['{"a":1}'],
  },
  dependentSchemas: {
    schema: {
      type: 'object',
      properties: { a: {} },
      dependentSchemas: { a: { properties: { b: int64 }, required: ['b'] } },
    },
    valid: ['{}', '{"a":1,"b":9007199254740993}'],
    invalid: ['{"a":1}', '{"a":1,"b":"1"}'],
  },
  prefixItems: {
    schema: { type: 'array', prefixItems: [int64, text], items: false },
    valid: ['[]', '[9007199254740993]', '[1,"a"]'],
    invalid: ['["a"]', '[1,2]', '[1,"a",2]'],
  },
  contains: {
    schema: { type: 'array', contains: { const: 1 } },
    valid: ['[1]', '["a",1,1]'],
    invalid: ['[]', '["a"]'],
  },
  minContains: {
    schema: { type: 'array', contains: { const: 1 }, minContains: 2 },
    valid: ['[1,1]'],
    invalid: ['[1]', '[]'],
  },
  maxContains: {
    schema: { type: 'array', contains: { const: 1 }, maxContains: 1, minContains: 0 },
    valid: ['[1]', '[]'],
    invalid: ['[1,1]'],
  },
  unevaluatedItems: {
    schema: {
      type: 'array',
      prefixItems: [int64],
      anyOf: [{ prefixItems: [true, { const: 'a' }] }, { contains: { const: 'b' } }],
      unevaluatedItems: { type: 'boolean' },
    },
    valid: ['[1,"a",true]', '[1,true,"b","b"]'],
    invalid: ['[1,"a",2]', '[1,"c"]', '[1,"b",2]'],
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
    schema: { type: 'object', properties: { a: int64, constructor: int64 }, required: ['a', 'constructor'] },
    valid: ['{"a":1,"constructor":2}'],
    invalid: ['{}', '{"a":1}'],
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
    schema: { type: 'object', properties: { a: { type: 'integer', default: 3 } }, minProperties: 1 },
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
}

/** The schemas that these refer to. */
export const schemas = {
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

const object = (...names: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, text])),
})
const to = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const kind = (name: string) => ({ properties: { kind: { const: name } } })

/** The schemas that accepted ones refer to. */
export const otherSchemas = {
  Base: object('a'),
  Chain: { ...to('Link'), required: ['a'] },
  Link: { ...to('Base'), required: ['b'] },
  NeedsA: { required: ['a'] },
  Pet: { ...object('kind'), required: ['kind'] },
  Cat: { allOf: [to('Pet'), kind('cat')] },
  Dog: { allOf: [to('Pet'), kind('dog')] },
  Feline: { oneOf: [to('Cat'), to('Lion')] },
  Lion: { allOf: [to('Pet'), kind('lion')] },
  Named: { type: ['string', 'null'] },
}
const mapping = { cat: '#/components/schemas/Feline', lion: '#/components/schemas/Feline' }

/** Schemas that are fine, each with values that go through unchanged, as JSON text. */
export const accepted: [schema: object, values: string[]][] = [
  // Types in a list, and keywords of some of them.
  [{ type: ['string', 'null'], maxLength: 3, pattern: '^[a-z]*$' }, ['"abc"', 'null']],
  [{ type: ['integer', 'null'], minimum: 1, maximum: 9 }, ['3', 'null']],
  [{ ...int64, type: ['integer', 'null'], minimum: 1 }, ['9007199254740993', 'null']],
  [{ type: ['number', 'string'], minimum: 1, minLength: 2 }, ['2', '"ab"']],
  [{ type: 'integer', format: 'uint64' }, ['18446744073709551615']],
  [{ type: ['integer', 'null'], format: 'uint64', minimum: 9 }, ['9223372036854775809', 'null']],
  [{ type: ['object', 'null'], properties: { a: integer }, required: ['a'] }, ['{"a":1}', 'null']],
  [{ type: ['string', 'null'], format: 'date' }, ['"2026-01-01"', 'null']],
  [{ ...to('Named'), maxLength: 2 }, ['"ab"', 'null']],
  [{ anyOf: [text, integer], maxLength: 3, minimum: 2 }, ['"abc"', '5']],
  // Constants.
  [{ enum: ['a', 1, null, true, 1.5, { a: 1 }, [1]] }, ['"a"', '1', 'null', 'true', '1.5', '{"a":1}', '[1]']],
  [{ type: ['integer', 'null'], enum: [1, null] }, ['1', 'null']],
  [{ const: null }, ['null']],
  [{ type: 'string', enum: ['$ref', '1'], examples: ['$ref'] }, ['"$ref"', '"1"']],
  // Required properties.
  [{ allOf: [object('a'), object('b')], required: ['a', 'b'] }, ['{"a":"x","b":"y"}']],
  [{ ...object('a', 'b'), anyOf: [{ required: ['a'] }, { required: ['b'] }] }, ['{"a":"x"}', '{"b":"x"}']],
  [{ type: 'object', required: ['kind'], oneOf: [kind('a'), kind('b')] }, ['{"kind":"a"}', '{"kind":"b"}']],
  [{ ...to('Chain'), properties: { b: text } }, ['{"a":"x","b":"y"}']],
  [{ allOf: [to('NeedsA'), object('a')] }, ['{"a":"x"}']],
  [{ ...object('a'), required: ['z'], additionalProperties: integer }, ['{"z":2}']],
  [{ allOf: [object('a')], ...object('b'), required: ['a'], unevaluatedProperties: false }, ['{"a":"x","b":"y"}']],
  [{ type: 'object', required: ['z'] }, ['{"z":2}']],
  [{ required: ['z'], anyOf: [object('a'), { maxProperties: 2 }] }, ['{"z":2}', '{"a":"x","z":2}']],
  // Discriminators.
  [{ oneOf: [to('Cat'), to('Dog')], discriminator: { propertyName: 'kind' } }, ['{"kind":"dog"}']],
  [{ oneOf: [to('Feline'), to('Dog')], discriminator: { propertyName: 'kind', mapping } }, ['{"kind":"lion"}']],
  // Names that are words, too.
  [object('$ref', 'type', 'required', 'enum', 'nullable', 'constructor'), ['{"$ref":"a","nullable":"b"}']],
  // Numbers.
  [{ ...int64, minimum: -9223372036854775808n }, ['-9223372036854775808']],
  [{ allOf: [int64], minimum: 9007199254740993n }, ['9007199254740993']],
  [{ anyOf: [int64, { type: 'number' }] }, ['9007199254740993', '1.5']],
  [{ type: 'number', minimum: 0, maximum: 1e30, multipleOf: 0.01 }, ['19.99']],
  // Counts beyond 2^53.
  [{ type: 'string', minLength: 1, maxLength: 2 ** 63 }, ['"a"']],
  [{ type: 'array', items: {}, contains: text, maxItems: 2 ** 64, maxContains: 1e30 }, ['["a",1]']],
  [{ type: 'object', additionalProperties: true, maxProperties: Number.MAX_SAFE_INTEGER + 1 }, ['{"a":1}']],
  // What only seems to leave nothing.
  [{ allOf: [object('a')], properties: { a: integer }, anyOf: [{ required: ['a'] }, { maxProperties: 1 }] }, ['{}']],
  [{ allOf: [{ properties: { a: { type: 'number' } } }], properties: { a: integer }, required: ['a'] }, ['{"a":1}']],
  [{ ...object('a', 'b'), required: ['a'], not: { required: ['a', 'b'] } }, ['{"a":"x"}']],
  [{ ...object('a'), required: ['a'], not: { type: 'array', required: ['a'] } }, ['{"a":"x"}']],
  [{ ...object('a', 'bc'), required: ['bc'], propertyNames: { minLength: 2 } }, ['{"bc":"x"}']],
  [{ ...object('b'), required: ['b'], patternProperties: { '^a': false } }, ['{"b":"x"}']],
  [
    { ...object('a'), minProperties: 2, patternProperties: { '^x-': {} }, additionalProperties: false },
    ['{"a":"x","x-b":1}'],
  ],
  [{ type: 'array', prefixItems: [{}], minItems: 2, contains: text, unevaluatedItems: false }, ['["a","b"]']],
  [{ type: 'array', minItems: 2, anyOf: [{ prefixItems: [text, text] }], unevaluatedItems: false }, ['["a","b"]']],
  // Values that are open.
  [{ type: 'array', items: true, uniqueItems: true }, ['[1,"a"]']],
  [{ not: text }, ['1', 'null']],
]

/** A schema of which two words leave nothing, a value that one of them alone would allow, and the warning. */
interface Unsatisfiable {
  keyword: string
  schema: object
  value: string
  because: RegExp
  /** Whether the suite knows only after many values that none is valid. */
  isFoundByTrial?: boolean
}

const corrected = String.raw`, so that nothing is valid; correct one of them \(openapi\.yaml:\d+:\d+\)$`
const because = (problem: string) => new RegExp(`: warning: ${problem}${corrected}`)
const list = { type: 'array', items: {} }
const anyObject = { type: 'object', additionalProperties: true }

export const unsatisfiable: Unsatisfiable[] = [
  {
    keyword: 'type',
    schema: { type: [] },
    value: '1',
    because: /type: is empty, so that nothing is valid; name a type/,
  },
  { keyword: 'enum', schema: { enum: [] }, value: '1', because: /enum: is empty, so that nothing is valid; name its/ },
  ...['anyOf', 'oneOf'].map((keyword) => ({
    keyword,
    schema: { [keyword]: [] },
    value: '1',
    because: new RegExp(`${keyword}: is empty, so that nothing is valid; list schemas, or remove it$`),
  })),
  {
    keyword: 'enum',
    schema: { type: 'string', enum: [1, true] },
    value: '"1"',
    because: /enum: 1, true are not of the type string, so that nothing is valid; put them in quotes \(openapi.yaml:\d/,
  },
  {
    keyword: 'const',
    schema: { type: 'integer', const: '1' },
    value: '1',
    because: /const: "1" is not of the type integer, so that nothing is valid; correct it \(openapi\.yaml:\d+:\d+\)$/,
  },
  {
    keyword: 'type',
    schema: { allOf: [{ type: 'string' }, { type: 'integer' }] },
    value: '1',
    because: because('type: has no type in common with type'),
  },
  {
    keyword: 'anyOf',
    schema: { type: 'string', anyOf: [{ type: 'integer' }, { type: 'null' }] },
    value: '"a"',
    because: because('anyOf: has no type in common with type'),
  },
  {
    keyword: 'enum',
    schema: { allOf: [{ enum: ['a'] }, { enum: ['b'] }] },
    value: '"a"',
    because: because(String.raw`enum: no value fits the other keywords \(it must be "b"\)`),
  },
  {
    keyword: 'minimum',
    schema: { ...int64, minimum: 9007199254740994n, maximum: 9007199254740993n },
    value: '9007199254740993',
    because: because('minimum: is above maximum'),
  },
  {
    keyword: 'minimum',
    schema: { type: 'integer', format: 'int32', minimum: 3000000000 },
    value: '3000000000',
    because: because('minimum: is above every int32'),
  },
  {
    keyword: 'exclusiveMinimum',
    schema: { type: 'number', exclusiveMinimum: 1, maximum: 1 },
    value: '1',
    because: because('exclusiveMinimum: is not below maximum'),
  },
  ...[
    { exclusiveMinimum: 3, exclusiveMaximum: 4 },
    { exclusiveMinimum: 3.5, exclusiveMaximum: 3.9 },
    { exclusiveMinimum: 9007199254740993n, exclusiveMaximum: 9007199254740994n, format: 'int64' },
  ].map((bounds) => ({
    keyword: 'exclusiveMinimum',
    schema: { type: 'integer', ...bounds },
    value: String(bounds.exclusiveMaximum),
    because: because('exclusiveMinimum: no integer is between it and exclusiveMaximum'),
  })),
  {
    keyword: 'minimum',
    schema: { type: 'integer', minimum: -9, maximum: -6, multipleOf: 5 },
    value: '-10',
    because: because('minimum: no multiple of 5 is between it and maximum'),
  },
  {
    keyword: 'minimum',
    schema: { type: 'number', allOf: [{ minimum: 0.1, maximum: 0.4 }, { multipleOf: 0.5 }] },
    value: '0.5',
    because: because('minimum: no multiple of 0.5 is between it and maximum'),
  },
  {
    keyword: 'minLength',
    schema: { allOf: [{ type: 'string', maxLength: 3 }, { minLength: 5 }] },
    value: '"abcd"',
    because: because('minLength: asks for more than maxLength allows'),
  },
  {
    keyword: 'minItems',
    schema: { ...list, minItems: 2, maxItems: 1 },
    value: '[1]',
    because: because('minItems: asks for more than maxItems allows'),
  },
  {
    keyword: 'items',
    schema: { type: 'array', prefixItems: [{}], items: false, minItems: 2 },
    value: '[1,2]',
    because: because('minItems: asks for more than items allows'),
  },
  {
    keyword: 'maxItems',
    schema: { ...list, contains: text, maxItems: 0 },
    value: '["a"]',
    because: because('contains: asks for more than maxItems allows'),
  },
  {
    keyword: 'minContains',
    schema: { ...list, contains: text, minContains: 2, maxContains: 1 },
    value: '["a"]',
    because: because('minContains: asks for more than maxContains allows'),
  },
  {
    keyword: 'minProperties',
    schema: { ...anyObject, minProperties: 2, maxProperties: 1 },
    value: '{"a":1}',
    because: because('minProperties: asks for more than maxProperties allows'),
  },
  {
    keyword: 'maxProperties',
    schema: { type: 'object', properties: { a: text, b: text }, required: ['a', 'b'], maxProperties: 1 },
    value: '{"a":"b"}',
    because: because('required: asks for more than maxProperties allows'),
  },
  {
    keyword: 'maxProperties',
    schema: { type: 'object', required: ['a', 'b'], maxProperties: 1 },
    value: '{"a":"b"}',
    because: because('required: asks for more than maxProperties allows'),
  },
  ...(
    [
      ['minLength', { type: 'string', minLength: 2 ** 63 }, '"a"'],
      ['minItems', { ...list, minItems: 2 ** 53, maxItems: 2 ** 53, uniqueItems: true }, '[1]'],
      ['minContains', { ...list, contains: text, minContains: 2 ** 63 }, '["a"]'],
      ['minProperties', { ...anyObject, minProperties: Number.MAX_SAFE_INTEGER }, '{"a":1}'],
    ] as const
  ).map(([keyword, schema, value]) => ({
    keyword,
    schema,
    value,
    because: new RegExp(`${keyword}: asks for more than any ${schema.type} has, so that nothing is valid; correct it$`),
  })),
  {
    keyword: 'required',
    schema: { type: 'object', properties: { a: false }, required: ['a'] },
    value: '{"a":1}',
    because: because('required: a is not allowed'),
  },
  ...(
    [
      ['not', { not: { type: 'object', required: ['a'] } }],
      ['patternProperties', { patternProperties: { '^b': text, '^a': false } }],
      ['propertyNames', { propertyNames: false }],
      ['propertyNames', { propertyNames: { minLength: 2 } }],
    ] as const
  ).map(([keyword, words]) => ({
    keyword,
    schema: { ...anyObject, required: ['a'], ...words },
    value: '{"a":1}',
    because: because('required: a is not allowed'),
    isFoundByTrial: true,
  })),
  {
    keyword: 'properties',
    schema: {
      allOf: [{ type: 'object', properties: { a: text }, required: ['a'] }],
      properties: { a: { type: ['integer', 'null'] } },
    },
    value: '{"a":"b"}',
    because: because('properties: a is required, and has no type in common with another a'),
  },
  {
    keyword: 'additionalProperties',
    schema: { ...object('a'), minProperties: 2, additionalProperties: false },
    value: '{"a":"b"}',
    because: because('minProperties: asks for more than additionalProperties allows'),
    isFoundByTrial: true,
  },
  {
    keyword: 'unevaluatedItems',
    schema: { type: 'array', prefixItems: [{}], minItems: 2, unevaluatedItems: false },
    value: '[1]',
    because: because('minItems: asks for more than unevaluatedItems allows'),
    isFoundByTrial: true,
  },
  {
    keyword: 'allOf',
    schema: {
      allOf: [
        { type: 'object', properties: { a: text }, required: ['a'] },
        { properties: { b: text }, additionalProperties: false },
      ],
    },
    value: '{"b":"a"}',
    because:
      /required: another branch forbids a \(additionalProperties: false\), .* beside allOf \(openapi\.yaml:\d+:\d+\)$/,
  },
]
