import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Exchanges } from './exchanges.ts'

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
 * @param exchanges those of its connections
 * @returns whether the server is closing
 */
export function registerClosing(app: FastifyInstance, exchanges: Exchanges, { delayMilliseconds, answerMilliseconds }: ClosingTimes): () => boolean {
  const { server } = app
  let isClosing = false
  app.addHook('preClose', async () => {
    isClosing = true
    // From now on Fastify says so to each client in its next answer.
    for (const exchange of exchanges.values()) {
      if (exchange?.response.headersSent === false) exchange.response.setHeader('connection', 'close')
    }
    if (delayMilliseconds > 0) await delay(delayMilliseconds)
    const looking = setInterval(() => {
      // Somebody may just have connected to ask /readyz.
      if (server.listening) return
      server.closeIdleConnections()
      for (const [socket, exchange] of exchanges) {
        if (exchange === undefined) socket.destroy()
      }
    }, lookMilliseconds)
    const cuttingOff = setTimeout(() => {
      const unanswered = [...exchanges.values()].filter((exchange) => exchange?.response.writableFinished === false).length
      app.log.warn({ unanswered }, 'connections cut off: the time to stop is over')
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
