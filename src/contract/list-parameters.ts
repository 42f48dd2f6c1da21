import { type NamedSchemas, typesOf } from '../schema/schema-parts.ts'
import type { Parameter } from './document.ts'

/** A parameter whose value is an array, and how its text holds the items. */
export interface ListParameter {
  /** The part of the request, such as `query`. */
  part: Parameter['in']
  /** As the request's part has it: a header's in lower case. */
  name: string
  /** What stands between the items; undefined where the parameter is repeated for each. */
  delimiter: string | undefined
}

/** The characters between the items by `style` (OpenAPI 3.1, section 4.8.12.3, after percent-decoding). */
const delimiters: Record<string, string> = { form: ',', simple: ',', spaceDelimited: ' ', pipeDelimited: '|' }

/** A list in a header (RFC 9110, section 5.6.1). */
const optionalSpace = /[ \t]*,[ \t]*/

/** Lists the parameters of an operation that are arrays. */
export function listParametersOf(parameters: Parameter[], schemas: NamedSchemas): ListParameter[] {
  return parameters
    .filter(({ schema }) => isList(schema, schemas))
    .map(({ in: part, name, style = part === 'query' ? 'form' : 'simple', explode = style === 'form' }) => ({
      part,
      name: part === 'header' ? name.toLowerCase() : name,
      delimiter: part === 'query' && explode ? undefined : delimiters[style],
    }))
}

/** Whether the values of a parameter's schema are arrays. No text stands for null. */
export function isList(schema: unknown, schemas: NamedSchemas): boolean {
  const types = typesOf(schema, schemas)
  return types.has('array') && types.isSubsetOf(new Set(['array', 'null']))
}

/**
 * Replaces the text of each array in the parts of a request by its items. A delimited list that is given twice becomes
 * an array in an array, which no schema of a parameter allows.
 */
export function splitLists(lists: ListParameter[], parts: Record<string, unknown>): void {
  for (const { part, name, delimiter } of lists) {
    // Each part that has parameters is an object of their texts.
    const texts = parts[part] as Record<string, unknown>
    const text = texts[name]
    if (text === undefined) continue
    if (delimiter === undefined) texts[name] = [text].flat()
    else if (typeof text !== 'string') texts[name] = [text]
    else texts[name] = text.split(part === 'header' ? optionalSpace : delimiter)
  }
}
