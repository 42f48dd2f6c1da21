import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { streamChunks } from '../connections/stream-chunks.ts'
import type { UnreadBytes } from '../connections/unread-bytes.ts'
import type { AnyReply, BoundOperation } from '../contract/engine.ts'
import { type Failure, failure, unavailable } from '../contract/errors.ts'
import { isJson } from '../contract/media-types.ts'
import { Encoded, isWhole } from '../contract/types.ts'
import { stringifyJson } from '../json/json.ts'
import { RefusedBody, registerParsers } from './content.ts'
import { releaseWhenSent, sendContent, sendFailure } from './send.ts'
import { type Stage, inOrder } from './stage.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: BoundOperation
  }
}

export interface OperationsOptions {
  operations: BoundOperation[]
  /** The paths below which the operations are served: `` for the root. */
  basePaths: string[]
  /** The stages that a request of an operation passes before its body is read, in their order. */
  stagesOf: (operation: BoundOperation) => Stage[]
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
  { operations, basePaths, stagesOf, unread }: OperationsOptions,
): void {
  app.decorateRequest('caller')
  registerParsers(
    app,
    operations.flatMap(({ bodyTypes }) => bodyTypes),
  )
  for (const operation of operations) {
    const names: string[] = []
    const path = routePath(operation.path, names)
    for (const basePath of basePaths) {
      app.route({
        method: operation.method.toUpperCase(),
        url: routePath(basePath) + path,
        config: { operation },
        onRequest: inOrder(stagesOf(operation)),
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
  const { body, caller, headers, query } = request
  if (body instanceof RefusedBody) return sendFailure(reply, body.failure)
  if (operation.requiresBody && body === undefined) return sendFailure(reply, emptyBody)
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
  return send(reply, result, operation, unread)
}

async function negotiate(offered: string[], request: FastifyRequest, reply: FastifyReply): Promise<string | undefined> {
  // What few contracts need is loaded where one does.
  const { preferredType } = await import('./negotiate.ts')
  reply.header('vary', 'Accept')
  return preferredType(request, offered)
}

/** A body that is not JSON: text, bytes, or a stream of bytes. */
type Content = string | Buffer | AsyncIterable<Buffer>

/** What a body in chunks holds as a rule: the chunk that is being sent, and what V8 has not collected of its making. */
const streamBytes = 512 * 1_024

const tooMuchUnread: Failure = unavailable('too many long answers wait to be read; try again in a second')
const emptyBody: Failure = failure('malformed_body', 'the body is empty')

/** Fastify sends a Buffer as it is. */
function contentOf(body: Content | Uint8Array): Content {
  if (!(body instanceof Uint8Array) || Buffer.isBuffer(body)) return body
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength)
}

function send(
  reply: FastifyReply,
  { status, headers, body, contentType }: AnyReply,
  { typeOf }: BoundOperation,
  unread: UnreadBytes,
): FastifyReply {
  reply.code(status)
  // Node writes the digits of a bigint.
  if (headers !== undefined) reply.headers(headers as Record<string, string | number>)
  if (body === undefined) return reply.send()
  const type = contentType ?? typeOf(status)
  if (isJson(type) && !(body instanceof Encoded)) return sendContent(reply, type, stringifyJson(body))
  // Validation has found text, bytes or a stream of bytes.
  const content = body instanceof Encoded ? (body as Encoded<unknown>).chunks : contentOf(body as Content | Uint8Array)
  if (!unread.hold(reply.raw, isWhole(content) ? content.length : streamBytes)) return sendFailure(reply, tooMuchUnread)
  if (isWhole(content)) {
    // The bytes of an encoded body have no other reader; a handler may keep those of its own.
    if (body instanceof Encoded) releaseWhenSent(reply.raw, content)
    return sendContent(reply, type, content)
  }
  // Fastify reads a body to its end to answer HEAD without it.
  if (reply.request.method === 'HEAD') return sendContent(reply, type, Readable.from([]))
  const isEncoded = body instanceof Encoded
  return sendContent(reply, type, isEncoded ? streamChunks(reply.raw, content) : Readable.from(content))
}
