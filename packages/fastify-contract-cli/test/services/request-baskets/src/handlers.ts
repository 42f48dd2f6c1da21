import { notImplemented } from 'fastify-contract'
import type { Handlers, Schemas } from '../generated/contract.ts'

interface Basket {
  config: Schemas['Config']
  /** By the methods of requests. */
  responses: Map<string, Schemas['Response']>
  /** In milliseconds since 1970; 0 without a request. */
  lastRequest: bigint
}

/** The baskets by name. */
export const baskets = new Map<string, Basket>()

/** The handlers of the paths below `/api`. Those without it are the service's older ones. */
export const handlers: Handlers = {
  'GET /api/baskets': ({ query: { max = 20, skip = 0, q = '' } }) => {
    const names = [...baskets.keys()].filter((name) => name.includes(q))
    return { status: 200, body: { names: names.slice(skip, skip + max), has_more: names.length > skip + max } }
  },
  'GET /api/baskets/{name}': ({ path }) => {
    const basket = baskets.get(path.name)
    return basket === undefined ? { status: 404 } : { status: 200, body: basket.config }
  },
  'PUT /api/baskets/{name}': ({ path, body }) => {
    const basket = baskets.get(path.name)
    if (basket === undefined) return { status: 404 }
    basket.config = { ...basket.config, ...body }
    return { status: 204 }
  },
  'POST /api/baskets/{name}': ({ path, body = {} }) => {
    if (baskets.has(path.name)) return { status: 409 }
    baskets.set(path.name, { config: body, responses: new Map(), lastRequest: 0n })
    return { status: 201, body: { token: `token of ${path.name}` } }
  },
  'DELETE /api/baskets/{name}': ({ path }) => ({ status: baskets.delete(path.name) ? 204 : 404 }),
  'GET /api/baskets/{name}/responses/{method}': ({ path }) => {
    const basket = baskets.get(path.name)
    return basket === undefined ? { status: 404 } : { status: 200, body: basket.responses.get(path.method) ?? {} }
  },
  'PUT /api/baskets/{name}/responses/{method}': ({ path, body }) => {
    const basket = baskets.get(path.name)
    if (basket === undefined) return { status: 404 }
    basket.responses.set(path.method, body)
    return { status: 204 }
  },
  'GET /api/stats': () => ({
    status: 200,
    body: {
      baskets_count: baskets.size,
      top_baskets_recent: [...baskets].map(([name, { lastRequest }]) => ({ name, last_request_date: lastRequest })),
    },
  }),
  'GET /baskets': notImplemented,
}
