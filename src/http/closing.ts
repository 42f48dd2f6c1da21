import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { OpenConnections } from './open-connections.ts'

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
 * Lets the server close as soon as the requests that have arrived are answered. By itself Node waits for connections on
 * which no request has come yet, for clients to close those whose last answer went out while it was closing, and for as
 * long as a slow client reads. Of a pipeline, what waits behind the answer that says `Connection: close` is not served
 * (RFC 9112, section 9.6).
 *
 * @param app before any other `preClose` hook
 * @param connections those of its servers
 * @returns whether the server is closing
 */
export function registerClosing(
  app: FastifyInstance,
  connections: OpenConnections,
  { delayMilliseconds, answerMilliseconds }: ClosingTimes,
): () => boolean {
  const { server } = app
  let isClosing = false
  app.addHook('preClose', async () => {
    isClosing = true
    // From now on Fastify says so to each client in its next answer.
    for (const { response } of connections.all()) {
      if (response?.headersSent === false) response.setHeader('connection', 'close')
    }
    if (delayMilliseconds > 0) await delay(delayMilliseconds)
    const looking = setInterval(() => {
      // Somebody may just have connected to ask /readyz.
      if (!server.listening) connections.closeIdle()
    }, lookMilliseconds)
    const cuttingOff = setTimeout(() => {
      const unanswered = [...connections.all()].filter(({ isIdle }) => !isIdle).length
      app.log.warn({ unanswered }, 'connections cut off: the time to stop is over')
      connections.closeAll()
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
