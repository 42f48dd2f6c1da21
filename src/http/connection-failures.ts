import { randomUUID } from 'node:crypto'
import { STATUS_CODES, type Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyBaseLogger } from 'fastify'
import { type Failure, failure } from '../contract/errors.ts'
import type { Exchanges } from './exchanges.ts'
import { constantHeaders } from './response-headers.ts'

/**
 * Answers with the contract's Error body what Node's HTTP server refuses by itself, where a socket is all there is.
 *
 * @param server before it listens
 * @param exchanges those of its connections
 * @param headerBytes the largest request line and headers, for the message
 * @param log where a refusal is written
 */
export function registerConnectionFailures(server: Server, exchanges: Exchanges, headerBytes: number, log: FastifyBaseLogger): void {
  function refuse(socket: Socket, reply: Failure, reason: string | undefined): void {
    const requestId = randomUUID()
    log.info({ requestId, status: reply.status, reason }, 'connection refused')
    writeFailure(socket, reply, requestId)
  }

  function onClientError(error: NodeJS.ErrnoException, socket: Socket): void {
    const exchange = exchanges.get(socket)
    const isAnswered = exchange === undefined || exchange.response.writableFinished
    if (!socket.writable || error.code === 'ECONNRESET' || (exchange?.request.complete === false && exchange.response.headersSent)) {
      // Nobody listens, or the request that fails has had its answer.
      socket.destroy()
    } else if (exchange?.request.complete === true && !isAnswered) {
      // The bytes that fail follow a request that is still being answered.
      exchange.response.once('close', () => {
        if (socket.writable) refuse(socket, failureOf(error.code, headerBytes), error.code)
      })
    } else {
      refuse(socket, failureOf(error.code, headerBytes), error.code)
    }
  }

  // The types of Node give the event a Duplex; over TCP it is a Socket.
  server.on('clientError', onClientError as (error: Error, socket: unknown) => void)
  // This service is no proxy: a target of CONNECT is no path of it.
  server.on('connect', (_request, socket: Socket) => {
    refuse(socket, failure('path_not_found', 'there is no such path'), 'CONNECT')
  })
  // The operation that takes the body invites it, once the credentials are good.
  server.on('checkContinue', (request, response) => server.emit('request', request, response))
  // An expectation that this server does not know is ignored, as RFC 9110, section 10.1.1 allows.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
}

function failureOf(code: string | undefined, headerBytes: number): Failure {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return failure('headers_too_large', `the request line and the headers are larger than ${String(headerBytes)} bytes`)
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return failure('request_timeout', 'the request did not arrive in time')
    case undefined:
    default:
      return failure('malformed_http', 'the bytes are not an HTTP request')
  }
}

function writeFailure(socket: Socket, { status, headers, body }: Failure, requestId: string): void {
  const content = JSON.stringify(body)
  const fields = {
    ...constantHeaders,
    ...headers,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(content),
    'x-request-id': requestId,
    connection: 'close',
    date: new Date().toUTCString(),
  }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${String(value)}\r\n`)
  socket.end(`HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${content}`)
}
