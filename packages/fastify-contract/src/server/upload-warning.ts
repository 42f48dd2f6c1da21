import { kindOf } from '../document/media-type.ts'
import type { BoundOperation } from '../engine/engine.ts'
import { defaultLimits } from './limits.ts'

/**
 * Warns of operations that take files, where bodies have the limit that is meant for JSON.
 *
 * @param limit the maximum size of a body, in bytes
 * @returns undefined without such operations, or with another limit
 */
export function uploadWarning(
  operations: readonly Pick<BoundOperation, 'id' | 'bodyTypes'>[],
  limit: number,
): string | undefined {
  const [first, ...others] = operations.filter(({ bodyTypes }) => bodyTypes.some(isUpload))
  if (first === undefined || limit !== defaultLimits.bodyBytes) return undefined
  const more = others.length > 0 ? ` and ${String(others.length)} more` : ''
  const verb = others.length > 0 ? 'take' : 'takes'
  const remedy = 'set the option limits.bodyBytes, or the variable that the service reads it from'
  return `${first.id}${more} ${verb} files, but a body has at most ${String(limit)} bytes; ${remedy}`
}

/** Documents of XML and the like are not files. */
function isUpload(type: string): boolean {
  const kind = kindOf(type)
  return kind === 'multipart' || (kind === 'bytes' && !/xml|yaml/i.test(type))
}
