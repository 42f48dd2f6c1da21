import type { FastifyInstance } from 'fastify'
import { sendJson, unavailable } from 'fastify-contract'

const ok = JSON.stringify({ status: 'ok' })

/**
 * Adds `/livez`, which always answers 200, and `/readyz`, which answers 200 while requests can be served.
 *
 * @param isReady whether the store answers now and the server is not about to stop
 */
export function registerHealth(app: FastifyInstance, isReady: () => Promise<boolean>): void {
  app.get('/livez', (_request, reply) => sendJson(reply, ok))
  app.get('/readyz', async (_request, reply) => {
    if (!(await isReady())) throw unavailable('the server is stopping or its store does not answer')
    return sendJson(reply, ok)
  })
}
