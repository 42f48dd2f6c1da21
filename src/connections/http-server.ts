import { type IncomingMessage, type RequestListener, type Server, createServer } from 'node:http'
import type { FastifyBaseLogger } from 'fastify'
import { answerConnectionErrors } from './parser-errors.ts'
import type { Limits } from '../config/limits.ts'
import type { OpenConnections } from './open-connections.ts'

/** How long dropped connections are counted for one line of the log. */
const countMilliseconds = 1_000

/**
 * Creates a Node server with every limit of a connection set. Fastify calls it once for each address of a host name.
 *
 * @param listener serves a request
 * @param connections follow those of the server
 */
export function createHttpServer(listener: RequestListener, connections: OpenConnections, limits: Limits, log: FastifyBaseLogger): Server {
  const server = createServer({
    maxHeaderSize: limits.headerBytes,
    headersTimeout: Math.min(limits.headersMilliseconds, limits.requestMilliseconds),
    requestTimeout: limits.requestMilliseconds,
    keepAliveTimeout: limits.keepAliveMilliseconds,
    connectionsCheckingInterval: limits.checkMilliseconds,
    // Node's own refusal of a request without Host has no body; registerFailures answers it.
    requireHostHeader: false,
  })
  server.setTimeout(limits.standstillMilliseconds)
  server.maxConnections = limits.connections
  // A client that has sent its last request and closed its side still gets its answers. Node's types lack this property.
  Object.assign(server, { httpAllowHalfOpen: true })
  connections.follow(server, (request, response) => {
    // Node then sends `Connection: close`.
    if (isLast(request)) response.shouldKeepAlive = false
    listener(request, response)
  })
  answerConnectionErrors(server, connections, limits, log)
  logDroppedConnections(server, log)
  return server
}

/**
 * Whether nothing that follows on the connection can be read. Node drops the bytes behind a request to upgrade, which this
 * server ignores (RFC 9110, section 7.8). An HTTP/1.0 client that frames its body by a Transfer-Encoding may mean something
 * else by it (RFC 9112, section 6.1), and what does not end in the one known coding has no certain end.
 */
function isLast({ headers, httpVersion }: IncomingMessage): boolean {
  if (headers.upgrade !== undefined) return true
  const coding = headers['transfer-encoding']
  return coding !== undefined && (httpVersion === '1.0' || coding.toLowerCase() !== 'chunked')
}

/**
 * Logs how many connections were closed as soon as they were made, because `maxConnections` were open. Node emits `drop` for
 * each (nodejs.org/api/net.html#event-drop); a line for each would be too many.
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
