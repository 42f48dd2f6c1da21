import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { LogController, type FastifyReply, type FastifyRequest } from 'fastify'
import { withoutTokens } from '../auth/tokens.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether its one line is written. */
    isLogged: boolean
  }
}

const acceptableId = /^[\w.-]{1,128}$/

/** The request's own `X-Request-Id` where it can be written anywhere as it is and is no token, else a random one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const own = headers['x-request-id']
  return typeof own === 'string' && acceptableId.test(own) && withoutTokens(own) === own ? own : randomUUID()
}

/** Has one line written for each request that is answered. */
export class RequestLog extends LogController {
  override incomingRequest(): void {
    // The one line is written when the response is.
  }

  override requestCompleted(error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply): void {
    // A response that failed is closed, and logCutOff writes its line.
    if (!error) logRequest(request, reply, 'request answered')
  }

  override streamError(error: NodeJS.ErrnoException, request: FastifyRequest): void {
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') request.log.error({ err: error, requestId: request.id }, 'request failed')
  }
}

/** Has the line of a request written too when its connection ends before its response, which Fastify does not count as completed. */
export function logCutOff(request: FastifyRequest, reply: FastifyReply): void {
  reply.raw.once('close', () => {
    if (!request.isLogged) logRequest(request, reply, 'response cut off')
  })
}

/** Writes the one line of a request. Neither queries nor bodies nor tokens are in it. */
export function logRequest(request: FastifyRequest, reply: FastifyReply, message: string): void {
  request.isLogged = true
  const { operation } = request.routeOptions.config
  const line = {
    requestId: request.id,
    method: request.method,
    ...(operation === undefined ? { path: withoutTokens(request.url.split('?', 1)[0] ?? '') } : { operation: operation.id }),
    status: reply.statusCode,
    milliseconds: Math.round(reply.elapsedTime * 1000) / 1000,
  }
  request.log.info(line, message)
}
