import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { contentTypeOf } from '../document/media-type.ts'
import { Refusal } from '../engine/refusal.ts'
import { type FailureForm, formedOrDefault } from './failure-form.ts'
import { sendContent, setCommonHeaders } from './send.ts'

/**
 * Responds to every error of a hook, a parser, a handler or Fastify in the form of the contract.
 *
 * @param app the server or a context of its own, before its routes
 * @param isWhole whether no other error handler is responsible for the requests that hooks refuse
 */
export function registerErrorHandler(app: FastifyInstance, form: FailureForm, isWhole: boolean): void {
  app.setErrorHandler((thrown: unknown, request, reply) => {
    const refusal = refusalOf(thrown, request, app.initialConfig.bodyLimit, isWhole)
    // Passes it to the error handler of the server.
    if (refusal === undefined) throw thrown
    return sendRefusal(request, reply, refusal, form)
  })
}

/** Sends a refusal in the form of the contract. */
export function sendRefusal(
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: Refusal,
  form: FailureForm,
): FastifyReply {
  keepConnection(reply)
  // A hook of the service may have refused the request before.
  if (!reply.hasHeader('x-request-id')) setCommonHeaders(request, reply)
  const { status, contentType, content } = formedOrDefault(refusal, form, reply.log)
  return sendContent(reply.code(status).headers(refusal.headers), contentTypeOf(contentType), content)
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

/** The refusal for a thrown value of any kind; undefined for that of a hook of the server. Logs faults of the service. */
function refusalOf(
  thrown: unknown,
  request: FastifyRequest,
  bodyLimit: number | undefined,
  isWhole: boolean,
): Refusal | undefined {
  if (thrown instanceof Refusal) return thrown
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new Refusal('body_too_large', `the body is larger than ${String(bodyLimit)} bytes`)
  }
  // Not the reset of a connection that a handler opened, such as to a database.
  if (code === 'ECONNRESET' && thrown === request.raw.errored) {
    return new Refusal('malformed_http', 'the body is shorter than Content-Length')
  }
  if (!isWhole && thrown instanceof Error && 'statusCode' in thrown && Number(thrown.statusCode) < 500) return undefined
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
