import { once } from 'node:events'
import { connect } from 'node:net'
import { onTestFinished } from 'vitest'
import type { ReceivedResponse } from '../responses/check-response.ts'

/**
 * Writes bytes to a server as they are and reads until the server closes the connection; so the last request that is
 * written asks for `Connection: close`, or is one after which the server closes by itself.
 *
 * @param origin such as `http://127.0.0.1:3000`
 * @param pieces what is written, in order; a function is waited for before the next piece is written
 * @returns every response that arrived, interim ones too
 * @throws Error when the connection fails or ends in the middle of a response
 */
export async function exchange(
  origin: string,
  ...pieces: (string | Buffer | ((received: () => string) => Promise<void>))[]
): Promise<ReceivedResponse[]> {
  const { hostname, port } = new URL(origin)
  const socket = connect({ host: hostname, port: Number(port) })
  onTestFinished(() => void socket.destroy())
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  const closed = once(socket, 'close')
  await once(socket, 'connect')
  for (const piece of pieces) {
    if (typeof piece === 'function') await piece(() => Buffer.concat(chunks).toString('latin1'))
    else socket.write(piece)
  }
  await closed
  return responsesIn(Buffer.concat(chunks))
}

/** Takes a byte stream of HTTP/1.1 responses apart (RFC 9112, section 6.3). */
function responsesIn(bytes: Buffer): ReceivedResponse[] {
  const responses: ReceivedResponse[] = []
  let rest = bytes
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n')
    if (end === -1) throw new Error(`the connection ended inside of a response's headers: ${rest.toString('latin1')}`)
    const [statusLine = '', ...lines] = rest.toString('latin1', 0, end).split('\r\n')
    const rawHeaders = lines.map((line): [string, string] => [
      line.slice(0, line.indexOf(':')),
      line.slice(line.indexOf(':') + 1).trim(),
    ])
    const headers = Object.fromEntries(rawHeaders.map(([name, value]) => [name.toLowerCase(), value]))
    const length = Number(headers['content-length'] ?? 0)
    const body = rest.subarray(end + 4, end + 4 + length)
    if (body.length < length) throw new Error(`the connection ended inside of a response's body: ${body.toString()}`)
    responses.push({ status: Number(statusLine.split(' ')[1]), headers, rawHeaders, text: body.toString() })
    rest = rest.subarray(end + 4 + length)
  }
  return responses
}
