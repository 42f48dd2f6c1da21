import type { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Failure } from '../contract/errors.ts'
import { release } from '../contract/types.ts'

/**
 * The headers of every response. No cache stores a plant, and no browser guesses another media type (RFC 9111, section
 * 5.2.2.5; fetch.spec.whatwg.org, "X-Content-Type-Options").
 */
export const constantHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const

/** Answers a request with a failure. */
export function sendFailure(reply: FastifyReply, { status, headers, body }: Failure): FastifyReply {
  return sendJson(reply.code(status).headers(headers), JSON.stringify(body))
}

/**
 * Sends JSON text as `application/json`. Fastify would add a charset, which the media type does not have (RFC 8259,
 * section 11).
 *
 * @param json text, or its bytes in UTF-8; the bytes are freed when they are sent
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
