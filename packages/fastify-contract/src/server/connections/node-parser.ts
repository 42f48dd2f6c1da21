import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { createServer } from '../../node-http.ts'

/**
 * What stops Node's parser behind the headers of a request, and lets it go on. Node does not document it:
 * https://github.com/nodejs/node/blob/v24.x/lib/_http_server.js
 */
export interface Parser {
  /** Receives each request. Its result is that of llhttp's `on_headers_complete`. */
  onIncoming: (request: IncomingMessage, keepAlive: boolean) => number
  resume: () => void
  execute: (bytes: Buffer) => unknown
  /** Ends the stream. Returns an error in the middle of a request. */
  finish: () => unknown
}

/** The result with which llhttp stops. Node then emits `clientError` with this code and the bytes that are left. */
export const pausedResult = 21
export const pausedCode = 'HPE_PAUSED'

/** No bytes, but not a null pointer, which would mean the end of the stream. */
export const nothing = Buffer.alloc(1).subarray(1)

/** An error of Node's parser (nodejs.org/api/http.html#event-clienterror). */
export interface ParserError extends NodeJS.ErrnoException {
  bytesParsed?: number
  rawPacket?: Buffer
}

/** The parser of a connection. Node's own listener, which runs first, has set it. */
export function parserOf(socket: Duplex): Parser {
  // The types of Node omit it.
  return (socket as Socket & { parser: Parser }).parser
}

/**
 * Whether this version of Node has the parser that `OpenConnection` needs. Stops one behind the headers of each of two
 * requests, and lets it go on.
 */
export function canStopParser(): boolean {
  const head = Buffer.from('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  const requests: IncomingMessage[] = []
  const stops: (string | undefined)[] = []
  const server = createServer()
  server.on('clientError', ({ code, rawPacket, bytesParsed }: ParserError) => {
    stops.push(`${String(code)} ${String(rawPacket?.subarray(bytesParsed).length)}`)
  })
  const socket = new Duplex({ read: () => undefined })
  try {
    server.emit('connection', socket)
    const parser = parserOf(socket)
    parser.onIncoming = (request) => {
      requests.push(request)
      return pausedResult
    }
    const [parse] = socket.listeners('data')
    parse!.call(socket, Buffer.concat([head, head]))
    parser.resume()
    parse!.call(socket, head)
    parser.resume()
    parser.execute(nothing)
    parser.finish()
  } catch {
    return false
  } finally {
    socket.destroy()
  }
  const areComplete = requests.length === 2 && requests.every(({ complete }) => complete)
  return areComplete && stops.join() === `${pausedCode} ${String(head.length)},${pausedCode} 0`
}
