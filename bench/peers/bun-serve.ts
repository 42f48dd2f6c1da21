/// <reference types="bun-types" preserve="true" />
import { Database } from 'bun:sqlite'
import {
  type NewPeerPlant,
  type PeerStore,
  type PlantRow,
  noLimit,
  peerPort,
  plantOf,
  pragmas,
  printPort,
  statements,
  tokenOf,
} from './peer.ts'

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
  return {
    list: (caller, limit) => list.all(caller, limit).map(plantOf),
    create: (caller, { id, name, tag }) => create.run(caller, id, name, tag ?? null).changes === 1,
    delete: (caller, id) => remove.run(caller, id).changes === 1,
    findCaller: (authorization) => {
      const token = tokenOf(authorization)
      if (token === undefined) return undefined
      // Bun gives a Uint8Array where no other array is passed; its type names every typed array.
      const digest = Bun.SHA256.hash(token) as Uint8Array
      return callerOfToken.get(digest, Date.now())?.caller
    },
  }
}
