import helmet, { type FastifyHelmetOptions } from '@fastify/helmet'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import type { OpenAPIV3 } from 'openapi-types'
import type { Contract } from '../contract/load-contract.ts'
import { registerDocsFiles } from './docs-files.ts'
import { exactExamples } from './exact-examples.ts'

/** Swagger UI's global in the browser, where the functions of `uiConfig` run. */
declare const SwaggerUIBundle: { plugins: { DownloadUrl: (system: unknown) => object } }

/** The plugin's paths, with rounded integers in the contract, and the paths of the exact text. */
const exactTexts: Record<string, string> = { '/docs/json': '/openapi.json', '/docs/yaml': '/openapi.yaml' }

const leaf =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">' +
  '<path fill="#2e7d32" d="M2 15C2 5 7 1 15 1c0 8-4 12-10 12l4-6-7 8z"/></svg>'

/**
 * The page may load scripts and styles from this server alone, and send requests to it alone. Swagger UI writes styles
 * into its elements and has pictures in data: URLs. Headers that need TLS are left to the proxy that ends TLS.
 */
const pageSecurity: FastifyHelmetOptions = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'", "'unsafe-inline'"],
      imgSrc: ["'self'", 'data:'],
      connectSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
  },
  // Says the same as frame-ancestors, for browsers that do not know that.
  xFrameOptions: { action: 'deny' },
  strictTransportSecurity: false,
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
}

/**
 * Adds the contract as `/openapi.yaml` and `/openapi.json`, and the page that shows it at `/docs`.
 *
 * @param app a context of its own: its responses have the headers of a page
 */
export async function registerDocs(app: FastifyInstance, contract: Contract): Promise<void> {
  await app.register(helmet, pageSecurity)
  // All responses share these bytes. Of a text each response would make a copy.
  const [yaml, json] = [Buffer.from(contract.yaml), Buffer.from(contract.json)]
  app.get('/openapi.yaml', (_request, reply) => reply.header('content-type', 'application/yaml').send(yaml))
  app.get('/openapi.json', (_request, reply) => reply.header('content-type', 'application/json').send(json))
  await registerDocsFiles(app, '/docs/static')
  // The plugin's own route reads a file for each request and holds its descriptor until the client has read it.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.url === '/docs/static/*') reply.callNotFound()
    else done()
  })
  await app.register(swagger, {
    mode: 'static',
    // The plugin's types describe OpenAPI 3.0; it only stores the document.
    specification: { document: JSON.parse(contract.json) as OpenAPIV3.Document },
  })
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    theme: {
      title: contract.document.info.title,
      favicon: [{ filename: 'favicon.svg', rel: 'icon', type: 'image/svg+xml', sizes: 'any', content: leaf }],
    },
    uiConfig: {
      // Without the top bar, which can load other contracts into the page.
      layout: 'BaseLayout',
      persistAuthorization: true,
      tryItOutEnabled: true,
      // This list replaces the default one, whose only member is the first.
      plugins: [(system) => SwaggerUIBundle.plugins.DownloadUrl(system), exactExamples],
    },
    uiHooks: {
      onRequest: (request, reply, done) => {
        const exact = exactTexts[request.routeOptions.url ?? '']
        if (exact === undefined) done()
        else reply.redirect(exact)
      },
    },
  })
}
