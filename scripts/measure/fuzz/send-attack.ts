import { connect } from 'node:net'
import type { Attack } from './attack.ts'

/** How long nothing may arrive before the client says that it has no more to send, for which a server closes. */
const quietMilliseconds = 60

/** When the client leaves in any case: one that does not read may never get rid of what it wants to send. */
const longestMilliseconds = 1_000

/**
 * Sends bytes on a connection of their own, reads what comes back, and leaves as the attack says.
 *
 * @returns what was received; empty where the server closed without an answer
 * @throws Error when no connection is made
 */
export function sendAttack(port: number, { bytes, ending, milliseconds, reads }: Attack): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let isConnected = false
    // A TCP socket reads by itself only when somebody listens for data.
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    function leave(): void {
      if (ending === 'reset') socket.resetAndDestroy()
      else socket.destroy()
    }
    const leavingAnyway = setTimeout(() => socket.destroy(), longestMilliseconds)
    const isLeaving = ending === 'close' || ending === 'reset'
    // A socket that has said that it has no more to send cannot be reset any more.
    if (!isLeaving) socket.setTimeout(quietMilliseconds)
    socket.once('timeout', () => socket.end())
    socket.once('connect', () => {
      isConnected = true
      socket.write(bytes, () => {
        if (isLeaving && milliseconds === 0) leave()
      })
      if (isLeaving && milliseconds > 0) setTimeout(leave, milliseconds)
      if (ending === 'half-close') socket.end()
    })
    if (reads) socket.on('data', (chunk) => chunks.push(chunk))
    socket.once('end', () => socket.destroy())
    socket.once('error', (error) => {
      // A server may reset a connection on which it was sent more than it reads.
      if (!isConnected) reject(error)
    })
    socket.once('close', () => {
      clearTimeout(leavingAnyway)
      resolve(Buffer.concat(chunks).toString('latin1'))
    })
  })
}
