import { randomUUID } from 'node:crypto'
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyBaseLogger } from 'fastify'
import { noSuchPath } from '../path-and-method.ts'
import { type FailureBody, Refusal } from '../../engine/refusal.ts'
import type { Limits } from '../limits.ts'
import { closeInStages, isClosing } from './close-in-stages.ts'
import { METHODS, STATUS_CODES } from './node-http.ts'
import type { OpenConnections } from './open-connections.ts'
import { constantHeaders } from '../send.ts'

const methods: ReadonlySet<string> = new Set(METHODS)

/**
 * Whether a request is one of HTTP/1.0 or HTTP/1.1. Node's parser also takes the methods of RTSP, and the versions 0.9
 * and 2.0 of any protocol. It does not tell the protocol, so that `GET / RTSP/1.0` looks like `GET / HTTP/1.0`.
 */
export function isHttp1({ method = '', httpVersionMajor }: IncomingMessage): boolean {
  return httpVersionMajor === 1 && methods.has(method)
}

/** How connections are refused, and what is told of it. */
export interface RefusalOptions {
  failureBody: FailureBody
  log: FastifyBaseLogger
  /** Receives the status of each refusal that was sent. */
  onRefused: (status: number) => void
}

/**
 * Answers what Node's HTTP server refuses by itself, where there is a socket and no response, in the form of the
 * contract. The answer follows those of the earlier requests of its connection, which is then closed.
 *
 * @param server before it listens
 * @param connections those of the server
 * @returns the function that answers a request in the same way which Node accepts and which is not HTTP/1.x; to be
 *   called when the requests before it are answered
 */
export function answerConnectionErrors(
  server: Server,
  connections: OpenConnections,
  limits: Limits,
  { failureBody, log, onRefused }: RefusalOptions,
): (request: IncomingMessage) => void {
  /** @param request the one that is refused; undefined where its method is not known */
  function refuse(socket: Socket, refusal: Refusal, reason: string | undefined, request?: IncomingMessage): void {
    if (!socket.writable) return
    const requestId = randomUUID()
    log.info({ requestId, status: refusal.status, reason }, 'connection refused')
    socket.once('finish', () => {
      onRefused(refusal.status)
    })
    const content = JSON.stringify(failureBody(refusal.failure, refusal.message))
    socket.write(responseText(refusal, content, requestId, request?.method !== 'HEAD'))
    closeInStages(socket)
  }

  function onClientError(error: NodeJS.ErrnoException, socket: Socket): void {
    const connection = connections.get(socket)
    if (isClosing(socket)) return
    if (connection === undefined || !socket.writable || error.code === 'ECONNRESET') {
      socket.destroy()
      return
    }
    const { newest, request, response } = connection
    const isOfNewest = newest?.complete === false
    const refuseThis = () => {
      refuse(socket, failureOf(error.code, limits.headerBytes), error.code, isOfNewest ? newest : undefined)
    }
    if (!isOfNewest) connection.afterAnswers(refuseThis)
    else if (newest !== request) {
      // The body of a request that was not started is malformed.
      connection.dropNewest()
      connection.afterAnswers(refuseThis)
    } else if (response?.writableEnded === true) {
      connection.afterAnswers(() => {
        closeInStages(socket)
      })
    } else if (response?.headersSent === true) socket.destroy()
    else refuseThis()
  }

  // The types of Node give the event a Duplex; over TCP it is a Socket.
  server.on('clientError', onClientError as (error: Error, socket: unknown) => void)
  // This service is no proxy: the target of CONNECT is no path of it.
  server.on('connect', (request, socket: Socket) => {
    // Node has removed its own listeners. After an error the socket closes by itself.
    socket.on('error', () => undefined)
    socket.setTimeout(limits.socketIdleMilliseconds, () => socket.destroy())
    connections.get(socket)?.afterAnswers(() => {
      refuse(socket, isHttp1(request) ? noSuchPath() : notHttp1(), 'CONNECT')
    })
  })
  // The hook expectContent sends the 100, once the credentials are good.
  server.on('checkContinue', (request, response) => server.emit('request', request, response))
  // An expectation that this server does not know is ignored, as RFC 9110, section 10.1.1 allows.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))

  return (request) => {
    const { method = '', httpVersion, socket } = request
    refuse(socket, notHttp1(), `${method}, version ${httpVersion}`, request)
    // Its content is dropped.
    request.resume()
  }
}

const notHttp1 = (): Refusal => new Refusal('malformed_http', 'the request is not one of HTTP/1.0 or HTTP/1.1')

function failureOf(code: string | undefined, headerBytes: number): Refusal {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new Refusal(
        'headers_too_large',
        `the request line and the headers are larger than ${String(headerBytes)} bytes`,
      )
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Refusal('request_timeout', 'the request did not arrive in time')
    case undefined:
    default:
      return new Refusal('malformed_http', 'the bytes are not an HTTP request')
  }
}

function responseText({ status, headers }: Refusal, content: string, requestId: string, hasContent: boolean): string {
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
  return `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${hasContent ? content : ''}`
}
