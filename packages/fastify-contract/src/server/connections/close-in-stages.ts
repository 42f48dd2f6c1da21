import type { Socket } from 'node:net'

/** How long a connection is still read behind its last answer. */
const lingerMilliseconds = 1_000

const closing = new WeakSet<Socket>()

/**
 * Ends this side of a connection behind its last answer, and drops what still arrives, until the client ends its side
 * or the time is over. A client that is still sending would otherwise get a reset instead of the answer (RFC 9112,
 * section 9.6).
 */
export function closeInStages(socket: Socket): void {
  if (closing.has(socket)) return
  closing.add(socket)
  socket.end()
  socket.resume()
  const lingering = setTimeout(() => socket.destroy(), lingerMilliseconds)
  socket.once('close', () => {
    clearTimeout(lingering)
  })
}

/** Whether a connection has had its last answer. */
export function isClosing(socket: Socket): boolean {
  return closing.has(socket)
}
