import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import { withoutTokens } from '../auth/tokens.ts'

const acceptableId = /^[\w.-]{1,128}$/

/** Returns the request's `X-Request-Id` if it is safe to repeat and no token, else a random one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const own = headers['x-request-id']
  return typeof own === 'string' && acceptableId.test(own) && withoutTokens(own) === own ? own : randomUUID()
}

/** Leaves the lines of requests to `registerRequestLog`. */
export class RequestLog extends LogController {
  override incomingRequest(): void {
    // A request has one line, which is written when its response ends.
  }

  override requestCompleted(): void {
    // Fastify does not count a response as completed whose connection ended before it.
  }

  override streamError(error: NodeJS.ErrnoException, request: FastifyRequest): void {
    if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') return
    request.log.error({ err: error, requestId: request.id }, 'request failed')
  }
}

/**
 * Receives each answered request: its operationId (undefined if it matched none), its status and its duration
 * (undefined where the request was refused with its connection).
 */
export type OnAnswered = (operation: string | undefined, status: number, seconds: number | undefined) => void

/**
 * Writes the one line of a request when its response ends, complete or not. It has no query, no body and no token.
 *
 * @param app before any other hook
 */
export function registerRequestLog(app: FastifyInstance, onAnswered: OnAnswered | undefined): void {
  app.addHook('onRequest', (request, reply, done) => {
    followResponse(request, reply, onAnswered)
    done()
  })
}

function followResponse(request: FastifyRequest, reply: FastifyReply, onAnswered: OnAnswered | undefined): void {
  let isWhole = false
  reply.raw.once('finish', () => {
    isWhole = true
  })
  reply.raw.once('close', () => {
    const { operation } = request.routeOptions.config
    const { statusCode: status, elapsedTime } = reply
    if (isWhole) onAnswered?.(operation?.id, status, elapsedTime / 1_000)
    const line = {
      requestId: request.id,
      method: request.method,
      ...(operation === undefined
        ? { path: withoutTokens(request.originalUrl.split('?', 1)[0] ?? '') }
        : { operation: operation.id }),
      status,
      milliseconds: Math.round(elapsedTime * 1_000) / 1_000,
    }
    request.log.info(line, isWhole ? 'request answered' : 'response cut off')
  })
}
