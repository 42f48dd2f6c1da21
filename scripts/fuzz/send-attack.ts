import { connect } from 'node:net'
import type { Attack } from './attack.ts'

/** How long nothing may arrive before the client says that it has no more to send, and then before it leaves. */
const quietMilliseconds = 60

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
    let hasEnded = false
    // A TCP socket reads by itself only when somebody listens for data.
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    function leave(): void {
      if (ending === 'reset') socket.resetAndDestroy()
      else socket.destroy()
    }
    socket.setTimeout(quietMilliseconds)
    socket.on('timeout', () => {
      if (hasEnded) socket.destroy()
      else socket.end()
      hasEnded = true
    })
    socket.once('connect', () => {
      isConnected = true
      socket.write(bytes, () => {
        if (ending === 'half-close') socket.end()
        else if (ending !== 'wait' && milliseconds === 0) leave()
        else if (ending !== 'wait') setTimeout(leave, milliseconds)
      })
    })
    if (reads) socket.on('data', (chunk) => chunks.push(chunk))
    socket.once('end', () => socket.destroy())
    socket.once('error', (error) => {
      // A server may reset a connection on which it was sent more than it reads.
      if (!isConnected) reject(error)
    })
    socket.once('close', () => {
      resolve(Buffer.concat(chunks).toString('latin1'))
    })
  })
}
