import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { LogController, type FastifyReply, type FastifyRequest } from 'fastify'
import { withoutTokens } from '../auth/tokens.ts'

const acceptableId = /^[\w.-]{1,128}$/

/** The request's own `X-Request-Id` where it can be written anywhere as it is, else a random one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const own = headers['x-request-id']
  return typeof own === 'string' && acceptableId.test(own) ? own : randomUUID()
}

/** Has one line written for each request that a route or its absence answers. */
export class RequestLog extends LogController {
  override incomingRequest(): void {
    // The one line is written when the response is.
  }

  override requestCompleted(error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply): void {
    logRequest(error, request, reply)
  }
}

/** Writes the one line of a request that was answered. Neither queries nor bodies nor tokens are in it. */
export function logRequest(error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply): void {
  const { operation } = request.routeOptions.config
  const line = {
    requestId: request.id,
    method: request.method,
    ...(operation === undefined ? { path: withoutTokens(request.url.split('?', 1)[0] ?? '') } : { operation: operation.id }),
    status: reply.statusCode,
    milliseconds: Math.round(reply.elapsedTime * 1000) / 1000,
    ...(error ? { err: error } : {}),
  }
  if (error) request.log.error(line, 'response cut off')
  else request.log.info(line, 'request answered')
}
