import { textFormats } from '../../../schema/formats.ts'
import { type Schema, inPlace, isSchema, jsonTypes, schemasPointer, targetOf } from '../../../schema/schema-parts.ts'
import { patternProblem } from './portable-patterns.ts'
import { type Word, type WordContext, enforced, refused, shown } from './verdicts.ts'

/** The formats that are validated, each with the types whose values it applies to. */
export const formats: ReadonlyMap<string, readonly string[]> = new Map([
  ...Object.keys(textFormats).map((name): [string, string[]] => [name, ['string']]),
  ['int32', ['integer']],
  ['int64', ['integer']],
  ['float', ['number']],
  ['double', ['number']],
])

const onPage = 'shown on the docs page'
const validated = 'validated'
const bound = enforced('validated exactly, as an integer or as a decimal', {
  refuses: (value, { type, format }) =>
    [type].flat().includes('integer') && format === undefined && !isSafe(value)
      ? `an integer of ${String(value)} needs format: int64, or bounds within ±9007199254740991`
      : undefined,
})

const verdicts: Record<string, Word> = {
  $ref: enforced('the schema that it refers to applies too, beside the keywords next to it; it may lead back', {
    refuses: (value) => {
      const reference = String(value)
      // Other files are bundled; where one cannot be, that is reported.
      if (!reference.startsWith('#')) return undefined
      if (!reference.startsWith(schemasPointer)) {
        return `${reference} is outside of components/schemas; move the schema there`
      }
      return reference.slice(schemasPointer.length).includes('/')
        ? `${reference} is inside of a schema; give it a name under components/schemas`
        : undefined
    },
  }),
  $defs: refused('schemas have names under components/schemas; move them there'),
  $id: refused('schemas are named by their place under components/schemas; remove it'),
  $schema: refused('every schema is of the dialect of OpenAPI 3.1; remove it'),
  $anchor: refused('refer to a schema by its place under components/schemas'),
  $dynamicRef: refused('refer to a schema by $ref'),
  $dynamicAnchor: refused('refer to a schema by its place under components/schemas'),
  $vocabulary: refused('every schema is of the dialect of OpenAPI 3.1; remove it'),
  $comment: shown('shown in /openapi.yaml and /openapi.json'),

  allOf: enforced(validated, { holds: ['schema'] }),
  anyOf: enforced(validated, { holds: ['schema'], refuses: defaultInside }),
  oneOf: enforced(validated, { holds: ['schema'], refuses: defaultInside }),
  not: enforced(validated, { holds: 'schema', refuses: defaultInside }),
  if: enforced(validated, { holds: 'schema', refuses: defaultInside }),
  then: enforced(validated, { holds: 'schema', refuses: defaultInside }),
  else: enforced(validated, { holds: 'schema', refuses: defaultInside }),
  dependentSchemas: enforced(validated, { holds: { each: 'schema' } }),

  prefixItems: enforced(
    'validated as a whole tuple: `minItems` says how many, and `items: false` that there are no more',
    {
      holds: ['schema'],
      refuses: (value, { items, minItems }) =>
        Array.isArray(value) && (items !== false || minItems !== value.length)
          ? `is typed as a tuple of ${String(value.length)}; add items: false and minItems: ${String(value.length)}`
          : undefined,
    },
  ),
  items: enforced(validated, { holds: 'schema' }),
  contains: enforced(validated, { holds: 'schema' }),
  properties: enforced('validated; others are removed from a request, and refused in a reply', {
    holds: { each: 'schema' },
    refuses: (value) =>
      isSchema(value) && Object.hasOwn(value, '__proto__')
        ? '__proto__ is no name that objects of JavaScript keep; choose another'
        : undefined,
  }),
  patternProperties: enforced('validated; the names are as those of `pattern`', {
    holds: { each: 'schema' },
    refuses: (value) =>
      Object.keys(isSchema(value) ? value : {})
        .map(patternProblem)
        .find((problem) => problem),
  }),
  additionalProperties: enforced(validated, { holds: 'schema' }),
  propertyNames: enforced(validated, { holds: 'schema' }),
  unevaluatedItems: refused('Ajv takes every item for evaluated beside contains; use items'),
  unevaluatedProperties: enforced(validated, { holds: 'schema' }),

  type: enforced(validated, {
    // The types of a list that has scalars are alternatives.
    refuses: (value, schema, context) =>
      Array.isArray(value) && value.some((type) => ['integer', 'number', 'boolean'].includes(String(type)))
        ? defaultInside(schema, schema, context)
        : undefined,
  }),
  enum: enforced('validated exactly', { refuses: inexactConstant }),
  const: enforced('validated exactly', { refuses: inexactConstant }),
  multipleOf: enforced('validated in decimal arithmetic: 0.07 is a multiple of 0.01', {
    refuses: (value) => (Number(value) > 0 ? undefined : 'must be above 0'),
  }),
  maximum: bound,
  exclusiveMaximum: bound,
  minimum: bound,
  exclusiveMinimum: bound,
  maxLength: enforced('validated in Unicode code points'),
  minLength: enforced('validated in Unicode code points'),
  pattern: enforced('validated in linear time; it must mean the same in RE2, Rust, PCRE2 and ECMA-262', {
    refuses: (value) => patternProblem(String(value)),
  }),
  maxItems: enforced(validated),
  minItems: enforced(validated),
  uniqueItems: enforced(validated),
  maxContains: enforced(validated),
  minContains: enforced(validated),
  maxProperties: enforced(validated),
  minProperties: enforced(validated),
  required: enforced('validated; a readOnly property is required in responses alone, a writeOnly one in requests'),
  dependentRequired: enforced(validated),
  format: enforced('validated; the formats are listed below, others are refused', { refuses: unknownFormat }),

  title: shown(onPage),
  description: shown(onPage),
  default: enforced('put in place of a property or a parameter that a request leaves out; validated when generated', {
    refuses: (value, _schema, { role }) =>
      beyondDouble(value) !== undefined
        ? 'an integer beyond ±9007199254740991 cannot be a default; require the value'
        : role === 'other'
          ? 'applies to a property or a parameter alone; remove it'
          : referenceIn(value),
  }),
  deprecated: shown('shown on the docs page, and marked in the types'),
  readOnly: enforced('a request that has the property is refused', { refuses: notOfProperty }),
  writeOnly: enforced('a reply that has the property is answered 500', { refuses: notOfProperty }),
  examples: enforced('validated against the schema when generated', { refuses: referenceIn }),
  contentEncoding: refused('the content of a text is not decoded; use format: byte for base64'),
  contentMediaType: refused('the content of a text is not read; describe it in words'),
  contentSchema: refused('the content of a text is not read; use an object'),

  discriminator: enforced('each alternative must tell itself apart by a const or an enum, which is validated', {
    holds: 'discriminator',
    refuses: undiscriminated,
  }),
  xml: refused('bodies are JSON; remove it'),
  externalDocs: { ...shown(onPage), holds: 'externalDocs' },
  example: enforced('validated against the schema when generated', { refuses: referenceIn }),
  'x-enum-varnames': enforced('the names of the error numbers'),
  'x-enum-descriptions': enforced('the texts of the error numbers'),
  nullable: refused("is a word of OpenAPI 3.0; write type: [string, 'null']"),
}

/** The types whose values a keyword asserts something of (JSON Schema 2020-12, validation, section 6). */
const typesOfKeywords: Record<string, readonly string[]> = {
  ...each(['multipleOf', 'maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum'], ['integer', 'number']),
  ...each(['maxLength', 'minLength', 'pattern'], ['string']),
  ...each(['prefixItems', 'items', 'contains', 'maxContains', 'minContains'], ['array']),
  ...each(['maxItems', 'minItems', 'uniqueItems'], ['array']),
  ...each(['properties', 'patternProperties', 'additionalProperties', 'propertyNames'], ['object']),
  ...each(['unevaluatedProperties', 'maxProperties', 'minProperties', 'required', 'dependentRequired'], ['object']),
  dependentSchemas: ['object'],
}

function each(keywords: string[], types: string[]): Record<string, string[]> {
  return Object.fromEntries(keywords.map((keyword) => [keyword, types]))
}

/** The verdict of every keyword of JSON Schema 2020-12 and of those that OpenAPI 3.1 adds. */
export const schemaWords: Record<string, Word> = Object.fromEntries(
  Object.entries(verdicts).map(([name, word]) => {
    const types = typesOfKeywords[name]
    if (types === undefined) return [name, word]
    const refuses: Word['refuses'] = (value, schema, context) =>
      idleBeside(schema['type'], types) ?? word.refuses?.(value, schema, context)
    return [name, { ...word, refuses }]
  }),
)

function idleBeside(type: unknown, types: readonly string[]): string | undefined {
  if (type === undefined) return undefined
  const given = [type].flat().map(String)
  return given.some((name) => types.includes(name) || !jsonTypes.some((known) => known === name))
    ? undefined
    : `asserts nothing of ${given.join(' or ')}; remove it, or add ${types.join(' or ')} to the type`
}

function notOfProperty(value: unknown, _schema: unknown, { role }: WordContext): string | undefined {
  return value === true && (role === 'other' || role === 'parameter')
    ? 'applies to a property alone; remove it'
    : undefined
}

function inexactConstant(value: unknown, { format }: Schema): string | undefined {
  const inexact = format === 'int64' ? [value].flat().filter((member) => typeof member !== 'bigint') : value
  const beyond = beyondDouble(inexact)
  if (beyond === undefined) return referenceIn(value)
  return `${String(beyond)} needs type: integer and format: int64`
}

/** An integer in a value that a double does not hold. */
function beyondDouble(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value
  if (typeof value !== 'object' || value === null) return undefined
  return Object.values(value)
    .map(beyondDouble)
    .find((integer) => integer !== undefined)
}

/** A value that looks like a reference: what reads contracts follows it, here and elsewhere. */
export function referenceIn(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if ('$ref' in value && typeof value.$ref === 'string') {
    return 'a $ref in a value is taken for a reference; leave the member out'
  }
  return Object.values(value)
    .map(referenceIn)
    .find((problem) => problem !== undefined)
}

function isSafe(value: unknown): boolean {
  return typeof value !== 'bigint' && Math.abs(Number(value)) <= Number.MAX_SAFE_INTEGER
}

/** Ajv applies no default in a schema that may not apply (https://ajv.js.org/guide/modifying-data.html). */
function defaultInside(value: unknown, _object: unknown, { schemas }: WordContext): string | undefined {
  const alternatives = [value].flat().filter(isSchema)
  const properties = alternatives
    .flatMap((alternative) => inPlace(alternative, schemas))
    .flatMap((schema) => Object.values((schema['properties'] ?? {}) as Record<string, unknown>))
    .filter(isSchema)
  const hasDefault = properties.some((property) =>
    [property, targetOf(property, schemas)].some((each) => each !== undefined && 'default' in each),
  )
  return hasDefault
    ? 'a property in it has a default, which applies only where the schema always does; move it out'
    : undefined
}

function unknownFormat(value: unknown, { type }: Record<string, unknown>): string | undefined {
  const types = formats.get(String(value))
  if (types === undefined) return `${String(value)} is a format that nobody validates; use a pattern, or remove it`
  const fits =
    type === undefined
      ? types.includes('string')
      : [type].flat().some((each: unknown) => types.some((name) => name === each))
  return fits ? undefined : `${String(value)} is a format of ${types.join(' or ')}; give the schema that type`
}

function undiscriminated(value: unknown, { oneOf, anyOf }: Schema, { schemas }: WordContext): string | undefined {
  const name = isSchema(value) ? String(value['propertyName']) : ''
  const alternatives = [oneOf ?? anyOf ?? []].flat().filter(isSchema)
  if (alternatives.length === 0) return 'belongs beside oneOf or anyOf'
  const tellsApart = (alternative: Schema) =>
    inPlace(alternative, schemas).some((schema) => {
      const property = (schema['properties'] as Record<string, unknown> | undefined)?.[name]
      return isSchema(property) && inPlace(property, schemas).some((each) => 'const' in each || 'enum' in each)
    })
  return alternatives.every(tellsApart)
    ? misleadingMapping(value as Schema, name, alternatives, schemas)
    : `${name} needs a const or an enum in each alternative, because a discriminator validates nothing`
}

/** A mapping adds nothing to the constants of the alternatives, so it must say the same. */
function misleadingMapping(
  { mapping }: Schema,
  name: string,
  alternatives: Schema[],
  schemas: WordContext['schemas'],
): string | undefined {
  for (const [kind, reference] of Object.entries(isSchema(mapping) ? mapping : {})) {
    const target = String(reference)
    const alternative = alternatives.find((each) => each['$ref'] === target)
    // What is no reference is reported as one that leads to nothing.
    if (alternative === undefined && !target.includes('/')) continue
    if (alternative === undefined) return `mapping: ${target} is none of the alternatives; remove it`
    const properties = inPlace(alternative, schemas).map(
      (schema) => (schema['properties'] as Schema | undefined)?.[name],
    )
    const kinds = properties
      .filter(isSchema)
      .flatMap((property) => inPlace(property, schemas))
      .flatMap((property) => ('const' in property ? [property['const']] : ((property['enum'] ?? []) as unknown[])))
      .map(String)
    if (!kinds.includes(kind)) {
      return `mapping: ${kind} is no ${name} of ${target}, which has ${kinds.join(', ')}; write what it has`
    }
  }
  return undefined
}
