import type { FailureReply, ServerFailure } from 'fastify-contract'
import { type ContractDocument, type ContractOperation, isJson } from 'fastify-contract/document'
import {
  type JsonType,
  type NamedSchemas,
  type Schema,
  alternativesOf,
  inPlace,
  isSchema,
  requiredBy,
  typesOf,
} from 'fastify-contract/schema'
import { mapMembers, printable, stringifyJson } from 'fastify-contract/json'
import { propertyName, quoted } from './typescript.ts'

/** A part of a form that each failure fills in. */
class Variable {
  readonly name: 'name' | 'status' | 'message' | 'now'

  constructor(name: Variable['name']) {
    this.name = name
  }
}

const [name, status, message] = [new Variable('name'), new Variable('status'), new Variable('message')]

type Usual = [types: JsonType[], names: RegExp, value: unknown]

/** What usually stands under a name, by the type of its value. A name is in lower case, without `_` and `-`. */
const usual: Usual[] = [
  [['string'], /^(?:.*message|.*msg|details?|(?:error)?description|(?:error)?reason|(?:error)?text)$/, message],
  [['string'], /^(?:(?:error)?code|error|type|name|key|title|status)$/, name],
  [['integer', 'number'], /^(?:(?:http)?status(?:code)?|(?:error)?code|error)$/, status],
  [['string'], /^(?:timestamp|time|date)$/, new Variable('now')],
  [['boolean'], /^(?:error|failed)$/, true],
]

/** Where else the message may stand. */
const likely: Usual = [
  ['string'],
  /^(?!.*(?:code|type|id|key)$).*(?:err|fault|problem|cause|title|summary|info|result)/,
  message,
]

/** The names of lists whose texts are messages; empty for the body. */
const ofReasons = /^$|err|fault|problem|message|msg|detail|reason|issue|description|cause|text/

/** How the place of the message is searched for: by the usual names, then within what is optional, then by others. */
const searches = [
  { names: usual, isDeep: false },
  { names: usual, isDeep: true },
  { names: [likely, ...usual], isDeep: true },
]
type Search = (typeof searches)[number]

/** A value of each type, for a required property without a usual name. */
const plain: [JsonType, unknown][] = [
  ['null', null],
  ['string', ''],
  ['integer', 0],
  ['boolean', false],
  ['array', []],
]

/**
 * Writes src/failure-form.ts: a function that makes the failures that the contract declares most often, by the usual names
 * of their properties. It is code to read and edit.
 *
 * @returns undefined if the contract declares no JSON for failures that has a place for the message, or RFC 9457, which is
 *   the default
 */
export function writeFailureForm(
  document: ContractDocument,
  operations: readonly ContractOperation[],
): string | undefined {
  const form = declaredForm(document, operations)
  if (form === undefined) return undefined
  const used = [name, status, message].filter((variable) => has(form.body, variable)).map((each) => each.name)
  const type = form.type.toLowerCase() === 'application/json' ? '' : `  contentType: ${quoted(form.type)},\n`
  return `import type { FailureForm } from 'fastify-contract'

/** The failures that the server sends by itself, as the contract declares them. Edit what was guessed from their names. */
export const failureForm: FailureForm = (${used.length === 0 ? '' : `{ ${used.join(', ')} }`}) => ({
${type}  body: ${codeOf(form.body)},
})
`
}

/** A failure with a name of any kind. */
type NamedFailure = Omit<ServerFailure, 'name'> & { name: string }

/** The function that `writeFailureForm` writes. */
export function failureFormOf(
  document: ContractDocument,
  operations: readonly ContractOperation[],
): ((failure: NamedFailure) => FailureReply) | undefined {
  const form = declaredForm(document, operations)
  return form && ((failure) => ({ contentType: form.type, body: filled(form.body, failure) }))
}

/** The form that the contract declares most often: JSON with variables. Undefined for the default one, also without a message. */
function declaredForm(document: ContractDocument, operations: readonly ContractOperation[]) {
  const declared = operations.flatMap(({ object }) =>
    Object.entries(object.responses)
      .filter(([status]) => /^(?:[45]|default$)/.test(status))
      .flatMap(([, { content = {} }]) => Object.entries(content).filter(([type]) => isJson(type))),
  )
  const groups = Map.groupBy(declared, ([type, { schema = {} }]) => `${type} ${stringifyJson(schema)}`)
  const [commonest] = [...groups.values()].toSorted((a, b) => b.length - a.length)[0] ?? []
  if (commonest === undefined || commonest[0].toLowerCase() === 'application/problem+json') return undefined
  const [type, { schema = {} }] = commonest
  const schemas = document.components?.schemas ?? {}
  const key = typesOf(schema, schemas).has('object') ? '' : 'message'
  const bodies = searches.map((search) => valueOf(key, schema, { ...search, schemas, level: 0 }))
  const body = bodies.find((each) => has(each, message))
  return body === undefined ? undefined : { type, body }
}

/** More levels are left empty: a schema may contain itself. */
const maxLevels = 4

interface Place extends Search {
  schemas: NamedSchemas
  level: number
}

/** A value of a schema. @param key the name of its property; empty for the body */
function valueOf(key: string, schema: unknown, place: Place): unknown {
  const { names, isDeep, schemas, level } = place
  const inside = { ...place, level: level + 1 }
  const types = typesOf(schema, schemas)
  const parts = isSchema(schema) ? partsOf(schema, schemas) : []
  const fixed = parts.flatMap(({ const: only, enum: listed }) => (only === undefined ? listOf(listed) : [only]))
  if (fixed.length > 0) return fixed[0]
  const plainKey = key.toLowerCase().replaceAll(/[_-]/g, '')
  const known = names.find(([of, expected]) => expected.test(plainKey) && of.some((type) => types.has(type)))
  if (known !== undefined) return known[2]
  const items = parts.find((part) => part['items'] !== undefined)?.['items']
  if (items !== undefined && level < maxLevels) {
    const item = valueOf(ofReasons.test(plainKey) ? 'message' : '', items, inside)
    return has(item, message) ? [item] : []
  }
  const properties = new Map(
    parts.flatMap((part) => Object.entries(isSchema(part['properties']) ? part['properties'] : {})),
  )
  if (properties.size === 0 || level >= maxLevels) {
    if (types.has('object')) return level === 0 ? { code: name, message } : {}
    return plain.find(([type]) => types.has(type))?.[1] ?? null
  }
  const required = parts.flatMap(requiredBy)
  const members = [...properties].map(([each, property]) => [each, valueOf(each, property, inside)] as const)
  const isTold = ([each, value]: readonly [string, unknown]) =>
    required.includes(each) ||
    [name, status, message].some((one) => one === value) ||
    ((isDeep || /^errors?$/.test(each)) && has(value, message))
  return Object.fromEntries(members.filter(isTold))
}

/** The schemas that describe a value: those that always apply, and those of the first alternative. */
function partsOf(schema: Schema, schemas: NamedSchemas): Schema[] {
  const always = inPlace(schema, schemas, 'always')
  const [first] = always.flatMap(alternativesOf).flat()
  return isSchema(first) ? [...always, ...partsOf(first, schemas)] : always
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** Whether a value has a variable. */
function has(value: unknown, variable: Variable): boolean {
  if (typeof value !== 'object' || value === null) return false
  return value === variable || Object.values(value).some((each) => has(each, variable))
}

/** A value as TypeScript. */
export function codeOf(value: unknown): string {
  if (value instanceof Variable) return value.name === 'now' ? 'new Date().toISOString()' : value.name
  if (typeof value === 'string') return quoted(value)
  if (Array.isArray(value)) return `[${value.map(codeOf).join(', ')}]`
  if (!isSchema(value)) return printable(stringifyJson(value))
  const members = Object.entries(value).map(([key, each]) =>
    each instanceof Variable && each.name === key ? key : `${propertyName(key)}: ${codeOf(each)}`,
  )
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

function filled(value: unknown, failure: NamedFailure): unknown {
  if (value instanceof Variable) return value.name === 'now' ? new Date().toISOString() : failure[value.name]
  return mapMembers(value, (each) => filled(each, failure))
}
