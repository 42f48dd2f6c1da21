/* oxlint-disable typescript/require-await -- Handlers are async functions, as the documentation shows them. */
import fastify from 'fastify'
import { type NewPeerPlant, peerPort, printOrigin, refused } from './peer.ts'
import { openPeerStore } from './peer-store.ts'

/**
 * Fastify by hand: a route with its schemas for each operation, validated by Ajv and serialised by fast-json-stringify
 * (its guides "Getting Started" and "Validation and Serialization").
 */
const store = openPeerStore()
const app = fastify()

const text = { type: 'string', minLength: 1, maxLength: 255 } as const
const plant = { type: 'object', required: ['name'], properties: { name: text, tag: text } } as const
const newPlant = {
  type: 'object',
  required: ['name', 'id'],
  properties: { ...plant.properties, id: { type: 'integer' } },
} as const
const failure = {
  type: 'object',
  required: ['error', 'message'],
  properties: { error: { type: 'integer' }, message: { type: 'string' } },
} as const

app.decorateRequest('caller', '')
app.addHook('onRequest', (request, reply, done) => {
  const caller = store.findCaller(request.headers.authorization)
  if (caller === undefined) {
    void reply.code(401).send(refused)
    return
  }
  request.setDecorator('caller', caller)
  done()
})

app.get<{ Querystring: { limit?: number } }>(
  '/plants',
  {
    schema: {
      querystring: { type: 'object', properties: { limit: { type: 'integer', minimum: 0, maximum: 2_147_483_647 } } },
      response: { 200: { type: 'array', items: plant } },
    },
  },
  async (request) => store.list(request.getDecorator<string>('caller'), request.query.limit),
)

app.post<{ Body: NewPeerPlant }>(
  '/plants',
  { schema: { body: newPlant, response: { 200: plant, 409: failure } } },
  async (request, reply) => {
    const { status, body } = store.create(request.getDecorator<string>('caller'), request.body)
    return reply.code(status).send(body)
  },
)

app.delete<{ Params: { id: number } }>(
  '/plants/:id',
  {
    schema: {
      params: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
      response: { 404: failure },
    },
  },
  async (request, reply) => {
    const { status, body } = store.delete(request.getDecorator<string>('caller'), request.params.id)
    return reply.code(status).send(body)
  },
)

await app.listen({ host: '127.0.0.1', port: peerPort })
printOrigin(app.server)
