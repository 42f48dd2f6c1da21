import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Failure, failure } from './refusal.ts'
import { refusedType } from './content.ts'
import { noSuchPath } from './path-and-method.ts'
import { sendFailure } from './send.ts'

/**
 * Answers every error that Fastify raises or that a handler throws with the contract's Error body.
 *
 * @param app the server, before its routes
 */
export function registerErrors(app: FastifyInstance): void {
  // A stage has answered what no route matches; what is left is a file of the docs page that does not exist.
  app.setNotFoundHandler((_request, reply) => sendFailure(reply, noSuchPath))
  app.setErrorHandler((thrown: unknown, request, reply) => {
    // Fastify closes the connection when it refuses a body. Here the rest of the body is read and dropped, so that a
    // client which is still sending it can read the answer.
    reply.removeHeader('connection')
    switch (codeOf(thrown)) {
      case 'FST_ERR_CTP_BODY_TOO_LARGE': {
        const message = `the body is larger than ${String(app.initialConfig.bodyLimit)} bytes`
        return sendFailure(reply, failure('body_too_large', message))
      }
      case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
        return sendFailure(reply, refusedType(request).failure)
      case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
        return sendFailure(reply, shortBody)
      case 'ECONNRESET':
        // The connections of a handler or a store are reset, too.
        if (thrown === request.raw.errored) return sendFailure(reply, shortBody)
    }
    logFault(request, thrown)
    return sendFailure(
      reply,
      failure('internal', 'the service failed; quote the X-Request-Id of this response when reporting it'),
    )
  })
}

const shortBody: Failure = failure('malformed_http', 'the body is not as long as Content-Length says')

/** Code may throw anything. Where the handler above throws, Fastify answers by itself. */
function codeOf(thrown: unknown): unknown {
  return thrown instanceof Error && 'code' in thrown ? thrown.code : undefined
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
