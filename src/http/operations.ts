import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { streamChunks } from '../connections/stream-chunks.ts'
import type { UnreadBytes } from '../connections/unread-bytes.ts'
import type { AnyReply, BoundOperation } from '../contract/engine.ts'
import { type Failure, failure, unavailable } from '../contract/errors.ts'
import { Encoded, isWhole } from '../contract/types.ts'
import { stringifyJson } from '../json/json.ts'
import { RefusedBody, registerParsers } from './content.ts'
import { sendFailure, sendJson } from './send.ts'
import { type Stage, inOrder } from './stage.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: BoundOperation
  }
}

export interface OperationsOptions {
  operations: BoundOperation[]
  /** The stages that a request of an operation passes before its body is read, in their order. */
  stagesOf: (operation: BoundOperation) => Stage[]
  /** Bounds the answers that clients have not read. */
  unread: UnreadBytes
}

/**
 * Adds a route for every operation of the contract.
 *
 * @param app its own context: its body parsers accept only JSON
 */
export function registerOperations(app: FastifyInstance, { operations, stagesOf, unread }: OperationsOptions): void {
  app.decorateRequest('caller')
  registerParsers(app)
  for (const operation of operations) {
    const names: string[] = []
    app.route({
      method: operation.method.toUpperCase(),
      url: routeUrl(operation.path, names),
      config: { operation },
      onRequest: inOrder(stagesOf(operation)),
      handler: (request, reply) => answer(operation, names, unread, request, reply),
    })
  }
}

/**
 * Converts `/plants/{id}` to `/plants/:p0([^]+)`: a Fastify route restricts the names of parameters, a contract does
 * not. The expression matches any text but the empty one, so `/plants/` is no path.
 */
function routeUrl(path: string, names: string[]): string {
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
    body,
    caller,
  })
  return send(reply, result, unread)
}

/** The usual memory of a body in chunks: the chunk that is sent, and garbage of its encoding. */
const streamBytes = 512 * 1_024

const tooMuchUnread: Failure = unavailable('too many long answers wait to be read; try again in a second')
const emptyBody: Failure = failure('malformed_body', 'the body is empty')

function send(reply: FastifyReply, { status, headers, body }: AnyReply, unread: UnreadBytes): FastifyReply {
  reply.code(status)
  if (headers !== undefined) reply.headers(headers)
  if (body === undefined) return reply.send()
  if (!(body instanceof Encoded)) return sendJson(reply, stringifyJson(body))
  // An encoded body is text or its chunks, whatever they encode.
  const { chunks } = body as Encoded<unknown>
  if (!unread.hold(reply.raw, isWhole(chunks) ? chunks.length : streamBytes)) return sendFailure(reply, tooMuchUnread)
  if (isWhole(chunks)) return sendJson(reply, chunks)
  // Fastify reads a body to its end to answer HEAD without it.
  return sendJson(reply, reply.request.method === 'HEAD' ? Readable.from([]) : streamChunks(reply.raw, chunks))
}
