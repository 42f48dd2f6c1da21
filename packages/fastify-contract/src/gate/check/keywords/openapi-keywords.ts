import { type ContractDocument, basePathsOf } from '../../../document/document.ts'
import { isJson, isText } from '../../../document/media-types.ts'
import { isList } from '../../../engine/list-parameters.ts'
import { type JsonType, type Schema, inPlace, isSchema, typesOf } from '../../../schema/schema-parts.ts'
import { type Keyword, type Kind, allow } from './keyword.ts'
import { referenceIn, schemaKeywords } from './schema-keywords.ts'

const externalDocs: Keyword = { holds: 'externalDocs' }
const reference: Keyword = {
  refuses: (_value, object) => {
    const ignored = Object.keys(object).find((name) => !/^(?:\$ref|summary|description|x-.*)$/.test(name))
    return ignored === undefined
      ? undefined
      : `OpenAPI ignores ${ignored} beside it; write the object out, or remove it`
  },
}
const component = (kind: Kind): Keyword => ({ holds: { each: kind }, refuses: misnamedComponent })
const examples: Keyword = { holds: { each: 'example' } }
const example: Keyword = { refuses: referenceIn }

/** The paths that the service answers itself. */
const ownPaths = ['/docs', '/livez', '/readyz', '/openapi.yaml', '/openapi.json']
const styles: Record<string, readonly string[]> = {
  query: ['form', 'spaceDelimited', 'pipeDelimited'],
  path: ['simple'],
  header: ['simple'],
}
const serversOf = (what: string) => `the servers of one ${what} are not supported; use the servers of the document`
const emptyValue = 'an empty value is validated as any other; allow it in the schema'

/** Every keyword of OpenAPI 3.1 (section 4.8), by the kind of object that has it. */
export const keywords: Record<Kind, Record<string, Keyword>> = {
  document: allow('openapi security', {
    info: { holds: 'info' },
    jsonSchemaDialect: {
      refuses: (value) =>
        value === 'https://spec.openapis.org/oas/3.1/dialect/base'
          ? undefined
          : 'only the dialect of OpenAPI 3.1 is read; remove it',
    },
    servers: { holds: ['server'] },
    paths: {
      holds: { each: 'pathItem' },
      refuses: (value, document) => extensionIn(value) ?? reservedPath(value, document),
    },
    webhooks: { holds: { each: 'pathItem' } },
    components: { holds: 'components' },
    tags: { holds: ['tag'] },
    externalDocs,
    'x-unmatched-responses': {
      holds: { each: 'response' },
      // The linter does not look into extensions.
      refuses: (value) =>
        isSchema(value) && Object.values(value).every(isResponse)
          ? undefined
          : 'must hold responses as an operation does, each with a description; content and headers are objects',
    },
  }),
  info: allow('title summary description termsOfService version', {
    contact: { holds: 'contact' },
    license: { holds: 'license' },
  }),
  contact: allow('name url email'),
  license: allow('name identifier url'),
  server: allow('description', {
    url: { refuses: (value) => unreadServer(String(value)) },
    variables: 'server variables are not supported; write one url for each value',
  }),
  components: {
    schemas: component('schema'),
    responses: component('response'),
    parameters: component('parameter'),
    examples: component('example'),
    requestBodies: component('requestBody'),
    headers: component('header'),
    securitySchemes: component('securityScheme'),
    links: component('link'),
    callbacks: component('callback'),
    pathItems: component('pathItem'),
  },
  pathItem: allow('summary description', {
    $ref: reference,
    get: {
      holds: 'operation',
      refuses: (value) =>
        isSchema(value) && 'requestBody' in value
          ? 'a GET has no body in HTTP; take parameters, or use another method'
          : undefined,
    },
    put: { holds: 'operation' },
    post: { holds: 'operation' },
    delete: { holds: 'operation' },
    patch: { holds: 'operation' },
    options: 'OPTIONS is answered for CORS by the service itself; remove it',
    head: 'HEAD is answered as GET is, without the body; remove it',
    trace: 'TRACE would answer with the credentials of the request; remove it',
    servers: serversOf('path'),
    parameters: { holds: ['parameter'] },
  }),
  operation: allow('tags summary description operationId deprecated security', {
    externalDocs,
    parameters: { holds: ['parameter'] },
    requestBody: { holds: 'requestBody' },
    responses: { holds: { each: 'response' }, refuses: extensionIn },
    callbacks: { holds: { each: 'callback' } },
    servers: serversOf('operation'),
  }),
  externalDocs: allow('description url'),
  parameter: allow('description required deprecated allowReserved', {
    $ref: reference,
    name: {
      refuses: (value, { in: place }) => {
        if (value === '__proto__') return '__proto__ is no name that objects of JavaScript keep; choose another'
        if (place !== 'header') return undefined
        return /^(?:accept|content-type|authorization)$/i.test(String(value))
          ? `OpenAPI ignores a header parameter ${String(value)}; use media types or security schemes`
          : misnamedHeader(String(value))
      },
    },
    in: { refuses: (value) => (value === 'cookie' ? 'cookies are not read; use a header' : undefined) },
    allowEmptyValue: emptyValue,
    style: {
      refuses: (value, { in: place }) => {
        const read = styles[String(place)]
        return read === undefined || read.includes(String(value))
          ? undefined
          : `${String(value)} is not read in a ${String(place)}; use ${read.join(' or ')}`
      },
    },
    explode: {
      refuses: (value, { style }) =>
        value === true && style !== undefined && style !== 'form' && style !== 'simple'
          ? `an exploded array has no delimiter; use style: form, or explode: false`
          : undefined,
    },
    schema: { holds: 'schema', refuses: (value, { in: place }, { schemas }) => unreadableText(value, place, schemas) },
    content: 'a parameter is described by its schema; use schema',
    example,
    examples,
  }),
  requestBody: allow('description required', {
    $ref: reference,
    content: { holds: { each: 'requestContent' }, refuses: unreadContent },
  }),
  requestContent: {
    schema: {
      holds: 'schema',
      refuses: (value, _media, { schemas }) =>
        typesOf(value, schemas).isSubsetOf(new Set(['integer', 'number']))
          ? 'a bare number is not read exactly; wrap it in an object'
          : undefined,
    },
    example,
    examples,
    encoding: 'encoding is for forms, which are not read; send JSON',
  },
  responseContent: {
    schema: { holds: 'schema' },
    example,
    examples,
    encoding: 'encoding is for forms; remove it',
  },
  response: allow('description', {
    $ref: reference,
    headers: {
      holds: { each: 'header' },
      refuses: (value) => unsentHeader(Object.keys(isSchema(value) ? value : {})),
    },
    content: {
      holds: { each: 'responseContent' },
      refuses: (value, _response, { schemas }) => unsentContent(value) ?? undescribedContent(value, schemas),
    },
    links: { holds: { each: 'link' } },
  }),
  callback: { $ref: reference, '*': { holds: 'pathItem' } },
  example: allow('$ref summary description', {
    value: { refuses: referenceIn },
    externalValue: 'an example elsewhere cannot be validated; write its value here',
  }),
  link: allow('$ref operationRef operationId parameters requestBody description', {
    server: 'operations are served by the servers of the document; remove it',
  }),
  header: allow('description required deprecated', {
    $ref: reference,
    allowEmptyValue: emptyValue,
    style: { refuses: (value) => (value === 'simple' ? undefined : 'only simple is a style of headers') },
    explode: 'a header is no array here; use a text with a pattern',
    allowReserved: 'headers are not percent-encoded; remove it',
    schema: {
      holds: 'schema',
      refuses: (value, _header, { schemas }) =>
        typesOf(value, schemas).isSubsetOf(new Set(['string', 'integer', 'number']))
          ? undefined
          : 'a header is text, an integer or a number; give its schema that type',
    },
    content: 'a header is described by its schema; use schema',
    example,
    examples,
  }),
  tag: allow('name description', { externalDocs }),
  schema: schemaKeywords,
  discriminator: allow('propertyName mapping'),
  securityScheme: allow('description name bearerFormat openIdConnectUrl', {
    $ref: reference,
    type: {
      refuses: (value) =>
        value === 'mutualTLS' ? 'the proxy that ends TLS sees the certificate; use another scheme here' : undefined,
    },
    in: { refuses: (value) => (value === 'cookie' ? 'cookies are not read; send the key in a header' : undefined) },
    scheme: {
      refuses: (value) =>
        /^(?:bearer|basic)$/i.test(String(value)) ? undefined : `${String(value)} is not verified; use bearer or basic`,
    },
    flows: { holds: 'flows' },
  }),
  flows: {
    implicit: { holds: 'flow' },
    password: { holds: 'flow' },
    clientCredentials: { holds: 'flow' },
    authorizationCode: { holds: 'flow' },
  },
  flow: allow('authorizationUrl tokenUrl refreshUrl scopes'),
}

function unreadableText(schema: unknown, place: unknown, schemas: Record<string, Schema>): string | undefined {
  const isScalar = (each: unknown) => typesOf(each, schemas).isSubsetOf(scalarTypes)
  const isNullable = (each: unknown) => typesOf(each, schemas).has('null')
  if (isScalar(schema)) return isNullable(schema) ? noNull : undefined
  if (place === 'path') return 'a path parameter is a scalar; give its schema such a type'
  if (!isList(schema, schemas)) return 'a parameter is a scalar or an array of scalars; give its schema such a type'
  const items = inPlace(schema as Schema, schemas).flatMap((each) => ('items' in each ? [each['items']] : []))
  if (!items.some(isScalar)) return 'the items of a parameter are scalars; give them a type'
  return isNullable(schema) || items.filter(isScalar).every(isNullable) ? noNull : undefined
}

const noNull = 'no text is null; remove null from its type, and leave the parameter out for none'

const scalarTypes = new Set<JsonType>(['string', 'integer', 'number', 'boolean', 'null'])

function reservedPath(paths: unknown, document: Record<string, unknown>): string | undefined {
  // basePathsOf reads the servers alone.
  const bases = basePathsOf(document as unknown as ContractDocument)
  const served = Object.keys(isSchema(paths) ? paths : {}).flatMap((path) => bases.map((base) => base + path))
  const reserved = served.find((path) => ownPaths.some((own) => path === own || path.startsWith(`${own}/`)))
  return reserved === undefined ? undefined : `${reserved} is a path of the service itself; choose another`
}

function unreadServer(url: string): string | undefined {
  if (/[{}]/.test(url)) return 'server variables are not supported; write the url out'
  if (/[?#%*\s]/.test(url)) return 'a url of a server must be without ?, #, %, * and spaces'
  return URL.canParse(url, 'http://localhost/')
    ? undefined
    : `${url} is no url; write one such as https://host/v1, or /v1`
}

/** Among names that HTTP or the contract gives, `x-…` could only be an extension. */
function extensionIn(members: unknown): string | undefined {
  const extension = Object.keys(isSchema(members) ? members : {}).find((name) => name.startsWith('x-'))
  return extension === undefined ? undefined : `${extension} is not read here; move it into the object around`
}

/** The names of components (OpenAPI 3.1, section 4.8.7.2). */
function misnamedComponent(components: unknown): string | undefined {
  const misnamed = Object.keys(isSchema(components) ? components : {}).find((name) => !/^[\w.-]+$/.test(name))
  return misnamed === undefined
    ? undefined
    : `${misnamed} is no name of a component; use letters, digits, ., _ and - alone`
}

function unreadContent(content: unknown): string | undefined {
  const types = Object.keys(isSchema(content) ? content : {})
  const unread = types.find((type) => !/^(?:application\/json|[\w.+-]+\/[\w.-]+\+json)$/.test(type))
  if (unread !== undefined) {
    return `${unread} is not read; a body is application/json or a type that ends in +json, in lower case`
  }
  return types.length === 1 ? undefined : 'must have one media type; describe the alternatives by oneOf in one schema'
}

function unsentContent(content: unknown): string | undefined {
  const types = Object.keys(isSchema(content) ? content : {})
  if (types.some((type) => type === 'text/event-stream')) return 'streams of events are not supported; answer lists'
  const invalid = types.find((type) => !/^[a-z\d][\w.+-]*\/[a-z\d][\w.+-]*$/.test(type))
  return invalid === undefined ? undefined : `${invalid} names no one media type; write it out, without parameters`
}

/** A name is a token (RFC 9110, section 5.1). */
function misnamedHeader(name: string): string | undefined {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name) ? undefined : `${name} is no name of a header; use letters, digits and -`
}

/** The headers that say how a message is sent (RFC 9110, section 7.6.1, and RFC 9112). */
const framing = /^(?:connection|content-length|date|keep-alive|te|trailer|transfer-encoding|upgrade)$/i

function unsentHeader(names: string[]): string | undefined {
  if (names.some((name) => /^content-type$/i.test(name))) {
    return 'OpenAPI ignores a header Content-Type; the media type of the content says it'
  }
  const framed = names.find((name) => framing.test(name))
  if (framed !== undefined) return `${framed} is for the server to write; remove it`
  for (const [index, name] of names.entries()) {
    const same = names.slice(0, index).find((other) => other.toLowerCase() === name.toLowerCase())
    if (same !== undefined) return `${same} and ${name} are one header in HTTP; remove one`
  }
  return names.map(misnamedHeader).find((problem) => problem !== undefined)
}

/** What a schema says of content that it cannot describe: text is a string, and bytes are not validated. */
function undescribedContent(content: unknown, schemas: Record<string, Schema>): string | undefined {
  for (const [type, media] of Object.entries(isSchema(content) ? content : {})) {
    const schema = isSchema(media) ? media['schema'] : undefined
    if (schema === undefined || isJson(type)) continue
    if (isText(type) && !typesOf(schema, schemas).has('string')) return `${type} is text; give its schema type: string`
    const isBinary =
      isSchema(schema) && inPlace(schema, schemas).every((each) => Object.entries(each).every(saysBinary))
    if (isText(type) || isBinary) continue
    return `${type} is sent as bytes, which are not validated; remove its schema, or write type: string, format: binary`
  }
  return undefined
}

function saysBinary([name, value]: [string, unknown]): boolean {
  if (name === 'type') return value === 'string'
  return name === 'format' ? value === 'binary' : /^(?:\$ref|\$comment|title|description|examples?|x-.*)$/.test(name)
}

function isResponse(value: unknown): boolean {
  if (!isSchema(value)) return false
  const { $ref: reference, description, content = {}, headers = {} } = value
  if (reference !== undefined) return typeof reference === 'string'
  return typeof description === 'string' && [content, headers].every((each) => isMapOfObjects(each))
}

function isMapOfObjects(value: unknown): boolean {
  return isSchema(value) && Object.values(value).every(isSchema)
}
