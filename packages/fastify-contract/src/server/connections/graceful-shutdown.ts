import { type Server, Server as NetServer, type Socket } from 'node:net'
import { setImmediate as nextIteration, setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Limits } from '../limits.ts'
import type { OpenConnections } from './open-connections.ts'

/** How often idle connections are closed while the server closes. */
const lookMilliseconds = 20

/**
 * How many iterations of the event loop must bring no new connection before the listener closes. Together they take
 * about half a millisecond, in which a client that has just been answered connects again.
 */
const wantedEmptyIterations = 50

/** How long connections are accepted from the kernel's queue while the listener closes. */
const drainMilliseconds = 500

/**
 * How long idle connections stay open after the listener is closed, unless the delay is shorter. A proxy without health
 * checks uses its idle connections until a new one is refused.
 */
const arrivalMilliseconds = 500

/** The share of the time to stop that requests get. The rest is for the store, which checkpoints its log. */
const answeringShare = 0.8

/**
 * Lets the server close as soon as the requests that have arrived are answered. By itself Node waits for connections on
 * which no request has come yet, for clients to close those whose last answer went out while it was closing, and for as
 * long as a slow client reads. The requests of a pipeline that wait behind a `Connection: close` are not served
 * (RFC 9112, section 9.6).
 *
 * @param connections those of the app's servers
 */
export function registerClosing(
  app: FastifyInstance,
  connections: OpenConnections,
  { shutdownDelayMilliseconds, shutdownGraceMilliseconds }: Limits,
): void {
  const { server } = app
  app.addHook('preClose', async () => {
    // Fastify adds this header to each response that begins from now on.
    for (const { response } of connections.all()) {
      if (response?.headersSent === false) response.setHeader('connection', 'close')
    }
    if (shutdownDelayMilliseconds > 0) await delay(shutdownDelayMilliseconds)
    if (!server.listening) return
    const cuttingOff = setTimeout(
      () => {
        const unanswered = [...connections.all()].filter(({ isIdle }) => !isIdle).length
        app.log.warn({ unanswered }, 'connections cut off: the shutdown time is over')
        connections.closeAll()
      },
      (shutdownGraceMilliseconds - shutdownDelayMilliseconds) * answeringShare,
    )
    cuttingOff.unref()
    await closeListener(server)
    if (connections.size > 0) await delay(Math.min(shutdownDelayMilliseconds, arrivalMilliseconds))
    const looking = setInterval(() => {
      connections.closeIdle()
    }, lookMilliseconds)
    looking.unref()
    // Fastify closes the server again, which emits this again.
    server.once('close', () => {
      clearInterval(looking)
      clearTimeout(cuttingOff)
    })
  })
}

/**
 * Accepts every connection that waits in the kernel's queue, then closes the listener; the kernel resets those that are
 * left. Under load many wait, because Node accepts one in each iteration of its event loop
 * (github.com/libuv/libuv/pull/3696).
 */
async function closeListener(server: Server): Promise<void> {
  const taken: Socket[] = []
  const take = (socket: Socket): void => void taken.push(socket)
  server.on('connection', take)
  // Their requests wait until the listener is closed: a client that is answered earlier would connect again, and under
  // load the queue would never be empty. Node documents this as an option of net.createServer alone, and reads it for
  // each connection: https://github.com/nodejs/node/blob/v24.x/lib/net.js
  Object.assign(server, { pauseOnConnect: true })
  const deadline = performance.now() + drainMilliseconds
  let emptyIterations = 0
  while (emptyIterations < wantedEmptyIterations && performance.now() < deadline) {
    const before = taken.length
    await nextIteration()
    emptyIterations = taken.length > before ? 0 : emptyIterations + 1
  }
  // The method of http.Server would also close the idle connections.
  NetServer.prototype.close.call(server)
  server.off('connection', take)
  for (const socket of taken) socket.resume()
}
