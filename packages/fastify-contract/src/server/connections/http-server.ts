import type { IncomingMessage, RequestListener, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyBaseLogger } from 'fastify'
import { closeInStages } from './close-in-stages.ts'
import { type RefusalOptions, answerConnectionErrors, isHttp1 } from './parser-errors.ts'
import type { Limits } from '../limits.ts'
import { createServer } from './node-http.ts'
import type { OpenConnections } from './open-connections.ts'

/** How long dropped connections are counted for one line of the log. */
const countMilliseconds = 1_000

/**
 * Creates a Node server that keeps every limit of a connection. Fastify calls it once for each address of a host name.
 *
 * @param listener serves a request
 * @param connections follows those of the server
 */
export function createHttpServer(
  listener: RequestListener,
  connections: OpenConnections,
  limits: Limits,
  refusals: RefusalOptions,
): Server {
  const server = createServer({
    maxHeaderSize: limits.headerBytes,
    headersTimeout: Math.min(limits.headersMilliseconds, limits.requestMilliseconds),
    requestTimeout: limits.requestMilliseconds,
    keepAliveTimeout: limits.keepAliveMilliseconds,
    connectionsCheckingInterval: limits.checkMilliseconds,
    // Node would answer a request without Host with an empty body; the hook refuseMalformed answers it.
    requireHostHeader: false,
  })
  server.setTimeout(limits.socketIdleMilliseconds)
  server.maxConnections = limits.connections
  // Their bytes are limited. Of more than 1,000 headers Node drops the others or refuses all, by its version.
  server.maxHeadersCount = 0
  // A client that closes its side after its last request still gets its answers. Node's types lack this property.
  Object.assign(server, { httpAllowHalfOpen: true })
  const refuse = answerConnectionErrors(server, connections, limits, refusals)
  connections.follow(server, (request, response) => {
    // Fastify would answer some of these by itself, without what every answer has, and serve others.
    if (!isHttp1(request)) {
      refuse(request)
      return
    }
    // Node then sends `Connection: close`.
    if (isLast(request)) response.shouldKeepAlive = false
    listener(request, response)
  })
  // Node destroys the connection of a request with this method, also where answers to requests before it are due.
  server.on('request', (request) => {
    if (request.method === 'PRI') request.method = 'PRI (HTTP/2)'
  })
  server.on('connection', (socket: Socket) => {
    // Node calls it behind a last answer, and would close at once.
    socket.destroySoon = () => {
      closeInStages(socket)
    }
  })
  logDroppedConnections(server, refusals.log)
  return server
}

/**
 * Whether the bytes after a request cannot be trusted to be the next one. Node drops the bytes after a request to
 * upgrade, which this server ignores (RFC 9110, section 7.8). With HTTP/1.0 a Transfer-Encoding makes the framing
 * faulty, and with a coding other than chunked the end of the body is unknown (RFC 9112, sections 6.1 and 6.3).
 */
function isLast({ headers, httpVersion }: IncomingMessage): boolean {
  if (headers.upgrade !== undefined) return true
  const coding = headers['transfer-encoding']
  return coding !== undefined && (httpVersion === '1.0' || coding.toLowerCase() !== 'chunked')
}

/**
 * Logs how many connections were closed as soon as they were made, because `maxConnections` were open. Node emits
 * `drop` for each (nodejs.org/api/net.html#event-drop); a line for each would be too many.
 */
function logDroppedConnections(server: Server, log: FastifyBaseLogger): void {
  let connections = 0
  server.on('drop', () => {
    if (connections++ > 0) return
    setTimeout(() => {
      log.warn({ connections }, `connections closed as soon as made: ${String(server.maxConnections)} are open`)
      connections = 0
    }, countMilliseconds).unref()
  })
}
