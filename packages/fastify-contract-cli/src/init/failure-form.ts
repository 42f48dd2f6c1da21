import { type ContractDocument, type ContractOperation, isJson } from 'fastify-contract/document'
import { type JsonType, type NamedSchemas, type Schema, inPlace, isSchema, typesOf } from 'fastify-contract/schema'
import { printable, stringifyJson } from 'fastify-contract/json'
import { propertyName, quoted } from './typescript.ts'

/** The variables that a form may use. */
const known = ['name', 'status', 'message'] as const

/** What usually stands under a name, by the type of its value. */
const usual: { types: readonly JsonType[]; names: RegExp; value: string }[] = [
  {
    types: ['string'],
    names: /^(?:.*message|msg|detail|details|(?:error_?)?description|reason|text)$/,
    value: 'message',
  },
  { types: ['string'], names: /^(?:(?:error_?)?code|error|type|name|key|title|status)$/, value: 'name' },
  { types: ['integer', 'number'], names: /^(?:(?:http_?)?status(?:_?code)?|(?:error_?)?code|error)$/, value: 'status' },
  { types: ['string'], names: /^(?:timestamp|time|date)$/, value: 'new Date().toISOString()' },
  { types: ['boolean'], names: /^(?:error|failed)$/, value: 'true' },
  { types: ['boolean'], names: /^(?:success|succeeded|ok)$/, value: 'false' },
]

/** A value of each type, for a required property without a usual name. */
const plain: [JsonType, string][] = [
  ['null', 'null'],
  ['string', "''"],
  ['integer', '0'],
  ['boolean', 'false'],
  ['array', '[]'],
]

/**
 * Writes src/failure-form.ts: a function that makes the failures that the contract declares most often, by the usual names
 * of their properties. It is code to read and edit.
 *
 * @returns undefined if the contract declares no JSON for failures, or RFC 9457, which is the default
 */
export function writeFailureForm(
  document: ContractDocument,
  operations: readonly ContractOperation[],
): string | undefined {
  const declared = commonest(operations.flatMap(failuresOf))
  if (declared === undefined || declared.type.toLowerCase() === 'application/problem+json') return undefined
  const { schema = {} } = declared
  const schemas = document.components?.schemas ?? {}
  const body = valueOf(typesOf(schema, schemas).has('object') ? '' : 'message', schema, schemas)
  const used = known.filter((name) => new RegExp(`\\b${name}\\b(?!:|')`).test(body))
  const type = declared.type.toLowerCase() === 'application/json' ? '' : `  contentType: ${quoted(declared.type)},\n`
  return `import type { FailureForm } from 'fastify-contract'

/** The failures that the server sends by itself, as the contract declares them. Edit what was guessed from their names. */
export const failureForm: FailureForm = (${used.length === 0 ? '' : `{ ${used.join(', ')} }`}) => ({
${type}  body: ${body},
})
`
}

interface DeclaredFailure {
  type: string
  schema: Schema | undefined
}

function failuresOf({ object }: ContractOperation): DeclaredFailure[] {
  const failures = Object.entries(object.responses).filter(([status]) => /^(?:[45]|default$)/.test(status))
  return failures.flatMap(([, { content = {} }]) =>
    Object.entries(content).flatMap(([type, { schema }]) => (isJson(type) ? [{ type, schema }] : [])),
  )
}

function commonest(declared: readonly DeclaredFailure[]): DeclaredFailure | undefined {
  const groups = Object.values(
    Object.groupBy(declared, ({ type, schema }) => `${type} ${JSON.stringify(schema, text)}`),
  )
  return groups.toSorted((a = [], b = []) => b.length - a.length)[0]?.[0]
}

function text(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}

/** More levels are left empty: a schema may contain itself. */
const maxLevels = 4

/** Writes a value of a schema. @param name the name of its property; empty for the body */
function valueOf(name: string, schema: unknown, schemas: NamedSchemas, level = 0): string {
  const types = typesOf(schema, schemas)
  const parts = isSchema(schema) ? partsOf(schema, schemas) : []
  const [fixed] = parts.flatMap(({ const: only, enum: listed }) => [
    ...(only === undefined ? [] : [only]),
    ...listOf(listed),
  ])
  if (fixed !== undefined) return typeof fixed === 'string' ? quoted(fixed) : printable(stringifyJson(fixed))
  const known = usual.find((each) => each.names.test(name.toLowerCase()) && each.types.some((type) => types.has(type)))
  if (known !== undefined) return known.value
  const items = parts.find((part) => part['items'] !== undefined)?.['items']
  if (items !== undefined && level < maxLevels) return `[${valueOf('message', items, schemas, level + 1)}]`
  const properties = new Map(parts.flatMap((part) => Object.entries(objectOf(part['properties']))))
  if (properties.size === 0 || level >= maxLevels) {
    if (types.has('object')) return level === 0 ? '{ code: name, message }' : '{}'
    return plain.find(([type]) => types.has(type))?.[1] ?? 'null'
  }
  const required = parts.flatMap((part) => listOf(part['required']))
  const members = [...properties].flatMap(([key, property]) => {
    const value = valueOf(key, property, schemas, level + 1)
    const isTelling = /^(?:name|status|message)$/.test(value) || (/^errors?$/.test(key) && /\bmessage\b/.test(value))
    if (!isTelling && !required.includes(key)) return []
    return value === key ? [key] : [`${propertyName(key)}: ${value}`]
  })
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

/** The schemas that describe a value: those that always apply, and those of the first alternative. */
function partsOf(schema: Schema, schemas: NamedSchemas): Schema[] {
  const always = inPlace(schema, schemas, 'always')
  const [first] = always.flatMap(({ anyOf, oneOf }) => [...listOf(anyOf), ...listOf(oneOf)])
  return isSchema(first) ? [...always, ...partsOf(first, schemas)] : always
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function objectOf(value: unknown): Schema {
  return isSchema(value) ? value : {}
}
