import { isUtf8 } from 'node:buffer'
import { Agent as HttpAgent, type IncomingMessage, type RequestOptions, request as httpRequest } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isJson } from 'fastify-contract/document'
import { Fault } from './fault.ts'
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

/** Connections to one server. */
export interface Connections {
  exchange: Exchange
  close: () => void
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
  const send: Exchange = async ({ method, url, headers, body }) => {
    const signal = AbortSignal.timeout(milliseconds)
    try {
      return await receive(start, { ...server, method, path: `${base}${url}`, headers, signal }, body)
    } catch (error) {
      if (!signal.aborted) throw error
      throw new Fault('no response', `no complete response within ${String(milliseconds / 1000)} s`, { cause: error })
    }
  }
  return {
    exchange: send,
    close: () => {
      agent.destroy()
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
  const bytes = Buffer.concat(chunks)
  return { status: statusCode, headers, text: textOf(bytes, headers['content-type']), rawHeaders, bytes: bytes.length }
}

/** @throws Fault when the bytes are JSON or of no type, and not UTF-8 */
export function textOf(bytes: Buffer, type: string | undefined): string {
  if (isUtf8(bytes)) return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  if (type !== undefined && !isJson(type)) return bytes.toString('latin1')
  throw new Fault('broken response', 'the body of the response is not UTF-8')
}
