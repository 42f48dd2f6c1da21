/* oxlint-disable typescript/require-await -- Handlers are async functions, as the documentation shows them. */
import type { Server } from 'node:http'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Context } from 'openapi-backend'
import { peerPort, printOrigin } from '../peer.ts'
import { contract, kinds, schemas } from './contract.ts'
import { type Handler, type Limit, byOperation, makeRecords } from './records.ts'

async function listen(app: FastifyInstance): Promise<void> {
  await app.listen({ host: '127.0.0.1', port: peerPort })
  printOrigin(app.server)
}

const servers: Record<string, () => Promise<void>> = {
  /** Fastify with the schemas of each route: it validates requests and serializes replies, which it does not validate. */
  async fastify() {
    const { default: fastify } = await import('fastify')
    const app = fastify()
    const querystring = { type: 'object', properties: { limit: { type: 'integer', minimum: 0, maximum: 100 } } }
    for (const kind of kinds) {
      const { list, create } = makeRecords(kind)
      const { body, created, listed } = schemas[kind]
      app.get<{ Querystring: { limit?: number } }>(
        `/${kind}`,
        { schema: { querystring, response: { 200: listed } } },
        async ({ query }) => list(query.limit),
      )
      app.post(`/${kind}`, { schema: { body, response: { 200: created } } }, async (request) => create(request.body))
    }
    await listen(app)
  },
  async 'fastify-openapi-glue'() {
    const { default: fastify } = await import('fastify')
    const { default: openapiGlue } = await import('fastify-openapi-glue')
    const app = fastify({ ajv: { customOptions: { strict: false } } })
    const serviceHandlers = byOperation<Handler>((kind) => {
      const { list, create } = makeRecords(kind)
      return {
        list: async ({ query }: { query: { limit?: number } }) => list(query.limit),
        create: async ({ body }: { body: unknown }) => create(body),
      }
    })
    await app.register(openapiGlue, { specification: structuredClone(contract), serviceHandlers })
    await listen(app)
  },
  async 'openapi-backend'() {
    const { default: fastify } = await import('fastify')
    const { OpenAPIBackend } = await import('openapi-backend')
    const { default: addFormats } = await import('ajv-formats')
    const app = fastify()
    const handlers = byOperation<(context: Context) => unknown>((kind) => {
      const { list, create } = makeRecords(kind)
      return {
        list: async ({ request }) => list((request.query as { limit?: string }).limit),
        create: async ({ request }) => create(request.requestBody),
      }
    })
    const api = new OpenAPIBackend({
      // Its type is that of OpenAPI 3.0 and 3.1.
      definition: contract as never,
      quick: true,
      customizeAjv: (ajv) => addFormats.default(ajv),
      handlers: {
        ...handlers,
        validationFail: ({ validation }: Context, reply: FastifyReply) => reply.code(400).send(validation.errors),
        notFound: (_context: Context, reply: FastifyReply) => reply.code(404).send({}),
      },
    })
    await api.init()
    app.all('/*', async ({ method, url, body, query, headers }, reply): Promise<unknown> => {
      const request = {
        method,
        path: url,
        body,
        query: query as Record<string, string>,
        headers: headers as Record<string, string>,
      }
      return api.handleRequest(request, reply)
    })
    await listen(app)
  },
  async 'express-openapi-validator'() {
    const { default: express } = await import('express')
    const { middleware } = await import('express-openapi-validator')
    const app = express()
    app.use(express.json())
    app.use(
      middleware({ apiSpec: structuredClone(contract) as never, validateRequests: true, validateResponses: true }),
    )
    for (const kind of kinds) {
      const { list, create } = makeRecords(kind)
      app.get(`/${kind}`, (request, response) => void response.json(list(request.query['limit'] as Limit)))
      app.post(`/${kind}`, (request, response) => void response.json(create(request.body)))
    }
    const server: Server = app.listen(peerPort, '127.0.0.1', () => {
      printOrigin(server)
    })
  },
}

const start = servers[process.argv[2] ?? '']
if (start === undefined) throw new Error(`name one of ${Object.keys(servers).join(', ')}`)
await start()
