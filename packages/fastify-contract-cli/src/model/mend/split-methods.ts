import { earlierFields, operationPlaces } from 'fastify-contract/document'
import { isObject } from 'fastify-contract/json'
import type { Draft } from '../yaml/node.ts'

const fields: readonly string[] = earlierFields

/**
 * Rewrites path items for tools that know only OpenAPI 3.1: each operation of a further method becomes the `post` of a
 * path of its own, `/things query`.
 *
 * @param separator between the path and the method, in lower case; no path has it
 */
export function splitMethods(paths: Draft, separator: string): Draft {
  const items = Object.entries(paths).flatMap(([path, item]): [string, unknown][] => {
    const places = isObject(item) ? operationPlaces(item).filter(({ key }) => !fields.includes(key)) : []
    if (!isObject(item) || places.length === 0) return [[path, item]]
    const isOther = (name: string) => name !== 'additionalOperations' && !places.some(({ key }) => key === name)
    const others = Object.fromEntries(Object.entries(item).filter(([name]) => isOther(name)))
    const { parameters } = item
    const shared = parameters === undefined ? {} : { parameters }
    const split = places.map(({ method, holder, key }): [string, unknown] => {
      return [path + separator + method, { ...shared, post: holder[key] }]
    })
    return [[path, others], ...split]
  })
  return Object.fromEntries(items)
}
