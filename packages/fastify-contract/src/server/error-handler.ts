import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { contentTypeOf } from '../document/media-type.ts'
import { Refusal } from '../engine/refusal.ts'
import { type FailureForm, formedOrDefault } from './failure-form.ts'
import { sendContent } from './send.ts'

/**
 * Responds to every error of a hook, a parser, a handler or Fastify in the form of the contract.
 *
 * @param app the server, before its routes
 */
export function registerErrorHandler(app: FastifyInstance, form: FailureForm): void {
  app.setErrorHandler((thrown: unknown, request, reply) => {
    keepConnection(reply)
    const refusal = refusalOf(thrown, request, app.initialConfig.bodyLimit)
    const { status, contentType, content } = formedOrDefault(refusal, form, app.log)
    return sendContent(reply.code(status).headers(refusal.headers), contentTypeOf(contentType), content)
  })
}

/**
 * Keeps the connection open when Fastify refuses a body. The rest of the body is read and discarded, so that a client that
 * is still sending can read the response.
 */
function keepConnection(reply: FastifyReply): void {
  // While the server closes, Fastify sets the header on the raw response.
  if (reply.hasHeader('connection') && !reply.raw.hasHeader('connection') && reply.raw.shouldKeepAlive) {
    reply.removeHeader('connection')
  }
}

/** The refusal for a thrown value of any kind. Logs faults of the service. */
function refusalOf(thrown: unknown, request: FastifyRequest, bodyLimit: number | undefined): Refusal {
  if (thrown instanceof Refusal) return thrown
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new Refusal('body_too_large', `the body is larger than ${String(bodyLimit)} bytes`)
  }
  // Not the reset of a connection that a handler opened, such as to a database.
  if (code === 'ECONNRESET' && thrown === request.raw.errored) {
    return new Refusal('malformed_http', 'the body is shorter than Content-Length')
  }
  logFault(request, thrown)
  return new Refusal('internal', 'the service failed; quote the X-Request-Id of this response when reporting it')
}

function logFault(request: FastifyRequest, thrown: unknown): void {
  const { id: requestId } = request
  try {
    request.log.error({ err: thrown, requestId }, 'request failed')
  } catch {
    // The log reads every property of an error, and a getter may throw.
    const err = new Error(
      `the thrown value cannot be logged: ${thrown instanceof Error ? String(thrown.stack) : typeof thrown}`,
    )
    request.log.error({ err, requestId }, 'request failed')
  }
}
