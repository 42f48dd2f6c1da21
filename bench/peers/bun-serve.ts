/// <reference types="bun-types" preserve="true" />
import { Database } from 'bun:sqlite'
import { type NewPeerPlant, type PeerReply, peerPort, printPort, refused, storeOn } from './peer.ts'

/** Bun.serve by hand, with its routes: no framework and no validation. https://bun.com/docs/runtime/http/routing */
const database = new Database(process.env['DATABASE_FILE'] ?? '')
// Bun gives a Uint8Array where no other array is passed; its type names every typed array.
const store = storeOn(database, (text) => Bun.SHA256.hash(text) as Uint8Array)

function responseTo(request: Request, reply: (caller: string) => PeerReply): Response {
  const caller = store.findCaller(request.headers.get('authorization') ?? undefined)
  const { status, body }: PeerReply = caller === undefined ? { status: 401, body: refused } : reply(caller)
  return body === undefined ? new Response(null, { status }) : Response.json(body, { status })
}

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: peerPort,
  development: false,
  routes: {
    '/plants': {
      GET: (request) => {
        const question = request.url.indexOf('?')
        const limit = question === -1 ? null : new URLSearchParams(request.url.slice(question)).get('limit')
        return responseTo(request, (caller) => ({ status: 200, body: store.list(caller, limit) }))
      },
      POST: async (request) => {
        // Nothing is validated here.
        const plant = (await request.json()) as NewPeerPlant
        return responseTo(request, (caller) => store.create(caller, plant))
      },
    },
    '/plants/:id': {
      DELETE: (request) => responseTo(request, (caller) => store.delete(caller, request.params.id)),
    },
  },
  fetch: () => Response.json({ error: 40400, message: 'the path does not exist' }, { status: 404 }),
  // Bun.serve answers 500 to an exception.
  error: (error) => Response.json({ error: 50000, message: String(error) }, { status: 500 }),
})
printPort(server.port)
