import { readFileSync } from 'node:fs'
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { type Context, type Document, OpenAPIBackend, type Request } from 'openapi-backend'
import { parse } from 'yaml'
import { type NewPeerPlant, contractFile, noLimit, peerPort, printOrigin } from './peer.ts'
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

/**
 * Converts the contract to OpenAPI 3.0, the only version that openapi-backend validates: removes `info.summary`,
 * `license.identifier` and the `examples` of schemas.
 */
function contractAsOpenApi30(): Record<string, unknown> {
  const { info, ...rest } = parse(readFileSync(contractFile, 'utf8')) as {
    info: { license: Record<string, unknown> } & Record<string, unknown>
  }
  const { summary: _summary, license, ...otherInfo } = info
  const { identifier: _identifier, ...otherLicense } = license
  return {
    ...(withoutExamples(rest) as Record<string, unknown>),
    openapi: '3.0.3',
    info: { ...otherInfo, license: otherLicense },
  }
}

function withoutExamples(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutExamples)
  if (typeof node !== 'object' || node === null) return node
  return Object.fromEntries(
    Object.entries(node)
      .filter(([name, member]) => name !== 'examples' || !Array.isArray(member))
      .map(([name, member]) => [name, withoutExamples(member)]),
  )
}
