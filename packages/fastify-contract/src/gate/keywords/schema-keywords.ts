import { type NamedSchemas, type Schema, inPlace, isSchema } from '../../schema/schema-parts.ts'
import { schemasPointer, targetOf } from '../../schema/schema-parts.ts'
import { textFormats } from '../../schema/formats.ts'
import { type Keyword, type KeywordContext, each, refused, shown } from './keyword.ts'
import { patternProblem } from './patterns.ts'

/** The formats that are validated, each with the type of the values that it applies to. */
export const formats: ReadonlyMap<string, string> = new Map([
  ...Object.keys(textFormats).map((name): [string, string] => [name, 'string']),
  ['int32', 'integer'],
  ['int64', 'integer'],
  ['float', 'number'],
  ['double', 'number'],
])

const numbers = ['integer', 'number']
const schema: Keyword = { holds: 'schema' }
const choice: Keyword = { holds: ['schema'], refuses: defaultInside }
const flag: Keyword = {
  refuses: (value, _schema, { role }) =>
    value === true && (role === 'other' || role === 'parameter') ? 'applies to a property alone; remove it' : undefined,
}

/** Every keyword of JSON Schema 2020-12, and those that OpenAPI 3.1 adds. */
export const schemaKeywords: Record<string, Keyword> = {
  $ref: { refuses: (value) => strayReference(String(value)) },
  allOf: { holds: ['schema'] },
  ...each('anyOf oneOf', choice),
  not: { holds: 'schema', refuses: defaultInside },
  discriminator: { holds: 'discriminator', refuses: undiscriminated },

  properties: {
    holds: { each: 'schema' },
    refuses: (value) =>
      isSchema(value) && Object.hasOwn(value, '__proto__')
        ? '__proto__ is no name that objects of JavaScript keep; choose another'
        : undefined,
  },
  ...each('additionalProperties propertyNames items', schema),
  unevaluatedProperties: {
    refuses: (value) =>
      value === false ? undefined : 'only false is validated; use additionalProperties, or remove it',
  },
  items: { ...schema },

  type: {
    // The types of a list that has scalars are alternatives.
    refuses: (value, object, context) =>
      Array.isArray(value) && value.some((type) => [...numbers, 'boolean'].includes(String(type)))
        ? defaultInside(object, object, context)
        : undefined,
  },
  ...each('enum const', { refuses: inexactConstant }),
  multipleOf: { refuses: (value) => (Number(value) > 0 ? undefined : 'must be above 0') },
  ...each('maximum exclusiveMaximum minimum exclusiveMinimum', { refuses: inexactBound }),
  ...each('maxLength minLength', {}),
  pattern: { refuses: (value) => patternProblem(String(value)) },
  ...each('maxItems minItems uniqueItems', {}),
  ...each('maxProperties minProperties required', {}),
  format: { refuses: unknownFormat },
  default: {
    refuses: (value, _schema, { role }) =>
      beyondDouble(value) !== undefined
        ? 'an integer beyond ±9007199254740991 cannot be a default; require the value'
        : role === 'other'
          ? 'applies to a property or a parameter alone; remove it'
          : referenceIn(value),
  },
  ...each('readOnly writeOnly', flag),
  ...each('example examples', { refuses: referenceIn }),
  ...each('x-enum-varnames x-enum-descriptions'),

  ...shown('title description deprecated $comment externalDocs'),

  ...refused('$defs', 'schemas have names under components/schemas; move them there'),
  ...refused('$id', 'schemas are named by their place under components/schemas; remove it'),
  ...refused('$schema $vocabulary', 'every schema is of the dialect of OpenAPI 3.1; remove it'),
  ...refused('$anchor $dynamicAnchor', 'refer to a schema by its place under components/schemas'),
  ...refused('$dynamicRef', 'refer to a schema by $ref'),
  ...refused('if then else', 'conditions are not validated; write the cases as schemas of oneOf or anyOf'),
  ...refused('dependentSchemas dependentRequired', 'conditions are not validated; write the cases as schemas of anyOf'),
  ...refused('prefixItems', 'tuples are not validated; use an object, or items for all of the array'),
  ...refused('contains minContains maxContains', 'single items are not searched for; describe all of them by items'),
  ...refused('patternProperties', 'names are not matched; use additionalProperties, and propertyNames for the names'),
  ...refused('unevaluatedItems', 'every item is described by items; use items'),
  ...refused('contentEncoding', 'the content of a text is not decoded; use format: byte for base64'),
  ...refused('contentMediaType', 'the content of a text is not read; describe it in words'),
  ...refused('contentSchema', 'the content of a text is not read; use an object'),
  ...refused('xml', 'bodies are JSON; remove it'),
  ...refused('nullable', "is a keyword of OpenAPI 3.0; write type: [string, 'null']"),
}

function strayReference(reference: string): string | undefined {
  // Other files are bundled; where one cannot be, that is reported.
  if (!reference.startsWith('#')) return undefined
  if (!reference.startsWith(schemasPointer)) {
    return `${reference} is outside of components/schemas; move the schema there`
  }
  return reference.slice(schemasPointer.length).includes('/')
    ? `${reference} is inside of a schema; give it a name under components/schemas`
    : undefined
}

function inexactBound(value: unknown, { type, format }: Schema): string | undefined {
  const isSafe = typeof value !== 'bigint' && Math.abs(Number(value)) <= Number.MAX_SAFE_INTEGER
  return [type].flat().includes('integer') && format === undefined && !isSafe
    ? `an integer of ${String(value)} needs format: int64, or bounds within ±9007199254740991`
    : undefined
}

function inexactConstant(value: unknown, { format }: Schema): string | undefined {
  const inexact = format === 'int64' ? [value].flat().filter((member) => typeof member !== 'bigint') : value
  const beyond = beyondDouble(inexact)
  return beyond === undefined ? referenceIn(value) : `${String(beyond)} needs type: integer and format: int64`
}

/** An integer in a value that a double does not hold. */
function beyondDouble(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value
  if (typeof value !== 'object' || value === null) return undefined
  return Object.values(value)
    .map(beyondDouble)
    .find((integer) => integer !== undefined)
}

/** Why a value is refused that looks like a reference: programs that read contracts follow it. */
export function referenceIn(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if ('$ref' in value && typeof value.$ref === 'string') {
    return 'a $ref in a value is taken for a reference; leave the member out'
  }
  return Object.values(value)
    .map(referenceIn)
    .find((problem) => problem !== undefined)
}

/** The schemas of a property, in a schema and in those that apply to the same value. */
function propertiesNamed(name: string, schema: Schema, schemas: NamedSchemas): Schema[] {
  const found = inPlace(schema, schemas).map(({ properties }) => (isSchema(properties) ? properties[name] : undefined))
  return found.filter(isSchema).flatMap((property) => inPlace(property, schemas))
}

/** Ajv applies no default in a schema that may not apply (https://ajv.js.org/guide/modifying-data.html). */
function defaultInside(value: unknown, _object: unknown, { schemas }: KeywordContext): string | undefined {
  const hasDefault = [value]
    .flat()
    .filter(isSchema)
    .flatMap((alternative) => inPlace(alternative, schemas))
    .flatMap(({ properties }): unknown[] => Object.values(properties ?? {}))
    .filter(isSchema)
    .some((property) => [property, targetOf(property, schemas)].some((one) => one !== undefined && 'default' in one))
  return hasDefault
    ? 'a property in it has a default, which applies only where the schema always does; move it out'
    : undefined
}

function unknownFormat(value: unknown, { type = 'string' }: Schema): string | undefined {
  const name = String(value)
  const ofType = formats.get(name)
  if (ofType === undefined) return `${name} is a format that nobody validates; use a pattern, or remove it`
  return [type].flat().includes(ofType) ? undefined : `${name} is a format of ${ofType}; give the schema that type`
}

function undiscriminated(value: unknown, { oneOf, anyOf }: Schema, { schemas }: KeywordContext): string | undefined {
  const { propertyName } = isSchema(value) ? value : {}
  const name = String(propertyName)
  const alternatives = [oneOf ?? anyOf ?? []].flat().filter(isSchema)
  if (alternatives.length === 0) return 'belongs beside oneOf or anyOf'
  const kindsOf = (alternative: Schema) =>
    propertiesNamed(name, alternative, schemas).flatMap((property) =>
      'const' in property
        ? [property['const']]
        : Array.isArray(property['enum'])
          ? (property['enum'] as unknown[])
          : [],
    )
  if (!alternatives.every((alternative) => kindsOf(alternative).length > 0)) {
    return `${name} needs a const or an enum in each alternative, because a discriminator validates nothing`
  }
  return undefined
}
