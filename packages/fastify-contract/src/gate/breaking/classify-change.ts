import type { RedoclyChange } from './compare-contracts.ts'
import type { Direction } from './directions.ts'
import { maps } from '../../document/document.ts'
import { memberOf, namesOf } from '../check/references.ts'

/**
 * What a change means for clients that kept to the contract before: it can break them, it cannot, or it changes
 * nothing but the documentation.
 */
export type Impact = 'breaking' | 'compatible' | 'editorial'

/** Assertions of a schema for which Redocly 2.77 has no rule. */
const withoutRule: readonly string[] = ['if', 'minContains', 'maxContains', 'patternProperties', 'discriminator']

/** Members that document the contract and assert nothing. */
const annotations: readonly string[] = [
  'bearerFormat',
  'description',
  'example',
  'examples',
  'externalDocs',
  'info',
  'summary',
  'tags',
  'title',
]

/** Formats of which the second holds every value of the first. */
const widerFormats: Readonly<Record<string, string>> = { int32: 'int64', float: 'double' }

/** The impact of a change, and the reason where Redocly gives none. */
export interface Classification {
  impact: Impact
  reason?: string
  /** Why a change that is taken for a breaking one may be none. */
  doubt?: string
}

/** How the place of a change is used. */
export interface Use {
  /** Whether requests, responses or both have it. */
  directions: ReadonlySet<Direction>
  /** Whether the place is a property that its schema requires. */
  isRequired: boolean
}

/**
 * Classifies a change that Redocly found. Its own impact stands except where its rules miss a break or report one that
 * is none.
 */
export function classifyChange(change: RedoclyChange, use: Use): Classification {
  const { directions } = use
  if (isEditorial(change, directions)) return { impact: 'editorial' }
  const missed = missedBreak(change, use)
  if (missed !== undefined) return { impact: 'breaking', reason: missed }
  if (change.impact === 'major' && !isHarmlessFormat(change, directions)) {
    return { impact: 'breaking', ...doubtOf(change, directions) }
  }
  return { impact: 'compatible' }
}

function isEditorial({ path, property }: RedoclyChange, directions: ReadonlySet<Direction>): boolean {
  const names = namesOf(path)
  if (property !== undefined && property !== 'key') names.push(property)
  // The default of what a response may leave out tells a client nothing that the service keeps.
  if (property === 'default' && !directions.has('request')) return true
  return names.some((name, index) => annotations.includes(name) && !maps.includes(names[index - 1] ?? ''))
}

function missedBreak(change: RedoclyChange, { directions, isRequired }: Use): string | undefined {
  const { typeName, kind, path, property, base, revision } = change
  if (typeName === 'RequestBody' && kind === 'added' && memberOf(revision?.value, 'required') === true)
    return 'a required body was added'
  if (typeName === 'Header' && kind === 'modified' && property === 'required' && base?.value === true)
    return 'the header need not be there any more'
  if (path.startsWith('#/x-unmatched-responses/') && kind !== 'added')
    return 'the response to requests that match no operation changed'
  if (directions.has('request')) {
    const lost = lostByRequests(change)
    if (lost !== undefined) return lost
    if (typeName === 'Schema' && property === 'default') return describeValues('default', base?.value, revision?.value)
  }
  const last = namesOf(path).slice(-2)
  const keyword = property ?? (last[0] === 'properties' ? undefined : last[1])
  if (keyword === 'readOnly' && directions.has('request')) {
    if (revision?.value === true) return 'readOnly was set: requests may not send it any more'
    if (isRequired) return 'readOnly was removed: requests must send it'
  }
  if (keyword === 'writeOnly' && revision?.value === true && directions.has('response'))
    return 'writeOnly was set: responses do not carry it any more'
  return keyword !== undefined && withoutRule.includes(keyword) ? `${keyword} was ${kind}` : undefined
}

/** A property that the service does not read any more: what a client sends in it is lost without an error. */
function lostByRequests({ typeName, kind, path, property, base }: RedoclyChange): string | undefined {
  const parent = namesOf(path).at(-2)
  if (typeName === 'SchemaProperties' && kind === 'removed') return 'the properties are not read any more'
  if (typeName !== 'Schema') return undefined
  if (parent === 'properties' && kind === 'removed') return 'the property is not read any more'
  if (parent === 'properties' && property === 'key') return `${String(base?.value)} is not read any more`
  if (parent === 'allOf' && kind === 'removed') return 'the properties of an `allOf` subschema are not read any more'
  return undefined
}

function isHarmlessFormat({ property, base, revision }: RedoclyChange, directions: ReadonlySet<Direction>): boolean {
  if (property !== 'format') return false
  const [from, to] = [String(base?.value), String(revision?.value)]
  // Where neither is known to be the wider one, the change stays a breaking one.
  if (widerFormats[from] === to) return !directions.has('response')
  if (widerFormats[to] === from) return !directions.has('request')
  return false
}

/** Whether one pattern accepts all texts of another is not decided here. One that is added or removed is decided. */
function doubtOf({ property, base, revision }: RedoclyChange, directions: ReadonlySet<Direction>): { doubt?: string } {
  if (property !== 'pattern' || base?.value === undefined || revision?.value === undefined) return {}
  const inRequests = 'the new one accepts every text that the old one does'
  const inResponses = 'the old one accepts every text that the new one does'
  const conditions = [
    ...(directions.has('request') ? [inRequests] : []),
    ...(directions.has('response') ? [inResponses] : []),
  ]
  return { doubt: `possibly breaking: it is compatible if ${conditions.join(', and ')}` }
}

/** A changed member in words. */
export function describeValues(name: string, before: unknown, after: unknown): string {
  const [from, to] = [before, after].map((value) => (value === undefined ? 'none' : JSON.stringify(value)))
  const words = `${name} changed from ${String(from)} to ${String(to)}`
  return words.length <= 80 ? words : `${name} changed`
}
