import type { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

/** Sends JSON text as `application/json`, to which Fastify would add a charset that the media type does not have (RFC 8259, section 11). */
export function sendJson(reply: FastifyReply, text: string | Buffer | Readable): FastifyReply {
  return reply.header('content-type', 'application/json').serializer(asItIs).send(text)
}

function asItIs(text: string): string {
  return text
}
