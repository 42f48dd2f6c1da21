import { isJson, isText } from '../../document/document.ts'
import { isList } from '../../engine/list-parameters.ts'
import { type JsonType, type NamedSchemas } from '../../schema/schema-parts.ts'
import { inPlace, isSchema, typesOf } from '../../schema/schema-parts.ts'
import { type Keyword, type Kind, each, refused, shown } from './keyword.ts'
import { referenceIn, schemaKeywords } from './schema-keywords.ts'

const styles: Record<string, readonly string[]> = {
  query: ['form', 'spaceDelimited', 'pipeDelimited'],
  path: ['simple'],
  header: ['simple'],
}
const emptyValue = 'an empty value is validated as any other; allow it in the schema'
const serversOf = (what: string) => `the servers of one ${what} are not supported; use the servers of the document`

function onlyOf(value: unknown, values: readonly unknown[], remedy: string): string | undefined {
  return values.includes(value) ? undefined : `${String(value)} is not supported; ${remedy}`
}

/** A keyword that has no other values. */
function only(remedy: string, ...values: readonly unknown[]): Keyword {
  return { refuses: (value) => onlyOf(value, values, remedy) }
}

const reference: Keyword = {
  refuses: (_value, object) => {
    const ignored = Object.keys(object).find((name) => !/^(?:\$ref|summary|description|x-.*)$/.test(name))
    return ignored === undefined
      ? undefined
      : `OpenAPI ignores ${ignored} beside it; write the object out, or remove it`
  },
}
const component = (kind: Kind): Keyword => ({
  holds: { each: kind },
  // OpenAPI 3.1, section 4.8.7.2
  refuses: (value) => {
    const misnamed = namesOf(value).find((name) => !/^[\w.-]+$/.test(name))
    return misnamed === undefined
      ? undefined
      : `${misnamed} is no name of a component; use letters, digits, ., _ and - alone`
  },
})
const examples = { example: { refuses: referenceIn }, examples: { holds: { each: 'example' as const } } }

/** Every keyword of OpenAPI 3.1, by the kind of object that has it. */
export const keywords: Record<Kind, Record<string, Keyword>> = {
  document: {
    ...each('openapi security info'),
    jsonSchemaDialect: only('remove it', 'https://spec.openapis.org/oas/3.1/dialect/base'),
    servers: { holds: ['server'] },
    paths: {
      holds: { each: 'pathItem' },
      refuses: extensionIn,
    },
    ...shown('webhooks', { each: 'pathItem' }),
    components: { holds: 'components' },
    ...shown('tags externalDocs'),
    ...shown('x-unmatched-responses', { each: 'response' }),
  },
  server: {
    url: { refuses: (value) => unreadServer(String(value)) },
    ...shown('description'),
    ...refused('variables', 'server variables are not supported; write one url for each value'),
  },
  components: {
    schemas: component('schema'),
    responses: component('response'),
    parameters: component('parameter'),
    examples: { ...component('example'), isShown: true },
    requestBodies: component('requestBody'),
    headers: component('header'),
    securitySchemes: component('securityScheme'),
    callbacks: { ...component('callback'), isShown: true },
    links: { ...component('link'), isShown: true },
    ...refused('pathItems', 'the operations of a path stand in paths; write them there, or in a file of their own'),
  },
  pathItem: {
    // The path item of another file has been put in its place.
    $ref: { refuses: () => 'a path is not read from elsewhere in the document; write it out, or in a file of its own' },
    ...shown('summary description'),
    get: {
      holds: 'operation',
      refuses: (value) =>
        isSchema(value) && 'requestBody' in value
          ? 'a GET has no body in HTTP; take parameters, or use another method'
          : undefined,
    },
    ...each('put post delete patch', { holds: 'operation' }),
    parameters: { holds: ['parameter'] },
    ...refused('options', 'OPTIONS is answered for CORS by the service itself; remove it'),
    ...refused('head', 'HEAD is answered as GET is, without the body; remove it'),
    ...refused('trace', 'TRACE would answer with the credentials of the request; remove it'),
    ...refused('servers', serversOf('path')),
  },
  operation: {
    ...each('tags security'),
    operationId: { refuses: (value) => unusableName(String(value)) },
    parameters: { holds: ['parameter'] },
    requestBody: { holds: 'requestBody' },
    responses: { holds: { each: 'response' }, refuses: extensionIn },
    ...shown('summary description deprecated externalDocs'),
    ...shown('callbacks', { each: 'callback' }),
    ...refused('servers', serversOf('operation')),
  },
  parameter: {
    $ref: reference,
    name: { refuses: (value, { in: place }) => misnamedParameter(String(value), place) },
    in: only('use a header', 'path', 'query', 'header'),
    ...each('required'),
    style: {
      refuses: (value, { in: place }) => {
        const read = styles[String(place)] ?? [value]
        return onlyOf(value, read, `use ${read.join(' or ')}`)
      },
    },
    explode: {
      refuses: (value, { style }) =>
        value === true && style !== undefined && style !== 'form' && style !== 'simple'
          ? `an exploded array has no delimiter; use style: form, or explode: false`
          : undefined,
    },
    schema: { holds: 'schema', refuses: (value, { in: place }, { schemas }) => unreadableText(value, place, schemas) },
    ...examples,
    ...shown('description deprecated allowReserved'),
    ...refused('allowEmptyValue', emptyValue),
    ...refused('content', 'a parameter is described by its schema; use schema'),
  },
  requestBody: {
    $ref: reference,
    content: { holds: { each: 'requestContent' }, refuses: unreadContent },
    ...each('required'),
    ...shown('description'),
  },
  requestContent: {
    schema: {
      holds: 'schema',
      refuses: (value, _media, { schemas }) =>
        typesOf(value, schemas).isSubsetOf(numbers)
          ? 'a bare number is not read exactly; wrap it in an object'
          : undefined,
    },
    ...examples,
    ...refused('encoding', 'encoding is for forms, which are not read; send JSON'),
  },
  responseContent: {
    schema: { holds: 'schema' },
    ...examples,
    ...refused('encoding', 'encoding is for forms; remove it'),
  },
  response: {
    $ref: reference,
    headers: { holds: { each: 'header' }, refuses: (value) => unsentHeader(namesOf(value)) },
    content: {
      holds: { each: 'responseContent' },
      refuses: (value, _response, { schemas }) => unsentContent(value) ?? undescribedContent(value, schemas),
    },
    ...shown('description'),
    ...shown('links', { each: 'link' }),
  },
  link: shown('$ref operationId operationRef parameters requestBody description server'),
  callback: { $ref: reference, ...shown('*', 'pathItem') },
  example: {
    value: { refuses: referenceIn },
    ...shown('$ref summary description'),
    ...refused('externalValue', 'an example elsewhere cannot be validated; write its value here'),
  },
  header: {
    $ref: reference,
    ...each('required'),
    style: only('use simple', 'simple'),
    schema: {
      holds: 'schema',
      refuses: (value, _header, { schemas }) =>
        typesOf(value, schemas).isSubsetOf(new Set(['string', ...numbers]))
          ? undefined
          : 'a header is text, an integer or a number; give its schema that type',
    },
    ...examples,
    ...shown('description deprecated'),
    ...refused('allowEmptyValue', emptyValue),
    ...refused('explode', 'a header is no array here; use a text with a pattern'),
    ...refused('allowReserved', 'headers are not percent-encoded; remove it'),
    ...refused('content', 'a header is described by its schema; use schema'),
  },
  schema: schemaKeywords,
  discriminator: { ...each('propertyName'), ...shown('mapping') },
  securityScheme: {
    $ref: reference,
    type: only('let the proxy that ends TLS verify the certificate', 'apiKey', 'http', 'oauth2', 'openIdConnect'),
    ...each('name'),
    in: only('send the key in a header', 'query', 'header'),
    scheme: { refuses: (value) => onlyOf(String(value).toLowerCase(), ['bearer', 'basic'], 'use bearer or basic') },
    ...shown('description bearerFormat openIdConnectUrl flows'),
  },
}

const numbers: ReadonlySet<JsonType> = new Set(['integer', 'number'])
const scalars: ReadonlySet<JsonType> = new Set(['string', 'integer', 'number', 'boolean', 'null'])
const noNull = 'no text is null; remove null from its type, and leave the parameter out for none'

function namesOf(map: unknown): string[] {
  return isSchema(map) ? Object.keys(map) : []
}

function unreadableText(schema: unknown, place: unknown, schemas: NamedSchemas): string | undefined {
  const isScalar = (one: unknown) => typesOf(one, schemas).isSubsetOf(scalars)
  const isNullable = (one: unknown) => typesOf(one, schemas).has('null')
  if (isScalar(schema)) return isNullable(schema) ? noNull : undefined
  if (place === 'path') return 'a path parameter is a scalar; give its schema such a type'
  if (!isSchema(schema) || !isList(schema, schemas)) {
    return 'a parameter is a scalar or an array of scalars; give its schema such a type'
  }
  const items = inPlace(schema, schemas).flatMap((one) => ('items' in one ? [one['items']] : []))
  if (!items.some(isScalar)) return 'the items of a parameter are scalars; give them a type'
  return isNullable(schema) || items.filter(isScalar).every(isNullable) ? noNull : undefined
}

function unreadServer(url: string): string | undefined {
  if (/[{}]/.test(url)) return 'server variables are not supported; write the url out'
  if (/[?#%*\s]/.test(url)) return 'a url of a server must be without ?, #, %, * and spaces'
  return URL.canParse(url, 'http://localhost/')
    ? undefined
    : `${url} is no url; write one such as https://host/v1, or /v1`
}

/** An operationId stands in messages, in the log and in names of files. */
function unusableName(id: string): string | undefined {
  // An empty one is reported as missing.
  return /^(?:[\p{L}\p{M}\p{N}\p{P}\p{S}]+(?: [\p{L}\p{M}\p{N}\p{P}\p{S}]+)*)?$/u.test(id) && id.length <= 200
    ? undefined
    : `${JSON.stringify(id)} is no name; use at most 200 letters, digits, punctuation and single spaces between them`
}

/** Among names that HTTP or the contract gives, `x-…` could only be an extension. */
function extensionIn(members: unknown): string | undefined {
  const extension = namesOf(members).find((name) => name.startsWith('x-'))
  return extension === undefined ? undefined : `${extension} is not read here; move it into the object around`
}

function misnamedParameter(name: string, place: unknown): string | undefined {
  if (name === '__proto__') return '__proto__ is no name that objects of JavaScript keep; choose another'
  if (place !== 'header') return undefined
  return /^(?:accept|content-type|authorization)$/i.test(name)
    ? `OpenAPI ignores a header parameter ${name}; use media types or security schemes`
    : misnamedHeader(name)
}

/** A name is a token (RFC 9110, section 5.1). */
function misnamedHeader(name: string): string | undefined {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name) ? undefined : `${name} is no name of a header; use letters, digits and -`
}

/** What says how a message is sent is for the server to write (RFC 9110, section 7.6.1, and RFC 9112). */
const framing = /^(?:connection|content-(?:length|type)|date|keep-alive|te|trailer|transfer-encoding|upgrade)$/i

function unsentHeader(names: string[]): string | undefined {
  const framed = names.find((name) => framing.test(name))
  if (framed !== undefined) return `${framed} is for the server to write; remove it`
  const lower = names.map((name) => name.toLowerCase())
  const twice = names.find((_name, index) => lower.indexOf(lower[index]!) < index)
  if (twice !== undefined) return `${twice} is there in other letters, and is one header in HTTP; remove one`
  return names.map(misnamedHeader).find((problem) => problem !== undefined)
}

function unreadContent(content: unknown): string | undefined {
  const types = namesOf(content)
  const unread = types.find((type) => !/^(?:application\/json|[\w.+-]+\/[\w.-]+\+json)$/.test(type))
  if (unread !== undefined) {
    return `${unread} is not read; a body is application/json or a type that ends in +json, in lower case`
  }
  return types.length === 1 ? undefined : 'must have one media type; describe the alternatives by oneOf in one schema'
}

function unsentContent(content: unknown): string | undefined {
  const types = namesOf(content)
  if (types.includes('text/event-stream')) return 'streams of events are not supported; answer lists'
  const invalid = types.find((type) => !/^[a-z\d][\w.+-]*\/[a-z\d][\w.+-]*$/.test(type))
  return invalid === undefined ? undefined : `${invalid} names no one media type; write it out, without parameters`
}

/** What a schema says of content that it cannot describe: text is a string, and bytes are not validated. */
function undescribedContent(content: unknown, schemas: NamedSchemas): string | undefined {
  for (const [type, media] of Object.entries(isSchema(content) ? content : {})) {
    const schema = isSchema(media) ? media['schema'] : undefined
    if (schema === undefined || isJson(type)) continue
    if (isText(type) && !typesOf(schema, schemas).has('string')) return `${type} is text; give its schema type: string`
    const isBinary = isSchema(schema) && inPlace(schema, schemas).every((one) => Object.entries(one).every(saysBinary))
    if (!isText(type) && !isBinary)
      return `${type} is sent as bytes, which are not validated; write type: string, format: binary alone, or no schema`
  }
  return undefined
}

function saysBinary([name, value]: [string, unknown]): boolean {
  if (name === 'type') return value === 'string'
  return name === 'format' ? value === 'binary' : /^(?:\$ref|\$comment|title|description|examples?|x-.*)$/.test(name)
}
