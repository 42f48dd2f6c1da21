import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Failure, failure } from '../contract/errors.ts'
import { fieldValues } from './raw-headers.ts'
import { sendJson } from './send-json.ts'
import { contractMethods } from '../contract/document.ts'

/** A failure on its way to the one place that answers it. */
export class RequestFailure extends Error {
  readonly reply: Failure

  constructor(reply: Failure, cause?: unknown) {
    super(reply.body.message, { cause })
    this.reply = reply
  }
}

/** Answers a request with a failure. */
export function sendFailure(reply: FastifyReply, { status, headers, body }: Failure): FastifyReply {
  return sendJson(reply.code(status).headers(headers), JSON.stringify(body))
}

/**
 * Answers every error that Fastify raises or that reaches it with the contract's Error body.
 *
 * @param app the server, before its routes
 */
export function registerFailures(app: FastifyInstance): void {
  // Before credentials and before the body, which a path that does not exist has no use for.
  app.addHook('onRequest', (request, reply, done) => {
    const refusal = malformedFailure(request) ?? (request.is404 || isEveryPath(request.routeOptions.url) ? unmatched(app, request) : undefined)
    if (refusal === undefined) done()
    else sendFailure(reply, refusal)
  })
  // The hook above has answered what no route matches; what is left is a file of the docs page that there is not.
  app.setNotFoundHandler((_request, reply) => sendFailure(reply, noSuchPath))
  app.setErrorHandler((error: FastifyError, request, reply) => answerError(error, request, reply, app.initialConfig.bodyLimit))
}

function answerError(error: FastifyError, request: FastifyRequest, reply: FastifyReply, bodyLimit: number | undefined): FastifyReply {
  // Fastify closes the connection when it refuses a body; the rest of the body is read and dropped instead, so that
  // a client that is still sending it gets to read the answer.
  reply.removeHeader('connection')
  if (error instanceof RequestFailure) return sendFailure(reply, error.reply)
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return sendFailure(reply, failure('body_too_large', `the body is larger than ${String(bodyLimit)} bytes`))
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return sendFailure(reply, failure('unsupported_media_type', 'send the body as Content-Type: application/json'))
    case 'FST_STATIC_FORBIDDEN_PATH':
      return sendFailure(reply, noSuchPath)
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
    case 'ECONNRESET':
      return sendFailure(reply, failure('malformed_http', 'the body is not as long as Content-Length says'))
  }
  request.log.error({ err: error, requestId: request.id }, 'request failed')
  return sendFailure(reply, failure('internal', 'the service failed; quote the X-Request-Id of this response when reporting it'))
}

const noSuchPath: Failure = failure('path_not_found', 'there is no such path')

function unmatched(app: FastifyInstance, request: FastifyRequest): Failure {
  if (/^https?:\/\/(?:[/?]|$)/i.test(request.originalUrl)) return failure('malformed_http', 'the request target has no host')
  if (!isDecodable(request.originalUrl)) return failure('malformed_http', 'the percent-encoding of the path is broken')
  const url = request.url.split('?', 1).join()
  const methods = contractMethods.map((method) => method.toUpperCase()).filter((method) => isRoute(app, method, url))
  if (methods.length === 0) return noSuchPath
  const allow = methods.sort().join(', ')
  return failure('method_not_allowed', `this path has no ${request.method}, only ${allow}`, { Allow: allow })
}

function isRoute(app: FastifyInstance, method: string, url: string): boolean {
  // Fastify's types forget that there may be no such route.
  const route = app.findRoute({ method, url }) as { params: Record<string, unknown> } | null
  return route !== null && !(method === 'OPTIONS' && '*' in route.params)
}

/** The route by which the CORS plugin has its hook see each OPTIONS; a preflight never gets there. */
function isEveryPath(url: string | undefined): boolean {
  return url === '*'
}

/** What HTTP forbids and neither Node's parser nor the router refuses with an answer of this service. */
function malformedFailure({ raw: { httpVersion, rawHeaders, headers } }: FastifyRequest): Failure | undefined {
  const hosts = fieldValues(rawHeaders, 'host')
  // RFC 9112, section 3.2. Node answers none with an empty body, and takes two.
  if (hosts.length > 1 || (hosts.length === 0 && httpVersion === '1.1')) return failure('malformed_http', 'an HTTP/1.1 request has the header Host once')
  if (!hosts.every((host) => validHost.test(host))) return failure('malformed_http', 'Host is a host and, where there is one, a port')
  const coding = headers['transfer-encoding']
  // RFC 9112, section 6.1: a server refuses a transfer coding that it does not undo.
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return failure('malformed_http', 'the only Transfer-Encoding is chunked')
  return undefined
}

/** `uri-host [ ":" port ]` of RFC 9110, section 7.2. */
const validHost = /^(?:\[[\da-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(?::\d*)?$/i

/** Stands for a target that the router could not read, so that it takes the way of every request that no route matches. */
const unreadable = '/%20'

/**
 * The path and query that the router is given for a request target.
 *
 * @param target in origin form or in absolute form, which names this server too (RFC 9112, section 3.2.2)
 */
export function routedUrl(target: string): string {
  const url = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?]+\/?/i, '/')
  // `*` is the target of OPTIONS for a server as a whole (RFC 9112, section 3.2.4).
  return (url.startsWith('/') || url === '*') && isDecodable(url) ? url : unreadable
}

function isDecodable(url: string): boolean {
  if (!url.includes('%')) return true
  try {
    // The router decodes what stands before the first of these.
    decodeURI(url.split(/[?#]/, 1).join())
    return true
  } catch {
    return false
  }
}
