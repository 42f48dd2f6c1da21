import { once } from 'node:events'
import { connect } from 'node:net'

/** A response as received. Header names are in lower case. */
export interface RawResponse {
  status: number
  headers: Record<string, string>
  text: string
}

/**
 * Writes bytes to a server as they are, a byte for each character, and reads until the server closes the connection.
 *
 * @param pieces what is written, in order; a function is waited for before the next piece is written
 * @returns every complete response, interim ones included
 */
export async function receive(
  origin: string,
  ...pieces: (string | ((received: () => string) => Promise<void>))[]
): Promise<RawResponse[]> {
  const { hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname)
  let received = ''
  socket.setEncoding('latin1').on('data', (text: string) => (received += text))
  await once(socket, 'connect')
  // A server that closes early resets the connection. What it sent before still arrives.
  const closed = new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve))
  for (const piece of pieces) {
    if (typeof piece === 'function') await piece(() => received)
    else socket.write(piece, 'latin1')
  }
  await closed
  return responsesIn(received).responses
}

/**
 * Parses what a connection has received (RFC 9112, section 6.3).
 *
 * @param received a character for each byte
 * @returns the complete responses, and the beginning of an incomplete one
 */
export function responsesIn(received: string): { responses: RawResponse[]; rest: string } {
  const responses: RawResponse[] = []
  let rest = received
  for (;;) {
    const [head, status, lines = ''] = /^HTTP\/1\.1 (\d{3}) [^\r\n]*\r\n((?:[^\r\n]+\r\n)*)\r\n/.exec(rest) ?? []
    if (head === undefined) return { responses, rest }
    const fields = lines.split('\r\n').flatMap((line) => (line === '' ? [] : [line.split(/: *(.*)/)]))
    const headers = Object.fromEntries(fields.map(([name = '', value = '']) => [name.toLowerCase(), value]))
    const behind = rest.slice(head.length)
    const length = bodyLength(headers, behind)
    if (length === undefined) return { responses, rest }
    responses.push({ status: Number(status), headers, text: Buffer.from(behind.slice(0, length), 'latin1').toString() })
    rest = behind.slice(length)
  }
}

/** The length of a body with its framing in bytes; undefined if it is incomplete. */
function bodyLength(headers: RawResponse['headers'], behind: string): number | undefined {
  // A response to HEAD has the headers of a body, but no body.
  if (behind === '' || behind.startsWith('HTTP/1.1 ')) return 0
  if (headers['transfer-encoding'] === 'chunked') return chunkedLength(behind)
  const length = Number(headers['content-length'] ?? 0)
  return behind.length < length ? undefined : length
}

function chunkedLength(behind: string): number | undefined {
  for (let at = 0; ;) {
    const line = behind.indexOf('\r\n', at)
    const size = line === -1 ? NaN : Number.parseInt(behind.slice(at, line), 16)
    at = line + 2 + size + 2
    if (Number.isNaN(size) || at > behind.length) return undefined
    if (size === 0) return at
  }
}
