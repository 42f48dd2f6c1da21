import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import type { Metrics } from './metrics.ts'

/** How much of a path is logged. No operation has so long a path, and a client can send 16 KiB. */
const maxPathCharacters = 1_000

const acceptableId = /^[\w.-]{1,128}$/

/** Returns the request's `X-Request-Id` if it is safe to echo and not a token, or else a random one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const own = headers['x-request-id']
  return typeof own === 'string' && acceptableId.test(own) && withoutTokens(own) === own ? own : randomUUID()
}

/**
 * Logs one line per request when its response ends, complete or not, without query, body or tokens. It replaces
 * Fastify's two lines.
 */
export class RequestLog extends LogController {
  readonly #onAnswered: Metrics['answered'] | undefined

  constructor(onAnswered: Metrics['answered'] | undefined) {
    super()
    this.#onAnswered = onAnswered
  }

  /** Fastify calls it before the hooks of the request. */
  override incomingRequest(request: FastifyRequest, reply: FastifyReply): void {
    reply.raw.on('close', () => {
      // Node takes the socket from a response that is sent to its end. One that is cut off closes with its socket.
      const isComplete = reply.raw.writableEnded && reply.raw.socket?.destroyed !== true
      const operation = request.routeOptions.schema?.operationId
      const { statusCode: status, elapsedTime } = reply
      if (isComplete) this.#onAnswered?.(operation, status, elapsedTime / 1_000)
      const line = {
        requestId: request.id,
        method: request.method,
        // Pino leaves out what is undefined.
        path: operation === undefined ? withoutTokens(pathOf(request)) : undefined,
        operation,
        status,
        milliseconds: Math.round(elapsedTime * 1_000) / 1_000,
      }
      request.log.info(line, isComplete ? 'request answered' : 'response cut off')
    })
  }

  override requestCompleted(): void {
    // Fastify does not call this for responses that are cut off.
  }

  override streamError(error: NodeJS.ErrnoException, request: FastifyRequest): void {
    if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') return
    request.log.error({ err: error, requestId: request.id }, 'request failed')
  }
}

/** In absolute form (RFC 9112, section 3.2.2), a target may have a password, which the routed url never has. */
function pathOf({ originalUrl, url }: FastifyRequest): string {
  const [path = ''] = (originalUrl.startsWith('/') ? originalUrl : url).split('?', 1)
  return path.length > maxPathCharacters ? `${path.slice(0, maxPathCharacters)}…` : path
}

/**
 * Redacts opaque tokens and JSON Web Tokens, also if they are percent-encoded. A JSON Web Token begins with a JSON
 * object in Base64: with `{`, then `"` or white space.
 *
 * @returns the same text if it contains no token; `[encoded]` if it is percent-encoded too many times to check
 */
export function withoutTokens(text: string): string {
  const decoded = percentDecoded(text)
  if (decoded === undefined) return '[encoded]'
  const redacted = decoded
    .replaceAll(/plst_[\w-]*/g, '[token]')
    // Matches each word to its end before it looks for the point, which keeps the time linear.
    .replaceAll(/e(?:yJ|yA|wo|w0|wk)[\w-]*(\.[\w.-]*)?/g, (word: string, rest: string | undefined) =>
      rest === undefined ? word : '[token]',
    )
  return redacted === decoded ? text : redacted
}

/** The limit of nested percent-encodings. No client needs as many. */
const maxEncodings = 5

/** Percent-decodes the characters of tokens repeatedly; undefined after more than `maxEncodings` times. */
function percentDecoded(text: string): string | undefined {
  let decoded = text
  for (let count = 0; count <= maxEncodings; count++) {
    const next = decoded.replaceAll(/%([2-7][0-9a-f])/gi, (escape: string, hex: string) => {
      const character = String.fromCharCode(parseInt(hex, 16))
      return /[\w.%-]/.test(character) ? character : escape
    })
    if (next === decoded) return decoded
    decoded = next
  }
  return undefined
}
