import { type NamedSchemas, isList } from '../schema/schema-parts.ts'
import type { Parameter } from '../document/document.ts'

/** A query parameter whose value is an array. */
export interface ListParameter {
  name: string
  /** Whether each item is a separate parameter; otherwise commas separate them (OpenAPI 3.1, section 4.8.12.3). */
  isExploded: boolean
}

/** Lists the query parameters of an operation that are arrays. */
export function listParametersOf(parameters: Parameter[], schemas: NamedSchemas): ListParameter[] {
  return parameters
    .filter(({ in: place, schema }) => place === 'query' && isList(schema, schemas))
    .map(({ name, explode = true }) => ({ name, isExploded: explode }))
}

/**
 * Splits the text of each array of a query into its items.
 *
 * @param url the path and query of the request target
 * @returns a message for each comma-separated list that is repeated
 */
export function splitLists(lists: ListParameter[], query: Record<string, unknown>, url: string): string[] {
  const repeated: string[] = []
  for (const { name, isExploded } of lists) {
    const text = query[name]
    if (text === undefined) continue
    if (isExploded) query[name] = [text].flat()
    else if (typeof text === 'string') query[name] = rawValue(url, name).split(',').map(decoded)
    else repeated.push(`query/${name} is repeated; send it once, with commas between the items`)
  }
  return repeated
}

/** The value of a parameter before percent-decoding: a comma within an item is encoded (RFC 6570, section 3.2.8). */
function rawValue(url: string, name: string): string {
  const query = url.slice(url.indexOf('?') + 1)
  const pairs = query.split('&').map((pair) => pair.split(/=(.*)/s))
  return pairs.find(([key = '']) => decoded(key) === name)?.[1] ?? ''
}

/** Decodes like the query parser. Targets with broken percent-encoding were rejected before. */
function decoded(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '))
}
