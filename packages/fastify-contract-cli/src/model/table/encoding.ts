import { isJson, parseMediaType, stylesOf } from 'fastify-contract/document'
import { isObject } from 'fastify-contract/json'
import { type NamedSchemas, type Subschema, propertiesOf, typesOf } from 'fastify-contract/schema'
import { asSchema } from '../rules/as-schema.ts'
import { type Keyword, type Keywords, each, ignore, ignored, shown, warn } from '../rules/keyword.ts'
import type { Node } from '../yaml/node.ts'

/** An Encoding Object: how a property of a form is sent. */
export const encoding: Keywords = {
  contentType: {
    is: 'text',
    rule: (value, { style, explode }) =>
      ignore(
        style !== undefined || explode !== undefined
          ? 'has no meaning beside style and explode; remove it'
          : String(value)
              .split(/,\s*/)
              .filter((type) => parseMediaType(type) === undefined)
              .map((type) => `${type} is not a media type; use one such as image/png`)[0],
      ),
  },
  style: {
    rule: (value) =>
      stylesOf.query.includes(String(value)) ? undefined : ignore(`${String(value)} is not a style of forms; use form`),
  },
  ...each('explode', { is: 'true or false' }),
  ...shown('allowReserved'),
  ...ignored('headers', 'the headers of parts are not read; remove it'),
}

/** Of a Media Type Object of a request. */
export const encodings: Keyword = {
  holds: { each: 'encoding' },
  rule: (value, { schema }, { schemas }) =>
    isObject(value) ? warn(readOtherwise(value, asSchema(schema), schemas)) : undefined,
}

/** The problem of an object that is read as JSON, although its encoding says something else. */
function readOtherwise(encodings: Node, schema: Subschema, schemas: NamedSchemas): string | undefined {
  for (const [name, property] of propertiesOf(schema, schemas)) {
    const own = Object.hasOwn(encodings, name) ? encodings[name] : undefined
    const types = typesOf(property, schemas)
    if (!isObject(own) || !types.has('object') || types.has('string')) continue
    const { style, explode, contentType } = own
    if (style === 'form' && explode !== false) return `${name} is an object, which is read as JSON; use deepObject`
    if (style === undefined && typeof contentType === 'string' && !isJson(contentType))
      return `${name} is an object, which is read as JSON; use contentType: application/json`
  }
  return undefined
}
