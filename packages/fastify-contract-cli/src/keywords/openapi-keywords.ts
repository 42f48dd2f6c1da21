import { isJson, isRange, kindOf } from 'fastify-contract/document'
import { type JsonType, type NamedSchemas, type Schema, inPlace, isSchema, typesOf } from 'fastify-contract/schema'
import { isScope } from 'fastify-contract/security'
import { type Keyword, type KeywordContext, type Kind, each, ignored, shown } from './keyword.ts'
import { referenceIn, schemaKeywords } from './schema-keywords.ts'

const emptyValue: Keyword['ignores'] = (value) =>
  value === true ? 'an empty value is validated like any other; allow it in the schema' : undefined
const serversOf = (what: string) => `servers of a single ${what} are not served; use the servers of the document`

/** A URI to an object of the same kind. What OpenAPI ignores beside it is removed. */
const reference: Keyword = {}
const component = (kind: Kind): Keyword => ({ holds: { each: kind } })
const examples: Record<'example' | 'examples', Keyword> = {
  example: { ignores: referenceIn },
  examples: {
    holds: { each: 'example' },
    ignores: (value) =>
      isSchema(value) && Object.values(value).every(isSchema)
        ? undefined
        : 'is not an object of examples, and is ignored; write one',
  },
}

/** What an object must have. */
export const requiredMembers: Partial<Record<Kind, readonly string[]>> = {
  document: ['info'],
  info: ['title', 'version'],
  server: ['url'],
  parameter: ['name', 'in'],
  requestBody: ['content'],
  securityScheme: ['type'],
}

/** Every keyword of OpenAPI 3.1, by the kind of its object. */
export const keywords: Record<Kind, Record<string, Keyword>> = {
  document: {
    openapi: { is: 'text' },
    info: { holds: 'info' },
    security: { is: 'a list', rejects: securityProblem },
    jsonSchemaDialect: {
      ignores: (value) =>
        value === 'https://spec.openapis.org/oas/3.1/dialect/base'
          ? undefined
          : 'the dialect is always that of OpenAPI 3.1; remove it',
    },
    servers: { holds: ['server'] },
    paths: { holds: { each: 'pathItem' } },
    ...shown('webhooks', { each: 'pathItem' }),
    components: { holds: 'components' },
    ...shown('tags externalDocs'),
    ...shown('x-unmatched-responses', { each: 'response' }),
  },
  info: { ...each('title version', { is: 'text' }), ...shown('summary description termsOfService contact license') },
  server: {
    url: { is: 'text', rejects: (value) => unreadServer(String(value)) },
    ...shown('description variables'),
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
    ...shown('pathItems'),
  },
  pathItem: {
    // Path items are included where they are referred to.
    $ref: { rejects: (reference) => `the reference ${String(reference)} leads to nothing; correct the name` },
    ...shown('summary description'),
    ...each('get put post delete patch', { holds: 'operation' }),
    parameters: { holds: ['parameter'] },
    ...ignored('options', 'the server responds to OPTIONS itself; remove it'),
    ...ignored('head', 'the server responds to HEAD as to GET, without the body; remove it, or declare get'),
    ...ignored('trace', 'TRACE would expose the credentials of the request; remove it'),
    ...ignored('servers', serversOf('path')),
  },
  operation: {
    security: { is: 'a list', rejects: securityProblem },
    operationId: { is: 'text' },
    parameters: { holds: ['parameter'] },
    requestBody: { holds: 'requestBody' },
    responses: { holds: { each: 'response' } },
    ...shown('tags summary description deprecated externalDocs'),
    ...shown('callbacks', { each: 'callback' }),
    ...ignored('servers', serversOf('operation')),
  },
  parameter: {
    $ref: reference,
    name: { is: 'text', rejects: (value, { in: place }) => misnamedParameter(String(value), place) },
    in: {
      rejects: (value) =>
        Object.hasOwn(styles, String(value)) ? undefined : `${String(value)} is not supported; use a header`,
    },
    ...each('required explode', { is: 'true or false' }),
    style: {
      rejects: (value, { in: place }) =>
        isPrefixed(value, place) ? `${String(value)} is not supported; use simple` : undefined,
      ignores: (value, { in: place }) => foreignStyle(value, place),
    },
    schema: { holds: 'schema', warns: (value, _parameter, { schemas }) => partlyReadText(value, schemas) },
    ...examples,
    ...shown('description deprecated allowReserved'),
    allowEmptyValue: { ignores: emptyValue },
    content: { holds: { each: 'requestContent' }, rejects: severalTypes, warns: unreadText },
  },
  requestBody: {
    $ref: reference,
    content: {
      holds: { each: 'requestContent' },
      warns: (value, _body, { schemas }) => unvalidatedContent(value, schemas),
    },
    ...each('required', { is: 'true or false' }),
    ...shown('description'),
  },
  requestContent: {
    schema: { holds: 'schema' },
    ...examples,
    ...ignored('encoding', 'the encoding of parts is not read; remove it'),
  },
  responseContent: {
    schema: { holds: 'schema' },
    ...examples,
    ...ignored('encoding', 'the encoding of parts is not read; remove it'),
  },
  response: {
    $ref: reference,
    headers: { holds: { each: 'header' } },
    content: {
      holds: { each: 'responseContent' },
      warns: (value, _response, { schemas }) => unvalidatedContent(value, schemas),
    },
    ...shown('description'),
    links: { holds: { each: 'link' }, isShown: true },
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
    value: { ignores: referenceIn },
    ...shown('$ref summary description'),
    ...shown('externalValue'),
  },
  header: {
    $ref: reference,
    ...each('required', { is: 'true or false' }),
    schema: {
      holds: 'schema',
      ignores: (value, _header, { schemas }) =>
        typesOf(value, schemas).isSubsetOf(new Set(['string', ...numbers]))
          ? undefined
          : 'a header is sent as text, and only strings, integers and numbers are validated; change its type',
    },
    ...examples,
    ...shown('description deprecated style explode allowReserved'),
    allowEmptyValue: { ignores: emptyValue },
    ...ignored('content', 'the content of a header is not validated; use schema'),
  },
  schema: schemaKeywords,
  discriminator: shown('propertyName mapping'),
  securityScheme: {
    $ref: reference,
    // A scheme that is not supported is refused where an operation requires it.
    type: { is: 'text', rejects: incompleteScheme },
    name: { is: 'text', rejects: (name, { in: place }) => misnamedParameter(String(name), place) },
    in: { is: 'text' },
    // It is sent in WWW-Authenticate: a token of RFC 9110, section 5.6.2.
    scheme: {
      rejects: (value) =>
        /^[\w!#$%&'*+.^`|~-]+$/.test(String(value))
          ? undefined
          : 'is not the name of an authentication scheme; correct it',
    },
    ...shown('description bearerFormat openIdConnectUrl flows'),
  },
}

const numbers: ReadonlySet<JsonType> = new Set(['integer', 'number'])

function namesOf(map: unknown): string[] {
  return isSchema(map) ? Object.keys(map) : []
}

function securityProblem(security: unknown, _object: Schema, { securitySchemes }: KeywordContext): string | undefined {
  const requirements = [security].flat()
  if (!requirements.every(isSchema)) return 'has a member that is not an object; write one such as bearer: []'
  for (const [name, scopes] of requirements.flatMap(Object.entries<unknown>)) {
    const scheme = securitySchemes.get(name)
    if (scheme === undefined)
      return `${name} is not a security scheme; describe it in components/securitySchemes, or correct the name`
    if (!scheme.isSupported) return `${name} is of the type ${String(scheme.type)}, which is not supported; ${schemes}`
    if (!Array.isArray(scopes)) return `the scopes of ${name} are not a list; write one, such as []`
    const scope: unknown = scopes.find((each) => typeof each !== 'string' || !isScope(each))
    if (scope !== undefined)
      return `the scope ${JSON.stringify(scope)} is not valid; use printable ASCII without space, " and \\`
  }
  return undefined
}

/** The members that a security scheme of a type needs (OpenAPI 3.1, section 4.8.27). */
const membersOfSchemes: Readonly<Record<string, readonly string[]>> = { http: ['scheme'], apiKey: ['name', 'in'] }

function incompleteScheme(type: unknown, scheme: Schema): string | undefined {
  const missing = membersOfSchemes[String(type)]?.find((name) => !(name in scheme))
  return missing === undefined ? undefined : `${String(type)} needs the member ${missing}; add it`
}

const schemes = 'use http, an apiKey in a header, in the query or in a cookie, oauth2 or openIdConnect'

function lostLink(target: unknown): string {
  return `the link leads to ${String(target)}, which is not an operation; correct the name`
}

/** The styles of each place; others have no meaning there (OpenAPI 3.1, section 4.8.12.3). */
const styles: Readonly<Record<string, readonly string[]>> = {
  path: ['simple'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
}

function foreignStyle(style: unknown, place: unknown): string | undefined {
  const own = styles[String(place)] ?? []
  return own.includes(String(style)) || isPrefixed(style, place)
    ? undefined
    : `${String(style)} is not a style of ${String(place)}; use ${String(own[0])}`
}

/** The styles of paths that put text before the value. */
function isPrefixed(style: unknown, place: unknown): boolean {
  return place === 'path' && (style === 'matrix' || style === 'label')
}

/** The problem of a parameter that contains objects or lists, for which OpenAPI has no text. */
function partlyReadText(schema: unknown, schemas: NamedSchemas): string | undefined {
  const all = isSchema(schema) ? inPlace(schema, schemas) : []
  const items = all.flatMap((one) => ('items' in one ? [typesOf(one['items'], schemas)] : []))
  const properties = all.flatMap((one) => Object.values(isSchema(one['properties']) ? one['properties'] : {}))
  const isNested =
    items.some((types) => !types.has('string') && (types.has('object') || types.has('array'))) ||
    properties.map((one) => typesOf(one, schemas)).some((types) => !types.has('string') && types.has('object'))
  return isNested ? 'OpenAPI has no text for an object in it, which is read as JSON; use content instead' : undefined
}

function severalTypes(content: unknown): string | undefined {
  return namesOf(content).length === 1 ? undefined : 'must have one media type; remove the others'
}

function unreadText(content: unknown): string | undefined {
  const other = namesOf(content).find((type) => !isJson(type))
  return other === undefined ? undefined : `${other} is read as text; use application/json`
}

function unreadServer(url: string): string | undefined {
  return /[?#%*\s]/.test(url) ? 'a server url must not contain ?, #, %, * or spaces' : undefined
}

function misnamedParameter(name: string, place: unknown): string | undefined {
  if (name === '__proto__') return 'JavaScript objects cannot have the name __proto__; choose another'
  return place !== 'header' || isFieldName(name) ? undefined : `${name} is not a header name; use letters, digits and -`
}

/** A name is a token (RFC 9110, section 5.1). */
export function isFieldName(name: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name)
}

/** The problem of a schema that is not enforced: bytes are not validated, and text is a string. */
function unvalidatedContent(content: unknown, schemas: NamedSchemas): string | undefined {
  for (const [type, media] of Object.entries(isSchema(content) ? content : {})) {
    const schema = isSchema(media) ? media['schema'] : undefined
    const kind = kindOf(type)
    if (schema === undefined || kind === 'json') continue
    const types = typesOf(schema, schemas)
    if (kind === 'text' && !types.has('string')) return `${type} is text, and is not validated; use type: string`
    if ((kind === 'form' || kind === 'multipart') && !types.has('object'))
      return `${type} is an object; use type: object`
    const isBinary = isSchema(schema) && inPlace(schema, schemas).every((one) => Object.entries(one).every(saysBinary))
    if (kind === 'bytes' && !isRange(type) && !isBinary)
      return `${type} is bytes, which are not validated; use only type: string, format: binary, or no schema`
  }
  return undefined
}

function saysBinary([name, value]: [string, unknown]): boolean {
  if (name === 'type') return value === 'string'
  return name === 'format' ? value === 'binary' : /^(?:\$ref|\$comment|title|description|examples?|x-.*)$/.test(name)
}
