import { isUtf8 } from 'node:buffer'
import { Agent as HttpAgent, type IncomingMessage, type RequestOptions, request as httpRequest } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { Readable } from 'node:stream'
import zlib, { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { framingOf, isJson } from 'fastify-contract/document'
import { type TestedContract, addressOf, baseOf } from '../ground/contract.ts'
import type { Exchange, ReceivedResponse, WireRequest } from '../ground/exchange.ts'
import { Fault, Unjudged } from '../ground/fault.ts'
import { readItems } from './items.ts'
import { LeftOut } from '../ground/left-out.ts'
import { Clock, patience } from '../ground/clock.ts'

/** What `inject` of a Fastify instance gives. */
interface Injected {
  statusCode: number
  headers: Record<string, string | string[] | number | undefined>
  rawPayload: Buffer
  /** Only of a Fastify instance. */
  stream?: () => Readable
}

/** A server in the same process: a Fastify instance, or a function like `fetch`. */
export type App =
  | {
      inject: (request: {
        method: never
        url: string
        headers: Record<string, string>
        payload?: string | Buffer
        payloadAsStream: true
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
 * @throws Unjudged for a URL that is none of a server
 */
export function connect(contract: TestedContract, { url, app, exchange }: Server, { wait }: Clock): Connections {
  const here = exchange ?? (app === undefined ? undefined : exchangeWith(app, (request) => baseOf(contract, request)))
  if (here !== undefined) return { exchange: here, close: () => Promise.resolve() }
  if (typeof url !== 'function' && !/^https?:$/.test(URL.parse(String(url))?.protocol ?? '')) {
    throw new Unjudged(`${String(url)} is not the URL of a server; give one such as http://localhost:3000`)
  }
  if (typeof url === 'string' && /^[^/]*\/\/[^/]*@/.test(url)) {
    throw new Unjudged('the URL of the server has credentials, which are not sent; give them with --auth or --header')
  }
  let opened: Promise<Connections> | undefined
  const open = async () => {
    const address = typeof url === 'function' ? await url() : String(url)
    const [origin = address] = /^https?:\/\/[^/]+/i.exec(address) ?? []
    const { exchange: send, close } = connectTo(origin, wait)
    const baseIn = (request: WireRequest) =>
      addressOf(contract, address, request).slice(origin.length).replace(/\/$/, '')
    return { exchange: (request: WireRequest) => send({ ...request, url: `${baseIn(request)}${request.url}` }), close }
  }
  return {
    exchange: async (request) => (await (opened ??= open())).exchange(request),
    close: async () => (await opened)?.close(),
  }
}

/** Sends requests to a server in the same process, without a socket. @param baseOf what comes before the path of one */
function exchangeWith(app: App, baseOf: (request: WireRequest) => string): Exchange {
  if (typeof app !== 'function') {
    return async (sent) => {
      const { method, url, headers, body } = sent
      const request = {
        // Fastify's type lists methods; `inject` takes each.
        method: method as never,
        url: `${baseOf(sent)}${url}`,
        headers,
        ...(body === undefined ? {} : { payload: body }),
      }
      const response = await app.inject({ ...request, payloadAsStream: true })
      const { statusCode, headers: received } = response
      if (response.stream === undefined) return receivedOf(statusCode, received, { bytes: response.rawPayload })
      const stream = response.stream()
      const content = await readCoded(stream, statusCode, received)
      stream.destroy()
      return receivedOf(statusCode, received, content)
    }
  }
  return async (sent) => {
    const { method, url, headers, body } = sent
    const content = body === undefined ? {} : { body: typeof body === 'string' ? body : new Uint8Array(body) }
    const response = await app(
      new Request(new URL(`${baseOf(sent)}${url}`, 'http://localhost'), { method, headers, ...content }),
    )
    const received = Object.fromEntries(response.headers)
    return receivedOf(response.status, received, await readContent(response.body ?? [], received))
  }
}

type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/** What was read of a response. */
interface Content {
  bytes: Buffer
  /** How many bytes were received, where a content coding has made them fewer. */
  length?: number
  isCut?: boolean
}

/** @throws Fault when the bytes are JSON and not UTF-8 */
function receivedOf(
  status: number,
  headers: ReceivedResponse['headers'],
  { bytes, length = bytes.length, isCut = false }: Content,
): ReceivedResponse {
  // A header may be named `constructor`, which other objects inherit.
  const own = Object.assign({ __proto__: null }, headers)
  if (!isUtf8(bytes) && isJson(String(headers['content-type']))) {
    throw new Fault('broken response', `received ${String(status)}: the body is not UTF-8`)
  }
  return { status, headers: own, text: textOf(bytes), bytes: length, ...(isCut ? { isCut } : {}) }
}

function textOf(bytes: Buffer): string {
  return isUtf8(bytes) ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes) : bytes.toString('latin1')
}

/** The bytes of a response's body that are read. */
const maxBytes = 10_000_000

/**
 * Opens connections to a server, which it keeps for the next requests.
 *
 * @param origin such as `http://127.0.0.1:3000`; a path in it comes before that of each request
 * @param milliseconds the time for one response
 */
export function connectTo(origin: string, milliseconds = new Clock().wait): Connections {
  const { protocol, hostname, port, pathname } = new URL(origin)
  const isSecure = protocol === 'https:'
  const agent = isSecure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true })
  const base = pathname.replace(/\/$/, '')
  const server = { agent, hostname: hostname.replace(/^\[|\]$/g, ''), port, maxHeaderSize: 1_000_000 }
  const start = isSecure ? httpsRequest : httpRequest
  return {
    exchange: async ({ method, url, headers, body }) => {
      const signal = AbortSignal.timeout(Math.ceil(milliseconds))
      try {
        // As curl does, by which a report shows a request.
        const all = { accept: '*/*', ...headers }
        return await receive(start, { ...server, method, path: `${base}${url}`, headers: all, signal }, body)
      } catch (error) {
        if (!signal.aborted) throw error
        const problem = `no complete response within ${String(Math.round(milliseconds / 100) / 10)} s`
        if (milliseconds >= patience) throw new Fault('no response', problem, { cause: error })
        throw new LeftOut('no response', `${problem}; give more with --seconds`, { cause: error })
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
    if (error instanceof Fault || error instanceof Unjudged) throw error
    try {
      return await receiveOnce(start, { ...options, agent: false }, body)
    } catch (again) {
      if (again instanceof Fault || again instanceof Unjudged) throw again
      // The errors of Node's parser.
      const isBroken = again instanceof Error && 'code' in again && String(again.code).startsWith('HPE_')
      throw isBroken
        ? new Fault('broken response', `the response is not HTTP/1.1: ${reasonOf(again)}`, { cause: again })
        : new Fault('no response', `no response: ${reasonOf(again)}`, { cause: again })
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
        const isJudged = error instanceof Fault || error instanceof Unjudged
        reject(isJudged ? error : new Fault('broken response', 'the response is not complete', { cause: error }))
      })
    })
    sending.on('upgrade', ({ statusCode = 0 }, socket) => {
      socket.destroy()
      reject(new Fault('fault of the server', `received ${String(statusCode)}, which no request has asked for`))
    })
    sending.on('error', reject)
    sending.end(body)
  })
}

async function read(message: IncomingMessage): Promise<ReceivedResponse> {
  const { statusCode = 0, headers, rawHeaders: flat } = message
  const content = await readCoded(message, statusCode, headers)
  if (content.isCut === true) message.destroy()
  const names = flat.filter((_line, index) => index % 2 === 0)
  const rawHeaders = names.map((name, index): [string, string] => [name, flat[2 * index + 1] ?? ''])
  return { ...receivedOf(statusCode, headers, content), rawHeaders }
}

/** The content codings of RFC 9110, section 8.4.1. A request without Accept-Encoding allows each. */
const decoders: Partial<Record<string, (bytes: Buffer, options: { maxOutputLength: number }) => Buffer>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
  // Node 22.15 has it.
  ...('zstdDecompressSync' in zlib ? { zstd: zlib.zstdDecompressSync } : {}),
}

/** Reads a body that may have a content coding. @throws Fault if it is too long, or is not of its coding */
async function readCoded(chunks: Chunks, status: number, headers: ReceivedResponse['headers']): Promise<Content> {
  const coding = String(headers['content-encoding'] ?? '').toLowerCase()
  const decode = decoders[coding]
  if (decode === undefined && !['', 'identity'].includes(coding)) {
    throw new Unjudged(`received ${String(status)} in the content coding ${coding}, which is not read`)
  }
  if (decode === undefined) return readContent(chunks, headers)
  // Its items are not known before the end.
  const { bytes } = await readContent(chunks, {})
  if (bytes.length === 0) return { bytes }
  try {
    return { bytes: decode(bytes, { maxOutputLength: maxBytes }), length: bytes.length }
  } catch (error) {
    if (error instanceof RangeError) throw tooLong(error)
    throw new Fault('broken response', `received ${String(status)}: the body is not ${coding}, its Content-Encoding`, {
      cause: error,
    })
  }
}

/** Reads a body; of a stream of items, the first. @throws Fault if it is too long */
async function readContent(chunks: Chunks, headers: ReceivedResponse['headers']): Promise<Content> {
  const framing = framingOf(String(headers['content-type']))
  const limited = withLimit(chunks)
  if (framing !== undefined && headers['content-length'] === undefined) return readItems(limited, framing)
  const read: Uint8Array[] = []
  for await (const chunk of limited) read.push(chunk)
  return { bytes: Buffer.concat(read) }
}

/** @throws Fault after `maxBytes` */
async function* withLimit(chunks: Chunks): AsyncGenerator<Uint8Array> {
  let length = 0
  for await (const chunk of chunks) {
    length += chunk.length
    if (length > maxBytes) throw tooLong()
    yield chunk
  }
}

function tooLong(cause?: unknown): Fault {
  return new Fault('broken response', `the response is longer than ${String(maxBytes)} bytes`, { cause })
}
