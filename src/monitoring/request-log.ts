import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { type FastifyInstance, type FastifyRequest, LogController } from 'fastify'
import type { Metrics } from './metrics.ts'

const acceptableId = /^[\w.-]{1,128}$/

/** Returns the request's `X-Request-Id` if it is safe to repeat and no token, else a random one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const own = headers['x-request-id']
  return typeof own === 'string' && acceptableId.test(own) && withoutTokens(own) === own ? own : randomUUID()
}

/** Leaves the lines of requests to `registerRequestLog`. */
export class RequestLog extends LogController {
  override incomingRequest(): void {
    // A request has one line, which is written when its response ends.
  }

  override requestCompleted(): void {
    // Fastify does not count a response as completed whose connection ended before it.
  }

  override streamError(error: NodeJS.ErrnoException, request: FastifyRequest): void {
    if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') return
    request.log.error({ err: error, requestId: request.id }, 'request failed')
  }
}

/**
 * Writes the one line of a request when its response ends, complete or not. It has no query, no body and no token.
 *
 * @param app before any other hook
 */
export function registerRequestLog(app: FastifyInstance, onAnswered: Metrics['answered'] | undefined): void {
  app.addHook('onRequest', (request, reply, done) => {
    let isWhole = false
    reply.raw.once('finish', () => {
      isWhole = true
    })
    reply.raw.once('close', () => {
      const { operation } = request.routeOptions.config
      const { statusCode: status, elapsedTime } = reply
      if (isWhole) onAnswered?.(operation?.id, status, elapsedTime / 1_000)
      const line = {
        requestId: request.id,
        method: request.method,
        ...(operation === undefined
          ? { path: withoutTokens(request.originalUrl.split('?', 1)[0] ?? '') }
          : { operation: operation.id }),
        status,
        milliseconds: Math.round(elapsedTime * 1_000) / 1_000,
      }
      request.log.info(line, isWhole ? 'request answered' : 'response cut off')
    })
    done()
  })
}

/**
 * Removes tokens from a text that is to be logged: those of this service, and JSON Web Tokens. A JSON Web Token begins
 * with a JSON object in Base64, and so with `{` and then `"` or white space. Percent-encoded tokens are found too.
 *
 * @returns the same text if it contains no token; `[encoded]` if it is percent-encoded too many times to check
 */
export function withoutTokens(text: string): string {
  const decoded = percentDecoded(text)
  if (decoded === undefined) return '[encoded]'
  const redacted = decoded
    .replaceAll(/plst_[\w-]*/g, '[token]')
    // Reads each word to its end before it looks for the point, so that the time is linear.
    .replaceAll(/e(?:yJ|yA|wo|w0|wk)[\w-]*(\.[\w.-]*)?/g, (word: string, rest: string | undefined) =>
      rest === undefined ? word : '[token]',
    )
  return redacted === decoded ? text : redacted
}

/** The most times that a text may be percent-encoded. Nobody needs as many. */
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
