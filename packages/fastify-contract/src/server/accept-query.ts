import type { onRequestHookHandler } from 'fastify'
import { parseMediaType } from '../document/media-type.ts'
import type { BoundOperation } from '../engine/engine.ts'

/**
 * Makes the hook that tells in `Accept-Query` which media types the path of an operation takes with QUERY, in every
 * response of the path (RFC 10008, section 3).
 *
 * @returns no hook for a path without QUERY
 */
export function sendAcceptQuery(
  operations: readonly Pick<BoundOperation, 'path' | 'method' | 'bodyTypes'>[],
  { path }: Pick<BoundOperation, 'path'>,
): onRequestHookHandler[] {
  const query = operations.find((each) => each.path === path && each.method === 'query')
  if (query === undefined) return []
  const field = query.bodyTypes.map(itemOf).join(', ')
  return [
    (_request, reply, done) => {
      reply.header('accept-query', field)
      done()
    },
  ]
}

/** A media type as an item of a structured field: a token, with parameters that are strings (RFC 9651, section 3.3). */
function itemOf(type: string): string {
  // `generate` has removed what is none.
  const { essence = '', parameters = [] } = parseMediaType(type) ?? {}
  const written = Array.from(parameters, ([name, [value = '']]) => {
    return `;${name}="${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`
  })
  return essence + written.join('')
}
