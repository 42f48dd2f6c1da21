import { type ContractOperation, isJson } from 'fastify-contract/document'
import { printable, stringifyJson } from 'fastify-contract/json'
import type { Schema } from 'fastify-contract/schema'
import { isReply } from '../mock/conform.ts'
import type { SchemaSource } from '../suite/draw/flat-schema.ts'
import { attempt } from '../suite/ground/no-generator.ts'
import { isObject } from '../suite/ground/members.ts'
import { plainValue } from '../suite/draw/plain-value.ts'
import { propertyName, quoted } from './typescript.ts'

/** The parts of a failure that its body can tell. */
export interface FailureParts {
  status: number
  message: string
}

/** The members of a body that take a part of the failure, by their names. */
const partOf: Record<string, keyof FailureParts> = { status: 'status', message: 'message', detail: 'message' }

/** Failures of which a member takes a part always: a constant, a format or a pattern excludes one of them. */
const samples: FailureParts[] = [
  { status: 400, message: 'body/name must be a string' },
  { status: 503, message: 'query/limit is required' },
]

/** The form in which a contract declares its failures. */
export interface DeclaredForm {
  /** A media type of JSON. */
  type: string
  schema: Schema
  /** A plain value of the schema. */
  body: unknown
}

/**
 * Finds the JSON that a contract declares most often for failures.
 *
 * @returns undefined if it has none, no known value, or is RFC 9457, which is the default
 */
export function declaredForm(operations: readonly ContractOperation[], source: SchemaSource): DeclaredForm | undefined {
  const declared = operations.flatMap(({ object }) =>
    Object.entries(object.responses)
      .filter(([status]) => /^(?:[45]|default$)/.test(status))
      .flatMap(([, { content = {} }]) => Object.entries(content).filter(([type]) => isJson(type))),
  )
  const groups = Map.groupBy(declared, ([type, { schema = {} }]) => `${type} ${stringifyJson(schema)}`)
  const [commonest] = [...groups.values()].toSorted((a, b) => b.length - a.length)[0] ?? []
  if (commonest === undefined || commonest[0].toLowerCase() === 'application/problem+json') return undefined
  const anyObject: Schema = { type: 'object' }
  const [type, { schema = anyObject }] = commonest
  const body = attempt('', {}, () => plainValue(schema, source))
  return body === undefined ? undefined : { type, schema, body }
}

/** The members of a body that take their part of each failure. */
function filledMembers(
  { body, schema }: Omit<DeclaredForm, 'type'>,
  source: SchemaSource,
  failures: readonly FailureParts[],
) {
  if (!isObject(body)) return new Map<string, keyof FailureParts>()
  const takes = ([name, part]: [string, keyof FailureParts]) =>
    Object.hasOwn(body, name) &&
    failures.every((failure) => isReply({ ...body, [name]: failure[part] }, schema, source))
  return new Map(Object.entries(partOf).filter(takes))
}

/** A body whose members tell of a failure what they allow. */
export function filledBody(form: Omit<DeclaredForm, 'type'>, source: SchemaSource, failure: FailureParts): unknown {
  const members = [...filledMembers(form, source, [failure])].map(([name, part]) => [name, failure[part]])
  return isObject(form.body) ? { ...form.body, ...Object.fromEntries(members) } : form.body
}

/** Writes src/failure-form.ts: a function that makes the failures of a declared form. It is code to read and edit. */
export function writeFailureForm(form: DeclaredForm, source: SchemaSource): string {
  const parts = [...new Set(filledMembers(form, source, samples).values())]
  const remedy = '// No member tells `message`, the reason: say where it belongs.\n'
  const type = form.type.toLowerCase() === 'application/json' ? '' : `  contentType: ${quoted(form.type)},\n`
  return `import type { FailureForm } from 'fastify-contract'

/** The failures that the server sends by itself, as the contract declares them. Edit the plain values. */
${parts.includes('message') ? '' : remedy}export const failureForm: FailureForm = (${parts.length === 0 ? '' : `{ ${parts.join(', ')} }`}) => ({
${type}  body: ${bodyCode(form, source, { status: 'status', message: 'message' })},
})
`
}

/** The body of a form as TypeScript. @param parts the expressions of the parts of the failure */
export function bodyCode(form: DeclaredForm, source: SchemaSource, parts: Record<keyof FailureParts, string>): string {
  const taken = filledMembers(form, source, samples)
  return codeOf(form.body, (name) => {
    const part = taken.get(name)
    return part && parts[part]
  })
}

/** A value of JSON as TypeScript. @param memberCode the expressions of members that are no values */
function codeOf(value: unknown, memberCode?: (name: string) => string | undefined): string {
  if (typeof value === 'string') return quoted(value)
  if (typeof value === 'bigint' && !Number.isSafeInteger(Number(value))) return `${String(value)}n`
  if (Array.isArray(value)) return `[${value.map((item) => codeOf(item)).join(', ')}]`
  if (!isObject(value)) return printable(stringifyJson(value))
  const members = Object.entries(value).map(([name, member]) => {
    const code = memberCode?.(name)
    return code === name ? name : `${propertyName(name)}: ${code ?? codeOf(member)}`
  })
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}
