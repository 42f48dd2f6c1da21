import swagger from '@fastify/swagger'
import type swaggerUi from '@fastify/swagger-ui'
import fastify from 'fastify'
import { createRequire } from 'node:module'
import type { OpenAPIV3 } from 'openapi-types'
import type { Contract } from '../../document/load-contract.ts'
import { exactExamples } from './exact-examples.ts'

/** A part of the page that is made from the contract. */
export interface DocsPart {
  type: string
  bytes: Buffer
}

const require = createRequire(import.meta.url)

/** Swagger UI's global in the browser, where the functions of `uiConfig` run. */
declare const SwaggerUIBundle: { plugins: { DownloadUrl: (system: unknown) => object } }

/** Swagger UI gives responses three columns, which are wider than the screen of a phone. */
const narrowScreens = `@media (max-width: 640px) {
  .swagger-ui .responses-table > thead,
  .swagger-ui .response-col_links > i { display: none; }
  .swagger-ui .responses-table,
  .swagger-ui .responses-table > tbody,
  .swagger-ui .responses-table > tbody > tr,
  .swagger-ui .responses-table > tbody > tr > td { display: block; width: auto; max-width: none; }
  .swagger-ui .responses-table > tbody > tr > td { padding: 5px 0 0; overflow-x: auto; }
}
`

/**
 * Has Swagger UI's plugin make the parts of the page that are no files.
 *
 * @param favicon an SVG
 * @param paths such as `/docs/static/swagger-initializer.js`
 * @returns the parts by their paths
 */
export async function createDocsPage(
  contract: Contract,
  favicon: string,
  paths: readonly string[],
): Promise<Map<string, DocsPart>> {
  // A server of its own, which never listens and is dropped when the parts are made.
  const app = fastify()
  await app.register(swagger, {
    mode: 'static',
    // The plugin's types describe OpenAPI 3.0; it only stores the document.
    specification: { document: JSON.parse(contract.json) as OpenAPIV3.Document },
  })
  // It reads a file when it is loaded. `import` would remember a failure of that for ever.
  await app.register(require('@fastify/swagger-ui') as typeof swaggerUi, {
    routePrefix: '/docs',
    theme: {
      title: contract.document.info.title,
      favicon: [{ filename: 'favicon.svg', rel: 'icon', type: 'image/svg+xml', sizes: 'any', content: favicon }],
      css: [{ filename: 'narrow.css', content: narrowScreens }],
    },
    uiConfig: {
      // Without the top bar, which can load other contracts into the page.
      layout: 'BaseLayout',
      persistAuthorization: true,
      tryItOutEnabled: true,
      // This list replaces the default one, whose only member is the first.
      plugins: [(system) => SwaggerUIBundle.plugins.DownloadUrl(system), exactExamples],
    },
  })
  const parts = new Map<string, DocsPart>()
  for (const url of paths) {
    const { headers, rawPayload } = await app.inject({ url })
    parts.set(url, { type: String(headers['content-type']), bytes: rawPayload })
  }
  await app.close()
  return parts
}
