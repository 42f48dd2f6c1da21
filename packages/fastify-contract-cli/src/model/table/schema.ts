import { integerRanges, isObject, stringifyJson } from 'fastify-contract/json'
import { discriminatorOf, inPlace, targetOf, textFormats } from 'fastify-contract/schema'
import type { KeywordName, NamedSchemas, Schema } from 'fastify-contract/schema'
import { externalDocs } from './external-docs.ts'
import { exact, inexactInteger } from '../rules/constants.ts'
import {
  type Keyword,
  type Keywords,
  type Rule,
  each,
  ignore,
  ignored,
  referenceIn,
  reject,
  rejected,
  shown,
  warn,
} from '../rules/keyword.ts'

/** The validated formats, each with its type. */
export const formats: ReadonlyMap<string, string> = new Map([
  ...Object.keys(textFormats).map((name): [string, string] => [name, 'string']),
  ...Object.keys(integerRanges).map((name): [string, string] => [name, 'integer']),
  ['float', 'number'],
  ['double', 'number'],
])

const types: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'])
const scalarTypes: ReadonlySet<unknown> = new Set(['integer', 'number', 'boolean'])
const subschema: Keyword = { holds: 'schema' }
const choice: Keyword = {
  holds: ['schema'],
  rule: (value, _schema, { schemas }) =>
    warn(
      Array.isArray(value) && value.length === 0
        ? 'is empty, so that nothing is valid; list schemas, or remove it'
        : defaultInside(value, schemas),
    ),
}
const warnOfDefault: Rule = (value, _schema, { schemas }) => warn(defaultInside(value, schemas))
const flag: Keyword = {
  is: 'true or false',
  rule: (value, _schema, { role }) =>
    value === true && (role === 'other' || role === 'parameter')
      ? ignore('applies only to properties; remove it')
      : undefined,
}

/** Every keyword of JSON Schema 2020-12 and of OpenAPI 3.1's dialect. */
export const schema: Keywords = {
  $ref: { is: 'text' },
  allOf: { holds: ['schema'] },
  ...each('anyOf oneOf', choice),
  not: { holds: 'schema' },
  ...each('if then else', { holds: 'schema', rule: warnOfDefault }),
  dependentSchemas: { holds: { each: 'schema' }, rule: warnOfDefault },
  dependentRequired: {
    rule: (value) =>
      isObject(value) && Object.values(value).every(isListOfNames)
        ? undefined
        : reject('is not an object of lists of names; correct it'),
  },

  properties: {
    holds: { each: 'schema' },
    rule: (value) =>
      isObject(value) && Object.hasOwn(value, '__proto__')
        ? reject('JavaScript objects cannot have the name __proto__; choose another')
        : undefined,
  },
  // What cannot be matched is dropped or refused by now.
  patternProperties: { holds: { each: 'schema' } },
  ...each('additionalProperties unevaluatedProperties propertyNames', subschema),
  prefixItems: { holds: ['schema'] },
  ...each('items contains unevaluatedItems', subschema),

  type: {
    rule: (value, schema, { schemas }) => {
      const unknown = [value].flat().find((type) => !types.has(type))
      // A list of types with scalars becomes alternatives.
      const isOfScalars = Array.isArray(value) && value.some((type) => scalarTypes.has(type))
      return [
        unknown === undefined
          ? undefined
          : reject(`${stringifyJson(unknown)} is not a type; use one of ${[...types].join(', ')}`),
        Array.isArray(value) && value.length === 0
          ? warn('is empty, so that nothing is valid; name a type, or remove it')
          : warn(isOfScalars ? defaultInside(schema, schemas) : undefined),
      ]
    },
  },
  enum: {
    is: 'a list',
    rule: exact,
  },
  const: { rule: exact },
  multipleOf: {
    is: 'a number',
    rule: (value) => (Number(value) > 0 ? undefined : reject('must be greater than 0; correct it')),
  },
  ...each('minimum maximum exclusiveMinimum exclusiveMaximum', { is: 'a number' }),
  pattern: { is: 'text' },
  ...each('minLength maxLength minItems maxItems minContains maxContains minProperties maxProperties', {
    is: 'a count',
  }),
  uniqueItems: { is: 'true or false' },
  required: { is: 'a list of names' },
  format: { is: 'text', rule: (value, { type }) => ignore(unknownFormat(value, type)) },
  default: {
    rule: (value, _schema, { role }) =>
      ignore(
        inexactInteger(value) !== undefined
          ? 'a default beyond ±9007199254740991 is not applied; require the value'
          : role === 'other'
            ? 'applies only to properties and parameters; remove it'
            : referenceIn(value),
      ),
  },
  ...each('readOnly writeOnly', flag),
  example: { rule: (value) => ignore(referenceIn(value)) },
  examples: {
    rule: (value) => ignore(Array.isArray(value) ? referenceIn(value) : 'is not a list, and is ignored; write one'),
  },

  ...shown('title description deprecated $comment $defs'),
  externalDocs,
  ...each('x-enum-varnames x-enum-descriptions', {
    isShown: true,
    rule: (value, { enum: values }) => warn(unevenNames(value, values)),
  }),
  ...shown('x-extensible-enum'),
  discriminator: {
    isShown: true,
    holds: 'discriminator',
    rule: (value, schema, { schemas }) => warn(indistinct(value, schema, schemas)),
  },

  // References by them have become JSON Pointers.
  ...each('$id $anchor $dynamicAnchor', { isMended: true }),
  ...ignored('$schema $vocabulary', 'the dialect is always that of OpenAPI 3.1; remove it'),
  ...rejected('$dynamicRef', 'several schemas have this dynamic anchor; use $ref'),
  ...ignored('contentEncoding', 'encoded content is not decoded; use format: byte for base64'),
  // In place of that of bytes, the format is binary by now.
  ...ignored('contentMediaType', 'the content of a string is not parsed; use description'),
  // That of JSON in the data of an event has become the schema of data.
  contentSchema: { holds: 'schema', rule: ignore('the content of a string is not parsed; use an object') },
  ...ignored('xml', 'XML is sent and read as bytes; remove it'),
  nullable: { isMended: true },
} satisfies Keywords & Record<KeywordName, Keyword>

/** Ajv applies no default in a schema that may not apply (https://ajv.js.org/guide/modifying-data.html). */
function defaultInside(value: unknown, schemas: NamedSchemas): string | undefined {
  const hasDefault = [value]
    .flat()
    .filter(isObject)
    .flatMap((alternative) => inPlace(alternative, schemas))
    .flatMap(({ properties }): unknown[] => Object.values(properties ?? {}))
    .filter(isObject)
    .some((property) => [property, targetOf(property, schemas)].some((one) => one !== undefined && 'default' in one))
  return hasDefault
    ? 'a property has a default, which is applied only in a schema that always applies; move the property out'
    : undefined
}

/** The problem of a discriminator that does not tell the alternatives apart. */
function indistinct(value: unknown, { oneOf, anyOf }: Schema, schemas: NamedSchemas): string | undefined {
  const alternatives = oneOf ?? anyOf
  const name = isObject(value) ? String(value['propertyName']) : ''
  if (!Array.isArray(alternatives)) return 'selects nothing without oneOf beside it; list the schemas in oneOf'
  const found = alternatives.length < 2 ? undefined : discriminatorOf(alternatives, schemas, new Set())
  const isDistinct =
    alternatives.length < 2 || (found?.name === name && found.constants.every((each) => each !== undefined))
  return isDistinct
    ? undefined
    : `does not select by ${name}, so all alternatives are tried; in each, require ${name}, with a const`
}

function unknownFormat(value: unknown, type: unknown = 'string'): string | undefined {
  const name = String(value)
  const formatTypes = formats.get(name)
  if (formatTypes === undefined)
    return `${name} is not a supported format, and is not validated; use a pattern, or remove it`
  return [type].flat().includes(formatTypes)
    ? undefined
    : `${name} is a format of ${formatTypes}, and is not validated; change the type`
}

/** Names and descriptions belong to the values of `enum` by their order. `nullable` has added null to the values. */
function unevenNames(value: unknown, values: unknown): string | undefined {
  const listed = Array.isArray(values) ? values : []
  const entries = Array.isArray(value) ? value.length : 0
  if (entries === listed.length || entries === listed.filter((each) => each !== null).length) return undefined
  return `has ${String(entries)} entries for the ${String(listed.length)} values of enum; write one for each value`
}

function isListOfNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === 'string')
}
