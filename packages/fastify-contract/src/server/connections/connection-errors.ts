import { randomUUID } from 'node:crypto'
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { FastifyBaseLogger } from 'fastify'
import type { Limits } from '../limits.ts'
import { Refusal, noSuchPath } from '../../engine/refusal.ts'
import { STATUS_CODES } from '../../node-http.ts'
import { type FailureForm, type FormedFailure, formedOrDefault } from '../failure-form.ts'
import { constantHeaders } from '../response-headers.ts'
import type { ParserError } from './node-parser.ts'
import type { OpenConnections } from './open-connections.ts'

/** Options for requests that are rejected below Fastify. */
export interface ConnectionErrorOptions {
  logger: FastifyBaseLogger
  failureForm: FailureForm
  /** Receives the status of each request that is rejected below Fastify, such as bytes that are not HTTP. */
  onConnectionRefused?: ((status: number) => void) | undefined
}

/**
 * Answers requests that Node's HTTP server rejects by itself, in the form of the contract. At that point there is a
 * socket, but no response object. The answer follows those of the earlier requests; then the connection is closed.
 *
 * @param server before it listens
 * @param isHttp1 whether a request that Node accepts is one of HTTP/1.x
 * @returns a function that refuses a request and logs the reason; call it when the requests before it are answered
 */
export function answerConnectionErrors(
  server: Server,
  connections: OpenConnections,
  { headerBytes, requestMilliseconds, socketIdleMilliseconds }: Limits,
  isHttp1: (request: IncomingMessage) => boolean,
  { failureForm, logger, onConnectionRefused }: ConnectionErrorOptions,
): (request: IncomingMessage, refusal: Refusal, reason: string) => void {
  /** @param request the refused request; undefined if its method is unknown */
  function refuse(socket: Socket, refusal: Refusal, reason: string | undefined, request?: IncomingMessage): void {
    if (!socket.writable) return
    const requestId = randomUUID()
    const reply = formedOrDefault(refusal, failureForm, logger)
    const { status } = reply
    logger.info({ requestId, status, reason }, 'connection refused')
    socket.once('finish', () => {
      onConnectionRefused?.(status)
    })
    socket.write(responseText(reply, refusal, requestId, request?.method !== 'HEAD'))
    connections.get(socket)?.closeInStages()
  }

  function onClientError(error: ParserError, socket: Duplex): void {
    const connection = connections.get(socket)
    if (connection?.isLast === true) return
    if (connection === undefined || !socket.writable || error.code === 'ECONNRESET') {
      socket.destroy()
      return
    }
    if (connection.stop(error)) return
    const { newest } = connection
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && newest?.hasWaited === true && !newest.request.complete) {
      // Its time was taken by the requests before it. It gets as much again, once it is served.
      newest.hasWaited = connection.isStopped
      setTimeout(() => {
        if (connection.newest === newest && !newest.request.complete) onClientError(error, socket)
      }, requestMilliseconds).unref()
      return
    }
    const { exchange } = connection
    const unfinished = exchange?.request.complete === false ? exchange : undefined
    const refuseThis = () => {
      refuse(connection.socket, refusalOf(error.code, headerBytes), error.code, unfinished?.request)
    }
    if (unfinished === undefined) connection.afterResponse(refuseThis)
    else if (unfinished.response.writableEnded) {
      connection.afterResponse(() => {
        connection.closeInStages()
      })
    } else if (unfinished.response.headersSent) socket.destroy()
    else refuseThis()
  }

  server.on('clientError', onClientError)
  // This server is not a proxy: the target of CONNECT is not one of its paths.
  server.on('connect', (request, socket: Socket) => {
    // Node has removed its own listeners. After an error the socket closes by itself.
    socket.on('error', () => undefined)
    socket.setTimeout(socketIdleMilliseconds, () => socket.destroy())
    connections.get(socket)?.afterResponse(() => {
      refuse(socket, isHttp1(request) ? noSuchPath() : notHttp1(), 'CONNECT')
    })
  })
  // The hook of expectContent sends the 100, once the credentials are good.
  server.on('checkContinue', (request, response) => server.emit('request', request, response))
  // An expectation that this server does not know is ignored, as RFC 9110, section 10.1.1 allows.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))

  return (request, refusal, reason) => {
    refuse(request.socket, refusal, reason, request)
    // Its content is dropped.
    request.resume()
  }
}

export const notHttp1 = (): Refusal => new Refusal('malformed_http', 'the request is not HTTP/1.0 or HTTP/1.1')

/** @param code of an error of Node's parser or of its timeouts */
function refusalOf(code: string | undefined, headerBytes: number): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW') {
    const message = `the request line and headers are larger than ${String(headerBytes)} bytes`
    return new Refusal('headers_too_large', message)
  }
  return code === 'ERR_HTTP_REQUEST_TIMEOUT'
    ? new Refusal('request_timeout', 'the request did not arrive in time')
    : new Refusal('malformed_http', 'the bytes are not an HTTP request')
}

function responseText(reply: FormedFailure, { headers }: Refusal, requestId: string, hasContent: boolean): string {
  const { status, contentType, content } = reply
  const fields = {
    ...constantHeaders,
    ...headers,
    'content-type': contentType,
    'content-length': Buffer.byteLength(content),
    'x-request-id': requestId,
    connection: 'close',
    date: new Date().toUTCString(),
  }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${String(value)}\r\n`)
  return `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${hasContent ? content : ''}`
}
