import type { Server } from 'node:http'
import type { FastifyBaseLogger } from 'fastify'

/** How long dropped connections are counted for one line of the log. */
const countMilliseconds = 1_000

/**
 * Says in the log how many connections were closed as soon as they were made, because as many as there may be were open. Node
 * tells of each (`drop`, nodejs.org/api/net.html), and where there are too many of them a line for each would be too many too.
 */
export function logDroppedConnections(server: Server, log: FastifyBaseLogger): void {
  let connections = 0
  server.on('drop', () => {
    if (connections++ > 0) return
    setTimeout(() => {
      log.warn({ connections }, `connections closed as soon as made: ${String(server.maxConnections)} are open`)
      connections = 0
    }, countMilliseconds).unref()
  })
}
