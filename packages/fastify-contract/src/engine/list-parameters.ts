import { type NamedSchemas, typesOf } from '../schema/schema-parts.ts'
import type { Parameter } from '../document/document.ts'

/** A parameter whose value is an array, and how its text holds the items. */
export interface ListParameter {
  in: 'query' | 'header'
  /** As the request's part has it: a header's in lower case. */
  name: string
  /** What is between the items in the request's raw text; undefined where the parameter is repeated for each. */
  delimiter: Delimiter | undefined
}

interface Delimiter {
  pattern: RegExp
  /** In words, for a message. */
  name: string
}

/**
 * The delimiters by `style` (OpenAPI 3.1, section 4.8.12.3). In a query a comma inside of an item is percent-encoded
 * (RFC 6570, section 3.2.8). The space and `|` are encoded as delimiters too.
 */
const delimiters: Record<string, Delimiter> = {
  form: { pattern: /,/, name: 'commas' },
  spaceDelimited: { pattern: /%20|\+/, name: 'spaces' },
  pipeDelimited: { pattern: /\||%7C/i, name: '|' },
  simple: { pattern: /,/, name: 'commas' },
}

/** Lists the parameters of an operation that are arrays. */
export function listParametersOf(parameters: Parameter[], schemas: NamedSchemas): ListParameter[] {
  return parameters.flatMap(({ in: place, name, schema, style, explode }): ListParameter[] => {
    if ((place !== 'query' && place !== 'header') || !isList(schema, schemas)) return []
    if (place === 'header') return [{ in: place, name: name.toLowerCase(), delimiter: delimiters['simple'] }]
    const isExploded = explode ?? (style === undefined || style === 'form')
    return [{ in: place, name, delimiter: isExploded ? undefined : delimiters[style ?? 'form'] }]
  })
}

/** Whether the values of a parameter's schema are arrays. */
export function isList(schema: unknown, schemas: NamedSchemas): boolean {
  const types = typesOf(schema, schemas)
  return types.has('array') && types.isSubsetOf(new Set(['array', 'null']))
}

/**
 * Replaces the text of each array in the parts of a request by its items.
 *
 * @param url the path and query of the request's target
 * @returns a message for each list of the query that is repeated, although one text has all its items
 */
export function splitLists(
  lists: ListParameter[],
  parts: Record<ListParameter['in'], Record<string, unknown>>,
  url: string,
): string[] {
  const repeated: string[] = []
  for (const { in: place, name, delimiter } of lists) {
    const texts = parts[place]
    const text = texts[name]
    if (text === undefined) continue
    if (delimiter === undefined) texts[name] = [text].flat()
    else if (typeof text !== 'string') {
      repeated.push(`query/${name} is repeated; send it once, with ${delimiter.name} between the items`)
    } else if (place === 'header') texts[name] = text.split(delimiter.pattern).map(trimmed)
    else texts[name] = rawValue(url, name).split(delimiter.pattern).map(decoded)
  }
  return repeated
}

/** Without the blanks around it (RFC 9110, section 5.6.1), in linear time: a match at the end begins at their first. */
function trimmed(item: string): string {
  return item.replaceAll(/^[ \t]+|(?<![ \t])[ \t]+$/g, '')
}

/** The value of a parameter as the query has it, before percent-decoding. */
function rawValue(url: string, name: string): string {
  const query = url.slice(url.indexOf('?') + 1)
  const pairs = query.split('&').map((pair) => pair.split(/=(.*)/s))
  return pairs.find(([key = '']) => decoded(key) === name)?.[1] ?? ''
}

/** Decodes as the parser of the query does. The server has refused a target whose percent-encoding is broken. */
function decoded(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '))
}
