import { serve } from '@hono/node-server'
import { zValidator } from '@hono/zod-validator'
import { Hono } from 'hono'
import { z } from 'zod'
import { noLimit, peerPort, printPort } from './peer.ts'
import { openPeerStore } from './peer-store.ts'

/** Hono with zod, as its guide "Validation" shows, on Node. https://hono.dev/docs/guides/validation */
const store = openPeerStore()

const text = z.string().min(1).max(255)
const newPlant = z.object({ name: text, tag: text.optional(), id: z.int() })
const query = z.object({ limit: z.coerce.number().int().min(0).max(2_147_483_647).optional() })
const params = z.object({ id: z.coerce.number().int() })

const app = new Hono<{ Variables: { caller: string } }>()

app.use(async (c, next) => {
  const caller = store.findCaller(c.req.header('authorization'))
  if (caller === undefined) return c.json({ error: 40101, message: 'the token is missing or not valid' }, 401)
  c.set('caller', caller)
  await next()
})

app.get('/plants', zValidator('query', query), (c) =>
  c.json(store.list(c.get('caller'), c.req.valid('query').limit ?? noLimit)),
)

app.post('/plants', zValidator('json', newPlant), (c) => {
  const { id, name, tag } = c.req.valid('json')
  const plant = tag === undefined ? { name } : { name, tag }
  if (store.create(c.get('caller'), { id, ...plant })) return c.json(plant)
  return c.json({ error: 40900, message: 'there is such a plant' }, 409)
})

app.delete('/plants/:id', zValidator('param', params), (c) => {
  if (store.delete(c.get('caller'), c.req.valid('param').id)) return c.body(null, 204)
  return c.json({ error: 40401, message: 'there is no such plant' }, 404)
})

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: peerPort }, ({ port }) => {
  printPort(port)
})
