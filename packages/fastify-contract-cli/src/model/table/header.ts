import { type JsonType, typesOf } from 'fastify-contract/schema'
import { asSchema } from '../rules/as-schema.ts'
import { examples } from './examples.ts'
import { type Keywords, each, ignore, ignored, shown } from '../rules/keyword.ts'
import { allowEmptyValue } from './parameter.ts'

const texts: ReadonlySet<JsonType> = new Set(['string', 'integer', 'number'])

export const header: Keywords = {
  $ref: { is: 'text' },
  ...each('required', { is: 'true or false' }),
  schema: {
    holds: 'schema',
    rule: (value, _header, { schemas }) =>
      typesOf(asSchema(value), schemas).isSubsetOf(texts)
        ? undefined
        : ignore('a header is sent as text, and only strings, integers and numbers are validated; change its type'),
  },
  ...examples,
  ...shown('description deprecated style explode'),
  ...ignored('allowReserved', 'applies only to values that are percent-encoded; remove it'),
  allowEmptyValue,
  ...ignored('content', 'the content of a header is not validated; use schema'),
}
