import type { FastifyError, FastifyInstance } from 'fastify'
import { failure } from '../contract/errors.ts'
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
  app.setErrorHandler((error: FastifyError, request, reply) => {
    // Fastify closes the connection when it refuses a body. Here the rest of the body is read and dropped, so that a
    // client which is still sending it can read the answer.
    reply.removeHeader('connection')
    switch (error.code) {
      case 'FST_ERR_CTP_BODY_TOO_LARGE': {
        const message = `the body is larger than ${String(app.initialConfig.bodyLimit)} bytes`
        return sendFailure(reply, failure('body_too_large', message))
      }
      case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
        return sendFailure(reply, refusedType(request).failure)
      case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      case 'ECONNRESET':
        return sendFailure(reply, failure('malformed_http', 'the body is not as long as Content-Length says'))
    }
    request.log.error({ err: error, requestId: request.id }, 'request failed')
    return sendFailure(
      reply,
      failure('internal', 'the service failed; quote the X-Request-Id of this response when reporting it'),
    )
  })
}
