import type { Adopted } from './adopt.ts'
import type { AdoptedOperation } from './operations.ts'
import { resolvedIn } from '../keywords/follow.ts'

/**
 * Moves operations of paths that differ only by the names of their parameters to the first of them. Two operations of one
 * method are rejected: a request matches both.
 *
 * @param operations with all of their parameters
 */
export function mergeRoutes(operations: AdoptedOperation[], contract: Adopted): void {
  // Operations have been read from it.
  const paths = contract.document['paths'] as Record<string, Record<string, unknown>>
  const firsts = new Map<string, string>()
  for (const operation of operations) {
    const { path, method, item, object } = operation
    const route = path.replaceAll(/\{[^{}]*\}/g, '{}')
    const first = firsts.get(route) ?? path
    firsts.set(route, first)
    const target = paths[first]
    if (first === path || target === undefined) continue
    if (method in target) {
      const text = `${method.toUpperCase()} ${path}: is the route ${first}, which has the method too; choose another path`
      contract.reject({ object: item, key: method }, text)
      continue
    }
    target[method] = object
    Reflect.deleteProperty(item, method)
    if (!operations.some((other) => other.item === item && other.method in item)) Reflect.deleteProperty(paths, path)
    renameParameters(operation, first, contract)
    const text = `${method.toUpperCase()} ${path}: is the route ${first}, and has its parameters; use the same names`
    contract.warn({ object, key: 'parameters' }, text, 'route')
  }
}

function renameParameters({ path, method, object }: AdoptedOperation, first: string, contract: Adopted): void {
  const names = parametersIn(first)
  const renamed = new Map(parametersIn(path).map((name, index) => [name, names[index] ?? name]))
  const parameters: unknown[] = Array.isArray(object['parameters']) ? object['parameters'] : []
  object['parameters'] = contract.places.share(
    parameters.map((written) => {
      const parameter = resolvedIn(contract.document, written)
      const name = parameter?.['in'] === 'path' ? renamed.get(String(parameter['name'])) : undefined
      return name === undefined ? written : contract.places.share({ ...parameter, name }, parameter ?? object)
    }),
    parameters,
  )
  if (object['operationId'] === `${method.toUpperCase()} ${path}`)
    object['operationId'] = `${method.toUpperCase()} ${first}`
}

/** The names of the parameters of a path. */
export function parametersIn(path: string): string[] {
  return [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name)
}

/** Finds out whether the router takes a path. */
export function checkPath(path: string, paths: object, { reject }: Adopted): void {
  const names = parametersIn(path)
  const isSegment = (segment: string) => /^(?:[^{}]|\{[^{}]+\}(?!\{))*$/.test(segment)
  const rule = !path.startsWith('/')
    ? 'begin with /'
    : /[?#%*\s]/.test(path)
      ? 'not contain ?, #, %, * or spaces'
      : new Set(names).size < names.length
        ? 'not repeat a parameter'
        : path.split('/').every(isSegment)
          ? undefined
          : 'have segments of text and {parameters}, with text between two'
  if (rule !== undefined) reject({ object: paths, key: path }, `the path ${path} must ${rule}`)
}
