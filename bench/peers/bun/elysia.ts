import { Elysia, t } from 'elysia'
import { noLimit, peerPort, printPort } from '../peer.ts'
import { openBunStore } from './bun-store.ts'

/** Elysia by hand: a schema for each operation, as its guide "Validation" shows. https://elysiajs.com */
const store = openBunStore()

const text = t.String({ minLength: 1, maxLength: 255 })
const plant = t.Object({ name: text, tag: t.Optional(text) })
const newPlant = t.Object({ name: text, tag: t.Optional(text), id: t.Integer() })

const app = new Elysia({ serve: { hostname: '127.0.0.1', development: false } })
  .resolve(({ headers, status }) => {
    const caller = store.findCaller(headers['authorization'])
    if (caller === undefined) return status(401, { error: 40101, message: 'the token is missing or not valid' })
    return { caller }
  })
  .get('/plants', ({ caller, query }) => store.list(caller, query.limit ?? noLimit), {
    query: t.Object({ limit: t.Optional(t.Integer({ minimum: 0, maximum: 2_147_483_647 })) }),
    response: { 200: t.Array(plant) },
  })
  .post(
    '/plants',
    ({ caller, body: { id, name, tag }, status }) => {
      const created = tag === undefined ? { name } : { name, tag }
      if (store.create(caller, { id, ...created })) return created
      return status(409, { error: 40900, message: 'there is such a plant' })
    },
    { body: newPlant },
  )
  .delete(
    '/plants/:id',
    ({ caller, params, status }) => {
      if (store.delete(caller, params.id)) return new Response(null, { status: 204 })
      return status(404, { error: 40401, message: 'there is no such plant' })
    },
    { params: t.Object({ id: t.Integer() }) },
  )
  .listen(peerPort)
printPort(app.server?.port)
