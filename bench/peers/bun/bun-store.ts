import { Database } from 'bun:sqlite'
import { type PeerStore, type PlantRow, plantOf, pragmas, statements, tokenOf } from '../peer.ts'

/** Opens the file that `DATABASE_FILE` names with bun:sqlite: the statements and pragmas of the other peers. */
export function openBunStore(): PeerStore {
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
