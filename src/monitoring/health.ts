import type { FastifyInstance } from 'fastify'
import { unavailable } from '../../packages/fastify-contract/src/server/refusal.ts'
import { sendFailure, sendJson } from '../../packages/fastify-contract/src/server/send.ts'

const ok = JSON.stringify({ status: 'ok' })

/**
 * Adds `/livez`, which always answers 200, and `/readyz`, which answers 200 while requests can be served.
 *
 * @param isReady whether the store answers now and the server is not about to stop
 */
export function registerHealth(app: FastifyInstance, isReady: () => Promise<boolean>): void {
  app.get('/livez', (_request, reply) => sendJson(reply, ok))
  app.get('/readyz', async (_request, reply) => {
    if (await isReady()) return sendJson(reply, ok)
    return sendFailure(reply, unavailable('the server is stopping or its store does not answer'))
  })
}
