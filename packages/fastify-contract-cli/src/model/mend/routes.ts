import type { OperationPlace } from 'fastify-contract/document'
import { isObject } from 'fastify-contract/json'
import type { Mending } from './mending.ts'
import { type Draft, withOrigin } from '../yaml/node.ts'

/** An operation with its place. */
export interface PlacedOperation extends OperationPlace {
  path: string
  item: Draft
  object: Draft
}

/**
 * Moves operations of paths that differ only by the names of their parameters to the first of them. Two operations of one
 * method are rejected: a request matches both.
 *
 * @param operations with all of their parameters
 */
export function mergeRoutes(paths: Draft, operations: PlacedOperation[], { resolve, warn, reject }: Mending): void {
  const firsts = new Map<string, PlacedOperation>()
  for (const operation of operations) {
    const { path, method, item, holder, key, object } = operation
    const route = path.replaceAll(/\{[^{}]*\}/g, '{}')
    const first = firsts.get(route) ?? operation
    firsts.set(route, first)
    if (first.path === path) continue
    const name = `${method.toUpperCase()} ${path}`
    const target = holder === item ? first.item : additionalOperationsOf(first.item)
    if (key in target) {
      const text = `${name}: is the route ${first.path}, which has the method too; choose another path`
      reject({ object: holder, key }, text)
      continue
    }
    target[key] = object
    Reflect.deleteProperty(holder, key)
    const isLeft = operations.some((other) => other.item === item && other.key in other.holder)
    if (!isLeft) Reflect.deleteProperty(paths, path)
    if (object['operationId'] === name) object['operationId'] = `${method.toUpperCase()} ${first.path}`
    const parameters: unknown[] = Array.isArray(object['parameters']) ? object['parameters'] : []
    const names = parametersIn(first.path)
    const renamed = new Map(parametersIn(path).map((each, index) => [each, names[index] ?? each]))
    const renamedParameters = parameters.map((written) => {
      const parameter = resolve(written)
      const given = parameter?.['in'] === 'path' ? renamed.get(String(parameter['name'])) : undefined
      return given === undefined ? written : { ...parameter, name: given }
    })
    if (parameters.length > 0) object['parameters'] = withOrigin(renamedParameters, parameters)
    const text = `${name}: is the same route as ${first.path}; use its parameter names`
    warn({ object, key: 'parameters' }, text, 'route')
  }
}

function additionalOperationsOf(item: Draft): Draft {
  const { additionalOperations: additional } = item
  if (isObject(additional)) return additional
  const created = {}
  item['additionalOperations'] = created
  return created
}

/** The names of the parameters of a path. */
export function parametersIn(path: string): string[] {
  return [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name)
}

/** A character that no path of a request has, or that has another meaning in it (RFC 3986, section 3.3). */
const foreign = /[?#%*\s]/u

/** Finds out whether the router takes a path, and removes one that no request can have, or that ends nowhere clear. */
export function checkPath(path: string, paths: Draft, { remove, reject }: Mending): void {
  const at = { object: paths, key: path }
  const names = parametersIn(path)
  const isSegment = (segment: string) => /^(?:[^{}]|\{[^{}]+\})*$/.test(segment)
  const [character] = foreign.exec(path) ?? []
  const rule = !path.startsWith('/')
    ? 'begin with /'
    : /\p{C}/u.test(path)
      ? 'not contain control characters'
      : character !== undefined
        ? undefined
        : new Set(names).size < names.length
          ? 'not repeat a parameter'
          : path.split('/').every(isSegment)
            ? undefined
            : 'have segments of text and {parameters}'
  if (rule !== undefined) {
    reject(at, `the path ${path} must ${rule}`)
    return
  }
  const skipped =
    character !== undefined
      ? [`has ${character.trim() === '' ? 'a space' : character}`, 'use a parameter, or another path']
      : path.includes('}{')
        ? ['has no text between two parameters', 'write some, or use another path']
        : undefined
  if (skipped === undefined) return
  const [problem, remedy] = skipped
  remove(
    paths,
    path,
    `the path ${path} ${String(problem)}, so its operations are not served; ${String(remedy)}`,
    'path',
  )
}
