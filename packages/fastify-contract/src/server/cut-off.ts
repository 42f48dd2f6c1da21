import type { ServerResponse } from 'node:http'
import type { Http2ServerResponse, ServerHttp2Stream } from 'node:http2'

/** `INTERNAL_ERROR` of RFC 9113, section 7. */
const internalError = 2

/** The stream of a message over HTTP/2; undefined over HTTP/1. A server without `fastifyOptions` may have both. */
export function http2StreamOf(response: ServerResponse | Http2ServerResponse): ServerHttp2Stream | undefined {
  return 'stream' in response ? response.stream : undefined
}

/** Calls `act` when a response is closed, or at once if it already is. */
export function whenClosed(response: ServerResponse, act: () => void): void {
  // Responses over HTTP/2 have no `closed`.
  if (http2StreamOf(response)?.closed ?? response.closed) act()
  else response.once('close', act)
}

/**
 * Cuts off a response whose headers are sent, so that its client sees no regular end: HTTP/1.1 lacks the last chunk, HTTP/2
 * resets the stream, and HTTP/1.0, where the end of the connection is that of the body, resets the connection.
 */
export function cutOff(response: ServerResponse): void {
  const stream = http2StreamOf(response)
  if (stream !== undefined) {
    stream.close(internalError)
    return
  }
  if (response.req.httpVersion === '1.0') {
    try {
      response.socket?.resetAndDestroy()
    } catch {
      // Neither TLS nor a Unix domain socket can be reset.
    }
  }
  response.destroy()
}
