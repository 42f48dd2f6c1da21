import type { ContractOperation } from '../document/document.ts'
import { kindOf } from '../document/media-type.ts'
import type { BoundOperation } from '../engine/engine.ts'
import type { SplitTarget } from '../engine/request-target.ts'
import { defaultLimits } from './limits.ts'

/** Names the operations of a warning. */
export function named([first = '', ...others]: readonly string[]): string {
  return others.length > 0 ? `${first} and ${String(others.length)} more` : first
}

/**
 * Warns of operations that take files, where these bodies have the limit that is meant for JSON.
 *
 * @returns undefined without such operations, or with another limit
 */
export function uploadWarning(
  operations: readonly Pick<BoundOperation, 'id' | 'bodyTypes' | 'bodyLimits'>[],
  limit: number,
): string | undefined {
  const ids = operations
    .filter(({ bodyTypes, bodyLimits }) => bodyTypes.some((type, at) => isUpload(type) && bodyLimits[at] === undefined))
    .map(({ id }) => id)
  if (ids.length === 0 || limit !== defaultLimits.bodyBytes) return undefined
  const verb = ids.length > 1 ? 'take' : 'takes'
  const ownLimit = 'give a binary body a maxLength in the contract'
  const remedy = `${ownLimit}, or set the option limits.bodyBytes, or the variable that the service reads it from`
  return `${named(ids)} ${verb} files, but a body has at most ${String(limit)} bytes; ${remedy}`
}

/** Documents of XML and the like are not files. */
function isUpload(type: string): boolean {
  const kind = kindOf(type)
  return kind === 'multipart' || (kind === 'bytes' && !/xml|yaml/i.test(type))
}

/**
 * Warns of operations whose path has `;`, where it begins the query.
 *
 * @param operations with base paths that include the prefix of the server
 * @returns undefined without such operations, or on any other server
 */
export function semicolonWarning(
  operations: readonly Pick<ContractOperation, 'id' | 'path' | 'parameters' | 'basePaths'>[],
  splitTarget: SplitTarget,
): string | undefined {
  const cut = operations.filter(({ path, parameters, basePaths }) => {
    const matrix = parameters.filter((one) => one.in === 'path' && one.style === 'matrix')
    const sent = matrix.reduce((all, { name }) => all.replace(`{${name}}`, ';'), path)
    return basePaths.some((base) => splitTarget(base + sent).path !== base + sent)
  })
  if (cut.length === 0) return undefined
  const verb = cut.length > 1 ? 'have' : 'has'
  const remedy = 'where the query begins on this server; remove useSemicolonDelimiter'
  return `${named(cut.map(({ id }) => id))} ${verb} ; in the path, ${remedy}`
}
