import { type Schema, inPlace, isSchema, schemasPointer, targetOf } from '../../../../src/schema/schema-parts.ts'
import { formats } from './formats.ts'
import { patternProblem } from './portable-patterns.ts'
import { type Word, type WordContext, enforced, refused, shown } from './verdicts.ts'

const onPage = 'shown on the docs page'
const validated = 'validated'
const bound = enforced('validated exactly, as an integer or as a decimal', {
  refuses: (value, { type, format }) =>
    [type].flat().includes('integer') && format === undefined && !isSafe(value)
      ? `an integer of ${String(value)} needs format: int64, or bounds within ±9007199254740991`
      : undefined,
})

/** The verdict of every keyword of JSON Schema 2020-12 and of those that OpenAPI 3.1 adds. */
export const schemaWords: Record<string, Word> = {
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
  properties: enforced('validated; in a request others are dropped by the types, in a reply they are refused', {
    holds: { each: 'schema' },
    refuses: (value) =>
      isSchema(value) && Object.hasOwn(value, '__proto__')
        ? '__proto__ is no name that objects of JavaScript keep; choose another'
        : undefined,
  }),
  patternProperties: enforced(validated, {
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

  type: enforced(validated),
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
  pattern: enforced('validated; it must mean the same in RE2, Rust, PCRE2 and ECMA-262', {
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
      typeof value === 'bigint'
        ? 'an integer beyond ±9007199254740991 cannot be a default; require the value'
        : role === 'other'
          ? 'applies to a property or a parameter alone; remove it'
          : undefined,
  }),
  deprecated: shown('shown on the docs page, and marked in the types'),
  readOnly: enforced('a request that has the property is refused', { refuses: notOfProperty }),
  writeOnly: enforced('a reply that has the property is answered 500', { refuses: notOfProperty }),
  examples: enforced('validated against the schema when generated'),
  contentEncoding: refused('the content of a text is not decoded; use format: byte for base64'),
  contentMediaType: refused('the content of a text is not read; describe it in words'),
  contentSchema: refused('the content of a text is not read; use an object'),

  discriminator: enforced('each alternative must tell itself apart by a const or an enum, which is validated', {
    holds: 'discriminator',
    refuses: undiscriminated,
  }),
  xml: refused('bodies are JSON; remove it'),
  externalDocs: { ...shown(onPage), holds: 'externalDocs' },
  example: enforced('validated against the schema when generated'),
  'x-enum-varnames': enforced('the names of the error numbers'),
  'x-enum-descriptions': enforced('the texts of the error numbers'),
  nullable: refused("is a word of OpenAPI 3.0; write type: [string, 'null']"),
}

function notOfProperty(value: unknown, _schema: unknown, { role }: WordContext): string | undefined {
  return value === true && (role === 'other' || role === 'parameter')
    ? 'applies to a property alone; remove it'
    : undefined
}

function inexactConstant(value: unknown, { format }: Schema): string | undefined {
  const beyond = [value].flat().find((each) => typeof each === 'bigint')
  if (beyond === undefined || format === 'int64') return undefined
  return `${String(beyond)} needs type: integer and format: int64`
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
    ? undefined
    : `${name} needs a const or an enum in each alternative, because a discriminator validates nothing`
}
