import { escapeName } from '../../json/pointer.ts'
import { follow } from '../check/references.ts'

/** Whether clients send a part of the contract or receive it. */
export type Direction = 'request' | 'response'

/**
 * Finds in which directions each component of a contract is used, through references of references, too.
 *
 * @param document the contract with its references
 * @returns the directions by JSON pointer, such as `#/components/schemas/Plant`
 */
export function componentDirections(document: Record<string, unknown>): Map<string, Set<Direction>> {
  const found = new Map<string, Set<Direction>>()

  function walk(node: unknown, pointer: string): void {
    if (typeof node !== 'object' || node === null) return
    const reference = '$ref' in node && typeof node.$ref === 'string' ? node.$ref : undefined
    const direction = directionOfPath(pointer)
    if (reference !== undefined && direction !== undefined) {
      const directions = found.get(reference) ?? new Set()
      const isNew = !directions.has(direction)
      found.set(reference, directions.add(direction))
      // The component is walked as if it were written here.
      if (isNew) walk(follow(document, reference), pointer)
    }
    for (const [name, member] of Object.entries(node)) walk(member, `${pointer}/${escapeName(name)}`)
  }

  walk(document['paths'], '#/paths')
  walk(document['x-unmatched-responses'], '#/x-unmatched-responses')
  return found
}

/** In which direction a place of an operation is; undefined where it is in neither. */
export function directionOfPath(pointer: string): Direction | undefined {
  if (/^#\/paths\/[^/]+\/(?:[a-z]+\/)?(?:parameters|requestBody)(?:\/|$)/.test(pointer)) return 'request'
  if (/^#\/(?:paths\/[^/]+\/[a-z]+\/responses|x-unmatched-responses)(?:\/|$)/.test(pointer)) return 'response'
  return undefined
}
