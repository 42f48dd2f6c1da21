import { type Schema, inPlace, isSchema, patternProblem } from 'fastify-contract/schema'
import { targetOf, textFormats, typesOf } from 'fastify-contract/schema'
import { type Keyword, type KeywordContext, each, ignored, rejected, shown } from './keyword.ts'

/** The validated formats, each with its type. */
export const formats: ReadonlyMap<string, string> = new Map([
  ...Object.keys(textFormats).map((name): [string, string] => [name, 'string']),
  ['int32', 'integer'],
  ['int64', 'integer'],
  ['float', 'number'],
  ['double', 'number'],
])

const types: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'])
const schema: Keyword = { holds: 'schema' }
const choice: Keyword = { holds: ['schema'], warns: defaultInside }
const flag: Keyword = {
  is: 'true or false',
  ignores: (value, _schema, { role }) =>
    value === true && (role === 'other' || role === 'parameter') ? 'applies only to properties; remove it' : undefined,
}

/** Every keyword of JSON Schema 2020-12 and of OpenAPI 3.1's dialect. */
export const schemaKeywords: Record<string, Keyword> = {
  $ref: {},
  allOf: { holds: ['schema'] },
  ...each('anyOf oneOf', choice),
  not: { holds: 'schema' },

  properties: {
    holds: { each: 'schema' },
    rejects: (value) =>
      isSchema(value) && Object.hasOwn(value, '__proto__')
        ? 'JavaScript objects cannot have the name __proto__; choose another'
        : undefined,
  },
  ...each('additionalProperties propertyNames items', schema),
  unevaluatedProperties: {
    rejects: (value) =>
      value === false ? undefined : 'only false is validated; use additionalProperties, or remove it',
  },

  type: {
    rejects: (value) => {
      const unknown = [value].flat().find((type) => !types.has(type))
      return unknown === undefined
        ? undefined
        : `${JSON.stringify(unknown)} is not a type; use one of ${[...types].join(', ')}`
    },
    // A list of types with scalars becomes alternatives.
    warns: (value, object, context) =>
      Array.isArray(value) && value.some((type) => ['integer', 'number', 'boolean'].includes(String(type)))
        ? defaultInside(object, object, context)
        : undefined,
  },
  enum: {
    is: 'a list',
    ignores: (value, schema, { isExclusive }) => (isExclusive(schema) ? undefined : misfit(value, schema)),
    rejects: (value, schema) => misfit(value, schema) ?? inexactConstant(value, schema),
  },
  const: {
    ignores: (value, schema, { isExclusive }) => (isExclusive(schema) ? undefined : misfit([value], schema)),
    rejects: (value, schema) => misfit([value], schema) ?? inexactConstant(value, schema),
  },
  multipleOf: {
    is: 'a number',
    rejects: (value) => (Number(value) > 0 ? undefined : 'must be greater than 0; correct it'),
  },
  ...each('maximum exclusiveMaximum minimum exclusiveMinimum', { is: 'a number' }),
  pattern: {
    is: 'text',
    ignores: (value, schema, { isExclusive }) =>
      isExclusive(schema) ? undefined : typeof value === 'string' ? patternProblem(value) : 'is not text; correct it',
    rejects: (value) => {
      const problem = patternProblem(String(value))
      return problem && `${problem}; without it, a schema of oneOf or not would refuse valid values`
    },
  },
  ...each('maxLength minLength maxItems minItems maxProperties minProperties', { is: 'a count' }),
  uniqueItems: { is: 'true or false' },
  required: { is: 'a list of names' },
  format: { is: 'text', ignores: unknownFormat },
  default: {
    ignores: (value, _schema, { role }) =>
      beyondDouble(value) !== undefined
        ? 'a default beyond ±9007199254740991 is not applied; require the value'
        : role === 'other'
          ? 'applies only to properties and parameters; remove it'
          : referenceIn(value),
  },
  ...each('readOnly writeOnly', flag),
  example: { ignores: referenceIn },
  examples: {
    ignores: (value) => (Array.isArray(value) ? referenceIn(value) : 'is not a list, and is ignored; write one'),
  },

  ...shown('title description deprecated $comment externalDocs $defs'),
  ...shown('discriminator', 'discriminator'),

  ...rejected('$id', 'schema identifiers are not supported; remove it and use components/schemas'),
  ...ignored('$schema $vocabulary', 'the dialect is always that of OpenAPI 3.1; remove it'),
  ...rejected('$anchor $dynamicAnchor', 'anchors are not supported; refer to components/schemas'),
  ...rejected('$dynamicRef', 'dynamic references are not supported; use $ref'),
  ...rejected('if then else', 'conditions are not supported; use oneOf or anyOf'),
  ...rejected('dependentSchemas dependentRequired', 'conditions are not supported; use anyOf'),
  ...rejected('prefixItems', 'tuples are not supported; use an object, or items'),
  ...rejected('contains minContains maxContains', 'is not supported; describe all items by items'),
  ...rejected('patternProperties', 'is not supported; use additionalProperties and propertyNames'),
  ...rejected('unevaluatedItems', 'is not supported; use items'),
  ...ignored('contentEncoding', 'encoded content is not decoded; use format: byte for base64'),
  ...ignored('contentMediaType', 'the content of a string is not parsed; use description'),
  ...ignored('contentSchema', 'the content of a string is not parsed; use an object'),
  ...ignored('xml', 'XML is sent and read as bytes; remove it'),
}

/** The problem of constants none of which has the type beside them, so that nothing is valid. */
function misfit(constants: unknown, { type }: Schema): string | undefined {
  const values = Array.isArray(constants) ? constants.filter((value) => value !== null) : []
  const isMisfit = type !== undefined && values.length > 0
  return isMisfit && typesOf({ enum: values }, {}).isDisjointFrom(typesOf({ type }, {}))
    ? 'no value has the type beside it, so that nothing is valid; correct one of them'
    : undefined
}

function inexactConstant(value: unknown, { type, format }: Schema): string | undefined {
  const constants: unknown[] = [value].flat()
  const rounded = [type].flat().every((member) => member === 'integer') ? constants.find(isRounded) : undefined
  if (rounded !== undefined) return `${String(rounded)} is not exact; add format: int64, and write out its digits`
  const inexact = format === 'int64' ? [value].flat().filter((member) => typeof member !== 'bigint') : value
  const beyond = beyondDouble(inexact)
  return beyond === undefined
    ? referenceIn(value)
    : `${String(beyond)} is not exact; add type: integer and format: int64`
}

/** Whether a number is an integer that a double may have rounded. */
function isRounded(value: unknown): value is number {
  return Number.isInteger(value) && !Number.isSafeInteger(value)
}

/** An integer within a value that does not fit a double. */
function beyondDouble(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value
  if (typeof value !== 'object' || value === null) return undefined
  return Object.values(value)
    .map(beyondDouble)
    .find((integer) => integer !== undefined)
}

/** The problem of a value with a `$ref`, which tools follow. */
export function referenceIn(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if ('$ref' in value && typeof value.$ref === 'string') {
    return 'tools follow a $ref in a value; remove the member'
  }
  return Object.values(value)
    .map(referenceIn)
    .find((problem) => problem !== undefined)
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
    ? 'a property has a default, which is applied only in a schema that always applies; move the property out'
    : undefined
}

function unknownFormat(value: unknown, { type = 'string' }: Schema): string | undefined {
  const name = String(value)
  const ofType = formats.get(name)
  if (ofType === undefined)
    return `${name} is not a supported format, and is not validated; use a pattern, or remove it`
  return [type].flat().includes(ofType)
    ? undefined
    : `${name} is a format of ${ofType}, and is not validated; change the type`
}
