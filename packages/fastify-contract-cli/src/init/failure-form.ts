import type { FailureForm, ServerFailure } from 'fastify-contract'
import { type ContractDocument, type ContractOperation, isJson } from 'fastify-contract/document'
import { type JsonType, type NamedSchemas, type Schema, inPlace, isSchema, typesOf } from 'fastify-contract/schema'
import { printable, stringifyJson } from 'fastify-contract/json'
import { propertyName, quoted } from './typescript.ts'

/** The variables that a form may use. */
const known = ['name', 'status', 'message'] as const

/** A value of a failure: an expression of TypeScript, and what it gives. */
interface Expression {
  code: string
  of: (failure: ServerFailure) => unknown
}

const constant = (code: string, value: unknown): Expression => ({ code, of: () => value })
const variable = (name: (typeof known)[number]): Expression => ({ code: name, of: (failure) => failure[name] })
const now: Expression = { code: 'new Date().toISOString()', of: () => new Date().toISOString() }

/** What usually stands under a name, by the type of its value. */
const usual: { types: readonly JsonType[]; names: RegExp; value: Expression }[] = [
  {
    types: ['string'],
    names: /^(?:.*message|msg|detail|details|(?:error_?)?description|reason|text)$/,
    value: variable('message'),
  },
  {
    types: ['string'],
    names: /^(?:(?:error_?)?code|error|type|name|key|title|status)$/,
    value: variable('name'),
  },
  {
    types: ['integer', 'number'],
    names: /^(?:(?:http_?)?status(?:_?code)?|(?:error_?)?code|error)$/,
    value: variable('status'),
  },
  { types: ['string'], names: /^(?:timestamp|time|date)$/, value: now },
  { types: ['boolean'], names: /^(?:error|failed)$/, value: constant('true', true) },
  { types: ['boolean'], names: /^(?:success|succeeded|ok)$/, value: constant('false', false) },
]

/** A value of each type, for a required property without a usual name. */
const plain: [JsonType, Expression][] = [
  ['null', constant('null', null)],
  ['string', constant("''", '')],
  ['integer', constant('0', 0)],
  ['boolean', constant('false', false)],
  ['array', constant('[]', [])],
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
  const declared = declaredForm(document, operations)
  if (declared === undefined) return undefined
  const { code } = declared.body
  const used = known.filter((name) => new RegExp(`\\b${name}\\b(?!:|')`).test(code))
  const type = declared.type.toLowerCase() === 'application/json' ? '' : `  contentType: ${quoted(declared.type)},\n`
  return `import type { FailureForm } from 'fastify-contract'

/** The failures that the server sends by itself, as the contract declares them. Edit what was guessed from their names. */
export const failureForm: FailureForm = (${used.length === 0 ? '' : `{ ${used.join(', ')} }`}) => ({
${type}  body: ${code},
})
`
}

/** The function that `writeFailureForm` writes. */
export function failureFormOf(
  document: ContractDocument,
  operations: readonly ContractOperation[],
): FailureForm | undefined {
  const declared = declaredForm(document, operations)
  if (declared === undefined) return undefined
  return (failure) => ({ contentType: declared.type, body: declared.body.of(failure) })
}

/** The form that the contract declares most often; undefined for the default one. */
function declaredForm(document: ContractDocument, operations: readonly ContractOperation[]) {
  const declared = commonest(operations.flatMap(failuresOf))
  if (declared === undefined || declared.type.toLowerCase() === 'application/problem+json') return undefined
  const { type, schema = {} } = declared
  const schemas = document.components?.schemas ?? {}
  const name = typesOf(schema, schemas).has('object') ? '' : 'message'
  return { type, body: valueOf(name, schema, schemas) }
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
function valueOf(name: string, schema: unknown, schemas: NamedSchemas, level = 0): Expression {
  const types = typesOf(schema, schemas)
  const parts = isSchema(schema) ? partsOf(schema, schemas) : []
  const [fixed] = parts.flatMap(({ const: only, enum: listed }) => [
    ...(only === undefined ? [] : [only]),
    ...listOf(listed),
  ])
  if (fixed !== undefined) {
    return constant(typeof fixed === 'string' ? quoted(fixed) : printable(stringifyJson(fixed)), fixed)
  }
  const known = usual.find((each) => each.names.test(name.toLowerCase()) && each.types.some((type) => types.has(type)))
  if (known !== undefined) return known.value
  const items = parts.find((part) => part['items'] !== undefined)?.['items']
  if (items !== undefined && level < maxLevels) {
    const item = valueOf('message', items, schemas, level + 1)
    return { code: `[${item.code}]`, of: (failure) => [item.of(failure)] }
  }
  const properties = new Map(parts.flatMap((part) => Object.entries(objectOf(part['properties']))))
  if (properties.size === 0 || level >= maxLevels) {
    if (types.has('object')) return level === 0 ? codeAndMessage : constant('{}', {})
    return plain.find(([type]) => types.has(type))?.[1] ?? constant('null', null)
  }
  const required = parts.flatMap((part) => listOf(part['required']))
  const members = [...properties].flatMap(([key, property]): [string, Expression][] => {
    const value = valueOf(key, property, schemas, level + 1)
    const { code } = value
    const isTelling = /^(?:name|status|message)$/.test(code) || (/^errors?$/.test(key) && /\bmessage\b/.test(code))
    return isTelling || required.includes(key) ? [[key, value]] : []
  })
  return {
    code: members.length === 0 ? '{}' : `{ ${members.map(written).join(', ')} }`,
    of: (failure) => Object.fromEntries(members.map(([key, value]) => [key, value.of(failure)])),
  }
}

const codeAndMessage: Expression = {
  code: '{ code: name, message }',
  of: ({ name, message }) => ({ code: name, message }),
}

function written([key, { code }]: [string, Expression]): string {
  return code === key ? key : `${propertyName(key)}: ${code}`
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
