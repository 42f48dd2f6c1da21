import { type ContractOperation, isJson } from 'fastify-contract/document'
import { printable, stringifyJson } from 'fastify-contract/json'
import type { Schema } from 'fastify-contract/schema'
import { isReply } from '../mock/conform.ts'
import type { SchemaSource } from '../suite/draw/flat-schema.ts'
import { attempt } from '../suite/ground/no-generator.ts'
import { type Place, isList, isObject, replaced } from '../suite/ground/members.ts'
import { plainValue } from '../suite/draw/plain-value.ts'
import { propertyName, quoted } from './typescript.ts'

/** The parts of a failure that its body can tell. */
export interface FailureParts {
  status: number
  message: string
}

/** The names of members that tell why a request failed, or hold such a member; the plainest first. */
const reasons = [
  /(?:message|msg)s?$/i,
  /details?$/i,
  /description$/i,
  /reasons?$/i,
  /(?:error|fault|problem)s?$/i,
  /^title$/i,
]

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

/** The places in a body that may tell the status, or else the reason. */
function placesIn(value: unknown, part: keyof FailureParts, place: Place = []): Place[] {
  if (isList(value)) return value.length === 0 ? [] : placesIn(value[0], part, [...place, 0])
  if (!isObject(value)) return [place]
  const isTold = (name: string) => (name === 'status' ? part === 'status' : rankOf([name]) >= 0)
  return Object.entries(value).flatMap(([name, member]) =>
    isTold(name) ? placesIn(member, part, [...place, name]) : [],
  )
}

/** How plainly a member tells the reason, by its name; -1 for not at all. */
function rankOf(place: Place): number {
  const name = place.findLast((each) => typeof each === 'string') ?? ''
  return reasons.findIndex((expression) => expression.test(name))
}

/** The place in a body for each part that can be told of the failures. */
function toldParts(
  { body, schema }: Omit<DeclaredForm, 'type'>,
  source: SchemaSource,
  failures: readonly FailureParts[],
): [keyof FailureParts, Place][] {
  return (['status', 'message'] as const).flatMap((part): [keyof FailureParts, Place][] => {
    const places = placesIn(body, part).toSorted((a, b) => a.length - b.length || rankOf(a) - rankOf(b))
    const fits = (place: Place) =>
      failures.every((failure) => isReply(replaced(body, place, failure[part]), schema, source))
    const place = places.find(fits)
    return place === undefined ? [] : [[part, place]]
  })
}

/** A body that tells of a failure what it can. */
export function filledBody(form: Omit<DeclaredForm, 'type'>, source: SchemaSource, failure: FailureParts): unknown {
  const parts = toldParts(form, source, [failure])
  return parts.reduce((body, [part, place]) => replaced(body, place, failure[part]), form.body)
}

/** Writes src/failure-form.ts: a function that makes the failures of a declared form. It is code to read and edit. */
export function writeFailureForm(form: DeclaredForm, source: SchemaSource): string {
  const parts = toldParts(form, source, samples).map(([part]) => part)
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
  const told = toldParts(form, source, samples).map(([part, place]) => [place.join('/'), parts[part]] as const)
  return codeOf(form.body, new Map(told))
}

/** A value of JSON as TypeScript. @param codes expressions that stand in place of values, by the places of these */
function codeOf(value: unknown, codes: ReadonlyMap<string, string>, place: Place = []): string {
  const code = codes.get(place.join('/'))
  if (code !== undefined) return code
  if (typeof value === 'string') return quoted(value)
  if (typeof value === 'bigint' && !Number.isSafeInteger(Number(value))) return `${String(value)}n`
  if (isList(value)) return `[${value.map((item, index) => codeOf(item, codes, [...place, index])).join(', ')}]`
  if (!isObject(value)) return printable(stringifyJson(value))
  const members = Object.entries(value).map(([name, member]) => {
    const written = codeOf(member, codes, [...place, name])
    return written === name ? name : `${propertyName(name)}: ${written}`
  })
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}
