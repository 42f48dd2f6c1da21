import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../engine/refusal.ts'
import { hasMembers } from '../json/json.ts'
import { STATUS_CODES } from '../node-http.ts'
import { http2StreamOf } from './cut-off.ts'
import { type FailureForm, formedOrDefault, internal } from './failure-form.ts'
import { idForLog } from './id-for-log.ts'
import { received } from './operation-input.ts'
import { constantHeaders, setCommonHeaders } from './response-headers.ts'
import { sendContent } from './send.ts'

/** The error handlers of the library. */
const libraryHandlers = new WeakSet<object>()

/** Whether the author of a server has set its error handler. */
export function hasOwnErrorHandler({ errorHandler }: FastifyInstance): boolean {
  return !libraryHandlers.has(errorHandler) && errorHandler.name !== 'defaultErrorHandler'
}

/**
 * Responds to errors in the form of the contract. What a hook of another plugin throws keeps its headers and a status from
 * 400 to 499, or 503. What a handler throws is 500, whatever status it has, unless the form makes a declared failure of it.
 *
 * @param app the server or a context of its own, before its routes
 * @param parent its server, whose own error handler responds to what hooks throw
 */
export function registerErrorHandler(app: FastifyInstance, form: FailureForm, parent?: FastifyInstance): void {
  app.setErrorHandler((thrown: unknown, request, reply) => {
    const refusal = refusalOf(thrown, request, app.initialConfig.bodyLimit)
    if (refusal !== undefined) return sendRefusal(request, reply, refusal, form)
    if (request[received]?.isHandled !== true) {
      // Set by now, even if it was after the contract was registered.
      if (parent !== undefined && hasOwnErrorHandler(parent)) {
        // Its type omits the promise of an async one, for which Fastify waits.
        const own: { errorHandler(thrown: unknown, request: FastifyRequest, reply: FastifyReply): unknown } = parent
        return own.errorHandler(thrown, request, reply)
      }
      const refusal = refusalOfHook(thrown, reply)
      if (refusal !== undefined) {
        if (refusal.statusCode >= 500) logFault(request, thrown)
        return sendRefusal(request, reply, refusal, form)
      }
    }
    logFault(request, thrown)
    return sendRefusal(request, reply, internal(), form)
  })
  libraryHandlers.add(app.errorHandler)
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
  // Caches keep no failure, whatever they may keep of other responses.
  reply.code(status).headers(constantHeaders).headers(refusal.headers)
  return sendContent(reply, contentType, content)
}

/**
 * Keeps the connection open when Fastify refuses a body. The rest of the body is read and discarded, so that a client that
 * is still sending can read the response.
 */
function keepConnection(reply: FastifyReply): void {
  const { raw } = reply
  // While the server closes, Fastify sets the header on the raw response. HTTP/2 has no such header.
  const isKept = http2StreamOf(raw) !== undefined || (!raw.hasHeader('connection') && raw.shouldKeepAlive)
  if (isKept && reply.hasHeader('connection')) {
    reply.removeHeader('connection')
  }
}

/** The refusal that a thrown value is or stands for; undefined for any other error. */
function refusalOf(thrown: unknown, request: FastifyRequest, bodyLimit: number | undefined): Refusal | undefined {
  if (thrown instanceof Refusal) return thrown
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new Refusal('body_too_large', `the body is larger than ${String(bodyLimit)} bytes`)
  }
  // Not the reset of a connection that a handler opened, such as to a database.
  if (code === 'ECONNRESET' && thrown === request.raw.errored) {
    return new Refusal('malformed_http', 'the body is shorter than Content-Length')
  }
  return undefined
}

/**
 * The refusal for an error of a hook; undefined for a fault of the service. Sets the headers of the error. As Fastify does,
 * it takes the status of the error, then that of the reply.
 */
function refusalOfHook(thrown: unknown, reply: FastifyReply): Refusal | undefined {
  const error: Record<string, unknown> = hasMembers(thrown) ? thrown : {}
  const { statusCode, status = reply.statusCode, message, headers } = error
  const own = Number(statusCode ?? status)
  const isRefused = Number.isInteger(own) && own >= 400 && own <= 499
  if (!isRefused && own !== 503) return undefined
  if (hasMembers(headers)) for (const [name, value] of Object.entries(headers)) reply.header(name, value)
  if (!isRefused) {
    const wait = reply.hasHeader('retry-after') ? {} : { 'Retry-After': 1 }
    return new Refusal('unavailable', 'the service is not available now; try again later', wait)
  }
  const text = typeof message === 'string' && message !== '' ? message : (STATUS_CODES[own] ?? 'refused')
  return new Refusal('request_refused', text, {}, own)
}

function logFault(request: FastifyRequest, thrown: unknown): void {
  const id = idForLog(request)
  try {
    request.log.error({ err: thrown, ...id }, 'request failed')
  } catch {
    // The log reads every property of an error, and a getter may throw.
    const err = new Error(
      `the thrown value cannot be logged: ${thrown instanceof Error ? String(thrown.stack) : typeof thrown}`,
    )
    request.log.error({ err, ...id }, 'request failed')
  }
}
