import { methodProblem, operationPlaces } from 'fastify-contract/document'
import { isObject, stringifyJson } from 'fastify-contract/json'
import { quoted } from '../rules/keyword.ts'
import { keywordOf } from '../table/table.ts'
import type { Mending } from './mending.ts'
import type { ContractObject } from './visit.ts'
import { keyOfParameter } from './parameters.ts'
import { inheritSecurity } from './security.ts'
import { type PlacedOperation, checkPath, mergeRoutes } from './routes.ts'
import { type Draft, origin, sourceOf, takenFrom, withOrigin } from '../yaml/node.ts'

/** Gives each operation a path item of its own, a name, security, and the parameters and servers of its path. */
export function mendPaths({ object: document }: ContractObject, mending: Mending): void {
  const { paths } = document
  if (!isObject(paths)) return
  includePathItems(paths, mending)
  const operations = operationsIn(paths, mending)
  nameOperations(operations, mending)
  publish(operations, mending)
  for (const operation of operations) {
    inheritParameters(operation, mending)
    const { item, object } = operation
    if (item['servers'] !== undefined) object['servers'] ??= item['servers']
  }
  for (const { item } of operations) {
    if (Array.isArray(item['parameters'])) Reflect.deleteProperty(item, 'parameters')
    Reflect.deleteProperty(item, 'servers')
  }
  mergeRoutes(paths, operations, mending)
}

/** Replaces references of path items by copies of their targets. */
function includePathItems(paths: Draft, { resolve }: Mending): void {
  for (const [path, written] of Object.entries(paths)) {
    const target = isObject(written) && '$ref' in written ? resolve(written) : undefined
    if (!isObject(written) || target === undefined) continue
    const { $ref: _, ...own } = written
    const security = 'security' in own ? {} : { [origin]: takenFrom(written, 'security', target) }
    const item: Draft = { ...target, ...own, ...security }
    const { additionalOperations: others } = item
    if (isObject(others)) item['additionalOperations'] = { ...others }
    for (const { holder, key } of operationPlaces(item)) {
      const operation = holder[key]
      // That of the component is not served.
      if (isObject(operation)) holder[key] = { ...operation }
    }
    paths[path] = item
  }
}

/** Lists the operations, with an object for each: YAML aliases may share one. */
function operationsIn(paths: Draft, mending: Mending): PlacedOperation[] {
  const isIgnored = (method: string) => keywordOf('pathItem', method)?.rule !== undefined
  const visited = new Set<unknown>()
  const own = (holder: Draft, name: string): Draft | undefined => {
    const object = holder[name]
    if (!isObject(object)) return undefined
    const copy = visited.has(object) ? { ...object } : object
    visited.add(object)
    holder[name] = copy
    return copy
  }
  return Object.keys(paths).flatMap((path) => {
    // An extension.
    if (path.startsWith('x-')) Reflect.deleteProperty(paths, path)
    else checkPath(path, paths, mending)
    const item = own(paths, path)
    if (item === undefined) return []
    own(item, 'additionalOperations')
    inheritSecurity(item, mending)
    return operationPlaces(item).flatMap(({ method, holder, key }): PlacedOperation[] => {
      const problem = holder === item ? undefined : methodProblem(key)
      if (problem !== undefined) mending.reject({ object: holder, key }, `additionalOperations: ${problem}`)
      const object = isIgnored(method) ? undefined : own(holder, key)
      return object === undefined ? [] : [{ method, path, item, holder, key, object }]
    })
  })
}

/** An operation without a name of its own, or with one that cannot be used, is named by its route. */
function nameOperations(operations: PlacedOperation[], { warn }: Mending): void {
  const named = Map.groupBy(operations, ({ object }) => object['operationId'])
  for (const { method, path, object } of operations) {
    const { operationId: id } = object
    const isShared = (named.get(id)?.length ?? 0) > 1
    if (typeof id === 'string' && isUsable(id) && !isShared) continue
    const route = `${method.toUpperCase()} ${path}`
    object['operationId'] = route
    if (id === undefined || id === '') continue
    const isText = typeof id === 'string'
    const problem = !isText ? 'is not text' : isShared ? 'names several operations' : 'is not a name'
    const remedy = isText ? 'or choose another name' : `or ${quoted(id, sourceOf(object, 'operationId'))}`
    warn(
      { object, key: 'operationId' },
      `operationId: ${stringifyJson(id)} ${problem}; the operation is named '${route}', ${remedy}`,
      `operationId ${problem}`,
    )
  }
}

/** An operationId appears in messages, logs and types. One that looks like a route might be that of another operation. */
function isUsable(id: string): boolean {
  const isName = /^[\p{L}\p{M}\p{N}\p{P}\p{S}]+(?: [\p{L}\p{M}\p{N}\p{P}\p{S}]+)*$/u.test(id)
  return isName && id.length <= 200 && !/^[A-Z]+ \//.test(id)
}

/** In OpenAPI an operation without `security` is public, which may be an oversight. */
function publish(operations: PlacedOperation[], { document, warn }: Mending): void {
  if (document['security'] !== undefined) return
  const open = operations.filter(({ object }) => object['security'] === undefined)
  for (const { holder, key, object } of open) {
    const text = `operation ${String(object['operationId'])}: is public, because it has no security; add it, or security: [] for a public operation`
    warn({ object: holder, key }, text, 'public')
  }
  if (open.length > 0) document['security'] = []
}

/** Gives an operation the parameters of its path that it does not override (OpenAPI 3.1, section 4.8.9). */
function inheritParameters({ object, item }: PlacedOperation, { resolve }: Mending): void {
  const [own, shared] = [object['parameters'] ?? [], item['parameters'] ?? []]
  if (!Array.isArray(own) || !Array.isArray(shared) || shared.length === 0) return
  const overridden = new Set(own.map((each: unknown) => keyOfParameter(resolve(each))))
  const inherited = shared.filter((each: unknown) => !overridden.has(keyOfParameter(resolve(each))))
  const both = [...(own as unknown[]), ...(inherited as unknown[])]
  object['parameters'] = withOrigin(both, own.length > 0 ? own : shared)
}
