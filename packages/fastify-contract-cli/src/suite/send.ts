import { isUtf8 } from 'node:buffer'
import { Agent as HttpAgent, type RequestOptions, request as httpRequest } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isJson } from 'fastify-contract/document'
import type { ReceivedResponse } from './response-checks.ts'

/** A request as it is sent. */
export interface WireRequest {
  method: string
  url: string
  headers: Record<string, string>
  body?: string | Buffer
}

/** Sends a request and gives its response. */
export type Exchange = (request: WireRequest) => Promise<ReceivedResponse>

/** Connections to one server. */
export interface Connections {
  exchange: Exchange
  close: () => void
}

/**
 * Opens connections to a server, which it keeps for the next requests.
 *
 * @param origin such as `http://127.0.0.1:3000`; a path in it comes before that of each request
 */
export function connectTo(origin: string): Connections {
  const { protocol, hostname, port, pathname } = new URL(origin)
  const isSecure = protocol === 'https:'
  const agent = isSecure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true })
  const base = pathname.replace(/\/$/, '')
  const server = { agent, hostname: hostname.replace(/^\[|\]$/g, ''), port }
  return {
    exchange: ({ method, url, headers, body }) =>
      receive(isSecure, { ...server, method, path: `${base}${url}`, headers }, body),
    close: () => {
      agent.destroy()
    },
  }
}

function receive(
  isSecure: boolean,
  options: RequestOptions,
  body: string | Buffer | undefined,
): Promise<ReceivedResponse> {
  return new Promise((resolve, reject) => {
    const sending = (isSecure ? httpsRequest : httpRequest)(options, (message) => {
      const { statusCode = 0, headers, rawHeaders: flat } = message
      const chunks: Buffer[] = []
      message.on('data', (chunk: Buffer) => chunks.push(chunk))
      message.on('error', reject)
      message.on('end', () => {
        const names = flat.filter((_line, index) => index % 2 === 0)
        const rawHeaders = names.map((name, index): [string, string] => [name, flat[2 * index + 1] ?? ''])
        const bytes = Buffer.concat(chunks)
        try {
          resolve({
            status: statusCode,
            headers,
            text: textOf(bytes, headers['content-type']),
            rawHeaders,
            bytes: bytes.length,
          })
        } catch (error) {
          reject(new Error('the body of the response is not UTF-8', { cause: error }))
        }
      })
    })
    sending.on('error', reject)
    sending.end(body)
  })
}

/** @throws TypeError when the bytes are JSON or of no type, and not UTF-8 */
function textOf(bytes: Buffer, type: string | undefined): string {
  const isBytes = type !== undefined && !isJson(type.replace(/ *;.*$/, ''))
  return isBytes && !isUtf8(bytes)
    ? bytes.toString('latin1')
    : new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
}
