import { type ContractDocument, type SecurityRequirement, operationsOf } from '../../../src/contract/document.ts'
import type { OwnChange } from './compare-contracts.ts'

/**
 * Compares what each operation requires as security, wherever in the document that is written. It breaks a client when
 * credentials that were enough no longer are, and when none are required any more: a client relies on acting for its
 * caller alone. A further alternative, and one that requires less, is compatible.
 */
export function securityChanges(before: ContractDocument, after: ContractDocument): OwnChange[] {
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
