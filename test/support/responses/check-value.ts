import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormatsModule from 'ajv-formats'
import type { Schema } from '../../../packages/fastify-contract/src/schema/schema-parts.ts'

/** What every failure has, before it is checked. */
export interface FailureMessage {
  error?: unknown
  message?: unknown
}

// ajv-formats is CommonJS that Node gives whole as the default, while its types speak of the function inside.
const addFormats = addFormatsModule as unknown as typeof addFormatsModule.default

const ajv = new Ajv2020({
  strict: true,
  strictTypes: false,
  strictRequired: false,
  allErrors: true,
  // 67.74 is a multiple of 0.01, although doubles do not divide so.
  multipleOfPrecision: 9,
})
addFormats(ajv)
ajv.addVocabulary(['discriminator', 'example', 'externalDocs', 'x-enum-varnames', 'x-enum-descriptions'])

const bodies = new WeakMap<Schema, ValidateFunction>()
const open = new WeakMap<Schema, ValidateFunction>()

/**
 * Says in which ways a parsed JSON body breaks a schema that is closed for the occasion: requests are open, what the
 * service answers is not.
 */
export function problemsOfBody(body: unknown, schema: Schema): string[] {
  return problems(withNumbers(body), schema, bodies, () => ajv.compile(closed(schema)))
}

/** Ajv knows no bigint. One that 64 bits hold is an integer to it; its exact bounds are those of the format. */
function withNumbers(value: unknown): unknown {
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) === value ? Number(value) : value
  if (Array.isArray(value)) return value.map(withNumbers)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withNumbers(member)]))
}

/** Says in which ways the value of a header breaks its schema. */
export function problemsOfHeader(text: string, schema: Schema): string[] {
  const isInteger = schema['type'] === 'integer' && /^(?:0|-?[1-9]\d*)$/.test(text)
  return problems(isInteger ? Number(text) : text, schema, open, () => ajv.compile({ ...schema }))
}

/** Whether a parsed JSON value is what a schema allows. A bigint is none. */
export function isValid(value: unknown, schema: Schema): boolean {
  return problems(value, schema, open, () => ajv.compile({ ...schema })).length === 0
}

function problems(
  value: unknown,
  schema: Schema,
  known: WeakMap<Schema, ValidateFunction>,
  compile: () => ValidateFunction,
): string[] {
  const validate = known.get(schema) ?? compile()
  known.set(schema, validate)
  return validate(value) ? [] : [ajv.errorsText(validate.errors, { dataVar: '' })]
}

/** The same schema, refusing at every level the properties that it does not describe. */
function closed(schema: Schema): Schema {
  const open = closedInside(schema)
  return 'properties' in schema || 'allOf' in schema || 'anyOf' in schema || 'oneOf' in schema
    ? { ...open, unevaluatedProperties: false }
    : open
}

/** Parts of a combination stay open themselves: each sees the properties of the others. */
function closedInside(schema: Schema): Schema {
  return Object.fromEntries(Object.entries(schema).map(([name, member]) => [name, closedMember(name, member)]))
}

function closedMember(name: string, member: unknown): unknown {
  switch (name) {
    // JSON Schema says what these members are: a schema, schemas by name, a list of schemas.
    case 'items':
    case 'additionalProperties':
      return typeof member === 'object' ? closed(member as Schema) : member
    case 'properties':
    case 'patternProperties':
      return Object.fromEntries(
        Object.entries(member as Record<string, Schema>).map(([key, property]) => [key, closed(property)]),
      )
    case 'allOf':
    case 'anyOf':
    case 'oneOf':
      return (member as Schema[]).map(closedInside)
  }
  return member
}
