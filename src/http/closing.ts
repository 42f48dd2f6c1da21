import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/** How often connections that have nothing more to do are looked for while the server closes. */
const lookMilliseconds = 20

/** How the server leaves. */
export interface ClosingTimes {
  /** How long new connections are still taken, so that whoever asks `/readyz` learns of the end before it comes. */
  delayMilliseconds: number
  /** How long after that the requests that have arrived may take to be answered; what is still open then is cut off. */
  answerMilliseconds: number
}

export const defaultClosingTimes: ClosingTimes = { delayMilliseconds: 0, answerMilliseconds: 10_000 }

/**
 * Lets the server close as soon as every request that has arrived is answered. By itself Node waits for connections on
 * which no request has come yet, for clients to give up those whose last answer went out while it was closing, and as long
 * as a client likes that reads a long answer slowly.
 *
 * @param app before any other `preClose` hook
 * @returns whether the server is closing
 */
export function registerClosing(app: FastifyInstance, { delayMilliseconds, answerMilliseconds }: ClosingTimes): () => boolean {
  const { server } = app
  const unused = new Set<Socket>()
  const unanswered = new Set<ServerResponse>()
  let isClosing = false
  server.on('connection', (socket: Socket) => {
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  server.on('request', ({ socket }, response) => {
    unused.delete(socket)
    unanswered.add(response)
    response.once('close', () => unanswered.delete(response))
  })
  app.addHook('preClose', async () => {
    isClosing = true
    // From now on Fastify says so to each client in its next answer.
    for (const response of unanswered) {
      if (!response.headersSent) response.setHeader('connection', 'close')
    }
    if (delayMilliseconds > 0) await delay(delayMilliseconds)
    const looking = setInterval(() => {
      // Somebody may just have connected to ask /readyz.
      if (server.listening) return
      server.closeIdleConnections()
      for (const socket of unused) socket.destroy()
    }, lookMilliseconds)
    const cuttingOff = setTimeout(() => {
      app.log.warn({ unanswered: unanswered.size }, 'connections cut off: the time to stop is over')
      server.closeAllConnections()
    }, answerMilliseconds)
    server.once('close', () => {
      clearInterval(looking)
      clearTimeout(cuttingOff)
    })
    looking.unref()
    cuttingOff.unref()
  })
  return () => isClosing
}
