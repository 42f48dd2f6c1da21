import { hash } from 'node:crypto'
import { readFile, readdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import type { FastifyInstance } from 'fastify'

/** The folder of Swagger UI's files in its Fastify plugin. */
const folder = join(dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui')), 'static')

const mediaTypes: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'application/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
}

/** Files that the plugin replaces by pages of its own. */
const made: readonly string[] = ['index.html']

/**
 * Adds the files of Swagger UI. Each is read at its first request and kept. All responses share its bytes, so a client
 * that does not read holds neither a descriptor nor memory. Ranges and all preconditions but `If-None-Match` are
 * ignored.
 *
 * @param app the context of the docs page
 * @param prefix their path, such as `/docs/static`
 */
export async function registerDocsFiles(app: FastifyInstance, prefix: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const type = mediaTypes[extname(name)]
    if (type === undefined || made.includes(name)) continue
    const file = madeOnce(() => load(join(folder, name)))
    app.get(`${prefix}/${name}`, async (request, reply) => {
      const { bytes, etag } = await file()
      reply.header('cache-control', 'public, max-age=0').header('etag', etag)
      if (isMatch(request.headers['if-none-match'], etag)) return reply.code(304).send()
      return reply.header('content-type', type).send(bytes)
    })
  }
}

/**
 * Returns a function that makes something at its first call and keeps it. After a failure, as when the process has no
 * file left to open, the next call tries again.
 */
export function madeOnce<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | undefined
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    }))
}

async function load(path: string): Promise<{ bytes: Buffer; etag: string }> {
  const bytes = await readFile(path)
  return { bytes, etag: `"${hash('sha256', bytes, 'base64url')}"` }
}

/** The weak comparison of RFC 9110, section 13.1.2. */
function isMatch(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = ifNoneMatch?.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags !== undefined && (tags.includes('*') || tags.includes(etag))
}
