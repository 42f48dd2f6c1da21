import { once } from 'node:events'
import { type Socket, connect } from 'node:net'
import { expect, onTestFinished } from 'vitest'

/** A response as received. Header names are in lower case. */
export interface RawResponse {
  status: number
  headers: Record<string, string>
  text: string
}

/** Opens a connection, which is closed after the test. */
export async function openSocket(origin: string, allowHalfOpen = false): Promise<Socket> {
  const { hostname, port } = new URL(origin)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen, noDelay: true })
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  return socket
}

/** Sends a request on a connection that the test can close. */
export async function ask(url: string, version = '1.1'): Promise<Socket> {
  const socket = await openSocket(url)
  socket.write(`GET ${new URL(url).pathname} HTTP/${version}\r\nHost: a\r\n\r\n`)
  return socket
}

type Piece = string | Buffer | ((received: () => string) => Promise<void>)

/**
 * Writes bytes to a server as they are, a byte for each character, and reads until the server closes the connection.
 *
 * @param pieces what is written, in order; a function is waited for before the next piece is written
 * @returns every response, interim ones included
 * @throws Error when the connection ends in the middle of a response
 */
export async function receive(origin: string, ...pieces: Piece[]): Promise<RawResponse[]> {
  const socket = await openSocket(origin)
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  // A server that closes early resets the connection. What it sent before still arrives.
  socket.on('error', () => undefined)
  const closed = new Promise((resolve) => socket.once('close', resolve))
  for (const piece of pieces) {
    if (typeof piece === 'function') await piece(() => Buffer.concat(chunks).toString('latin1'))
    else socket.write(piece, 'latin1')
  }
  await closed
  return responsesIn(Buffer.concat(chunks).toString('latin1'))
}

/** As `receive`, and checks what all responses have in common. */
export async function exchange(origin: string, ...pieces: Piece[]): Promise<RawResponse[]> {
  const responses = await receive(origin, ...pieces)
  for (const response of responses) {
    if (response.status < 200) continue
    expect(response.headers['date']).toMatch(/ GMT$/)
    checkResponse(response)
  }
  return responses
}

/** Parses HTTP/1.1 responses (RFC 9112, section 6.3). */
function responsesIn(received: string): RawResponse[] {
  const responses: RawResponse[] = []
  for (let rest = received; rest !== '';) {
    const end = rest.indexOf('\r\n\r\n')
    if (end === -1) throw new Error(`the connection ended inside of the headers: ${rest}`)
    const [statusLine = '', ...lines] = rest.slice(0, end).split('\r\n')
    const fields = lines.map((line) => /^([^:]*): ?(.*)$/.exec(line) ?? [])
    const headers = Object.fromEntries(fields.map(([, name = '', value = '']) => [name.toLowerCase(), value]))
    expect(Object.keys(headers), 'no header is repeated').toHaveLength(lines.length)
    const length = Number(headers['content-length'] ?? 0)
    const text = rest.slice(end + 4, end + 4 + length)
    if (text.length < length) throw new Error(`the connection ended inside of the body: ${text.slice(0, 1_000)}`)
    responses.push({ status: Number(statusLine.split(' ')[1]), headers, text: Buffer.from(text, 'latin1').toString() })
    rest = rest.slice(end + 4 + length)
  }
  return responses
}

/** Checks what every response has, except docs files: no caching and a request id. */
export function checkResponse({ status, headers, text }: RawResponse): void {
  expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
  expect(headers['x-request-id']).toMatch(/./)
  if (status === 204) expect(headers).not.toHaveProperty('content-length')
  if (status < 400 || text === '') return
  expect(headers['content-type']).toBe('application/json')
  expect(JSON.parse(text)).toEqual({
    failure: expect.stringMatching(/./) as string,
    message: expect.any(String) as string,
  })
}

/** Waits until a text has arrived. */
export function until(text: string): (received: () => string) => Promise<void> {
  return async (received) => {
    while (!received().includes(text)) await new Promise((resolve) => setTimeout(resolve, 2))
  }
}
