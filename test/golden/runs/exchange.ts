import { once } from 'node:events'
import { type Socket, connect } from 'node:net'
import { setImmediate as nextIteration } from 'node:timers/promises'
import { type GoldenRequest, untilAnswered } from '../requests/request.ts'

/** A server that keeps a connection open for longer than this has not answered as it should. */
const longestMilliseconds = 20_000

/** What stands behind the bytes of a connection that the server has left open. */
export const leftOpen = Buffer.from('(the server left the connection open)')

/**
 * Sends a request's bytes as they are and reads until the server closes the connection.
 *
 * @param port of 127.0.0.1
 * @param tokens what stands for each token, and the token
 * @returns every byte that arrived
 */
export async function exchange(
  port: number,
  { pieces, ends = false, isSlow = false, from }: GoldenRequest,
  tokens: ReadonlyMap<string, string>,
): Promise<Buffer> {
  const socket = connect({
    host: '127.0.0.1',
    port,
    noDelay: true,
    allowHalfOpen: ends,
    ...(from === undefined ? {} : { localAddress: from }),
  })
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  // A server that closes while bytes are on their way resets the connection. What it sent before counts.
  socket.on('error', () => undefined)
  const closed = once(socket, 'close')
  const deadline = setTimeout(() => {
    chunks.push(leftOpen)
    socket.destroy()
  }, longestMilliseconds)
  try {
    await send(socket, pieces, { tokens, isSlow })
    if (ends) socket.end()
    await closed
  } finally {
    clearTimeout(deadline)
  }
  return Buffer.concat(chunks)
}

async function send(
  socket: Socket,
  pieces: GoldenRequest['pieces'],
  { tokens, isSlow }: { tokens: ReadonlyMap<string, string>; isSlow: boolean },
): Promise<void> {
  for (const piece of pieces) {
    if (socket.closed) return
    if (piece === untilAnswered) {
      await Promise.race([once(socket, 'data'), once(socket, 'close')])
      continue
    }
    const bytes = withTokens(piece, tokens)
    if (!isSlow) socket.write(bytes)
    for (let at = 0; isSlow && at < bytes.length; at++) {
      socket.write(bytes.subarray(at, at + 1))
      await nextIteration()
    }
  }
}

function withTokens(bytes: Buffer, tokens: ReadonlyMap<string, string>): Buffer {
  if (!bytes.includes('$')) return bytes
  // One character for each byte, there and back.
  return Buffer.from(
    bytes.toString('latin1').replaceAll(/\$[A-Z]+(?:_\d+)?/g, (name) => tokens.get(name) ?? name),
    'latin1',
  )
}
