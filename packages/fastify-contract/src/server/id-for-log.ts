import type { FastifyRequest } from 'fastify'

/** What a log line needs to name its request: nothing, unless the request has no logger of its own. */
export function idForLog({ log, server, id }: FastifyRequest): { requestId?: string } {
  return log === server.log ? { requestId: id } : {}
}
