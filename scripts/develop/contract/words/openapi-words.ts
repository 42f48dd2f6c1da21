import { type ContractDocument, basePathsOf } from '../../../../src/contract/document.ts'
import { isList } from '../../../../src/contract/list-parameters.ts'
import { isJson, isText } from '../../../../src/contract/media-types.ts'
import { type JsonType, type Schema, inPlace, isSchema, typesOf } from '../../../../src/schema/schema-parts.ts'
import { referenceIn, schemaWords } from './schema-words.ts'
import { type Kind, type Word, type WordContext, enforced, refused, shown } from './verdicts.ts'

const onPage = 'shown on the docs page'
const inDocument = 'shown in /openapi.yaml and /openapi.json'
const summary = shown(onPage)
const description = shown(onPage)
const externalDocs = shown(onPage, { holds: 'externalDocs' })
const reference = enforced('the object that it refers to stands in its place; other files are bundled', {
  refuses: (value, object, context) => {
    const ignored = Object.keys(object).find((name) => !/^(?:\$ref|summary|description|x-.*)$/.test(name))
    return ignored === undefined
      ? strayReference(value, object, context)
      : `OpenAPI ignores ${ignored} beside it; write the object out, or remove it`
  },
})
const component = (kind: Kind) => ({ holds: { each: kind }, refuses: misnamedComponent })
const examples = enforced('validated against the schema when generated; the docs page fills requests in with them', {
  holds: { each: 'example' },
})
const example = enforced('validated against the schema when generated; the docs page fills requests in with it', {
  refuses: referenceIn,
})

/** The paths that the service answers itself. */
const ownPaths = ['/docs', '/livez', '/readyz', '/openapi.yaml', '/openapi.json']
const styles: Record<string, readonly string[]> = {
  query: ['form', 'spaceDelimited', 'pipeDelimited'],
  path: ['simple'],
  header: ['simple'],
}

/** The verdict of every word, by the kind of object that has it. */
export const words: Record<Kind, Record<string, Word>> = {
  document: {
    openapi: enforced('3.1.x alone is read'),
    info: shown(onPage, { holds: 'info' }),
    jsonSchemaDialect: enforced('only the dialect of OpenAPI 3.1, which is the default', {
      refuses: (value) =>
        value === 'https://spec.openapis.org/oas/3.1/dialect/base'
          ? undefined
          : 'only the dialect of OpenAPI 3.1 is read; remove it',
    }),
    servers: enforced('the operations are served below the path of each url', { holds: ['server'] }),
    paths: enforced('each operation is a route', {
      holds: { each: 'pathItem' },
      refuses: (value, document) => extensionIn(value) ?? reservedPath(value, document),
    }),
    webhooks: shown('offered as types; the service sends no requests', { holds: { each: 'pathItem' } }),
    components: enforced('what is referred to is used, the rest is shown', { holds: 'components' }),
    security: enforced('the requirements of each operation that has none of its own'),
    tags: shown(onPage, { holds: ['tag'] }),
    externalDocs,
    'x-unmatched-responses': shown('what requests that match no operation are answered', {
      holds: { each: 'response' },
      // The linter does not look into extensions.
      refuses: (value) =>
        isSchema(value) && Object.values(value).every(isResponse)
          ? undefined
          : 'must hold responses as an operation does, each with a description; content and headers are objects',
    }),
  },
  info: {
    title: shown(onPage),
    summary,
    description,
    termsOfService: shown(onPage),
    contact: shown(onPage, { holds: 'contact' }),
    license: shown(onPage, { holds: 'license' }),
    version: enforced('the version that the breaking check compares'),
  },
  contact: { name: shown(onPage), url: shown(onPage), email: shown(onPage) },
  license: { name: shown(onPage), identifier: shown(inDocument), url: shown(onPage) },
  server: {
    url: enforced('its path is put before the paths of the operations', {
      refuses: (value) => unreadServer(String(value)),
    }),
    description,
    variables: refused('server variables are not supported; write one url for each value'),
  },
  components: {
    schemas: enforced('each schema is a type, and is validated where it is used', component('schema')),
    responses: enforced('used where they are referred to', component('response')),
    parameters: enforced('used where they are referred to', component('parameter')),
    examples: shown('used where they are referred to', component('example')),
    requestBodies: enforced('used where they are referred to', component('requestBody')),
    headers: enforced('used where they are referred to', component('header')),
    securitySchemes: enforced('verified where an operation requires them', component('securityScheme')),
    links: shown('shown where they are referred to', component('link')),
    callbacks: shown('shown where they are referred to', component('callback')),
    pathItems: enforced('used where they are referred to', component('pathItem')),
  },
  pathItem: {
    $ref: reference,
    summary,
    description,
    get: enforced('a route; `HEAD` answers as it does, without the body', {
      holds: 'operation',
      refuses: (value) =>
        isSchema(value) && 'requestBody' in value
          ? 'a GET has no body in HTTP; take parameters, or use another method'
          : undefined,
    }),
    put: enforced('a route', { holds: 'operation' }),
    post: enforced('a route', { holds: 'operation' }),
    delete: enforced('a route', { holds: 'operation' }),
    patch: enforced('a route', { holds: 'operation' }),
    options: refused('OPTIONS is answered for CORS by the service itself; remove it'),
    head: refused('HEAD is answered as GET is, without the body; remove it'),
    trace: refused('TRACE would answer with the credentials of the request; remove it'),
    servers: refused('the servers of one path are not supported; use the servers of the document'),
    parameters: enforced('the parameters of each operation of the path, which may override them', {
      holds: ['parameter'],
    }),
  },
  operation: {
    tags: enforced('the first names the folder of a new handler; the docs page groups by them'),
    summary,
    description,
    externalDocs,
    operationId: enforced('names the handler, the types and the function of the client', {
      refuses: (value) => unusableName(String(value)),
    }),
    parameters: enforced('validated; a parameter of the query that is not declared is refused', {
      holds: ['parameter'],
    }),
    requestBody: enforced('validated', { holds: 'requestBody' }),
    responses: enforced('a reply that is not declared is answered 500', {
      holds: { each: 'response' },
      refuses: extensionIn,
    }),
    callbacks: shown('shown on the docs page; the service sends no requests', { holds: { each: 'callback' } }),
    deprecated: shown('shown on the docs page, and marked in the types'),
    security: enforced('one of the alternatives must be met, with the scopes that it names'),
    servers: refused('the servers of one operation are not supported; use the servers of the document'),
  },
  externalDocs: { description, url: shown(onPage) },
  parameter: {
    $ref: reference,
    name: enforced('the name in the request', {
      refuses: (value, { in: place }) => {
        if (value === '__proto__') return '__proto__ is no name that objects of JavaScript keep; choose another'
        return place === 'header' && /^(?:accept|content-type|authorization)$/i.test(String(value))
          ? `OpenAPI ignores a header parameter ${String(value)}; use media types or security schemes`
          : place === 'header'
            ? misnamedHeader(String(value))
            : undefined
      },
    }),
    in: enforced('`query`, `header` or `path`; `cookie` is refused', {
      refuses: (value) => (value === 'cookie' ? 'cookies are not read; use a header' : undefined),
    }),
    description,
    required: enforced('a request without it is refused'),
    deprecated: shown('shown on the docs page, and marked in the types'),
    allowEmptyValue: refused('an empty value is validated as any other; allow it in the schema'),
    style: enforced(
      '`form`, `spaceDelimited` or `pipeDelimited` in a query, `simple` in a path or a header; others are refused',
      {
        refuses: (value, { in: place }) => {
          const read = styles[String(place)]
          return read === undefined || read.includes(String(value))
            ? undefined
            : `${String(value)} is not read in a ${String(place)}; use ${read.join(' or ')}`
        },
      },
    ),
    explode: enforced('whether an array is repeated for each item, or is one text with delimiters', {
      refuses: (value, { style }) =>
        value === true && style !== undefined && style !== 'form' && style !== 'simple'
          ? `an exploded array has no delimiter; use style: form, or explode: false`
          : undefined,
    }),
    allowReserved: shown('a matter of clients: the service reads reserved characters either way'),
    schema: enforced(
      'validated; a scalar or, in a query or a header, an array of scalars; null and others are refused',
      {
        holds: 'schema',
        refuses: (value, { in: place }, { schemas }) => unreadableText(value, place, schemas),
      },
    ),
    content: refused('a parameter is described by its schema; use schema'),
    example,
    examples,
  },
  requestBody: {
    $ref: reference,
    description,
    content: enforced('one media type: application/json, or one that ends in +json', {
      holds: { each: 'requestContent' },
      refuses: (value) => unreadContent(value),
    }),
    required: enforced('a request without a body is refused'),
  },
  requestContent: {
    schema: enforced('validated; a bare number is refused', {
      holds: 'schema',
      refuses: (value, _media, { schemas }) =>
        typesOf(value, schemas).isSubsetOf(new Set(['integer', 'number']))
          ? 'a bare number is not read exactly; wrap it in an object'
          : undefined,
    }),
    example,
    examples,
    encoding: refused('encoding is for forms, which are not read; send JSON'),
  },
  responseContent: {
    schema: enforced('JSON and text are validated, streams are not; bytes have no schema but `format: binary`', {
      holds: 'schema',
    }),
    example,
    examples,
    encoding: refused('encoding is for forms; remove it'),
  },
  response: {
    $ref: reference,
    description,
    headers: enforced('validated; a handler cannot send others', {
      holds: { each: 'header' },
      refuses: (value) => unsentHeader(Object.keys(isSchema(value) ? value : {})),
    }),
    content: enforced('a handler sends one of these media types; Accept selects among those of successes', {
      holds: { each: 'responseContent' },
      refuses: (value, _response, { schemas }) => unsentContent(value) ?? undescribedContent(value, schemas),
    }),
    links: shown(onPage, { holds: { each: 'link' } }),
  },
  callback: {
    $ref: reference,
    '*': shown('shown on the docs page; the service sends no requests', { holds: 'pathItem' }),
  },
  example: {
    $ref: shown('the example that it refers to stands in its place', { refuses: strayReference }),
    summary,
    description,
    value: enforced('validated against the schema when generated', { refuses: referenceIn }),
    externalValue: refused('an example elsewhere cannot be validated; write its value here'),
  },
  link: {
    $ref: shown('the link that it refers to stands in its place', { refuses: strayReference }),
    operationRef: shown(onPage),
    operationId: enforced('must be that of an operation'),
    parameters: shown(onPage),
    requestBody: shown(onPage),
    description,
    server: refused('operations are served by the servers of the document; remove it'),
  },
  header: {
    $ref: reference,
    description,
    required: enforced('a reply without it is answered 500'),
    deprecated: shown('shown on the docs page, and marked in the types'),
    allowEmptyValue: refused('an empty value is validated as any other; allow it in the schema'),
    style: enforced('`simple` alone', {
      refuses: (value) => (value === 'simple' ? undefined : 'only simple is a style of headers'),
    }),
    explode: refused('a header is no array here; use a text with a pattern'),
    allowReserved: refused('headers are not percent-encoded; remove it'),
    schema: enforced('validated; text, an integer or a number', {
      holds: 'schema',
      refuses: (value, _header, { schemas }) =>
        typesOf(value, schemas).isSubsetOf(new Set(['string', 'integer', 'number']))
          ? undefined
          : 'a header is text, an integer or a number; give its schema that type',
    }),
    content: refused('a header is described by its schema; use schema'),
    example,
    examples,
  },
  tag: { name: shown(onPage), description, externalDocs },
  schema: schemaWords,
  discriminator: {
    propertyName: enforced('must be a property with a const or an enum in each alternative, which validates it'),
    mapping: shown('the names must be those of the const or the enum of each alternative, each with a whole reference'),
  },
  securityScheme: {
    $ref: reference,
    type: enforced('`http`, `apiKey`, `oauth2` and `openIdConnect`; `mutualTLS` is refused', {
      refuses: (value) =>
        value === 'mutualTLS' ? 'the proxy that ends TLS sees the certificate; use another scheme here' : undefined,
    }),
    description,
    name: enforced('the name of the header or the query parameter that holds the key'),
    in: enforced('`header` or `query`; `cookie` is refused', {
      refuses: (value) => (value === 'cookie' ? 'cookies are not read; send the key in a header' : undefined),
    }),
    scheme: enforced('`bearer` and `basic`; other schemes are refused', {
      refuses: (value) =>
        /^(?:bearer|basic)$/i.test(String(value)) ? undefined : `${String(value)} is not verified; use bearer or basic`,
    }),
    bearerFormat: shown(onPage),
    flows: shown('the docs page shows them; the authorization server issues the tokens', { holds: 'flows' }),
    openIdConnectUrl: shown('the docs page shows it; the issuer is configured by the operator'),
  },
  flows: {
    implicit: shown(onPage, { holds: 'flow' }),
    password: shown(onPage, { holds: 'flow' }),
    clientCredentials: shown(onPage, { holds: 'flow' }),
    authorizationCode: shown(onPage, { holds: 'flow' }),
  },
  flow: {
    authorizationUrl: shown(onPage),
    tokenUrl: shown(onPage),
    refreshUrl: shown(onPage),
    scopes: shown(onPage),
  },
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

/** The generated types have what is below these. */
const typed = /^#\/(?:components|paths|webhooks)\//

function strayReference(reference: unknown, _object: unknown, { isObject }: WordContext): string | undefined {
  const text = String(reference)
  // Other files are bundled; where one cannot be, that is reported.
  if (!text.startsWith('#') || (typed.test(text) && isObject(text))) return undefined
  return `${text} leads to no object of OpenAPI; move what is there under components`
}

/** An operationId becomes names of files and of functions, and stands in messages and in the log. */
function unusableName(id: string): string | undefined {
  if (id.length > maxName) return `has more than ${String(maxName)} characters; choose a shorter name`
  // An empty one is reported as missing.
  return /^(?:[\p{L}\p{M}\p{N}\p{P}\p{S}]+(?: [\p{L}\p{M}\p{N}\p{P}\p{S}]+)*)?$/u.test(id)
    ? undefined
    : `${JSON.stringify(id)} is no name; use letters, digits, punctuation and single spaces between them`
}

const maxName = 200

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
