import { type ContractDocument, type SecurityRequirement, operationsOf } from '../../document/document.ts'
import type { Impact } from './classify-change.ts'

/** A change that this project's own code finds, because Redocly does not see it or sees it otherwise. */
export interface OwnChange {
  impact: Impact
  /** Its place in the contract, with references followed. */
  path: readonly string[]
  words: string
}

/** Finds what changed for clients in the security in effect, in integers, and in the answers to unmatched requests. */
export function ownChanges(before: ContractDocument, after: ContractDocument): OwnChange[] {
  return [securityChanges, numberChanges, unmatchedChanges].flatMap((find) => find(before, after))
}

/**
 * Compares what each operation requires as security, wherever in the document that is written. It breaks a client when
 * credentials that were enough no longer are, and when none are required any more: a client relies on acting for its
 * caller alone. A further alternative, and one that requires less, is compatible.
 */
function securityChanges(before: ContractDocument, after: ContractDocument): OwnChange[] {
  const current = new Map(operationsOf(after).map((operation) => [`${operation.method} ${operation.path}`, operation]))
  return operationsOf(before).flatMap(({ method, path, security }): OwnChange[] => {
    const operation = current.get(`${method} ${path}`)
    if (operation === undefined) return []
    const [old, now] = [alternativesOf(security), alternativesOf(operation.security)]
    const [wasWords, isWords] = [inWords(old), inWords(now)]
    if (wasWords === isWords) return []
    const isRefused = old.some((credentials) => !now.some((requirement) => suffices(credentials, requirement)))
    const isOpened = now.some(isEmpty) && !old.some(isEmpty)
    return [
      {
        impact: isRefused || isOpened ? 'breaking' : 'compatible',
        path: ['paths', path, method, 'security'],
        words: `requires ${isWords} instead of ${wasWords}`,
      },
    ]
  })
}

/** OpenAPI writes that no credentials are required as no alternative at all, or as an empty one. */
function alternativesOf(security: SecurityRequirement[]): SecurityRequirement[] {
  return security.length === 0 ? [{}] : security
}

/** Whether credentials that were made for one requirement meet another. */
function suffices(credentials: SecurityRequirement, requirement: SecurityRequirement): boolean {
  return Object.entries(requirement).every(
    ([scheme, scopes]) =>
      scopes.every((scope) => credentials[scheme]?.includes(scope)) && Object.hasOwn(credentials, scheme),
  )
}

function isEmpty(requirement: SecurityRequirement): boolean {
  return Object.keys(requirement).length === 0
}

/** The alternatives in words that are equal where the alternatives are, in whatever order they are written. */
function inWords(alternatives: SecurityRequirement[]): string {
  const words = alternatives.map((requirement) => {
    const schemes = Object.entries(requirement).map(([scheme, scopes]) =>
      scopes.length === 0 ? scheme : `${scheme} with ${scopes.toSorted().join(', ')}`,
    )
    return schemes.length === 0 ? 'no credentials' : schemes.sort().join(' and ')
  })
  return [...new Set(words)].sort().join(' or ')
}

/** Members that say nothing a client could break on. */
const annotations: readonly string[] = ['example', 'examples', 'default', 'description']

/**
 * The integers of a contract that changed while the doubles nearest to them did not, such as a bound of
 * 9223372036854775807 that became …806. Redocly reads numbers as doubles and does not see that. What several places
 * share is compared where it is met first.
 */
function numberChanges(before: ContractDocument, after: ContractDocument): OwnChange[] {
  const changes: OwnChange[] = []
  const path: string[] = []
  const compared = new Map<object, Set<unknown>>()

  function walk(old: unknown, now: unknown): void {
    if (isNumeric(old) && isNumeric(now)) {
      if (old === now || Number(old) !== Number(now)) return
      changes.push({ impact: 'breaking', path: [...path], words: `changed from ${String(old)} to ${String(now)}` })
    }
    if (typeof old !== 'object' || old === null || typeof now !== 'object' || now === null) return
    const known = compared.get(old) ?? new Set()
    if (known.has(now)) return
    compared.set(old, known.add(now))
    for (const [name, member] of Object.entries(old)) {
      if (annotations.includes(name)) continue
      path.push(name)
      walk(member, (now as Record<string, unknown>)[name])
      path.pop()
    }
  }

  walk(before, after)
  return changes
}

function isNumeric(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}

/**
 * Compares the answers to requests that match no operation, which Redocly does not see. It breaks a client when an
 * answer, one of its media types or a required header is no longer there. Their schemas are those of operations, too.
 */
function unmatchedChanges(before: ContractDocument, after: ContractDocument): OwnChange[] {
  const [old, responses] = [before['x-unmatched-responses'] ?? {}, after['x-unmatched-responses'] ?? {}]
  const added = Object.keys(responses).filter((status) => old[status] === undefined)
  const lost = Object.entries(old).flatMap(([status, { headers = {}, content = {} }]) => {
    const path = ['x-unmatched-responses', status]
    const now = responses[status]
    const broken = (words: string): OwnChange => ({ impact: 'breaking', path, words })
    if (now === undefined) return [broken('the answer to requests that match no operation was removed')]
    const lostHeaders = Object.entries(headers)
      .filter(([name, { required }]) => required === true && now.headers?.[name]?.required !== true)
      .map(([name]) => broken(`the header ${name} is no longer required`))
    const lostTypes = Object.keys(content)
      .filter((type) => now.content?.[type] === undefined)
      .map((type) => broken(`the media type ${type} was removed`))
    return [...lostHeaders, ...lostTypes]
  })
  const words = 'the answer to requests that match no operation was added'
  return [
    ...lost,
    ...added.map((status): OwnChange => ({ impact: 'compatible', path: ['x-unmatched-responses', status], words })),
  ]
}
