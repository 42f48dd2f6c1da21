import { type ContractDocument, type PathItem, basePathsOf, operationsIn } from '../../document/document.ts'

interface Server {
  url: string
  description?: unknown
}

/**
 * Copies a contract with the base paths at which it is served in place of the urls of its servers.
 *
 * @param written the contract as its author wrote it
 * @param served as the server reads it
 * @param basePaths what replaces the base paths of all servers
 */
export function withServers(
  written: object,
  served: ContractDocument,
  basePaths: readonly string[] | undefined,
): object {
  const here = (servers: Server[] = [{ url: '/' }]): Server[] =>
    basePaths?.map((url) => ({ url })) ??
    servers.map(({ url, description }) => {
      const [base = ''] = basePathsOf({ servers: [{ url }] })
      return { url: base, ...(description === undefined ? {} : { description }) }
    })
  // `generate` has checked the structure.
  const { paths = {} } = written as Partial<ContractDocument>
  // Extensions may be anything.
  const entries = Object.entries(paths).filter(([path]) => !path.startsWith('x-'))
  const items = entries.map(([path, item]): [string, object] => {
    const { servers: _, ...own } = item as PathItem & { servers?: unknown }
    const operations = operationsIn(served.paths?.[path] ?? {}).flatMap(({ method, written: { servers } }) => {
      const operation = own[method as 'get']
      if (operation === undefined) return []
      const { servers: _own, ...others } = operation
      return [[method, servers === undefined ? others : { ...others, servers: here(servers) }] as const]
    })
    return [path, { ...own, ...Object.fromEntries(operations) }]
  })
  return { ...written, servers: here(served.servers), paths: Object.fromEntries(items) }
}
