import { type ContractDocument, basePathsOf } from 'fastify-contract/document'
import { isSchema } from 'fastify-contract/schema'
import { objectsOf } from '../keywords/objects.ts'
import type { Adopted } from './adopt.ts'

/**
 * Gives the variables of servers their defaults, and removes servers without a base path. Removes those of a single path or
 * operation that have the base paths of the document.
 */
export function mendServers(contract: Adopted): void {
  const { document, attempt } = contract
  mendList(document, contract)
  const bases = (object: object) =>
    attempt(() =>
      basePathsOf(object as ContractDocument)
        .toSorted()
        .join(' '),
    )
  for (const { object, kind } of objectsOf(document)) {
    if (!Array.isArray(object['servers']) || (kind !== 'pathItem' && kind !== 'operation')) continue
    const servers = object['servers']
      .filter(isSchema)
      .map(({ url, variables }) => ({ url: withDefaults(String(url), variables) }))
    if (bases({ servers }) === bases(document)) Reflect.deleteProperty(object, 'servers')
  }
}

function mendList(document: Adopted['document'], { places, warn }: Adopted): void {
  const { servers } = document
  if (servers === undefined) return
  if (!Array.isArray(servers)) {
    Reflect.deleteProperty(document, 'servers')
    warn({ object: document, key: 'servers' }, 'servers: is not a list, and is ignored; write one')
    return
  }
  const kept = servers.filter((server: unknown) => {
    if (!isSchema(server) || typeof server['url'] !== 'string') return true
    const { url, variables } = server
    const [path = '', ignored] = withDefaults(url.trim(), variables).split(/(?=[?#])/)
    server['url'] = path
    const at = { object: server, key: 'url' }
    if (ignored !== undefined) warn(at, 'url: a server has neither query nor fragment; remove them')
    if (URL.canParse(path, 'http://localhost/')) return true
    warn(at, `url: ${url} is not a url, and is not served; use one such as https://host/v1, or /v1`, 'server.url')
    return false
  })
  document['servers'] = places.share(kept, servers)
}

/** A variable without a default stands for its name. */
function withDefaults(url: string, variables: unknown): string {
  return url.replaceAll(/\{([^{}]*)\}/g, (_all, name: string) => {
    const variable = isSchema(variables) && Object.hasOwn(variables, name) ? variables[name] : undefined
    const value = isSchema(variable) ? variable['default'] : undefined
    return /^(?:string|number|boolean)$/.test(typeof value) ? String(value) : name
  })
}
