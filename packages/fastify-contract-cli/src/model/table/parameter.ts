import { isJson, kindOf, stylesOf } from 'fastify-contract/document'
import { isObject } from 'fastify-contract/json'
import { type NamedSchemas, type Subschema, itemsOf, propertiesOf, typesOf } from 'fastify-contract/schema'
import { asSchema } from '../rules/as-schema.ts'
import { examples } from './examples.ts'
import { didYouMean } from '../rules/did-you-mean.ts'
import { misnamedParameter } from '../rules/field-name.ts'
import { type Keyword, type Keywords, ignore, reject, shown, warn } from '../rules/keyword.ts'
import { type Node, membersOf } from '../yaml/node.ts'

/** Of a parameter or a header. */
export const allowEmptyValue: Keyword = {
  rule: (value) =>
    value === true ? ignore('an empty value is validated like any other; allow it in the schema') : undefined,
}

export const parameter: Keywords = {
  $ref: { is: 'text' },
  name: {
    is: 'text',
    isRequired: true,
    rule: (value, { in: place }) => reject(misnamedParameter(String(value), place)),
  },
  in: {
    isRequired: true,
    rule: (value, { content }) =>
      reject(
        Object.hasOwn(styles, String(value))
          ? value === 'querystring' && content === undefined
            ? 'querystring needs content with one media type; add it'
            : undefined
          : `${String(value)} is not a place of parameters; ${didYouMean(String(value), Object.keys(styles), isBody(value) ? 'use requestBody' : 'use query')}`,
      ),
  },
  required: { is: 'true or false' },
  explode: {
    is: 'true or false',
    rule: (_value, { in: place }) => (place === 'querystring' ? ignore(describedByContent) : undefined),
  },
  style: {
    rule: (value, { in: place, schema }, { schemas }) =>
      ignore(foreignStyle(value, place)) ??
      (value === 'cookie' && isOfParts(asSchema(schema), schemas)
        ? reject('cookie is not read for a list or an object; declare a text, or use form')
        : undefined),
  },
  schema: {
    holds: 'schema',
    rule: (value, { in: place, content, style }, { schemas }) => [
      place === 'querystring' && content !== undefined ? reject(describedByContent) : undefined,
      style === 'deepObject' ? undefined : warn(partlyReadText(asSchema(value), schemas)),
    ],
  },
  ...examples,
  ...shown('description deprecated'),
  allowReserved: {
    isShown: true,
    rule: (_value, { in: place, style }) =>
      place === 'header' || place === 'querystring' || style === 'cookie'
        ? ignore('applies only to values that are percent-encoded; remove it')
        : undefined,
  },
  allowEmptyValue,
  content: {
    holds: { each: 'requestContent' },
    rule: (content, { in: place }, { schemas }) => [
      reject(severalTypes(content)),
      warn(unreadText(content, place, schemas)),
    ],
  },
}

/** Whether a place is that of a body in Swagger 2.0. */
function isBody(place: unknown): boolean {
  return place === 'body' || place === 'formData'
}

/** Names a parameter in messages. */
export function nameOfParameter({ in: place, name }: Node): string {
  return `the ${String(place)} parameter ${String(name)}`
}

const styles: Readonly<Record<string, readonly string[]>> = stylesOf

const describedByContent = 'has no meaning for a querystring, which its content describes; remove it'

function foreignStyle(style: unknown, place: unknown): string | undefined {
  const own = styles[String(place)] ?? []
  if (place === 'querystring') return describedByContent
  return own.includes(String(style))
    ? undefined
    : `${String(style)} is not a style of ${String(place)}; ${didYouMean(String(style), own, `use ${String(own[0])}`)}`
}

function isOfParts(schema: Subschema, schemas: NamedSchemas): boolean {
  const types = typesOf(schema, schemas)
  return !types.has('string') && (types.has('array') || types.has('object'))
}

/** The problem of a parameter that contains objects or lists, for which OpenAPI has no text. */
function partlyReadText(schema: Subschema, schemas: NamedSchemas): string | undefined {
  const items = typesOf(itemsOf(schema, schemas), schemas)
  const properties = [...propertiesOf(schema, schemas).values()].map((one) => typesOf(one, schemas))
  const isNested =
    (!items.has('string') && (items.has('object') || items.has('array'))) ||
    properties.some((types) => !types.has('string') && types.has('object'))
  return isNested ? 'OpenAPI has no text for an object in it, which is read as JSON; use content instead' : undefined
}

function severalTypes(content: unknown): string | undefined {
  return Object.keys(membersOf(content)).length === 1 ? undefined : 'must have one media type; remove the others'
}

function unreadText(content: unknown, place: unknown, schemas: NamedSchemas): string | undefined {
  const other = Object.keys(membersOf(content)).find((type) => !isJson(type))
  if (other === undefined) return undefined
  if (place !== 'querystring') return `${other} is read as text; use application/json`
  const { schema = true } = (content as Record<string, { schema?: Subschema }>)[other] ?? {}
  const [type, isRight] =
    kindOf(other) === 'form'
      ? ['object', typesOf(schema, schemas).has('object')]
      : ['string', typesOf(schema, schemas).has('string')]
  return isRight ? undefined : `${other} is ${type === 'object' ? 'an object' : 'read as text'}; use type: ${type}`
}

/** The problem of a parameter beside a querystring, which is the whole query (OpenAPI 3.2, section 4.12.1). */
export function besideQuerystring(parameters: unknown): string | undefined {
  const declared = Array.isArray(parameters) ? parameters.filter(isObject) : []
  const whole = declared.find((each) => each['in'] === 'querystring')
  const other = declared.find((each) => each !== whole && /^query(?:string)?$/.test(String(each['in'])))
  if (whole === undefined || other === undefined) return undefined
  return `${nameOfParameter(whole)} is the whole query, and ${nameOfParameter(other)} is beside it; remove one of them`
}
