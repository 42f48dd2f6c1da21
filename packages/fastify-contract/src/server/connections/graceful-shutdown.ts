import { type Server, Server as NetServer, type Socket } from 'node:net'
import { setImmediate as nextIteration, setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Limits } from '../limits.ts'
import type { OpenConnections } from './open-connections.ts'

/** The interval at which idle connections are closed during shutdown. */
const lookMilliseconds = 20

/** The listener closes after this time without a new connection: a client that was just answered connects earlier. */
const quietMilliseconds = 5

/** The longest time in which the listener waits for quiet. */
const quietingMilliseconds = 500

/**
 * How long idle connections stay open after the listener has closed, unless the delay is shorter. A proxy without
 * health checks uses its idle connections until a new one is refused.
 */
const arrivalMilliseconds = 500

/** The share of the shutdown time for requests. The rest is for closing the store, which checkpoints its log. */
export const answeringShare = 0.8

/**
 * Closes the server as soon as all requests that have arrived are answered. Node itself also waits for connections
 * without a request, for clients to close after their last answer, and for slow readers without a limit. Pipelined
 * requests after a `Connection: close` are not served (RFC 9112, section 9.6).
 */
export function registerClosing(
  app: FastifyInstance,
  connections: OpenConnections,
  { shutdownDelayMilliseconds, shutdownGraceMilliseconds }: Limits,
): void {
  const { server } = app
  app.addHook('preClose', async () => {
    // Fastify adds this header to every later response.
    for (const { exchange } of connections.all()) {
      if (exchange?.response.headersSent === false) exchange.response.setHeader('connection', 'close')
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
    // Fastify closes the server again, which emits `close` again.
    server.once('close', () => {
      clearInterval(looking)
      clearTimeout(cuttingOff)
    })
  })
}

/**
 * Accepts the connections in the kernel's queue, then closes the listener, because the kernel resets those that remain.
 * Under load many wait there: Node accepts one in each iteration of its event loop (github.com/libuv/libuv/pull/3696).
 */
async function closeListener(server: Server): Promise<void> {
  const taken: Socket[] = []
  const take = (socket: Socket): void => void taken.push(socket)
  server.on('connection', take)
  // Their requests wait until the listener is closed. If they were answered earlier, their clients would connect again,
  // and under load the queue would never be empty. Node documents this only as an option of net.createServer, but reads
  // it for each connection: https://github.com/nodejs/node/blob/v24.x/lib/net.js
  Object.assign(server, { pauseOnConnect: true })
  const deadline = performance.now() + quietingMilliseconds
  let before: number
  do {
    before = taken.length
    // A process that has slept is not preempted at once, but one that has polled all the time may be, right before it
    // closes the listener.
    if (performance.now() < deadline) await delay(quietMilliseconds)
    await nextIteration()
  } while (taken.length > before)
  // The method of http.Server would also close the idle connections.
  NetServer.prototype.close.call(server)
  server.off('connection', take)
  for (const socket of taken) socket.resume()
  // Afterwards their requests are read, so that they are not closed as idle.
  await nextIteration()
}
