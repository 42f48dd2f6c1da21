import { isUtf8 } from 'node:buffer'
import { Agent as HttpAgent, type IncomingMessage, type RequestOptions, request as httpRequest } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { basePathsOf, isJson } from 'fastify-contract/document'
import { type TestedContract, addressOf } from './contract.ts'
import { Fault, Unjudged } from './fault.ts'
import type { ReceivedResponse } from './response-checks.ts'

/** A request as it is sent. */
export interface WireRequest {
  method: string
  url: string
  headers: Record<string, string>
  body?: string | Buffer
}

/** Sends a request and gives its response. @throws Fault without a complete one */
export type Exchange = (request: WireRequest) => Promise<ReceivedResponse>

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

/** Where requests go to. One of these is needed. */
export interface Server {
  /** The address, such as `http://127.0.0.1:3000`. A path in it takes the place of the contract's base path. */
  url?: string | (() => Promise<string>)
  /** A server in the same process. */
  app?: App
  /** How requests are sent, for any other server. */
  exchange?: Exchange
}

/** Connections to one server. */
export interface Connections {
  exchange: Exchange
  close: () => Promise<void>
}

/**
 * Connects to a server when the first request is sent.
 *
 * @param milliseconds the time for one response
 * @throws Unjudged for a URL that is none of a server
 */
export function connect(contract: TestedContract, { url, app, exchange }: Server, milliseconds?: number): Connections {
  const [base = ''] = basePathsOf(contract.document)
  const here = exchange ?? (app === undefined ? undefined : exchangeWith(app, base))
  if (here !== undefined) return { exchange: here, close: () => Promise.resolve() }
  if (typeof url !== 'function' && !/^https?:$/.test(URL.parse(String(url))?.protocol ?? '')) {
    throw new Unjudged(`${String(url)} is not the URL of a server; give one such as http://localhost:3000`)
  }
  let opened: Promise<Connections> | undefined
  const open = async () => {
    const address = typeof url === 'function' ? await url() : String(url)
    return connectTo(addressOf(contract, address), milliseconds)
  }
  return {
    exchange: async (request) => (await (opened ??= open())).exchange(request),
    close: async () => (await opened)?.close(),
  }
}

/** Sends requests to a server in the same process, without a socket. @param base comes before the path of each */
export function exchangeWith(app: App, base = ''): Exchange {
  if (typeof app !== 'function') {
    return async ({ method, url, headers, body }) => {
      // Fastify's type lists methods; `inject` takes each.
      const request = {
        method: method as never,
        url: `${base}${url}`,
        headers,
        ...(body === undefined ? {} : { payload: body }),
      }
      const { statusCode, headers: received, rawPayload } = await app.inject(request)
      return receivedOf(statusCode, received, rawPayload)
    }
  }
  return async ({ method, url, headers, body }) => {
    const content = body === undefined ? {} : { body: typeof body === 'string' ? body : new Uint8Array(body) }
    const response = await app(
      new Request(new URL(`${base}${url}`, 'http://localhost'), { method, headers, ...content }),
    )
    const bytes = Buffer.from(await response.arrayBuffer())
    return receivedOf(response.status, Object.fromEntries(response.headers), bytes)
  }
}

/** @throws Fault when the bytes are JSON or of no type, and not UTF-8 */
export function receivedOf(status: number, headers: ReceivedResponse['headers'], bytes: Buffer): ReceivedResponse {
  return { status, headers, text: textOf(bytes, headers['content-type']?.toString()), bytes: bytes.length }
}

function textOf(bytes: Buffer, type: string | undefined): string {
  if (isUtf8(bytes)) return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  if (type !== undefined && !isJson(type)) return bytes.toString('latin1')
  throw new Fault('broken response', 'the body of the response is not UTF-8')
}

/** The bytes of a response's body that are read. */
const maxBytes = 10_000_000

/**
 * Opens connections to a server, which it keeps for the next requests.
 *
 * @param origin such as `http://127.0.0.1:3000`; a path in it comes before that of each request
 * @param milliseconds the time for one response
 */
export function connectTo(origin: string, milliseconds = 60_000): Connections {
  const { protocol, hostname, port, pathname } = new URL(origin)
  const isSecure = protocol === 'https:'
  const agent = isSecure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true })
  const base = pathname.replace(/\/$/, '')
  const server = { agent, hostname: hostname.replace(/^\[|\]$/g, ''), port }
  const start = isSecure ? httpsRequest : httpRequest
  return {
    exchange: async ({ method, url, headers, body }) => {
      const signal = AbortSignal.timeout(milliseconds)
      try {
        return await receive(start, { ...server, method, path: `${base}${url}`, headers, signal }, body)
      } catch (error) {
        if (!signal.aborted) throw error
        throw new Fault('no response', `no complete response within ${String(milliseconds / 1000)} s`, { cause: error })
      }
    },
    close: () => {
      agent.destroy()
      return Promise.resolve()
    },
  }
}

/** A kept connection may have been closed by the server just before: the request is sent again on a new one. */
async function receive(
  start: typeof httpRequest,
  options: RequestOptions,
  body: string | Buffer | undefined,
): Promise<ReceivedResponse> {
  try {
    return await receiveOnce(start, options, body)
  } catch (error) {
    if (error instanceof Fault) throw error
    try {
      return await receiveOnce(start, { ...options, agent: false }, body)
    } catch (again) {
      if (again instanceof Fault) throw again
      throw new Fault('no response', `no response: ${reasonOf(again)}`, {
        cause: again,
      })
    }
  }
}

/** Node gives several failed addresses one error without a message. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.message !== '' || !('code' in error) ? error.message : String(error.code)
}

function receiveOnce(
  start: typeof httpRequest,
  options: RequestOptions,
  body: string | Buffer | undefined,
): Promise<ReceivedResponse> {
  return new Promise((resolve, reject) => {
    const sending = start(options, (message) => {
      read(message).then(resolve, (error: unknown) => {
        sending.destroy()
        reject(error instanceof Error ? error : new Error(String(error)))
      })
    })
    sending.on('error', reject)
    sending.end(body)
  })
}

async function read(message: IncomingMessage): Promise<ReceivedResponse> {
  const { statusCode = 0, headers, rawHeaders: flat } = message
  const chunks: Buffer[] = []
  let length = 0
  // A message without an encoding has buffers.
  for await (const chunk of message as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    length += chunk.length
    if (length > maxBytes) throw new Fault('no response', `the response is longer than ${String(maxBytes)} bytes`)
  }
  const names = flat.filter((_line, index) => index % 2 === 0)
  const rawHeaders = names.map((name, index): [string, string] => [name, flat[2 * index + 1] ?? ''])
  return { ...receivedOf(statusCode, headers, Buffer.concat(chunks)), rawHeaders }
}
