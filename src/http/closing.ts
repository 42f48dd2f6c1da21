import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** How often connections that have nothing more to do are looked for while the server closes. */
const lookMilliseconds = 20

/**
 * Lets the server close as soon as every request that has arrived is answered. By itself Node waits for connections on
 * which no request has come yet, and for clients to give up those whose last answer went out while it was closing.
 */
export function registerClosing(app: FastifyInstance): void {
  const { server } = app
  const unused = new Set<Socket>()
  const unanswered = new Set<ServerResponse>()
  server.on('connection', (socket: Socket) => {
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  server.on('request', ({ socket }, response) => {
    unused.delete(socket)
    unanswered.add(response)
    response.once('close', () => unanswered.delete(response))
  })
  app.addHook('preClose', () => {
    for (const response of unanswered) {
      if (!response.headersSent) response.setHeader('connection', 'close')
    }
    const looking = setInterval(() => {
      server.closeIdleConnections()
      for (const socket of unused) socket.destroy()
    }, lookMilliseconds)
    server.once('close', () => {
      clearInterval(looking)
    })
    looking.unref()
  })
}
