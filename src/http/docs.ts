import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import type { OpenAPIV3 } from 'openapi-types'
import type { Contract } from '../contract/load-contract.ts'
import { showExactExamples } from './exact-examples.ts'
import { sendJson } from './send-json.ts'

/** The plugin's own copies of the contract hold doubles, and nobody is to read those. */
const exactCopies: Record<string, string> = { '/docs/json': '/openapi.json', '/docs/yaml': '/openapi.yaml' }

/**
 * Adds the contract in force as `/openapi.yaml` and `/openapi.json`, and the page that shows it at `/docs`.
 *
 * @param contract what is served
 */
export async function registerDocs(app: FastifyInstance, contract: Contract): Promise<void> {
  app.get('/openapi.yaml', (_request, reply) => reply.header('content-type', 'application/yaml').send(contract.yaml))
  app.get('/openapi.json', (_request, reply) => sendJson(reply, contract.json))
  await app.register(swagger, {
    mode: 'static',
    // The plugin's types know OpenAPI 3.0 alone; it only keeps the document.
    specification: { document: JSON.parse(contract.json) as OpenAPIV3.Document },
  })
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    theme: { title: contract.document.info.title },
    uiConfig: {
      // Without the bar on top, whose field loads any other contract into the page.
      layout: 'BaseLayout',
      persistAuthorization: true,
      tryItOutEnabled: true,
      // The plugin types a response as any object.
      responseInterceptor: showExactExamples as (response: object) => object,
    },
    uiHooks: {
      onRequest: (request, reply, done) => {
        const exact = exactCopies[request.routeOptions.url ?? '']
        if (exact === undefined) done()
        else reply.redirect(exact)
      },
    },
  })
}
