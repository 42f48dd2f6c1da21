import { isJson, isText } from 'fastify-contract/document'
import {
  type JsonType,
  type NamedSchemas,
  type Schema,
  inPlace,
  isList,
  isSchema,
  schemaNameOf,
  typesOf,
} from 'fastify-contract/schema'
import { type Keyword, type KeywordContext, type Kind, each, rejected, shown } from './keyword.ts'
import { referenceIn, schemaKeywords } from './schema-keywords.ts'

const emptyValue = 'an empty value is validated like any other; allow it in the schema'
const serversOf = (what: string) => `servers of a single ${what} are not supported; use the servers of the document`

function onlyOf(value: unknown, values: readonly unknown[], remedy: string): string | undefined {
  return values.includes(value) ? undefined : `${String(value)} is not supported; ${remedy}`
}

/** A keyword with only these values. */
function only(remedy: string, ...values: readonly unknown[]): Keyword {
  return { rejects: (value) => onlyOf(value, values, remedy) }
}

const reference: Keyword = {
  rejects: (_value, object) => {
    const ignored = Object.keys(object).find((name) => !/^(?:\$ref|summary|description|x-.*)$/.test(name))
    return ignored === undefined
      ? undefined
      : `OpenAPI ignores ${ignored} beside $ref; write out the object, or remove the member`
  },
}
const component = (kind: Kind, problemOf: (components: unknown) => string | undefined = () => undefined): Keyword => ({
  holds: { each: kind },
  // OpenAPI 3.1, section 4.8.7.2
  rejects: (value) => {
    const misnamed = namesOf(value).find((name) => !/^[\w.-]+$/.test(name))
    return misnamed === undefined
      ? problemOf(value)
      : `${misnamed} is not a name of a component; use only letters, digits, ., _ and -`
  },
})
const examples = { example: { rejects: referenceIn }, examples: { holds: { each: 'example' as const } } }

/** Every keyword of OpenAPI 3.1, by the kind of its object. */
export const keywords: Record<Kind, Record<string, Keyword>> = {
  document: {
    ...each('openapi info'),
    security: { rejects: unknownScheme },
    jsonSchemaDialect: only('remove it', 'https://spec.openapis.org/oas/3.1/dialect/base'),
    servers: { holds: ['server'] },
    paths: {
      holds: { each: 'pathItem' },
      rejects: extensionIn,
    },
    ...shown('webhooks', { each: 'pathItem' }),
    components: { holds: 'components' },
    ...shown('tags externalDocs'),
    ...shown('x-unmatched-responses', { each: 'response' }),
  },
  server: {
    url: { rejects: (value) => unreadServer(String(value)) },
    ...shown('description'),
    ...rejected('variables', 'server variables are not supported; write a url for each value'),
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
    links: { ...component('link', unboundLink), isShown: true },
    ...rejected('pathItems', 'path items are not supported here; move them to paths, or to a file'),
  },
  pathItem: {
    // Path items of other files are already bundled.
    $ref: { rejects: () => 'a path item cannot refer within the document; write it out, or move it to a file' },
    ...shown('summary description'),
    get: {
      holds: 'operation',
      rejects: (value) =>
        isSchema(value) && 'requestBody' in value
          ? 'GET has no body in HTTP; use parameters, or another method'
          : undefined,
    },
    ...each('put post delete patch', { holds: 'operation' }),
    parameters: { holds: ['parameter'] },
    ...rejected('options', 'the server responds to OPTIONS itself, for CORS; remove it'),
    ...rejected('head', 'the server responds to HEAD as to GET, without the body; remove it, or declare get'),
    ...rejected('trace', 'TRACE would expose the credentials of the request; remove it'),
    ...rejected('servers', serversOf('path')),
  },
  operation: {
    ...each('tags'),
    security: { rejects: unknownScheme },
    operationId: { rejects: (value) => unusableName(String(value)) },
    parameters: { holds: ['parameter'] },
    requestBody: { holds: 'requestBody' },
    responses: { holds: { each: 'response' }, rejects: extensionIn },
    ...shown('summary description deprecated externalDocs'),
    ...shown('callbacks', { each: 'callback' }),
    ...rejected('servers', serversOf('operation')),
  },
  parameter: {
    $ref: reference,
    name: { rejects: (value, { in: place }) => misnamedParameter(String(value), place) },
    in: only('use a header', 'path', 'query', 'header'),
    ...each('required explode'),
    style: {
      rejects: (value, { in: place }) => {
        const style = place === 'query' ? 'form' : 'simple'
        return onlyOf(value, [style], `use ${style}`)
      },
    },
    schema: { holds: 'schema', rejects: (value, { in: place }, { schemas }) => unreadableText(value, place, schemas) },
    ...examples,
    ...shown('description deprecated allowReserved'),
    ...rejected('allowEmptyValue', emptyValue),
    ...rejected('content', 'content is not supported for parameters; use schema'),
  },
  requestBody: {
    $ref: reference,
    content: { holds: { each: 'requestContent' }, rejects: unreadContent },
    ...each('required'),
    ...shown('description'),
  },
  requestContent: {
    schema: {
      holds: 'schema',
      rejects: (value, _media, { schemas }) =>
        typesOf(value, schemas).isSubsetOf(numbers)
          ? 'a bare number is not parsed exactly; wrap it in an object'
          : undefined,
    },
    ...examples,
    ...rejected('encoding', 'encoding is for forms, which are not supported; use JSON'),
  },
  responseContent: {
    schema: { holds: 'schema' },
    ...examples,
    ...rejected('encoding', 'encoding is for forms, which are not supported; remove it'),
  },
  response: {
    $ref: reference,
    headers: { holds: { each: 'header' }, rejects: (value) => unsentHeader(namesOf(value)) },
    content: {
      holds: { each: 'responseContent' },
      rejects: (value, _response, { schemas }) => unsentContent(value) ?? undescribedContent(value, schemas),
    },
    ...shown('description'),
    links: { holds: { each: 'link' }, isShown: true, rejects: unboundLink },
  },
  link: {
    ...shown('$ref parameters requestBody description server'),
    operationId: {
      isShown: true,
      rejects: (id, _link, { hasOperation }) => (hasOperation({ id }) ? undefined : lostLink(id)),
    },
    operationRef: {
      isShown: true,
      rejects: (reference, _link, { hasOperation }) =>
        // An operation of another contract is not checked.
        !String(reference).startsWith('#') || hasOperation({ reference: String(reference) })
          ? undefined
          : lostLink(reference),
    },
  },
  callback: { $ref: reference, ...shown('*', 'pathItem') },
  example: {
    value: { rejects: referenceIn },
    ...shown('$ref summary description'),
    ...rejected('externalValue', 'an external example cannot be validated; write its value here'),
  },
  header: {
    $ref: reference,
    ...each('required'),
    style: only('use simple', 'simple'),
    schema: {
      holds: 'schema',
      rejects: (value, _header, { schemas }) =>
        typesOf(value, schemas).isSubsetOf(new Set(['string', ...numbers]))
          ? undefined
          : 'a header must be a string, an integer or a number; change its type',
    },
    ...examples,
    ...shown('description deprecated'),
    ...rejected('allowEmptyValue', emptyValue),
    ...rejected('explode', 'arrays in headers are not supported; use a string with a pattern'),
    ...rejected('allowReserved', 'headers are not percent-encoded; remove it'),
    ...rejected('content', 'content is not supported for headers; use schema'),
  },
  schema: schemaKeywords,
  discriminator: { ...shown('propertyName'), mapping: { isShown: true, rejects: lostMapping } },
  securityScheme: {
    $ref: reference,
    type: only('verify certificates in the TLS proxy', 'apiKey', 'http', 'oauth2', 'openIdConnect'),
    ...each('name'),
    in: only('use a header', 'query', 'header'),
    scheme: { rejects: (value) => onlyOf(String(value).toLowerCase(), ['bearer', 'basic'], 'use bearer or basic') },
    ...shown('description bearerFormat openIdConnectUrl flows'),
  },
}

const numbers: ReadonlySet<JsonType> = new Set(['integer', 'number'])
const scalars: ReadonlySet<JsonType> = new Set(['string', 'integer', 'number', 'boolean', 'null'])
const noNull = 'a parameter cannot be null; remove null from its type, and make the parameter optional'

function namesOf(map: unknown): string[] {
  return isSchema(map) ? Object.keys(map) : []
}

function unknownScheme(security: unknown, _object: Schema, { securitySchemes }: KeywordContext): string | undefined {
  const unknown = [security]
    .flat()
    .flatMap(namesOf)
    .find((name) => !securitySchemes.has(name))
  return unknown === undefined
    ? undefined
    : `${unknown} is not a security scheme; describe it in components/securitySchemes, or correct the name`
}

/** A link needs one of these (OpenAPI 3.1, section 4.8.20). */
function unboundLink(links: unknown): string | undefined {
  const isBound = (link: unknown) => ['$ref', 'operationId', 'operationRef'].some((name) => name in Object(link))
  const unbound = namesOf(links).find((name) => !isBound((links as Schema)[name]))
  return unbound === undefined ? undefined : `${unbound} leads to no operation; add operationId`
}

function lostLink(target: unknown): string {
  return `the link leads to ${String(target)}, which is not an operation; correct the name`
}

/** A target is the name of a schema or a reference (OpenAPI 3.1, section 4.8.25). One to another document is not checked. */
function lostMapping(mapping: unknown, _object: Schema, { schemas }: KeywordContext): string | undefined {
  const isFound = (target: string) => Object.hasOwn(schemas, schemaNameOf(target) ?? target) || URL.canParse(target)
  const lost = Object.entries(isSchema(mapping) ? mapping : {}).find(([, target]) => !isFound(String(target)))
  return lost === undefined
    ? undefined
    : `${lost[0]} leads to ${String(lost[1])}, which is not a schema; correct the name`
}

function unreadableText(schema: unknown, place: unknown, schemas: NamedSchemas): string | undefined {
  const isScalar = (one: unknown) => typesOf(one, schemas).isSubsetOf(scalars)
  const isNullable = (one: unknown) => typesOf(one, schemas).has('null')
  if (isScalar(schema)) return isNullable(schema) ? noNull : undefined
  if (place !== 'query') return `a ${String(place)} parameter must be a scalar; change its type`
  if (!isSchema(schema) || !isList(schema, schemas)) {
    return 'a parameter must be a scalar or an array of scalars; change its type'
  }
  const items = inPlace(schema, schemas).flatMap((one) => ('items' in one ? [one['items']] : []))
  if (!items.some(isScalar)) return 'the items of a parameter are scalars; give them a type'
  return isNullable(schema) || items.filter(isScalar).every(isNullable) ? noNull : undefined
}

function unreadServer(url: string): string | undefined {
  if (/[{}]/.test(url)) return 'server variables are not supported; write out the url'
  if (/[?#%*\s]/.test(url)) return 'a server url must not contain ?, #, %, * or spaces'
  return URL.canParse(url, 'http://localhost/')
    ? undefined
    : `${url} is not a url; use one such as https://host/v1, or /v1`
}

/** An operationId appears in messages, logs and file names. */
function unusableName(id: string): string | undefined {
  // An empty one is reported as missing.
  return /^(?:[\p{L}\p{M}\p{N}\p{P}\p{S}]+(?: [\p{L}\p{M}\p{N}\p{P}\p{S}]+)*)?$/u.test(id) && id.length <= 200
    ? undefined
    : `${JSON.stringify(id)} is not a name; use at most 200 letters, digits, punctuation and single spaces`
}

/** Among paths or statuses, `x-…` can only be an extension. */
function extensionIn(members: unknown): string | undefined {
  const extension = namesOf(members).find((name) => name.startsWith('x-'))
  return extension === undefined ? undefined : `${extension} is not supported here; move it to the parent object`
}

function misnamedParameter(name: string, place: unknown): string | undefined {
  if (name === '__proto__') return 'JavaScript objects cannot have the name __proto__; choose another'
  if (place !== 'header') return undefined
  return /^(?:accept|content-type|authorization)$/i.test(name)
    ? `OpenAPI ignores the header parameter ${name}; use media types or security schemes`
    : misnamedHeader(name)
}

/** A name is a token (RFC 9110, section 5.1). */
function misnamedHeader(name: string): string | undefined {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name) ? undefined : `${name} is not a header name; use letters, digits and -`
}

/** The headers of message framing, which the server sets (RFC 9110, section 7.6.1; RFC 9112). */
const framing = /^(?:connection|content-(?:length|type)|date|keep-alive|te|trailer|transfer-encoding|upgrade)$/i

function unsentHeader(names: string[]): string | undefined {
  const framed = names.find((name) => framing.test(name))
  if (framed !== undefined) return `the server sets ${framed}; remove it`
  const lower = names.map((name) => name.toLowerCase())
  const twice = names.find((_name, index) => lower.indexOf(lower[index]!) < index)
  if (twice !== undefined) return `${twice} differs from another header only by case; remove one`
  return names.map(misnamedHeader).find((problem) => problem !== undefined)
}

function unreadContent(content: unknown): string | undefined {
  const types = namesOf(content)
  const unread = types.find((type) => !/^(?:application\/json|[\w.+-]+\/[\w.-]+\+json)$/.test(type))
  if (unread !== undefined) {
    return `${unread} is not supported; use application/json or a type ending in +json, in lower case`
  }
  return types.length === 1 ? undefined : 'must have one media type; use oneOf in one schema for alternatives'
}

function unsentContent(content: unknown): string | undefined {
  const types = namesOf(content)
  if (types.includes('text/event-stream')) return 'event streams are not supported; return lists'
  const invalid = types.find((type) => !/^[a-z\d][\w.+-]*\/[a-z\d][\w.+-]*$/.test(type))
  return invalid === undefined ? undefined : `${invalid} is not a single media type; write it out, without parameters`
}

/** The problem of a schema for content that is not JSON: text is a string, and bytes are not validated. */
function undescribedContent(content: unknown, schemas: NamedSchemas): string | undefined {
  for (const [type, media] of Object.entries(isSchema(content) ? content : {})) {
    const schema = isSchema(media) ? media['schema'] : undefined
    if (schema === undefined || isJson(type)) continue
    if (isText(type) && !typesOf(schema, schemas).has('string')) return `${type} is text; use type: string`
    const isBinary = isSchema(schema) && inPlace(schema, schemas).every((one) => Object.entries(one).every(saysBinary))
    if (!isText(type) && !isBinary)
      return `${type} is sent as bytes, which are not validated; use only type: string, format: binary, or no schema`
  }
  return undefined
}

function saysBinary([name, value]: [string, unknown]): boolean {
  if (name === 'type') return value === 'string'
  return name === 'format' ? value === 'binary' : /^(?:\$ref|\$comment|title|description|examples?|x-.*)$/.test(name)
}
