import { hash } from 'node:crypto'
import { readFileSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import type { FastifyInstance, FastifyPluginCallback, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import { type Contract, documentOf } from '../document/contract.ts'
import { targetSplitterOf } from './request-target.ts'

/** Swagger UI's files in its Fastify plugin. The plugin itself would take 5 MiB and round integers in `/docs/json`. */
const folder = join(dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui')), 'static')

const mediaTypes: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'application/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.yaml': 'application/yaml',
}

/** Files of the plugin itself. */
const notServed: readonly string[] = ['csp.json', 'index.html']

/**
 * The page may load scripts and styles only from this server, and send requests only to it. Swagger UI needs inline styles
 * and data: images. The other headers are those of helmetjs.github.io, without those for TLS, which the proxy sets.
 */
const pageHeaders = new Map([
  [
    'Content-Security-Policy',
    "default-src 'none';script-src 'self';style-src 'self' 'unsafe-inline';img-src 'self' data:;connect-src 'self';" +
      "base-uri 'none';form-action 'none';frame-ancestors 'none'",
  ],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Referrer-Policy', 'no-referrer'],
  ['X-DNS-Prefetch-Control', 'off'],
  ['X-Download-Options', 'noopen'],
  ['X-Frame-Options', 'DENY'],
  ['X-Permitted-Cross-Domain-Policies', 'none'],
  ['X-XSS-Protection', '0'],
])

export interface DocsOptions {
  contract: Contract
  /** The file of its author, if there is one. */
  source: Buffer | undefined
  page: string
  taken: readonly string[]
  basePaths: readonly string[] | undefined
}

/**
 * Serves Swagger UI, and the contract as its author wrote it: `/docs`, `/openapi.yaml` and `/openapi.json`. An icon may be
 * served at `/docs/favicon.svg`. A path of the contract wins.
 *
 * @param app a context of its own, because its responses have the headers of a page
 */
export function registerDocs(app: FastifyInstance, { contract, source, page, taken, basePaths }: DocsOptions): void {
  const { title } = documentOf(contract).info
  const splitTarget = targetSplitterOf(app)
  const [, beside = '', name = ''] = /^(.*)\/([^/]+)$/.exec(page) ?? []
  app.addHook('onRequest', (_request, { raw }, done) => {
    // A response of HTTP/2 has no `setHeaders`.
    for (const [name, value] of pageHeaders) raw.setHeader(name, value)
    done()
  })
  const hasIcon = () => app.hasRoute({ method: 'GET', url: `${app.prefix}${page}/favicon.svg` })
  const serve: Serve = (url, handler) => {
    // A list of the service's own routes should not have these.
    if (!taken.includes(url)) app.get(url, { schema: { hide: true } }, handler)
  }
  // oxlint-disable-next-line no-restricted-imports -- Swagger's plugin takes 5 MiB, and most servers never show the page
  const atFirstVisit = () => import('./docs/docs-page.ts')
  const files: Record<string, () => string | Buffer | Promise<string>> = {
    // A client cannot follow references to other files. JSON is YAML too (YAML 1.2, section 1.2).
    [`${beside}/openapi.yaml`]: () => source ?? contract.document,
    [`${beside}/openapi.json`]: () => contract.document,
    [`${page}/static/swagger-initializer.js`]: async () =>
      (await atFirstVisit()).writeInitializer(contract, page, basePaths),
    [`${page}/static/theme/narrow.css`]: async () => (await atFirstVisit()).tableStyles,
  }
  for (const [path, write] of Object.entries(files)) serve(path, sendOnce(mediaTypes[extname(path)], write))
  const sendPage = (link: string) =>
    sendOnce(mediaTypes['.html'], async () => (await atFirstVisit()).writePage(title, link, hasIcon()))
  const [outside, inside] = [sendPage(`${name}/`), sendPage('')]
  const free = [page, `${page}/`].filter((url) => !taken.includes(url))
  const docsPage: FastifyPluginCallback = (scope, _options, done) => {
    // Fastify knows whether a trailing slash makes another route. The links of the page depend on it.
    const prefixTrailingSlash = free.length === 2 ? 'both' : free[0] === page ? 'no-slash' : 'slash'
    scope.get('/', { schema: { hide: true }, prefixTrailingSlash }, (request, reply) =>
      (splitTarget(request.url).path.endsWith('/') ? inside : outside)(request, reply),
    )
    done()
  }
  if (free.length > 0) void app.register(docsPage, { prefix: page })
  // Paths of Swagger UI's plugin. Relative, because a proxy may add a prefix.
  for (const format of ['json', 'yaml']) {
    serve(`${page}/${format}`, (_request, reply) => reply.redirect(`../openapi.${format}`))
  }
  serve(`${page}/static/index.html`, (_request, reply) => reply.redirect('../'))
  for (const file of readdirSync(folder)) registerFile(serve, page, file)
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown

/** Makes a handler that writes its content at the first request. */
function sendOnce(type: string | undefined, write: () => string | Buffer | Promise<string>): Handler {
  // Bytes are shared; of a text each response would make a copy.
  let bytes: Buffer | undefined
  return async (_request, reply) => {
    bytes ??= Buffer.from(await write())
    return reply.header('content-type', type).send(bytes)
  }
}

type Serve = (url: string, handler: RouteHandlerMethod) => void

/**
 * Serves a file of Swagger UI. It is read once and kept, so that slow clients hold neither a descriptor nor memory. Ranges
 * and preconditions other than `If-None-Match` are ignored.
 */
function registerFile(serve: Serve, page: string, name: string): void {
  const type = mediaTypes[extname(name)]
  if (type === undefined || notServed.includes(name)) return
  let file: { bytes: Buffer; etag: string } | undefined
  const readFile = () => {
    const bytes = readFileSync(join(folder, name))
    return { bytes, etag: `"${hash('sha256', bytes, 'base64url')}"` }
  }
  serve(`${page}/static/${name}`, (request, reply) => {
    const { bytes, etag } = (file ??= readFile())
    reply.header('cache-control', 'public, max-age=0').header('etag', etag)
    // The weak comparison of RFC 9110, section 13.1.2.
    const tags = request.headers['if-none-match']?.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
    if (tags?.some((tag) => tag === '*' || tag === etag) === true) return reply.code(304).send()
    return reply.header('content-type', type).send(bytes)
  })
}
