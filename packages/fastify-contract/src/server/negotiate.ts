import Negotiator from 'negotiator'
import type { FastifyRequest } from 'fastify'

/**
 * Selects the media type of a response by the header Accept (RFC 9110, section 12.5.1).
 *
 * @param offered the media types that the operation declares, the service's own preference first
 * @returns the one that the client prefers; the first where it accepts none, because a 406 helps nobody who asked for
 *   something else
 */
export function preferredType({ raw }: FastifyRequest, offered: readonly string[]): string | undefined {
  // Text is UTF-8 and JSON has no charset, so that one which is asked for selects nothing.
  const accept = raw.headers.accept?.replace(/;[ \t]*charset=(?:"[^"]*"|[^;,]*)/gi, '')
  return new Negotiator({ headers: { accept } }).mediaTypes([...offered])[0] ?? offered[0]
}
