import fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { type Context, type Document, OpenAPIBackend, type Request } from 'openapi-backend'
import { contractAsOpenApi30 } from './contract-file.ts'
import { type NewPeerPlant, noLimit, peerPort, printOrigin } from './peer.ts'
import { openPeerStore } from './peer-store.ts'

/**
 * openapi-backend as in its example `examples/fastify`, with a security handler as in `examples/express-apikey-auth`.
 */
const store = openPeerStore()
const app = fastify()

function callerOf(context: Context): string {
  // The result of the security handler. Without one no handler is called.
  return context.security['bearer'] as string
}

const api = new OpenAPIBackend({
  definition: contractAsOpenApi30() as unknown as Document,
  handlers: {
    listPlants: async (c: Context, _request: FastifyRequest, reply: FastifyReply) => {
      const { limit } = c.request.query as { limit?: string }
      return reply.code(200).send(store.list(callerOf(c), limit === undefined ? noLimit : Number(limit)))
    },
    createPlant: async (c: Context, _request: FastifyRequest, reply: FastifyReply) => {
      // The validator has validated the body.
      const { id, name, tag } = c.request.requestBody as NewPeerPlant
      const plant = tag === undefined ? { name } : { name, tag }
      if (store.create(callerOf(c), { id, ...plant })) return reply.code(200).send(plant)
      return reply.code(409).send({ error: 40900, message: 'there is such a plant' })
    },
    deletePlant: async (c: Context, _request: FastifyRequest, reply: FastifyReply) => {
      if (store.delete(callerOf(c), Number((c.request.params as Record<string, string>)['id'])))
        return reply.code(204).send()
      return reply.code(404).send({ error: 40401, message: 'there is no such plant' })
    },
    validationFail: async (c: Context, _request: FastifyRequest, reply: FastifyReply) =>
      reply.code(400).send({ err: c.validation.errors }),
    notFound: async (_c: Context, _request: FastifyRequest, reply: FastifyReply) =>
      reply.code(404).send({ err: 'not found' }),
    unauthorizedHandler: async (_c: Context, _request: FastifyRequest, reply: FastifyReply) =>
      reply.code(401).send({ err: 'unauthorized' }),
  },
  securityHandlers: {
    bearer: (_c: Context, request: FastifyRequest) => store.findCaller(request.headers.authorization),
  },
})

await api.init()

app.route({
  method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
  url: '/*',
  handler: async (request, reply): Promise<unknown> =>
    api.handleRequest(
      {
        method: request.method,
        path: request.url,
        body: request.body,
        query: request.query as Exclude<Request['query'], undefined>,
        headers: request.headers as Request['headers'],
      },
      request,
      reply,
    ),
})

await app.listen({ host: '127.0.0.1', port: peerPort })
printOrigin(app.server)
