/* oxlint-disable typescript/require-await -- Handlers are async functions, as the documentation shows them. */
import fastify, { type FastifyError, type FastifyReply, type FastifyRequest } from 'fastify'
import openapiGlue from 'fastify-openapi-glue'
import { type NewPeerPlant, contractFile, peerPort, printOrigin, refused } from './peer.ts'
import { openPeerStore } from './peer-store.ts'

/**
 * fastify-openapi-glue as its README shows: a class of service handlers and one of security handlers, Ajv without its
 * strict mode.
 */
const store = openPeerStore()

class Service {
  async listPlants(request: FastifyRequest<{ Querystring: { limit?: number } }>) {
    return store.list(request.getDecorator<string>('caller'), request.query.limit)
  }

  async createPlant(request: FastifyRequest<{ Body: NewPeerPlant }>, reply: FastifyReply) {
    const { status, body } = store.create(request.getDecorator<string>('caller'), request.body)
    return reply.code(status).send(body)
  }

  async deletePlant(request: FastifyRequest<{ Params: { id: number } }>, reply: FastifyReply) {
    const { status, body } = store.delete(request.getDecorator<string>('caller'), request.params.id)
    return reply.code(status).send(body)
  }
}

class Security {
  async bearer(request: FastifyRequest) {
    const caller = store.findCaller(request.headers.authorization)
    if (caller === undefined) throw new Error(refused.message)
    request.setDecorator('caller', caller)
  }
}

const app = fastify({ ajv: { customOptions: { strict: false } } })
app.decorateRequest('caller', '')
// The contract declares what a failure looks like, and Fastify's own does not fit.
app.setErrorHandler((error: FastifyError, _request, reply) => {
  const status = error.statusCode ?? 500
  return reply.code(status).send({ error: status * 100, message: error.message })
})
await app.register(openapiGlue, {
  specification: contractFile,
  serviceHandlers: new Service(),
  securityHandlers: new Security(),
})
await app.listen({ host: '127.0.0.1', port: peerPort })
printOrigin(app.server)
