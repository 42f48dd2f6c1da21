import { isRange, kindOf, parseMediaType } from 'fastify-contract/document'
import { isObject } from 'fastify-contract/json'
import { type NamedSchemas, inPlace, isAnnotation, maxBytesOf, typesOf } from 'fastify-contract/schema'
import { asSchema } from '../rules/as-schema.ts'
import { distanceOf, hasSameLetters } from '../rules/did-you-mean.ts'
import { encodings } from './encoding.ts'
import { examples } from './examples.ts'
import { type Keyword, type Keywords, ignored, rejected, warn } from '../rules/keyword.ts'
import { membersOf } from '../yaml/node.ts'

/** A Media Type Object. */
const mediaType: Keywords = {
  $ref: { is: 'text' },
  schema: { holds: 'schema' },
  ...examples,
  // Of OpenAPI 3.2.
  ...rejected('itemEncoding prefixEncoding', 'the parts of such content are not served one by one; use schema'),
}

export const requestContent: Keywords = {
  ...mediaType,
  encoding: encodings,
  ...rejected('itemSchema', 'the items of a request are not read one by one; use schema'),
}

export const responseContent: Keywords = {
  ...mediaType,
  itemSchema: { holds: 'schema' },
  ...ignored('encoding', 'applies only to forms of requests; remove it'),
}

/** The content of a request body or a response. */
export function content(kind: 'requestContent' | 'responseContent'): Keyword {
  return {
    holds: { each: kind },
    rule: (content, _object, { schemas }) =>
      Object.entries(membersOf(content)).map(([type, media]) =>
        warn(mistypedMedia(type) ?? unvalidatedContent(type, media, schemas, kind === 'requestContent'), type),
      ),
  }
}

/** Media types that are often written, and others that are no slip of these. */
const common = [
  ...[
    'json',
    'problem+json',
    'merge-patch+json',
    'json-patch+json',
    'jsonl',
    'x-ndjson',
    'json-seq',
    'xml',
    'pdf',
    'zip',
  ],
  ...['octet-stream', 'x-www-form-urlencoded', 'bson', 'json5', 'hjson', 'jsonp', 'gzip'],
].map((subtype) => `application/${subtype}`)
const knownEssences = [
  ...[...common, 'text/plain', 'text/html', 'text/csv', 'text/event-stream', 'multipart/form-data'],
  ...['image/png', 'image/jpeg', 'image/jpg', 'image/pjpeg', 'image/gif'],
]

/** The problem of a media type that looks like a slip. */
function mistypedMedia(type: string): string | undefined {
  const { essence = '' } = parseMediaType(type) ?? {}
  const [top = '', subtype = ''] = essence.split('/')
  // A short one is near to others that are no slip, such as css to csv.
  const isSlip = (word: string, other: string) =>
    distanceOf(word, other) <= (other.length > 3 || hasSameLetters(word, other) ? 1 : 0)
  const nearest = knownEssences.includes(essence)
    ? undefined
    : knownEssences.find((each) => {
        const [candidateTop = '', candidateSubtype = ''] = each.split('/')
        return isSlip(top, candidateTop) && isSlip(subtype, candidateSubtype)
      })
  return nearest === undefined ? undefined : `${type} is no known media type; did you mean ${nearest}?`
}

/** The problem of a schema that is not enforced: of bytes, only the limit of a request is, and text is a string. */
function unvalidatedContent(
  type: string,
  media: unknown,
  schemas: NamedSchemas,
  isRequest: boolean,
): string | undefined {
  const schema = isObject(media) ? media['schema'] : undefined
  const kind = kindOf(type)
  const charset = parseMediaType(type)
    ?.parameters.get('charset')
    ?.find((each) => !/^utf-?8$/i.test(each))
  if (charset !== undefined && kind !== 'bytes') return `${type} is read in UTF-8; use charset=utf-8`
  if (schema === undefined || kind === 'json') return undefined
  const types = typesOf(asSchema(schema), schemas)
  if (kind === 'text' && !types.has('string')) return `${type} is text, and is not validated; use type: string`
  if ((kind === 'form' || kind === 'multipart') && !types.has('object')) return `${type} is an object; use type: object`
  if (kind !== 'bytes') return undefined
  const hasLimit = isRequest && inPlace(asSchema(schema), schemas, 'always').some((one) => 'maxLength' in one)
  if (hasLimit && maxBytesOf(asSchema(schema), schemas) === undefined)
    return `${type} is read into memory, so a maxLength beyond 2147483647 is not its limit; set a smaller one`
  const isEnforced = ([name, value]: [string, unknown]) =>
    saysBinary(name, value) || (isRequest && name === 'maxLength')
  const isBinary = isObject(schema) && inPlace(schema, schemas).every((one) => Object.entries(one).every(isEnforced))
  if (isRange(type) || isBinary) return undefined
  const limit = isRequest ? ', maxLength' : ''
  return `${type} is bytes, which are not validated; use only type: string, format: binary${limit}, or no schema`
}

function saysBinary(name: string, value: unknown): boolean {
  if (name === 'type') return value === 'string'
  return name === 'format' ? value === 'binary' : name === '$ref' || name === 'allOf' || isAnnotation(name)
}
