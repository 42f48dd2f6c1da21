import { once } from 'node:events'
import { connect } from 'node:net'

/** What a client sees that opens a new connection: a status, or that nobody takes it. */
export async function newConnection(origin: string, path: string): Promise<number | 'refused'> {
  const { hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname)
  try {
    await once(socket, 'connect')
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
    const [answer] = (await once(socket, 'data')) as [Buffer]
    return Number(answer.toString('latin1').split(' ')[1])
  } catch (error) {
    // The kernel resets connections that it had made and the listener had not taken yet.
    if (['ECONNREFUSED', 'ECONNRESET'].includes((error as NodeJS.ErrnoException).code ?? '')) return 'refused'
    throw error
  } finally {
    socket.destroy()
  }
}
