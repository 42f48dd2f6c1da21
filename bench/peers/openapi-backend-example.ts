import fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { type Context, OpenAPIBackend, type Request } from 'openapi-backend'
import { type NewPeerPlant, type PeerReply, contractFile, peerPort, printOrigin } from './peer.ts'
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

function send(reply: FastifyReply, { status, body }: PeerReply): FastifyReply {
  return reply.code(status).send(body)
}

const api = new OpenAPIBackend({
  definition: contractFile,
  // It validates definitions as OpenAPI 3.0, and the contract is 3.1. This leaves that out, and compiles at first use.
  quick: true,
  handlers: {
    listPlants: async (c: Context, _request: FastifyRequest, reply: FastifyReply) =>
      reply.send(store.list(callerOf(c), (c.request.query as { limit?: string }).limit)),
    // The validator has validated the body.
    createPlant: async (c: Context, _request: FastifyRequest, reply: FastifyReply) =>
      send(reply, store.create(callerOf(c), c.request.requestBody as NewPeerPlant)),
    deletePlant: async (c: Context, _request: FastifyRequest, reply: FastifyReply) =>
      send(reply, store.delete(callerOf(c), (c.request.params as { id: string }).id)),
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
