/* oxlint-disable typescript/require-await -- Handlers are async functions, as the documentation shows them. */
import fastify, { type FastifyError, type FastifyReply, type FastifyRequest } from 'fastify'
import openapiGlue from 'fastify-openapi-glue'
import { type NewPeerPlant, contractFile, noLimit, peerPort, printOrigin } from './peer.ts'
import { openPeerStore } from './peer-store.ts'

/**
 * fastify-openapi-glue as its README shows: a class of service handlers and one of security handlers, Ajv without its
 * strict mode.
 */
const store = openPeerStore()

class Service {
  async listPlants(request: FastifyRequest<{ Querystring: { limit?: number } }>) {
    return store.list(request.getDecorator<string>('caller'), request.query.limit ?? noLimit)
  }

  async createPlant(request: FastifyRequest<{ Body: NewPeerPlant }>, reply: FastifyReply) {
    if (store.create(request.getDecorator<string>('caller'), request.body)) {
      const { name, tag } = request.body
      return tag === undefined ? { name } : { name, tag }
    }
    return reply.code(409).send({ error: 40900, message: 'there is such a plant' })
  }

  async deletePlant(request: FastifyRequest<{ Params: { id: number } }>, reply: FastifyReply) {
    if (store.delete(request.getDecorator<string>('caller'), request.params.id)) return reply.code(204).send()
    return reply.code(404).send({ error: 40401, message: 'there is no such plant' })
  }
}

class Security {
  async bearer(request: FastifyRequest) {
    const caller = store.findCaller(request.headers.authorization)
    if (caller === undefined) throw new Error('the token is missing or not valid')
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
