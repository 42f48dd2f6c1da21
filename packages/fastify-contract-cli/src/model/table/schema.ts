import { integerRanges, stringifyJson } from 'fastify-contract/json'
import { discriminatorOf, inPlace, isSchema, patternProblem, targetOf, textFormats } from 'fastify-contract/schema'
import type { Schema } from 'fastify-contract/schema'
import { externalDocs } from './external-docs.ts'
import { inexactConstant, inexactInteger } from './constants.ts'
import {
  type Keyword,
  type KeywordContext,
  type Keywords,
  each,
  ignored,
  referenceIn,
  rejected,
  shown,
} from './keyword.ts'

/** The validated formats, each with its type. */
export const formats: ReadonlyMap<string, string> = new Map([
  ...Object.keys(textFormats).map((name): [string, string] => [name, 'string']),
  ...Object.keys(integerRanges).map((name): [string, string] => [name, 'integer']),
  ['float', 'number'],
  ['double', 'number'],
])

const types: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'])
const subschema: Keyword = { holds: 'schema' }
const choice: Keyword = {
  holds: ['schema'],
  warns: (value, object, context) =>
    Array.isArray(value) && value.length === 0
      ? 'is empty, so that nothing is valid; list schemas, or remove it'
      : defaultInside(value, object, context),
}
const conditional: Keyword = { holds: 'schema', warns: defaultInside }
const flag: Keyword = {
  is: 'true or false',
  ignores: (value, _schema, { role }) =>
    value === true && (role === 'other' || role === 'parameter') ? 'applies only to properties; remove it' : undefined,
}

/** Every keyword of JSON Schema 2020-12 and of OpenAPI 3.1's dialect. */
export const schema: Keywords = {
  $ref: { is: 'text' },
  allOf: { holds: ['schema'] },
  ...each('anyOf oneOf', choice),
  not: { holds: 'schema' },
  ...each('if then else', conditional),
  dependentSchemas: { holds: { each: 'schema' }, warns: defaultInside },
  dependentRequired: {
    rejects: (value) =>
      isSchema(value) && Object.values(value).every(isListOfNames)
        ? undefined
        : 'is not an object of lists of names; correct it',
  },

  properties: {
    holds: { each: 'schema' },
    rejects: (value) =>
      isSchema(value) && Object.hasOwn(value, '__proto__')
        ? 'JavaScript objects cannot have the name __proto__; choose another'
        : undefined,
  },
  patternProperties: {
    holds: { each: 'schema' },
    rejects: (value, schema, context) => {
      const problem = unmatched(value)[0]?.problem
      if (problem === undefined || dropped(problem, schema, context) !== undefined) return undefined
      return `${problem}; without it, a schema of not would refuse valid values`
    },
    warns: dropPatterns,
  },
  ...each('additionalProperties unevaluatedProperties propertyNames', subschema),
  prefixItems: { holds: ['schema'] },
  ...each('items contains unevaluatedItems', subschema),

  type: {
    rejects: (value) => {
      const unknown = [value].flat().find((type) => !types.has(type))
      return unknown === undefined
        ? undefined
        : `${stringifyJson(unknown)} is not a type; use one of ${[...types].join(', ')}`
    },
    // A list of types with scalars becomes alternatives.
    warns: (value, object, context) =>
      Array.isArray(value) && value.length === 0
        ? 'is empty, so that nothing is valid; name a type, or remove it'
        : Array.isArray(value) && value.some((type) => ['integer', 'number', 'boolean'].includes(String(type)))
          ? defaultInside(object, object, context)
          : undefined,
  },
  enum: {
    is: 'a list',
    rejects: inexactConstant,
  },
  const: { rejects: inexactConstant },
  multipleOf: {
    is: 'a number',
    rejects: (value) => (Number(value) > 0 ? undefined : 'must be greater than 0; correct it'),
  },
  ...each('minimum maximum exclusiveMinimum exclusiveMaximum', { is: 'a number' }),
  pattern: {
    is: 'text',
    ignores: (value, schema, context) =>
      dropped(typeof value === 'string' ? patternProblem(value) : 'is not text; correct it', schema, context),
    rejects: (value) => {
      const problem = patternProblem(String(value))
      return problem && `${problem}; without it, a schema of not would refuse valid values`
    },
  },
  ...each('minLength maxLength minItems maxItems minContains maxContains minProperties maxProperties', {
    is: 'a count',
  }),
  uniqueItems: { is: 'true or false' },
  required: { is: 'a list of names' },
  format: { is: 'text', ignores: unknownFormat },
  default: {
    ignores: (value, _schema, { role }) =>
      inexactInteger(value) !== undefined
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

  ...shown('title description deprecated $comment $defs'),
  externalDocs,
  ...each('x-enum-varnames x-enum-descriptions', { isShown: true, warns: unevenNames }),
  discriminator: { isShown: true, holds: 'discriminator', warns: indistinct },

  // References by them have become JSON Pointers.
  ...each('$id $anchor $dynamicAnchor', { isMended: true }),
  ...ignored('$schema $vocabulary', 'the dialect is always that of OpenAPI 3.1; remove it'),
  ...rejected('$dynamicRef', 'several schemas have this dynamic anchor; use $ref'),
  ...ignored('contentEncoding', 'encoded content is not decoded; use format: byte for base64'),
  // In place of that of bytes, the format is binary by now.
  ...ignored('contentMediaType', 'the content of a string is not parsed; use description'),
  // That of JSON in the data of an event has become the schema of data.
  contentSchema: { holds: 'schema', ignores: 'the content of a string is not parsed; use an object' },
  ...ignored('xml', 'XML is sent and read as bytes; remove it'),
  nullable: { isMended: true },
}

/** The problem of an assertion that is dropped; undefined where valid values would then be refused. */
function dropped(
  problem: string | undefined,
  schema: Schema,
  { isExclusive, relax }: KeywordContext,
): string | undefined {
  if (problem === undefined || !isExclusive(schema)) return problem
  return relax(schema) ? problem.replace('; ', ', and oneOf around it is read as anyOf; ') : undefined
}

/** The patterns of names that cannot be matched. Beside such a pattern there is no place for another, or for `minLength`. */
function unmatched(patterns: unknown): { pattern: string; problem: string }[] {
  return Object.keys(isSchema(patterns) ? patterns : {}).flatMap((pattern) => {
    const problem = patternProblem(pattern)?.replace(/; [^;]*(?:allOf|minLength).*/, '; write a simpler pattern')
    return problem === undefined ? [] : [{ pattern, problem }]
  })
}

/** Leaves out patterns that cannot be matched. What they match would be undeclared, so that all properties are allowed. */
function dropPatterns(value: unknown, schema: Record<string, unknown>, context: KeywordContext): string | undefined {
  const patterns = unmatched(value)
  const problem = dropped(patterns[0]?.problem, schema, context)
  if (problem === undefined) return undefined
  const names = new Set(patterns.map(({ pattern }) => pattern))
  // Another schema may have the same map.
  const kept = Object.entries(value as Schema).filter(([name]) => !names.has(name))
  schema['patternProperties'] = Object.fromEntries(kept)
  schema['additionalProperties'] = true
  return problem.replace('; ', ', and undeclared properties may have any value; ')
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

/** The problem of a discriminator that does not tell the alternatives apart. */
function indistinct(value: unknown, { oneOf, anyOf }: Schema, { schemas }: KeywordContext): string | undefined {
  const alternatives = oneOf ?? anyOf
  const name = isSchema(value) ? String(value['propertyName']) : ''
  if (!Array.isArray(alternatives)) return 'selects nothing without oneOf beside it; list the schemas in oneOf'
  const found = alternatives.length < 2 ? undefined : discriminatorOf(alternatives, schemas, new Set())
  const isDistinct =
    alternatives.length < 2 || (found?.name === name && found.constants.every((each) => each !== undefined))
  return isDistinct
    ? undefined
    : `does not select by ${name}, so all alternatives are tried; in each, require ${name}, with a const`
}

function unknownFormat(value: unknown, { type = 'string' }: Record<string, unknown>): string | undefined {
  const name = String(value)
  const formatTypes = formats.get(name)
  if (formatTypes === undefined)
    return `${name} is not a supported format, and is not validated; use a pattern, or remove it`
  return [type].flat().includes(formatTypes)
    ? undefined
    : `${name} is a format of ${formatTypes}, and is not validated; change the type`
}

/** Names and descriptions belong to the values of `enum` by their order. `nullable` has added null to the values. */
function unevenNames(value: unknown, { enum: values }: Schema): string | undefined {
  const listed = Array.isArray(values) ? values : []
  const entries = Array.isArray(value) ? value.length : 0
  if (entries === listed.length || entries === listed.filter((each) => each !== null).length) return undefined
  return `has ${String(entries)} entries for the ${String(listed.length)} values of enum; write one for each value`
}

function isListOfNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === 'string')
}
