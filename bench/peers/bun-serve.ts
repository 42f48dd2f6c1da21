/// <reference types="bun-types" preserve="true" />
import { Database } from 'bun:sqlite'
import {
  type NewPeerPlant,
  type PeerReply,
  type PeerStore,
  type PlantRow,
  peerPort,
  pragmas,
  printPort,
  refused,
  statements,
  storeOf,
} from './peer.ts'

/** Bun.serve by hand, with its routes: no framework and no validation. https://bun.com/docs/runtime/http/routing */
const store = openBunStore()

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

/** Opens the file that `DATABASE_FILE` names with bun:sqlite: the statements and pragmas of the other peers. */
function openBunStore(): PeerStore {
  const database = new Database(process.env['DATABASE_FILE'] ?? '')
  for (const pragma of pragmas) database.run(`PRAGMA ${pragma}`)
  const list = database.query<PlantRow, [string, number]>(statements.list)
  const create = database.query<never, [string, number, string, string | null]>(statements.create)
  const remove = database.query<never, [string, number]>(statements.delete)
  const callerOfToken = database.query<{ caller: string }, [Uint8Array, number]>(statements.callerOfToken)
  return storeOf({
    list: (...values) => list.all(...values),
    create: (...values) => create.run(...values).changes === 1,
    delete: (...values) => remove.run(...values).changes === 1,
    // Bun gives a Uint8Array where no other array is passed; its type names every typed array.
    callerOfToken: (token) => callerOfToken.get(Bun.SHA256.hash(token) as Uint8Array, Date.now())?.caller,
  })
}
