import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, onSendHookHandler } from 'fastify'
import { streamChunks } from '../engine/body-stream.ts'
import type { ValidReply } from '../engine/engine.ts'
import type { Media } from '../engine/reply-validation.ts'
import { stringifyJson } from '../json/json.ts'
import { Encoded, chunksOf, release } from '../types/encoded.ts'
import { unavailable } from '../engine/refusal.ts'

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
function sendContent(reply: FastifyReply, contentType: string, content: string | Uint8Array | Readable): FastifyReply {
  return reply.header('content-type', contentType).serializer(asItIs).send(content)
}

/** Sends JSON text as `application/json`. */
export function sendJson(reply: FastifyReply, json: string): FastifyReply {
  return sendContent(reply, 'application/json', json)
}

function asItIs(text: string): string {
  return text
}

/** Typical memory of a body in chunks: the chunk in flight, and garbage that V8 has not collected. */
const streamBytes = 512 * 1_024

/** In bytes: a body up to this size is not counted, because a connection needs as much anyway. */
const smallBody = 16_384

/** Sends the valid reply of a handler. @throws Refusal where too many bytes wait to be read */
export type SendReply = (reply: FastifyReply, valid: ValidReply) => FastifyReply

/**
 * Makes the function that sends replies. It bounds the memory that responses hold while their clients do not read them.
 *
 * @param maxUnread in bytes, over all responses; a response that begins when so many are held is refused
 */
export function createReplySender(maxUnread: number): SendReply {
  let unread = 0

  /** Counts the bytes of a body until its response is closed. @returns whether there was room for them */
  function hold(response: ServerResponse, bytes: number): boolean {
    if (bytes <= smallBody) return true
    if (unread >= maxUnread) return false
    unread += bytes
    whenClosed(response, () => {
      unread -= bytes
    })
    return true
  }

  return (reply, { status, headers = {}, body, media }) => {
    const { raw } = reply
    // What fails here is answered without the headers of the reply.
    const content = media === undefined ? undefined : contentOf(body, media, raw)
    if (content !== undefined && !hold(raw, content instanceof Readable ? streamBytes : content.length)) {
      throw unavailable('too many large responses are waiting to be read; try again in a second')
    }
    if (content instanceof Readable) removeOnError(content, reply, Object.keys(headers))
    reply.code(status)
    for (const [name, value] of Object.entries(headers)) {
      if (name.toLowerCase() === 'vary') addVary(reply, String(value))
      // Node writes the digits of a bigint.
      else reply.header(name, value)
    }
    if (content === undefined || media === undefined) return reply.send()
    // Fastify reads a stream to its end to answer HEAD without it.
    const isUnsent = content instanceof Readable && reply.request.method === 'HEAD'
    return sendContent(reply, media.contentType, isUnsent ? Readable.from([]) : content)
  }
}

/** Makes what is sent of a body that is valid. A stream is closed, and the bytes of a text are freed, with the response. */
function contentOf(body: unknown, { isJson }: Media, response: ServerResponse): string | Uint8Array | Readable {
  const chunks = chunksOf(body)
  if (chunks !== undefined) {
    const stream = streamChunks(chunks, (chunk) => {
      // The bytes of an encoded body have no other reader. A short chunk may still be written when the next is read.
      if (body instanceof Encoded && response.writableLength === 0) release(chunk)
    })
    whenClosed(response, () => stream.destroy())
    return stream
  }
  if (body instanceof Encoded) {
    // An encoded body that is no stream is whole.
    const text = body.chunks as string | Buffer
    if (typeof text !== 'string') {
      whenClosed(response, () => {
        release(text)
      })
    }
    return text
  }
  if (isJson) return stringifyJson(body)
  // Validation has found text or bytes.
  return body as string | Uint8Array
}

/** Acts when a response is closed: sent, or cut off. The client may have left before. */
function whenClosed(response: ServerResponse, act: () => void): void {
  // A closed response emits no second `close`.
  if (response.closed) act()
  else response.once('close', act)
}

/** Removes the headers of a reply whose stream fails before its first byte: they do not describe the failure. */
function removeOnError(stream: Readable, reply: FastifyReply, names: string[]): void {
  const before = reply.getHeaders()
  stream.once('error', () => {
    if (reply.raw.headersSent) return
    for (const name of names) {
      reply.removeHeader(name)
      reply.raw.removeHeader(name)
    }
    reply.headers(before)
  })
}
