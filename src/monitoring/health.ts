import type { FastifyInstance } from 'fastify'
import { sendJson, unavailable } from 'fastify-contract'
import type { Store } from '../store/store.ts'

const ok = JSON.stringify({ status: 'ok' })

/**
 * Tracks whether a server can serve requests.
 *
 * @param app before other `preClose` hooks are added, because one of them delays the close
 * @returns a function: whether the server is not closing and its store answers
 */
export function watchReadiness(app: FastifyInstance, store: Pick<Store, 'isReady'>): () => Promise<boolean> {
  let isClosing = false
  app.addHook('preClose', (done) => {
    isClosing = true
    done()
  })
  return async () => !isClosing && (await store.isReady())
}

/** Adds `/livez`, which always answers 200, and `/readyz`, which answers 200 while requests can be served. */
export function registerHealth(app: FastifyInstance, isReady: () => Promise<boolean>): void {
  app.get('/livez', (_request, reply) => sendJson(reply, ok))
  app.get('/readyz', async (_request, reply) => {
    if (!(await isReady()))
      throw unavailable('the server is stopping or the store is not available; try again in a second')
    return sendJson(reply, ok)
  })
}
