import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestAsyncHookHandler,
  onRequestHookHandler,
} from 'fastify'
import { streamChunks } from '../engine/body-stream.ts'
import type { BoundOperation, ValidReply } from '../engine/engine.ts'
import type { Media } from '../engine/reply-validation.ts'
import { type ParsedJson, stringifyJson } from '../json/json.ts'
import { Encoded, chunksOf, isWhole, release } from '../types/encoded.ts'
import type { UnreadBytes } from './connections/unread-bytes.ts'
import { registerParsers } from './content.ts'
import { Refusal, unavailable } from '../engine/refusal.ts'
import { addVary, releaseWhenSent, sendContent, whenClosed } from './send.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: BoundOperation
  }
}

export interface OperationsOptions {
  operations: BoundOperation[]
  /** The paths below which the operations are served: `` for the root. */
  basePaths: string[]
  /** The hooks that a request of an operation passes before its body is read, in their order. */
  onRequestOf: (operation: BoundOperation) => (onRequestHookHandler | onRequestAsyncHookHandler)[]
  /** How many objects and arrays of a body may be in one another. */
  bodyLevels: number
  /** Bounds the answers that clients have not read. */
  unread: UnreadBytes
}

/**
 * Gives every operation of the contract its route.
 *
 * @param app a context of its own: its body parsers accept JSON alone
 */
export function registerOperations(
  app: FastifyInstance,
  { operations, basePaths, onRequestOf, bodyLevels, unread }: OperationsOptions,
): void {
  registerParsers(
    app,
    operations.flatMap(({ bodyTypes }) => bodyTypes),
    bodyLevels,
  )
  for (const operation of operations) {
    const names: string[] = []
    const path = routePath(operation.path, names)
    for (const basePath of basePaths) {
      app.route({
        method: operation.method.toUpperCase(),
        url: routePath(basePath) + path,
        config: { operation },
        onRequest: onRequestOf(operation),
        handler: (request, reply) => answer(operation, names, unread, request, reply),
      })
    }
  }
}

/**
 * `/plants/{id}` as `/plants/:p0([^]+)`: a contract may name a parameter as it likes, a Fastify route may not.
 * The expression matches any text but the empty one, so that `/plants/` is no path.
 */
function routePath(path: string, names: string[] = []): string {
  return path
    .replaceAll(':', '::')
    .replace(/\{([^{}]+)\}/g, (_template, name: string) => `:p${String(names.push(name) - 1)}([^]+)`)
}

async function answer(
  operation: BoundOperation,
  names: string[],
  unread: UnreadBytes,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { caller, headers, query } = request
  // registerParsers has parsed it.
  const body = request.body as ParsedJson | undefined
  if (operation.requiresBody && body === undefined) throw new Refusal('malformed_body', 'the body is empty')
  // Fastify's route has as many parameters as the path template has names, each of them text.
  const params = request.params as Record<string, string>
  const result = await operation.handle({
    headers,
    path: Object.fromEntries(names.map((name, index) => [name, params[`p${String(index)}`] ?? ''])),
    query: query as Record<string, string | string[]>,
    url: request.url,
    body,
    accept: operation.offeredTypes.length > 1 ? await negotiate(operation.offeredTypes, request, reply) : undefined,
    caller,
  })
  return send(reply, result, unread)
}

async function negotiate(offered: string[], request: FastifyRequest, reply: FastifyReply): Promise<string | undefined> {
  // What few contracts need is loaded where one does.
  const { preferredType } = await import('./negotiate.ts')
  addVary(reply, 'Accept')
  return preferredType(request, offered)
}

/** Typical memory of a body in chunks: the chunk in flight, and garbage that V8 has not collected. */
const streamBytes = 512 * 1_024

function send(
  reply: FastifyReply,
  { status, headers = {}, body, media }: ValidReply,
  unread: UnreadBytes,
): FastifyReply {
  const { raw } = reply
  // What fails here is answered without the headers of the reply.
  const content = media === undefined ? undefined : contentOf(body, media, raw)
  if (content !== undefined && !unread.hold(raw, isWhole(content) ? content.length : streamBytes)) {
    throw unavailable('too many long answers wait to be read; try again in a second')
  }
  if (content instanceof Readable) removeOnError(content, reply, Object.keys(headers))
  reply.code(status)
  for (const [name, value] of Object.entries(headers)) {
    if (name.toLowerCase() === 'vary') addVary(reply, String(value))
    // Node writes the digits of a bigint.
    else reply.header(name, value)
  }
  if (content === undefined || media === undefined) return reply.send()
  if (body instanceof Encoded && isWhole(content)) releaseWhenSent(raw, content)
  // Fastify reads a stream to its end to answer HEAD without it.
  const isUnsent = content instanceof Readable && reply.request.method === 'HEAD'
  return sendContent(reply, media.contentType, isUnsent ? Readable.from([]) : content)
}

/** Makes what is sent of a body that is valid. A stream is closed with its response. */
function contentOf(body: unknown, { isJson }: Media, response: ServerResponse): string | Buffer | Readable {
  const chunks = chunksOf(body)
  if (chunks !== undefined) {
    const stream = streamChunks(chunks, (chunk) => {
      // The bytes of an encoded body have no other reader. A short chunk may still be written when the next is read.
      if (body instanceof Encoded && response.writableLength === 0) release(chunk)
    })
    whenClosed(response, () => stream.destroy())
    return stream
  }
  // An encoded body that is no stream is whole.
  if (body instanceof Encoded) return body.chunks as string | Buffer
  if (isJson) return stringifyJson(body)
  // Validation has found text or bytes. Fastify sends a Buffer as it is.
  if (!(body instanceof Uint8Array) || Buffer.isBuffer(body)) return body as string | Buffer
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength)
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
