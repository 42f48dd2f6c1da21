import { fastifySwagger } from '@fastify/swagger'
import { fastify } from 'fastify'
import type { OpenAPIV3 } from 'openapi-types'
import { type Contract, documentOf, writtenDocumentOf } from '../../document/contract.ts'
import { type ContractDocument, type PathItem, basePathsOf, operationsIn } from '../../document/document.ts'
import { isObject } from '../../json/json.ts'
import { mapMembers } from '../../json/map-members.ts'

interface Server {
  url: string
  description?: unknown
}

/**
 * The document that the page shows, as @fastify/swagger keeps it, with the base paths at which it is served in place of the
 * urls of its servers.
 *
 * @param basePaths what replaces the base paths of all servers
 */
export async function shownDocument(
  contract: Contract,
  basePaths: readonly string[] | undefined,
): Promise<Partial<ContractDocument>> {
  const document: object = writtenDocumentOf(contract)
  // The server of the page takes no more plugins by now.
  const server = fastify()
  // The plugin's types describe OpenAPI 3.0 without bigints. In this mode it only keeps the document.
  const specification = { document: document as OpenAPIV3.Document }
  await server.register(fastifySwagger, { mode: 'static', specification })
  // `generate` has checked the structure.
  const written = server.swagger() as Partial<ContractDocument>
  return withServers(written, documentOf(contract), basePaths)
}

function withServers(
  written: Partial<ContractDocument>,
  served: ContractDocument,
  basePaths: readonly string[] | undefined,
): Partial<ContractDocument> {
  const here = (servers: Server[] = [{ url: '/' }]): Server[] =>
    basePaths?.map((url) => ({ url })) ??
    servers.map(({ url, description }) => {
      const [base = ''] = basePathsOf({ servers: [{ url }] })
      return { url: base, ...(description === undefined ? {} : { description }) }
    })
  // Extensions may be anything.
  const entries = Object.entries(written.paths ?? {}).filter(([path]) => !path.startsWith('x-'))
  const items = entries.map(([path, { servers: _, ...own }]: [string, PathItem & { servers?: unknown }]) => {
    const operations = operationsIn(served.paths?.[path] ?? {}).flatMap(({ method, written: { servers } }) => {
      const operation: unknown = Reflect.get(own, method)
      if (!isObject(operation)) return []
      const { servers: _own, ...others } = operation
      return [[method, servers === undefined ? others : { ...others, servers: here(servers) }] as const]
    })
    return [path, { ...own, ...Object.fromEntries(operations) }] as const
  })
  return { ...written, servers: here(served.servers), paths: Object.fromEntries(items) }
}

/** Puts the security of each path item (OpenAPI 3.3) into its operations: Swagger UI does not know it. */
export function withSecurity(document: Partial<ContractDocument>): object {
  const { paths, components = {} } = document
  const { pathItems } = components
  return {
    ...document,
    paths: mapMembers(paths, itemWithSecurity),
    ...(pathItems === undefined
      ? {}
      : { components: { ...components, pathItems: mapMembers(pathItems, itemWithSecurity) } }),
  }
}

function itemWithSecurity(item: unknown): unknown {
  // An extension, or a component that nothing uses, may be anything.
  if (!isObject(item) || item['security'] === undefined) return item
  const { security, ...own } = item
  const operations = operationsIn(own).flatMap(({ method, written }) =>
    Object.hasOwn(own, method) ? [[method, { security, ...written }]] : [],
  )
  return { ...own, ...Object.fromEntries(operations) }
}
