import type { Parameter } from '../document/document.ts'
import { kindOf } from '../document/media-type.ts'
import type { NamedSchemas } from '../schema/read/schema.ts'
import { createFormReader, urlencodedFields } from './form-fields.ts'
import type { Reading } from './texts.ts'

/**
 * Reads the whole query of a request as one value. An empty query is none.
 *
 * @param query as parsed, without credentials
 * @param raw as it was sent
 * @returns undefined if there is none
 */
export type QuerystringReader = (query: Readonly<Record<string, unknown>>, raw: string, reading: Reading) => unknown

/** Makes the reader of a parameter `in: querystring` (OpenAPI 3.2, section 4.12.1): a form, JSON or a text. */
export function createQuerystringReader({ name, content = {} }: Parameter, schemas: NamedSchemas): QuerystringReader {
  const [[type, media] = ['', {}]] = Object.entries(content)
  const place = `query/${name}`
  const readForm = kindOf(type) === 'form' ? createFormReader(type, media, schemas, place) : undefined
  const isJsonText = kindOf(type) === 'json'
  return (query, raw, reading) => {
    try {
      if (readForm !== undefined) {
        const fields = urlencodedFields(raw).filter((field) => Object.hasOwn(query, field.name))
        return fields.length === 0 ? undefined : readForm(fields, reading).value
      }
      if (raw === '') return undefined
      const text = decodeURIComponent(raw)
      return isJsonText ? reading.json(text, place) : text
    } catch (error) {
      // A server without `fastifyOptions` takes any target.
      if (!(error instanceof URIError)) throw error
      reading.problems.push(`the percent-encoding of ${place} is invalid`)
      return undefined
    }
  }
}
