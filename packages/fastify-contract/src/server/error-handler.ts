import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { refusedType } from './content.ts'
import { noSuchPath } from './path-and-method.ts'
import { type FailureBody, Refusal } from '../engine/refusal.ts'
import { sendJson } from './send.ts'

/**
 * Answers every error that a hook, a parser or a handler throws, and every one that Fastify raises, in the form of the
 * contract.
 *
 * @param app the server, before its routes
 */
export function registerErrorHandler(app: FastifyInstance, failureBody: FailureBody): void {
  function answer(reply: FastifyReply, { failure, status, message, headers }: Refusal): FastifyReply {
    return sendJson(reply.code(status).headers(headers), JSON.stringify(failureBody(failure, message)))
  }

  // Other requests without a route were refused before.
  app.setNotFoundHandler((_request, reply) => answer(reply, noSuchPath()))
  app.setErrorHandler((thrown: unknown, request, reply) => {
    // Fastify closes the connection when it refuses a body. Here the rest of the body is read and dropped, so that a
    // client which is still sending it can read the answer.
    if (reply.hasHeader('connection')) reply.removeHeader('connection')
    const refusal = thrown instanceof Refusal ? thrown : refusalOf(thrown, request, app.initialConfig.bodyLimit)
    if (refusal !== undefined) return answer(reply, refusal)
    logFault(request, thrown)
    const message = 'the service failed; quote the X-Request-Id of this response when reporting it'
    return answer(reply, new Refusal('internal', message))
  })
}

/** What Fastify's own error says of the request; undefined for a fault of the service. */
function refusalOf(thrown: unknown, request: FastifyRequest, bodyLimit: number | undefined): Refusal | undefined {
  const shortBody = () => new Refusal('malformed_http', 'the body is not as long as Content-Length says')
  // Code may throw anything.
  switch (thrown instanceof Error && 'code' in thrown ? thrown.code : undefined) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Refusal('body_too_large', `the body is larger than ${String(bodyLimit)} bytes`)
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return refusedType(request)
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return shortBody()
    case 'ECONNRESET':
      // The connections of a handler or a store are reset, too.
      return thrown === request.raw.errored ? shortBody() : undefined
  }
  return undefined
}

function logFault(request: FastifyRequest, thrown: unknown): void {
  const { id: requestId } = request
  try {
    request.log.error({ err: thrown, requestId }, 'request failed')
  } catch {
    // The log reads every property of an error, and marks it meanwhile.
    const err = new Error(
      `what was thrown cannot be logged: ${thrown instanceof Error ? String(thrown.stack) : typeof thrown}`,
    )
    request.log.error({ err, requestId }, 'request failed')
  }
}
