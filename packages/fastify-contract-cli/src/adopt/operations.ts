import { type ContractMethod, contractMethods } from 'fastify-contract/document'
import { isSchema } from 'fastify-contract/schema'
import { isIgnored } from '../keywords/objects.ts'
import type { Adopted } from './adopt.ts'
import { mendParameters } from './parameters.ts'
import { mendResponses } from './responses.ts'
import { checkPath, mergeRoutes } from './routes.ts'

/** An operation while it is adopted. */
export interface AdoptedOperation {
  method: ContractMethod
  path: string
  item: Record<string, unknown>
  object: Record<string, unknown>
}

/** Gives each operation a name, the parameters of its path alone, responses that HTTP has, and security. */
export function mendOperations(contract: Adopted): void {
  const operations = operationsIn(contract)
  nameOperations(operations, contract)
  for (const operation of operations) {
    mendParameters(operation, contract)
    mendResponses(operation, contract)
    const { object, method } = operation
    if (method === 'get' && 'requestBody' in object) {
      Reflect.deleteProperty(object, 'requestBody')
      contract.warn(
        { object, key: 'requestBody' },
        'requestBody: GET has no body in HTTP, and it is not read; use parameters, or another method',
      )
    }
  }
  // Each operation has them now.
  for (const { item } of operations) {
    if (Array.isArray(item['parameters'] ?? [])) Reflect.deleteProperty(item, 'parameters')
  }
  mergeRoutes(operations, contract)
  publish(operations, contract)
}

/** Lists the operations, with an object for each: YAML aliases may share one. */
function operationsIn(contract: Adopted): AdoptedOperation[] {
  const { document, places } = contract
  const { paths } = document
  if (!isSchema(paths)) return []
  const met = new Set<unknown>()
  const own = (holder: Record<string, unknown>, name: string): Record<string, unknown> | undefined => {
    const object = holder[name]
    if (!isSchema(object)) return undefined
    const copy = met.has(object) ? places.share({ ...object }, object) : object
    met.add(object)
    holder[name] = copy
    return copy
  }
  return Object.keys(paths).flatMap((path) => {
    // An extension.
    if (path.startsWith('x-')) Reflect.deleteProperty(paths, path)
    else checkPath(path, paths, contract)
    const item = own(paths, path)
    if (item === undefined) return []
    return contractMethods.flatMap((method): AdoptedOperation[] => {
      const object = isIgnored('pathItem', method) ? undefined : own(item, method)
      return object === undefined ? [] : [{ method, path, item, object }]
    })
  })
}

/** An operation without a name of its own, or with one that cannot be used, is named by its route. */
function nameOperations(operations: AdoptedOperation[], { warn }: Adopted): void {
  const named = Map.groupBy(operations, ({ object }) => object['operationId'])
  for (const { method, path, object } of operations) {
    const { operationId: id } = object
    const isShared = (named.get(id)?.length ?? 0) > 1
    if (typeof id === 'string' && isUsable(id) && !isShared) continue
    const route = `${method.toUpperCase()} ${path}`
    object['operationId'] = route
    if (typeof id !== 'string' || id === '') continue
    const problem = isShared ? 'names several operations' : 'is not a name'
    warn(
      { object, key: 'operationId' },
      `operationId: ${JSON.stringify(id)} ${problem}; the operation is named '${route}', or choose another name`,
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
function publish(operations: AdoptedOperation[], { document, warn }: Adopted): void {
  if (document['security'] !== undefined) return
  const open = operations.filter(({ object }) => object['security'] === undefined)
  for (const { item, method, object } of open) {
    const text = `operation ${String(object['operationId'])}: is public, because it has no security; add it, or security: [] for a public operation`
    warn({ object: item, key: method }, text, 'public')
  }
  if (open.length > 0) document['security'] = []
}
