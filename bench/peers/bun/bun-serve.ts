import { type NewPeerPlant, noLimit, peerPort, printPort } from '../peer.ts'
import { openBunStore } from './bun-store.ts'

/** Bun.serve by hand, with its routes: no framework and no validation. https://bun.com/docs/runtime/http/routing */
const store = openBunStore()

const refused = () => Response.json({ error: 40101, message: 'the token is missing or not valid' }, { status: 401 })

function callerOf(request: Request): string | undefined {
  return store.findCaller(request.headers.get('authorization') ?? undefined)
}

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: peerPort,
  development: false,
  routes: {
    '/plants': {
      GET: (request) => {
        const caller = callerOf(request)
        if (caller === undefined) return refused()
        const question = request.url.indexOf('?')
        const limit = question === -1 ? null : new URLSearchParams(request.url.slice(question)).get('limit')
        return Response.json(store.list(caller, limit === null ? noLimit : Number(limit)))
      },
      POST: async (request) => {
        const caller = callerOf(request)
        if (caller === undefined) return refused()
        // Nothing is validated here.
        const { id, name, tag } = (await request.json()) as NewPeerPlant
        const plant = tag === undefined ? { name } : { name, tag }
        if (store.create(caller, { id, ...plant })) return Response.json(plant)
        return Response.json({ error: 40900, message: 'there is such a plant' }, { status: 409 })
      },
    },
    '/plants/:id': {
      DELETE: (request) => {
        const caller = callerOf(request)
        if (caller === undefined) return refused()
        if (store.delete(caller, Number(request.params.id))) return new Response(null, { status: 204 })
        return Response.json({ error: 40401, message: 'there is no such plant' }, { status: 404 })
      },
    },
  },
  fetch: () => Response.json({ error: 40400, message: 'there is no such path' }, { status: 404 }),
  // Bun.serve answers 500 to an exception.
  error: (error) => Response.json({ error: 50000, message: String(error) }, { status: 500 }),
})
printPort(server.port)
