import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { FastifyBaseLogger } from 'fastify'
import { METHODS, createServer } from '../../node-http.ts'
import type { Limits } from '../limits.ts'
import { Refusal } from '../../engine/refusal.ts'
import { type ConnectionErrorOptions, answerConnectionErrors, notHttp1 } from './connection-errors.ts'
import type { OpenConnections } from './open-connections.ts'

/** The time over which rejected connections are counted for one log line. */
const countMilliseconds = 1_000

/** Creates a Node server with every limit of a connection. Fastify calls this once for each address of a host name. */
export function createHttpServer(
  listener: RequestListener,
  connections: OpenConnections,
  limits: Limits,
  refusals: ConnectionErrorOptions,
): Server {
  const server = createServer({
    maxHeaderSize: limits.headerBytes,
    headersTimeout: Math.min(limits.headersMilliseconds, limits.requestMilliseconds),
    requestTimeout: limits.requestMilliseconds,
    keepAliveTimeout: limits.keepAliveMilliseconds,
    connectionsCheckingInterval: limits.checkMilliseconds,
    // Node would answer a request without Host with an empty body. refuseRequests answers it instead.
    requireHostHeader: false,
    // Node would use the first of a repeated field. Joined, as in RFC 9110, section 5.2, two credentials or two media
    // types are invalid.
    joinDuplicateHeaders: true,
  })
  server.setTimeout(limits.socketIdleMilliseconds)
  server.maxConnections = limits.connections
  // Node drops those beyond, so it keeps one more than a request may have.
  server.maxHeadersCount = limits.headerFields + 1
  // A client that closes its side after its last request still gets its answers. Node does not document this:
  // https://github.com/nodejs/node/blob/v24.x/lib/_http_server.js
  Object.assign(server, { httpAllowHalfOpen: true })
  const refuse = answerConnectionErrors(server, connections, limits, isHttp1, refusals)
  connections.follow(server, (request, response) => {
    // Fastify would answer some of these without the common headers, and serve others.
    if (!isHttp1(request)) {
      refuse(request, notHttp1(), `${request.method ?? ''}, version ${request.httpVersion}`)
      return
    }
    if (request.rawHeaders.length > 2 * limits.headerFields) {
      const message = `the request has more than ${String(limits.headerFields)} header fields`
      refuse(request, new Refusal('headers_too_large', message), 'too many header fields')
      return
    }
    const { upgrade, 'transfer-encoding': coding } = request.headers
    if (upgrade !== undefined || coding !== undefined) endAfter(request, response)
    listener(request, response)
  })
  logDroppedConnections(server, refusals.logger)
  return server
}

const methods: ReadonlySet<string> = new Set(METHODS)

/**
 * Whether a request is HTTP/1.0 or HTTP/1.1. Node's parser also accepts the methods of RTSP, and the versions 0.9 and
 * 2.0 of any protocol. It does not report the protocol, so `GET / RTSP/1.0` looks like `GET / HTTP/1.0`.
 */
function isHttp1({ method = '', httpVersionMajor }: IncomingMessage): boolean {
  return httpVersionMajor === 1 && methods.has(method)
}

/**
 * Closes the connection behind the response where the bytes after a request may not be the next request. Node drops the
 * bytes after an upgrade request, which this server ignores (RFC 9110, section 7.8). Transfer-Encoding makes the framing of
 * HTTP/1.0 faulty, and a coding other than chunked leaves the end of the body unknown (RFC 9112, sections 6.1 and 6.3).
 */
function endAfter(request: IncomingMessage, response: ServerResponse): void {
  const { upgrade, 'transfer-encoding': coding } = request.headers
  const isFramed = request.httpVersion !== '1.0' && coding?.toLowerCase() === 'chunked'
  if (upgrade === undefined && isFramed) closeUnlessRead(request, response)
  // Node then sends `Connection: close`.
  else response.shouldKeepAlive = false
}

/**
 * Closes the connection behind a response that begins before the chunks of its request have arrived (RFC 9112, section
 * 9.3). To find the next request, each would have to be parsed.
 */
function closeUnlessRead(request: IncomingMessage, response: ServerResponse): void {
  // It has several overloads.
  const writeHead = response.writeHead.bind(response) as (...head: unknown[]) => typeof response
  response.writeHead = (...head: unknown[]) => {
    if (!request.complete) response.shouldKeepAlive = false
    return writeHead(...head)
  }
}

/**
 * Logs how many connections were rejected because `maxConnections` were open. Node emits `drop` for each
 * (nodejs.org/api/net.html#event-drop); one line for each would be too many.
 */
function logDroppedConnections(server: Server, log: FastifyBaseLogger): void {
  let connections = 0
  server.on('drop', () => {
    if (connections++ > 0) return
    setTimeout(() => {
      log.warn({ connections }, `connections rejected: ${String(server.maxConnections)} are already open`)
      connections = 0
    }, countMilliseconds).unref()
  })
}
