import { maps } from '../../document/document.ts'
import { unescapeName } from '../../json/pointer.ts'
import { isSchema } from '../../schema/schema-parts.ts'
import type { RedoclyChange } from './redocly-diff.ts'

/**
 * What a change means for clients that kept to the contract before: it can break them, it cannot, or it changes
 * nothing but the documentation.
 */
export type Impact = 'breaking' | 'compatible' | 'editorial'

/** Whether clients send a part of the contract or receive it. */
export type Direction = 'request' | 'response'

/** How the place of a change is used. */
export interface Use {
  /** Whether requests, responses or both have it. */
  directions: ReadonlySet<Direction>
  /** Whether the place is a property that its schema requires. */
  isRequired: boolean
}

/** Members that document the contract and assert nothing. */
const annotations = /^(?:bearerFormat|description|example|examples|externalDocs|info|summary|tags|title)$/

/** Formats of which the second holds every value of the first. */
const widerFormats: Readonly<Record<string, string>> = { int32: 'int64', float: 'double' }

/**
 * Classifies a change that Redocly found. Its own impact stands except where its rules miss a break or report one that
 * is none.
 */
export function classifyChange(change: RedoclyChange, use: Use): { impact: Impact; reason?: string } {
  if (isEditorial(change, use)) return { impact: 'editorial' }
  const reason = missedBreak(change, use)
  if (reason !== undefined) return { impact: 'breaking', reason }
  return { impact: change.impact === 'major' && !isHarmlessFormat(change, use) ? 'breaking' : 'compatible' }
}

function isEditorial({ path, property }: RedoclyChange, { directions }: Use): boolean {
  // The default of what a response may leave out tells a client nothing that the service keeps.
  if (property === 'default' && !directions.has('request')) return true
  const names = path.split('/').map(unescapeName)
  if (property !== undefined && property !== 'key') names.push(property)
  return names.some((name, index) => annotations.test(name) && !maps.includes(names[index - 1] ?? ''))
}

function missedBreak(change: RedoclyChange, { directions, isRequired }: Use): string | undefined {
  const { typeName, kind, path, property, base, revision } = change
  const [was, is] = [base?.value, revision?.value]
  const isOfRequest = directions.has('request')
  const [holder, name] = path.split('/').slice(-2).map(unescapeName)
  const keyword = property ?? (holder === 'properties' ? undefined : name)
  // A client relies on acting for its caller alone.
  if (typeName === 'SecurityRequirement' && kind !== 'removed' && isSchema(is) && Object.keys(is).length === 0)
    return 'no credentials are required any more'
  if (typeName === 'RequestBody' && kind === 'added' && isSchema(is) && is['required'] === true)
    return 'a required body was added'
  if (typeName === 'Header' && property === 'required' && was === true) return 'the header need not be there any more'
  // What a client sends in a property that the service does not read any more is lost without an error.
  if (isOfRequest && typeName === 'SchemaProperties' && kind === 'removed')
    return 'the properties are not read any more'
  if (isOfRequest && typeName === 'Schema') {
    if (holder === 'properties' && kind === 'removed') return 'the property is not read any more'
    if (holder === 'properties' && property === 'key') return `${String(was)} is not read any more`
    if (holder === 'allOf' && kind === 'removed') return 'the properties of an `allOf` subschema are not read any more'
    if (property === 'default') return describeValues('default', was, is)
  }
  if (keyword === 'readOnly' && isOfRequest) {
    if (is === true) return 'readOnly was set: requests may not send it any more'
    if (isRequired) return 'readOnly was removed: requests must send it'
  }
  if (keyword === 'writeOnly' && is === true && directions.has('response'))
    return 'writeOnly was set: responses do not carry it any more'
  return undefined
}

function isHarmlessFormat({ property, base, revision }: RedoclyChange, { directions }: Use): boolean {
  if (property !== 'format') return false
  const [from, to] = [String(base?.value), String(revision?.value)]
  // Where neither is known to be the wider one, the change stays a breaking one.
  return (
    (widerFormats[from] === to && !directions.has('response')) ||
    (widerFormats[to] === from && !directions.has('request'))
  )
}

/** A changed member in words. */
export function describeValues(name: string, before: unknown, after: unknown): string {
  const [from, to] = [before, after].map((value) => (value === undefined ? 'none' : JSON.stringify(value)))
  const words = `${name} changed from ${String(from)} to ${String(to)}`
  return words.length <= 80 ? words : `${name} changed`
}
