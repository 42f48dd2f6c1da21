import helmet, { type FastifyHelmetOptions } from '@fastify/helmet'
import type { FastifyInstance } from 'fastify'
import type { Contract } from '../../document/load-contract.ts'
import { madeOnce, registerDocsFiles } from './docs-files.ts'

/** The parts of the page that are made from the contract. */
const madePaths = [
  '/docs',
  '/docs/',
  '/docs/static/swagger-initializer.js',
  '/docs/static/theme/favicon.svg',
  '/docs/static/theme/narrow.css',
]

/** Paths of Swagger UI's plugin that are elsewhere here. In its own texts of the contract integers are rounded. */
const redirects = {
  '/docs/json': '/openapi.json',
  '/docs/yaml': '/openapi.yaml',
  '/docs/static/index.html': '/docs/',
}

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
 * @param favicon an SVG
 */
export async function registerDocs(app: FastifyInstance, contract: Contract, favicon: string): Promise<void> {
  await app.register(helmet, pageSecurity)
  // All responses share these bytes. Of a text each response would make a copy.
  const [yaml, json] = [Buffer.from(contract.yaml), Buffer.from(contract.json)]
  app.get('/openapi.yaml', (_request, reply) => reply.header('content-type', 'application/yaml').send(yaml))
  app.get('/openapi.json', (_request, reply) => reply.header('content-type', 'application/json').send(json))
  await registerDocsFiles(app, '/docs/static')
  for (const [path, target] of Object.entries(redirects)) app.get(path, (_request, reply) => reply.redirect(target))

  // Loaded at the first visit, which saves start time and memory where there is none.
  const page = madeOnce(async () => (await import('./docs-page.ts')).createDocsPage(contract, favicon, madePaths))
  for (const path of madePaths) {
    app.get(path, async (_request, reply) => {
      // The page has each of these paths.
      const { type, bytes } = (await page()).get(path)!
      return reply.header('content-type', type).send(bytes)
    })
  }
}
