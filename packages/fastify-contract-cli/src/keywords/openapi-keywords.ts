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
import { type Keyword, type KeywordContext, type Kind, each, ignored, rejected, shown } from './keyword.ts'
import { referenceIn, schemaKeywords } from './schema-keywords.ts'

const emptyValue: Keyword['ignores'] = (value) =>
  value === true ? 'an empty value is validated like any other; allow it in the schema' : undefined
const serversOf = (what: string) => `servers of a single ${what} are not served; use the servers of the document`

function onlyOf(value: unknown, values: readonly unknown[], remedy: string): string | undefined {
  return values.includes(value) ? undefined : `${String(value)} is not supported; ${remedy}`
}

/** A keyword with only these values. */
function only(remedy: string, ...values: readonly unknown[]): Keyword {
  return { rejects: (value) => onlyOf(value, values, remedy) }
}

/** A URI to an object of the same kind. What OpenAPI ignores beside it is removed. */
const reference: Keyword = {}
const component = (kind: Kind): Keyword => ({
  holds: { each: kind },
  // OpenAPI 3.1, section 4.8.7.2
  warns: (value) => {
    const misnamed = namesOf(value).find((name) => !/^[\w.-]+$/.test(name))
    return misnamed === undefined
      ? undefined
      : `${misnamed} is not a name of a component; use only letters, digits, ., _ and -`
  },
})
const examples = { example: { ignores: referenceIn }, examples: { holds: { each: 'example' as const } } }

/** Every keyword of OpenAPI 3.1, by the kind of its object. */
export const keywords: Record<Kind, Record<string, Keyword>> = {
  document: {
    ...each('openapi info'),
    security: { rejects: unknownScheme },
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
  server: {
    url: { rejects: (value) => unreadServer(String(value)) },
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
    ...each('tags'),
    security: { rejects: unknownScheme },
    operationId: {},
    parameters: { holds: ['parameter'] },
    requestBody: { holds: 'requestBody' },
    responses: { holds: { each: 'response' } },
    ...shown('summary description deprecated externalDocs'),
    ...shown('callbacks', { each: 'callback' }),
    ...ignored('servers', serversOf('operation')),
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
    allowEmptyValue: { ignores: emptyValue },
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
      rejects: (value, _response, { schemas }) => unsentContent(value) ?? undescribedContent(value, schemas),
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
    ...each('required'),
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
  discriminator: { ...shown('propertyName'), mapping: { isShown: true, ignores: lostMapping } },
  securityScheme: {
    $ref: reference,
    // A scheme that is not supported is refused where an operation requires it.
    ...each('type name in scheme'),
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
