import { connect } from 'node:net'
import type { Attack } from './attack.ts'

/** After this long without data the client sends a FIN, and the server closes the connection. */
const quietMilliseconds = 60

/** After this time the client closes anyway: without reading, it may never send everything. */
const unreadMilliseconds = 1_000
const readMilliseconds = 30_000

/**
 * Opens a connection, sends the bytes, reads the responses and closes as the attack says.
 *
 * @returns the received bytes; empty if the server closed without a response
 * @throws Error when the connection fails
 */
export function sendAttack(port: number, { bytes, ending, milliseconds, reads }: Attack): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let isConnected = false
    // A socket without a listener for 'data' does not read.
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
    function leave(): void {
      if (ending === 'reset') socket.resetAndDestroy()
      else socket.destroy()
    }
    const leavingAnyway = setTimeout(() => socket.destroy(), reads ? readMilliseconds : unreadMilliseconds)
    const isLeaving = ending === 'close' || ending === 'reset'
    socket.once('timeout', () => socket.end())
    socket.once('connect', () => {
      isConnected = true
      if (isLeaving && milliseconds > 0) setTimeout(leave, milliseconds)
      socket.write(bytes, () => {
        if (isLeaving && milliseconds === 0) leave()
      })
      if (ending === 'half-close') socket.end()
      // After a FIN a socket cannot send an RST.
      if (!isLeaving) socket.setTimeout(quietMilliseconds)
    })
    if (reads) socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.once('end', () => socket.destroy())
    socket.once('error', (error) => {
      // A server may reset a connection that it has not read to the end.
      if (!isConnected) reject(error)
    })
    socket.once('close', () => {
      clearTimeout(leavingAnyway)
      resolve(Buffer.concat(chunks).toString('latin1'))
    })
  })
}
