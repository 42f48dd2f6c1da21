import type { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { release } from '../contract/types.ts'

/**
 * Sends JSON text as `application/json`, to which Fastify would add a charset that the media type does not have (RFC 8259, section 11).
 *
 * @param json text, or its bytes in UTF-8, which are gone when they are sent
 */
export function sendJson(reply: FastifyReply, json: string | Buffer | Readable): FastifyReply {
  if (Buffer.isBuffer(json)) {
    reply.raw.once('close', () => {
      release(json)
    })
  }
  return reply.header('content-type', 'application/json').serializer(asItIs).send(json)
}

function asItIs(text: string): string {
  return text
}
