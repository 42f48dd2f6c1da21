import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, onSendHookHandler } from 'fastify'
import { release } from '../types/encoded.ts'

/**
 * The headers that every response has. No cache stores it (RFC 9111, section 5.2.2.5), and no browser guesses another
 * media type than the declared one (fetch.spec.whatwg.org, "X-Content-Type-Options").
 */
export const constantHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const

/** Leaves the length out of a response that must not have one (RFC 9110, section 8.6). */
export const omitLength: onSendHookHandler = (_request, reply, payload, done) => {
  if (reply.statusCode === 204 || reply.statusCode === 304) reply.removeHeader('content-length')
  done(null, payload)
}

/**
 * Has `omitLength` see the responses to HEAD. Fastify gives them a length of 0 where a handler sends nothing.
 *
 * @param app before it has a route
 */
export function omitLengthOfHead(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (route.method === 'HEAD') route.onSend = [route.onSend ?? [], omitLength].flat()
  })
}

/** Adds names of headers to the header Vary, to which others may have added (RFC 9110, section 12.5.5). */
export function addVary(reply: FastifyReply, fields: string): void {
  const others = reply.getHeader('vary')
  reply.header('vary', others === undefined ? fields : `${String(others)}, ${fields}`)
}

/** Sends content as it is. Fastify would add a charset to JSON, which the media type does not have. */
export function sendContent(
  reply: FastifyReply,
  contentType: string,
  content: string | Uint8Array | Readable,
): FastifyReply {
  return reply.header('content-type', contentType).serializer(asItIs).send(content)
}

/** Sends JSON text as `application/json`. */
export function sendJson(reply: FastifyReply, json: string): FastifyReply {
  return sendContent(reply, 'application/json', json)
}

/** Acts when a response is closed: sent, or cut off. The client may have left before. */
export function whenClosed(response: ServerResponse, act: () => void): void {
  // A closed response emits no second `close`.
  if (response.closed) act()
  else response.once('close', act)
}

/** Frees the bytes of a body when its response is closed. */
export function releaseWhenSent(response: ServerResponse, content: string | Buffer): void {
  if (typeof content === 'string') return
  whenClosed(response, () => {
    release(content)
  })
}

function asItIs(text: string): string {
  return text
}
