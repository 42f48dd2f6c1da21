import { type ContractDocument, type SecurityRequirement, operationsOf } from '../../../src/contract/document.ts'
import type { Change } from './compare-contracts.ts'

/**
 * Compares what each operation requires as security, wherever in the document that is written. It breaks a client when
 * credentials that were enough no longer are, and when none are required any more: a client relies on acting for its
 * caller alone. A further alternative is safe.
 */
export function securityChanges(before: ContractDocument, after: ContractDocument): Change[] {
  const current = new Map(operationsOf(after).map((operation) => [`${operation.method} ${operation.path}`, operation]))
  return operationsOf(before).flatMap(({ method, path, security }) => {
    const operation = current.get(`${method} ${path}`)
    if (operation === undefined) return []
    const [old, now] = [alternatives(security), alternatives(operation.security)]
    const [lost, gained] = [
      old.filter((alternative) => !now.includes(alternative)),
      now.filter((alternative) => !old.includes(alternative)),
    ]
    if (lost.length === 0 && gained.length === 0) return []
    return [
      {
        breaks: lost.length > 0 || gained.includes(none),
        text: `${method.toUpperCase()} ${path}: requires ${now.join(' or ')} instead of ${old.join(' or ')}`,
      },
    ]
  })
}

const none = 'no credentials'

/** Each alternative in words that are equal where the alternatives are. */
function alternatives(security: SecurityRequirement[]): string[] {
  if (security.length === 0) return [none]
  return security.map((requirement) => {
    const schemes = Object.entries(requirement).map(([scheme, scopes]) =>
      scopes.length === 0 ? scheme : `${scheme} with ${scopes.toSorted().join(', ')}`,
    )
    return schemes.length === 0 ? none : schemes.sort().join(' and ')
  })
}
