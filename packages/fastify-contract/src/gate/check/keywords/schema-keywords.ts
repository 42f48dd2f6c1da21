import { type Schema, inPlace, isSchema, jsonTypes, schemasPointer, targetOf } from '../../../schema/schema-parts.ts'
import { createAjv } from '../../../schema/ajv.ts'
import { type AllowedKeyword, type Keyword, type KeywordContext, allow } from './keyword.ts'
import { patternProblem } from './patterns.ts'

/** The formats that are validated, each with the types whose values it applies to. */
export const formats: ReadonlyMap<string, readonly string[]> = new Map([
  ...Object.keys(createAjv('json').formats).map((name): [string, string[]] => [name, ['string']]),
  ['int32', ['integer']],
  ['int64', ['integer']],
  ['float', ['number']],
  ['double', ['number']],
])

const bound: Keyword = {
  refuses: (value, { type, format }) =>
    [type].flat().includes('integer') && format === undefined && !isSafe(value)
      ? `an integer of ${String(value)} needs format: int64, or bounds within ±9007199254740991`
      : undefined,
}
const schema: Keyword = { holds: 'schema' }
const schemas: Keyword = { holds: { each: 'schema' } }
const placeOfNames = 'refer to a schema by its place under components/schemas'

const ofSchemas: Record<string, Keyword> = allow(
  'maxLength minLength maxItems minItems uniqueItems maxContains minContains maxProperties minProperties required ' +
    'dependentRequired title description deprecated $comment x-enum-varnames x-enum-descriptions',
  {
    $ref: {
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
    },
    $defs: 'schemas have names under components/schemas; move them there',
    $id: 'schemas are named by their place under components/schemas; remove it',
    $schema: 'every schema is of the dialect of OpenAPI 3.1; remove it',
    $anchor: placeOfNames,
    $dynamicRef: 'refer to a schema by $ref',
    $dynamicAnchor: placeOfNames,
    $vocabulary: 'every schema is of the dialect of OpenAPI 3.1; remove it',

    allOf: { holds: ['schema'] },
    anyOf: { holds: ['schema'], refuses: defaultInside },
    oneOf: { holds: ['schema'], refuses: defaultInside },
    not: { ...schema, refuses: defaultInside },
    if: { ...schema, refuses: defaultInside },
    then: { ...schema, refuses: defaultInside },
    else: { ...schema, refuses: defaultInside },
    dependentSchemas: schemas,

    prefixItems: {
      holds: ['schema'],
      refuses: (value, { items, minItems }) =>
        Array.isArray(value) && (items !== false || minItems !== value.length)
          ? `is typed as a tuple of ${String(value.length)}; add items: false and minItems: ${String(value.length)}`
          : undefined,
    },
    items: schema,
    contains: schema,
    properties: {
      ...schemas,
      refuses: (value) =>
        isSchema(value) && Object.hasOwn(value, '__proto__')
          ? '__proto__ is no name that objects of JavaScript keep; choose another'
          : undefined,
    },
    patternProperties: {
      ...schemas,
      refuses: (value) =>
        Object.keys(isSchema(value) ? value : {})
          .map(patternProblem)
          .find((problem) => problem),
    },
    additionalProperties: schema,
    propertyNames: schema,
    unevaluatedItems: 'Ajv takes every item for evaluated beside contains; use items',
    unevaluatedProperties: schema,

    type: {
      // The types of a list that has scalars are alternatives.
      refuses: (value, object, context) =>
        Array.isArray(value) && value.some((type) => ['integer', 'number', 'boolean'].includes(String(type)))
          ? defaultInside(object, object, context)
          : undefined,
    },
    enum: { refuses: inexactConstant },
    const: { refuses: inexactConstant },
    multipleOf: { refuses: (value) => (Number(value) > 0 ? undefined : 'must be above 0') },
    maximum: bound,
    exclusiveMaximum: bound,
    minimum: bound,
    exclusiveMinimum: bound,
    pattern: { refuses: (value) => patternProblem(String(value)) },
    format: { refuses: unknownFormat },

    default: {
      refuses: (value, _schema, { role }) =>
        beyondDouble(value) !== undefined
          ? 'an integer beyond ±9007199254740991 cannot be a default; require the value'
          : role === 'other'
            ? 'applies to a property or a parameter alone; remove it'
            : referenceIn(value),
    },
    readOnly: { refuses: notOfProperty },
    writeOnly: { refuses: notOfProperty },
    examples: { refuses: referenceIn },
    example: { refuses: referenceIn },
    contentEncoding: 'the content of a text is not decoded; use format: byte for base64',
    contentMediaType: 'the content of a text is not read; describe it in words',
    contentSchema: 'the content of a text is not read; use an object',
  
    discriminator: {
      holds: 'discriminator',
      refuses: undiscriminated,
    },
    xml: 'bodies are JSON; remove it',
    externalDocs: { holds: 'externalDocs' },
    nullable: "is a word of OpenAPI 3.0; write type: [string, 'null']",
  },
)

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

/** Every keyword of JSON Schema 2020-12, and those that OpenAPI 3.1 adds. */
export const schemaKeywords: Record<string, Keyword> = Object.fromEntries(
  Object.entries(ofSchemas).map(([name, keyword]) => {
    const types = typesOfKeywords[name]
    if (types === undefined || typeof keyword === 'string') return [name, keyword]
    const refuses: AllowedKeyword['refuses'] = (value, schema, context) =>
      idleBeside(schema['type'], types) ?? keyword.refuses?.(value, schema, context)
    return [name, { ...keyword, refuses }]
  }),
)

function idleBeside(type: unknown, types: readonly string[]): string | undefined {
  if (type === undefined) return undefined
  const given = [type].flat().map(String)
  return given.some((name) => types.includes(name) || !jsonTypes.some((known) => known === name))
    ? undefined
    : `asserts nothing of ${given.join(' or ')}; remove it, or add ${types.join(' or ')} to the type`
}

function notOfProperty(value: unknown, _schema: unknown, { role }: KeywordContext): string | undefined {
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
function defaultInside(value: unknown, _object: unknown, { schemas }: KeywordContext): string | undefined {
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

function undiscriminated(value: unknown, { oneOf, anyOf }: Schema, { schemas }: KeywordContext): string | undefined {
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
  schemas: KeywordContext['schemas'],
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
