import type { Exchange } from './send.ts'
import { textOf } from './send.ts'

/** What `inject` of a Fastify instance gives. */
interface Injected {
  statusCode: number
  headers: Record<string, string | string[] | number | undefined>
  rawPayload: Buffer
}

/** A server in the same process: a Fastify instance, or a function like `fetch`. */
export type App =
  | {
      inject: (request: {
        method: never
        url: string
        headers: Record<string, string>
        payload?: string | Buffer
      }) => PromiseLike<Injected>
    }
  | ((request: Request) => Promise<Response> | Response)

/** Sends requests to a server in the same process, without a socket. */
export function exchangeWith(app: App): Exchange {
  if (typeof app !== 'function') {
    return async ({ method, url, headers, body }) => {
      // Fastify's type lists methods; `inject` takes each.
      const request = { method: method as never, url, headers, ...(body === undefined ? {} : { payload: body }) }
      const { statusCode, headers: received, rawPayload } = await app.inject(request)
      const text = textOf(rawPayload, received['content-type']?.toString())
      return { status: statusCode, headers: received, text, bytes: rawPayload.length }
    }
  }
  return async ({ method, url, headers, body }) => {
    const content = body === undefined ? {} : { body: typeof body === 'string' ? body : new Uint8Array(body) }
    const response = await app(new Request(new URL(url, 'http://localhost'), { method, headers, ...content }))
    const bytes = Buffer.from(await response.arrayBuffer())
    const received = Object.fromEntries(response.headers)
    return {
      status: response.status,
      headers: received,
      text: textOf(bytes, received['content-type']),
      bytes: bytes.length,
    }
  }
}
