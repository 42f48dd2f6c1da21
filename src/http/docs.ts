import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import type { OpenAPIV3 } from 'openapi-types'
import type { Contract } from '../contract/load-contract.ts'
import { sendJson } from './send-json.ts'

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
    // The page reads /openapi.json; this copy is for the plugin, whose JSON has doubles and whose types OpenAPI 3.0 alone.
    specification: { document: JSON.parse(contract.json) as OpenAPIV3.Document },
  })
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    uiConfig: { url: '/openapi.json', persistAuthorization: true, tryItOutEnabled: true },
  })
}
