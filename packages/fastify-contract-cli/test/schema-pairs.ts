/** A change of the schema of a body, and what it means for clients: for the values that they send, or for those they get. */
export type SchemaPair = [
  what: string,
  earlier: object,
  later: object,
  request: 'breaking' | 'compatible' | 'editorial',
  response: 'breaking' | 'compatible' | 'editorial',
]

const text = { type: 'string' }
const integer = { type: 'integer' }
const object = (properties: object, rest: object = {}) => ({ type: 'object', properties, ...rest })
const kind = (name: string, properties: object = {}) =>
  object({ kind: { const: name }, ...properties }, { required: ['kind'] })
const [apple, pear, plum] = [kind('apple', { size: integer }), kind('pear', { taste: text }), kind('plum')]
/** An alternative that is known by what only responses have. */
const sealed = (name: string, properties: object = {}) =>
  object({ kind: { const: name, readOnly: true }, ...properties }, { required: ['kind'] })
const toldBy = (propertyName: string, name: string) => ({
  oneOf: [apple, pear],
  discriminator: { propertyName, mapping: { [name]: '#/components/schemas/s0' } },
})
const ab = object({ a: text, b: integer }, { required: ['a'] })

export const schemaPairs: SchemaPair[] = [
  // Differences of form.
  [
    'members move into allOf',
    ab,
    { allOf: [object({ a: text }, { required: ['a'] }), object({ b: integer })] },
    'editorial',
    'editorial',
  ],
  [
    'members move out of allOf',
    { allOf: [object({ a: text }), object({ b: integer }, { required: ['a'] })] },
    ab,
    'editorial',
    'editorial',
  ],
  [
    'members move between parts',
    { allOf: [ab, object({ c: text })] },
    { allOf: [object({ a: text, c: text }), object({ b: integer }, { required: ['a'] })] },
    'editorial',
    'editorial',
  ],
  [
    'const becomes an enum of one',
    object({ a: { const: 'x' } }),
    object({ a: { enum: ['x'] } }),
    'editorial',
    'editorial',
  ],
  [
    'an enum of one becomes const',
    object({ a: { type: 'string', enum: ['x'] } }),
    object({ a: { const: 'x' } }),
    'editorial',
    'editorial',
  ],
  [
    'an enum becomes oneOf of constants',
    object({ a: { enum: ['x', 'y'] } }),
    object({ a: { oneOf: [{ const: 'x' }, { const: 'y' }] } }),
    'editorial',
    'editorial',
  ],
  [
    'types become alternatives',
    object({ a: { type: ['string', 'null'] } }),
    object({ a: { oneOf: [text, { type: 'null' }] } }),
    'editorial',
    'editorial',
  ],
  ['oneOf of types becomes anyOf', { oneOf: [text, integer] }, { anyOf: [text, integer] }, 'editorial', 'editorial'],
  ['one alternative becomes the schema', { oneOf: [ab] }, ab, 'editorial', 'editorial'],
  [
    'a bound becomes an exclusive one',
    { type: 'integer', minimum: 1 },
    { type: 'integer', minimum: 1, exclusiveMinimum: 0 },
    'editorial',
    'editorial',
  ],

  [
    'items move into allOf',
    { type: 'array', items: ab },
    { type: 'array', items: { allOf: [ab] } },
    'editorial',
    'editorial',
  ],
  [
    'boolean becomes its constants',
    object({ a: { type: 'boolean' } }),
    object({ a: { enum: [true, false] } }),
    'editorial',
    'editorial',
  ],

  // Wider and narrower.
  ['a type among two', object({ a: { oneOf: [integer, text] } }), object({ a: integer }), 'breaking', 'compatible'],
  ['a type of two', object({ a: integer }), object({ a: { oneOf: [integer, text] } }), 'compatible', 'breaking'],
  ['a type or null', object({ a: text }), object({ a: { type: ['string', 'null'] } }), 'compatible', 'breaking'],
  [
    'a type or null by anyOf',
    object({ a: text }),
    object({ a: { anyOf: [text, { type: 'null' }] } }),
    'compatible',
    'breaking',
  ],
  ['an integer becomes a number', object({ a: integer }), object({ a: { type: 'number' } }), 'compatible', 'breaking'],
  ['a number becomes an integer', object({ a: { type: 'number' } }), object({ a: integer }), 'breaking', 'compatible'],
  ['a schema becomes one of two', apple, { oneOf: [apple, pear] }, 'compatible', 'breaking'],
  ['a schema becomes any of two', apple, { anyOf: [apple, pear] }, 'compatible', 'breaking'],
  ['an alternative more', { oneOf: [apple, pear] }, { oneOf: [apple, pear, plum] }, 'compatible', 'breaking'],
  ['an alternative less', { oneOf: [apple, pear, plum] }, { oneOf: [apple, plum] }, 'breaking', 'compatible'],
  ['only one alternative', { oneOf: [apple, pear] }, apple, 'breaking', 'compatible'],
  [
    'an alternative that overlaps',
    object({ a: integer }),
    { oneOf: [object({ a: integer }), object({ a: { type: 'number' } })] },
    'breaking',
    'breaking',
  ],
  ['a constant more', object({ a: { const: 'x' } }), object({ a: { enum: ['x', 'y'] } }), 'compatible', 'breaking'],
  ['a constant less', object({ a: { enum: ['x', 'y'] } }), object({ a: { const: 'x' } }), 'breaking', 'compatible'],
  ['another constant', object({ a: { const: 'x' } }), object({ a: { const: 'y' } }), 'breaking', 'breaking'],
  [
    'constants become open',
    object({ a: { type: 'string', enum: ['x'] } }),
    object({ a: text }),
    'compatible',
    'breaking',
  ],
  [
    'constants in place of a text',
    object({ a: text }),
    object({ a: { type: 'string', enum: ['x'] } }),
    'breaking',
    'compatible',
  ],
  ['constants among a type', object({ a: { const: 7 } }), object({ a: integer }), 'compatible', 'breaking'],
  [
    'a higher maximum in allOf',
    object({ a: { type: 'integer', maximum: 5 } }),
    { allOf: [object({ a: { type: 'integer', maximum: 6 } })] },
    'compatible',
    'breaking',
  ],
  [
    'a lower maximum in allOf',
    object({ a: { type: 'integer', maximum: 5 } }),
    { allOf: [object({ a: { type: 'integer', maximum: 4 } })] },
    'breaking',
    'compatible',
  ],
  [
    'a longer text in allOf',
    { type: 'string', maxLength: 5 },
    { allOf: [{ type: 'string', maxLength: 6 }] },
    'compatible',
    'breaking',
  ],
  [
    'more items in allOf',
    { type: 'array', maxItems: 5 },
    { allOf: [{ type: 'array', maxItems: 6 }] },
    'compatible',
    'breaking',
  ],
  ['a pattern in allOf', text, { allOf: [{ type: 'string', pattern: '^a' }] }, 'breaking', 'compatible'],
  [
    'another pattern in allOf',
    { type: 'string', pattern: '^a' },
    { allOf: [{ type: 'string', pattern: '^b' }] },
    'breaking',
    'breaking',
  ],
  ['a format in allOf', text, { allOf: [{ type: 'string', format: 'date' }] }, 'breaking', 'compatible'],
  [
    'a larger format in allOf',
    { type: 'integer', format: 'int32' },
    { allOf: [{ type: 'integer', format: 'int64' }] },
    'compatible',
    'breaking',
  ],
  [
    'a smaller step in allOf',
    { type: 'integer', multipleOf: 6 },
    { allOf: [{ type: 'integer', multipleOf: 3 }] },
    'compatible',
    'breaking',
  ],
  ['not, which was not there', integer, { ...integer, not: { const: 3 } }, 'breaking', 'compatible'],
  ['not, of another type', integer, { ...integer, not: text }, 'editorial', 'editorial'],

  // Objects.
  [
    'required is lost on the way',
    ab,
    { allOf: [object({ a: text }), object({ b: integer })] },
    'compatible',
    'breaking',
  ],
  [
    'required is found on the way',
    { allOf: [object({ a: text }), object({ b: integer })] },
    ab,
    'breaking',
    'compatible',
  ],
  ['a property is lost on the way', ab, { allOf: [object({ a: text }, { required: ['a'] })] }, 'breaking', 'breaking'],
  ['a property is found on the way', ab, { allOf: [ab, object({ c: text })] }, 'compatible', 'compatible'],
  [
    'a property changes on the way',
    ab,
    { allOf: [object({ a: integer }, { required: ['a'] }), object({ b: integer })] },
    'breaking',
    'breaking',
  ],
  [
    'a type is lost on the way',
    ab,
    { allOf: [{ properties: ab.properties, required: ['a'] }] },
    'compatible',
    'breaking',
  ],
  [
    'a default is lost on the way',
    object({ a: { type: 'string', default: 'x' } }),
    { allOf: [object({ a: text })] },
    'breaking',
    'breaking',
  ],
  [
    'a default moves',
    object({ a: { type: 'string', default: 'x' } }),
    { allOf: [object({ a: { type: 'string', default: 'x' } })] },
    'editorial',
    'editorial',
  ],
  [
    'a part closes',
    { allOf: [object({ a: text }), object({ b: text })] },
    { allOf: [object({ a: text }, { additionalProperties: false }), object({ b: text })] },
    'breaking',
    'compatible',
  ],
  [
    'a map of texts',
    { type: 'object', additionalProperties: text },
    { allOf: [{ type: 'object', additionalProperties: text }] },
    'editorial',
    'editorial',
  ],
  [
    'a map of more',
    { type: 'object', additionalProperties: text },
    { type: 'object', additionalProperties: { oneOf: [text, integer] } },
    'compatible',
    'breaking',
  ],
  [
    'a closed object in allOf',
    object({ a: text }, { additionalProperties: false }),
    { allOf: [object({ a: text }, { additionalProperties: false })] },
    'editorial',
    'editorial',
  ],
  [
    'an object with one property more or another',
    object({ a: text }, { required: ['a'] }),
    { anyOf: [object({ a: text, c: text }, { required: ['a'] }), object({ b: text }, { required: ['b'] })] },
    'compatible',
    'breaking',
  ],
  [
    'an item of one type more',
    { type: 'array', items: text },
    { type: 'array', items: { anyOf: [text, integer] } },
    'compatible',
    'breaking',
  ],

  // What the server does with all alternatives together.
  [
    'alternatives by what requests leave out',
    sealed('apple', { size: integer }),
    { oneOf: [sealed('apple', { size: integer }), sealed('pear')] },
    'breaking',
    'breaking',
  ],
  [
    'an alternative leaves a property out',
    object({ a: text }),
    { anyOf: [object({ a: { ...text, readOnly: true } }), object({ a: text })] },
    'breaking',
    'breaking',
  ],
  [
    'a default moves into an alternative',
    object({ a: { ...text, default: 'x' } }),
    { anyOf: [object({ a: { ...text, default: 'x' } })] },
    'breaking',
    'breaking',
  ],
  [
    'an alternative no longer asks for the type of what is beside it',
    { ...object({ b: {} }), oneOf: [object({ a: {}, b: text }), object({ a: {}, b: integer })] },
    { ...object({ b: {} }), oneOf: [object({ a: {}, b: text }), object({ a: {} })] },
    'breaking',
    'breaking',
  ],
  ['a schema is told by another name', toldBy('kind', 'apple'), toldBy('kind', 'fruit'), 'breaking', 'breaking'],
  ['schemas are told by another property', toldBy('kind', 'apple'), toldBy('size', 'apple'), 'breaking', 'breaking'],
  [
    'a map becomes a list of properties',
    { type: 'object', additionalProperties: text },
    object({ a: text }),
    'breaking',
    'breaking',
  ],
  [
    'an object is no longer open',
    object({ a: text }, { additionalProperties: true }),
    object({ a: text }),
    'breaking',
    'breaking',
  ],
]
