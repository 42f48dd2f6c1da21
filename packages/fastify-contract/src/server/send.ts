import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { BodyStream } from '../engine/body-stream.ts'
import type { ValidReply } from '../engine/engine.ts'
import { ItemStream } from '../engine/item-stream.ts'
import type { Media } from '../engine/reply-media.ts'
import { stringifyReply } from '../json/json.ts'
import { Encoded, isStream, release } from '../types/encoded.ts'
import { unavailable } from '../engine/refusal.ts'
import { cutOff, http2StreamOf, whenClosed } from './cut-off.ts'
import { addVary, constantHeaders } from './response-headers.ts'

/** Sends content unchanged. Fastify would add a charset to JSON, which has none. */
export function sendContent(
  reply: FastifyReply,
  contentType: string,
  content: string | Uint8Array | Readable,
): FastifyReply {
  return reply.header('content-type', contentType).serializer(unchanged).send(content)
}

/** Sends JSON text as `application/json`. */
export function sendJson(reply: FastifyReply, json: string): FastifyReply {
  return sendContent(reply, 'application/json', json)
}

function unchanged(text: string): string {
  return text
}

/** Typical memory of a body in chunks: the chunk in flight, and garbage that V8 has not collected. */
const streamBytes = 512 * 1_024

/** The memory of a stream of items whose client does not read: a batch, and what the response keeps (nodejs.org, `highWaterMark`). */
const itemsBytes = 80 * 1_024

/** In bytes. Smaller bodies are not counted, because any connection needs as much. */
const smallBody = 16_384

/** Reads and drops what waits on a connection behind the response in work. */
type ReadBehind = (socket: Socket) => void

/** Sends a valid reply. @throws Refusal if too many bytes are unread */
export type SendReply = (reply: FastifyReply, valid: ValidReply) => FastifyReply

/**
 * Makes the function that sends replies. It limits the memory of responses that clients do not read.
 *
 * @param maxUnread in bytes over all responses; beyond it, new responses are refused
 * @param open receives the responses that are streams of items, while they are open
 * @param readBehind undefined on a server without `fastifyOptions`
 */
export function createReplySender(
  maxUnread: number,
  open: Set<ServerResponse>,
  readBehind: ReadBehind | undefined,
): SendReply {
  let unread = 0

  /** Counts the bytes of a body until its response is closed. @returns false if the limit is reached */
  function hold(response: ServerResponse, bytes: number): boolean {
    if (bytes <= smallBody) return true
    if (unread >= maxUnread) return false
    unread += bytes
    whenClosed(response, () => {
      unread -= bytes
    })
    return true
  }

  /** Counts the bytes of items while their client has not taken the last batch. @returns false if the limit is reached */
  function holdItems(items: ItemStream): boolean {
    if (unread >= maxUnread) return false
    let held = 0
    items.onHeld = (isHeld) => {
      unread -= held
      held = isHeld ? itemsBytes : 0
      unread += held
    }
    return true
  }

  return (reply, { status, headers, body, media, hasBigInts, declaresCaching }) => {
    const { raw } = reply
    const names = Object.keys(headers)
    // Before the headers of the reply are set, which would not fit a failure.
    const content = media === undefined ? undefined : contentOf(body, media, hasBigInts, raw)
    const items = body instanceof ItemStream ? body : undefined
    const isHeld =
      items !== undefined
        ? holdItems(items)
        : content === undefined || hold(raw, content instanceof BodyStream ? streamBytes : content.length)
    if (!isHeld) throw unavailable('too many large responses are waiting to be read; try again in a second')
    if (items !== undefined) {
      keepOpen(items, raw)
      open.add(raw)
      whenClosed(raw, () => open.delete(raw))
    }
    if (content instanceof BodyStream) {
      closeWithoutClient(content, raw, items === undefined ? undefined : (readBehind ?? 'end'))
      removeOnError(content, reply, names)
    }
    reply.code(status)
    // A cache may keep what the contract says, and what it can ask for again.
    const isKept = declaresCaching || names.some((name) => name.toLowerCase() === 'etag' && headers[name] !== undefined)
    if (isKept && reply.getHeader('cache-control') === constantHeaders['cache-control'])
      reply.removeHeader('cache-control')
    for (const name of names) setHeader(reply, name, headers[name])
    if (content === undefined || media === undefined) return reply.send()
    // For HEAD, Fastify would read the whole stream.
    const isUnsent = content instanceof BodyStream && reply.request.method === 'HEAD'
    return sendContent(reply, media.contentType, isUnsent ? Readable.from([]) : content)
  }
}

/** @param value undefined for an optional header that is not sent; Fastify would send it without a value */
function setHeader(reply: FastifyReply, name: string, value: ValidReply['headers'][string]): void {
  if (value === undefined) return
  if (name.toLowerCase() === 'vary') addVary(reply, String(value))
  else reply.header(name, value)
}

/** Encodes a valid body. When the response closes, its stream is closed and its bytes are freed. */
function contentOf(
  body: unknown,
  { isJson }: Media,
  hasBigInts: boolean | undefined,
  response: ServerResponse,
): string | Uint8Array | BodyStream {
  const isEncoded = body instanceof Encoded
  const content: unknown = isEncoded ? body.chunks : body
  if (isEncoded && typeof content === 'string') return content
  if (isEncoded && Buffer.isBuffer(content)) {
    whenClosed(response, () => {
      release(content)
    })
    return content
  }
  if (isStream(content)) {
    const stream = new BodyStream(content, (chunk) => {
      // Only the response uses these bytes. It may not have written a short chunk yet.
      if (isEncoded && response.writableLength === 0) release(chunk)
    })
    whenClosed(response, () => stream.destroy())
    return stream
  }
  if (isJson) return stringifyReply(body, hasBigInts)
  // Validated as text or bytes.
  return body as string | Uint8Array
}

/** Keeps a response open while its source has no item. A client that does not read is cut off as any other. */
function keepOpen(items: ItemStream, response: ServerResponse): void {
  items.onQuiet = () => {
    if (!response.headersSent && !response.destroyed) response.flushHeaders()
  }
  // Node closes the connection unless there is a listener (nodejs.org, "server.setTimeout").
  response.on('timeout', () => {
    if (response.writableLength > 0) cutOff(response)
  })
}

/** How long a stream without chunks stays open, at least, when its client has ended its side. */
const halfClosedMilliseconds = 500

/**
 * Closes a stream whose client has left while there is nothing to send.
 *
 * @param behind reads and drops what the client has sent behind the request, so that its end is noticed; `end` where nobody
 *   can, so that such a client is taken to have left; undefined if what it has sent must be kept
 */
function closeWithoutClient(
  stream: BodyStream,
  response: ServerResponse,
  behind: ReadBehind | 'end' | undefined,
): void {
  // HTTP/2 closes the stream of a client that has left.
  if (http2StreamOf(response) !== undefined) return
  const { req: request } = response
  const { socket } = request
  // A request of `inject` has no connection.
  if (!(socket instanceof Socket)) return
  // Content that nobody reads would keep the connection from being read.
  if (!request.complete) request.resume()
  // A client that has ended its side may read on (RFC 9112, section 9.6), or have left. The next item would tell. Of a
  // connection that is not read, nothing tells.
  let looking: NodeJS.Timeout | undefined
  let written = 0
  const look = (): void => {
    looking ??= setInterval(() => {
      const isQuiet = stream.isWaiting && socket.bytesWritten === written
      written = socket.bytesWritten
      if (!isQuiet || (!socket.readableEnded && !socket.isPaused())) return
      if (socket.readableEnded || behind === 'end') cutOff(response)
      else behind?.(socket)
    }, halfClosedMilliseconds)
  }
  if (socket.readableEnded || socket.isPaused()) look()
  socket.on('end', look).on('pause', look)
  whenClosed(response, () => {
    socket.off('end', look).off('pause', look)
    clearInterval(looking)
  })
}

/**
 * Removes the headers of a reply if its stream fails before the first byte, because they do not fit the failure. Later, the
 * response is cut off. Fastify would end that of HTTP/1.0 and of HTTP/2 as if it were complete.
 */
function removeOnError(stream: Readable, reply: FastifyReply, names: string[]): void {
  const before = reply.getHeaders()
  stream.once('error', () => {
    if (reply.raw.headersSent) {
      cutOff(reply.raw)
      return
    }
    for (const name of names) {
      reply.removeHeader(name)
      reply.raw.removeHeader(name)
    }
    reply.headers(before)
  })
}
