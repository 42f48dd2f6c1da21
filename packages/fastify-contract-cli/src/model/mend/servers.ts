import { basePathsOf } from 'fastify-contract/document'
import { isObject } from 'fastify-contract/json'
import type { Mending } from './mending.ts'
import type { ContractObject } from './visit.ts'
import { withOrigin } from '../yaml/node.ts'

/** Gives the variables of servers their defaults, and removes those that are not of HTTP or have no base path. */
export function mendServers({ object }: ContractObject, { warn, remove }: Mending): void {
  const { servers } = object
  if (servers === undefined) return
  if (!Array.isArray(servers)) {
    remove(object, 'servers', 'servers: is not a list, and is ignored; write one')
    return
  }
  const kept = servers.filter((server: unknown) => {
    if (!isObject(server) || typeof server['url'] !== 'string') return true
    const { url, variables } = server
    const [path = '', ignored] = withDefaults(url.trim(), variables).split(/(?=[?#])/)
    server['url'] = path
    const at = { object: server, key: 'url' }
    if (ignored !== undefined) warn(at, 'url: a server has neither query nor fragment; remove them')
    const isHttp = !URL.canParse(path) || /^https?:$/.test(new URL(path).protocol)
    if (isHttp && URL.canParse(path, 'http://localhost/') && !/[%*{}\s\p{C}]/u.test(path)) return true
    warn(
      at,
      `url: ${url} is no address of HTTP with a base path that can be served, and is left out; use one such as https://host/v1, or /v1`,
      'server.url',
    )
    return false
  })
  object['servers'] = withOrigin(kept, servers)
}

/** Gives an operation the servers of its path. It keeps none that have the base paths of the document. */
export function mendOwnServers(described: ContractObject, mending: Mending): void {
  const { object, role } = described
  if (role !== 'served') return
  const { servers: written } = object
  mendServers(described, mending)
  const { servers: kept } = object
  const isNoneLeft = Array.isArray(kept) && kept.length === 0 && Array.isArray(written) && written.length > 0
  if (isNoneLeft) Reflect.deleteProperty(object, 'servers')
  const { document, attempt } = mending
  const bases = (holder: object) => attempt(() => basePathsOf(holder).toSorted().join(' '))
  if (object['servers'] !== undefined && bases(object) === bases(document)) Reflect.deleteProperty(object, 'servers')
}

/** A variable without a default stands for its name. */
function withDefaults(url: string, variables: unknown): string {
  return url.replaceAll(/\{([^{}]*)\}/g, (_all, name: string) => {
    const variable = isObject(variables) && Object.hasOwn(variables, name) ? variables[name] : undefined
    const value = isObject(variable) ? variable['default'] : undefined
    return /^(?:string|number|boolean)$/.test(typeof value) ? String(value) : name
  })
}
