import { isObject } from '../json/json.ts'
import { BrokenReference, find } from '../json/pointer.ts'
import type { NamedSchemas, Schema } from '../schema/read/schema.ts'
import { methodFields } from './methods.ts'

/** The default file name of the contract. */
export const contractFile = 'openapi.yaml'

/** The default folder of the generated files. */
export const generatedFolder = 'generated'

/** The parts of an OpenAPI 3.1 document that the library uses, parsed by `parseJsonWithBigInts`. */
export interface ContractDocument {
  openapi: string
  info: { title: string; version: string }
  servers?: { url: string }[]
  security?: SecurityRequirement[]
  paths?: Record<string, PathItem>
  webhooks?: Record<string, PathItem>
  components?: {
    securitySchemes?: Record<string, unknown>
    schemas?: NamedSchemas
    [section: string]: unknown
  }
  'x-unmatched-responses'?: Record<string, ContractResponse>
  'x-generated-from'?: string
}

export type SecurityRequirement = Record<string, string[]>

export type PathItem = { [Method in (typeof methodFields)[number]]?: WrittenOperation } & {
  additionalOperations?: Record<string, WrittenOperation>
}

/** In OpenAPI 3.1 `responses` is optional. */
export type WrittenOperation = Omit<OperationObject, 'responses'> & Partial<Pick<OperationObject, 'responses'>>

export interface OperationObject {
  operationId: string
  tags?: string[]
  /** Not checked, because it only documents. */
  summary?: unknown
  parameters?: Parameter[]
  requestBody?: RequestBodyObject
  responses: Record<string, ContractResponse>
  security?: SecurityRequirement[]
  /** Those of the operation or of its path; undefined where it has those of the document. */
  servers?: { url: string }[]
}

export interface RequestBodyObject {
  required?: boolean
  content: Record<string, MediaType>
}

export interface Parameter extends Exampled {
  name: string
  in: 'path' | 'query' | 'querystring' | 'header' | 'cookie'
  required?: boolean
  schema?: Schema
  content?: Record<string, MediaType>
  style?: string
  explode?: boolean
}

/** The styles of each place, the default first; others have no meaning there (OpenAPI 3.2, section 4.12.2.3). */
export const stylesOf: Readonly<Record<Parameter['in'], readonly string[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form', 'cookie'],
  querystring: [],
}

export interface ContractResponse {
  description: string
  headers?: Record<string, Header>
  content?: Record<string, MediaType>
  /** Not read by the server (OpenAPI 3.1, "Link Object"). */
  links?: Record<string, { operationId?: string; parameters?: Record<string, unknown> }>
}

export interface Header extends Exampled {
  required?: boolean
  schema?: Schema
}

export interface MediaType extends Exampled {
  schema?: Schema
  /** That of each item of a stream (OpenAPI 3.2). */
  itemSchema?: Schema
  /** Whether the `data` of every event is JSON, so that a text has quotation marks. `generate` sets it. */
  'x-event-data'?: 'json'
  /** Of a form, by property. */
  encoding?: Record<string, Encoding>
}

/** How a property of a form is sent. */
export interface Encoding {
  contentType?: string
  style?: string
  explode?: boolean
}

export interface Exampled {
  example?: unknown
  examples?: Record<string, { value?: unknown }>
}

/** An operation, with the security of the document. Only its schemas have references. */
export interface ContractOperation {
  id: string
  /** In lower case. */
  method: string
  path: string
  parameters: Parameter[]
  security: SecurityRequirement[]
  /** Those of its servers. */
  basePaths: string[]
  object: OperationObject
}

/**
 * Lists the operations of a contract, in its order. `generate` gives each the parameters of its path.
 *
 * @throws BrokenReference
 */
export function operationsOf(document: ContractDocument): ContractOperation[] {
  const { parameter, body, responses } = createReader(document)
  const paths = Object.entries(document.paths ?? {}).filter(([path]) => !path.startsWith('x-'))
  return paths.flatMap(([path, item]) =>
    operationsIn(item).map(({ method, written }) => {
      const { operationId: id, parameters: given = [], requestBody, security = document.security ?? [] } = written
      const parameters = given.map(parameter)
      const object: OperationObject = { ...written, responses: responses(written.responses ?? {}) }
      if (written.parameters !== undefined) object.parameters = parameters
      if (requestBody !== undefined) object.requestBody = body(requestBody)
      return {
        id,
        method,
        path,
        parameters,
        security,
        basePaths: basePathsOf({ servers: written.servers ?? document.servers ?? [] }),
        object,
      }
    }),
  )
}

/** Lists the operations of a path item, with their methods in lower case. */
export function operationsIn(item: PathItem): { method: string; written: WrittenOperation }[] {
  const { additionalOperations: others = {} } = item
  const fields = [...methodFields.map((method) => [method, item[method]] as const), ...Object.entries(others)]
  return fields.flatMap(([name, written]) => (isObject(written) ? [{ method: name.toLowerCase(), written }] : []))
}

/** The responses to requests that match no operation. @throws BrokenReference */
export function unmatchedResponsesOf(document: ContractDocument): Record<string, ContractResponse> | undefined {
  const { 'x-unmatched-responses': written } = document
  return written === undefined ? undefined : createReader(document).responses(written)
}

/** Makes the functions that read objects without their references. Equal references share one object. */
function createReader(document: ContractDocument) {
  /** @param inside replaces the members that may have references */
  function resolver<Written extends object>(inside: (end: Written) => Partial<Written>) {
    const read = new Map<Written, Written>()
    return (written: Written): Written => {
      const end = endOf(document, written)
      const resolved = read.get(end) ?? { ...end, ...inside(end) }
      read.set(end, resolved)
      return resolved
    }
  }

  const example = resolver<{ value?: unknown }>(() => ({}))
  const exampled = ({ examples }: Exampled): Partial<Exampled> =>
    // Those of a schema are a list.
    isObject(examples) ? { examples: mapped(examples, example) } : {}
  const contentOf = ({ content }: { content?: Record<string, MediaType> }) =>
    content === undefined ? {} : { content: mapped(content, (media) => ({ ...media, ...exampled(media) })) }
  const header = resolver<Header>(exampled)
  const response = resolver<ContractResponse>((end) => ({
    ...contentOf(end),
    ...(end.headers === undefined ? {} : { headers: mapped(end.headers, header) }),
  }))
  return {
    parameter: resolver<Parameter>((end) => ({ ...exampled(end), ...contentOf(end) })),
    body: resolver<RequestBodyObject>(contentOf),
    responses: (written: Record<string, ContractResponse>) => mapped(written, response),
  }
}

/** The object at the end of the references of an object. @throws BrokenReference */
export function endOf<Written extends object>(document: unknown, written: Written): Written {
  const visited = new Set<unknown>()
  let end: Written = written
  while ('$ref' in end && typeof end.$ref === 'string') {
    if (visited.has(end)) throw new BrokenReference(`the reference ${end.$ref} leads back to itself`)
    visited.add(end)
    // `generate` has checked that it is an object of the same kind.
    end = find(document, end.$ref) as Written
  }
  return end
}

function mapped<Member>(map: Record<string, Member>, change: (member: Member) => Member): Record<string, Member> {
  return Object.fromEntries(Object.entries(map).map(([name, member]) => [name, change(member)]))
}

/** Lists the base paths of the contract's servers: `/v1` for `https://plants.example/v1/`, `` for the root. */
export function basePathsOf({ servers = [] }: Pick<ContractDocument, 'servers'>): string[] {
  const paths = servers.map(({ url }) =>
    decodeURI(new URL(url, 'http://localhost/').pathname).replace(/(?<!\/)\/+$/, ''),
  )
  return paths.length === 0 ? [''] : [...new Set(paths)]
}

/** Members that map names chosen by the author of the contract. */
export const maps: readonly string[] = [
  'additionalOperations',
  '$defs',
  'callbacks',
  'content',
  'encoding',
  'examples',
  'headers',
  'links',
  'parameters',
  'paths',
  'properties',
  'requestBodies',
  'responses',
  'schemas',
  'securitySchemes',
  'webhooks',
]

/** Statuses without content (RFC 9110, sections 15.3.5, 15.3.6, 15.4.5). */
export const contentless = [204, 205, 304] as const
const contentlessNumbers: readonly number[] = contentless

/** Whether the responses of a status have no content. */
export function isContentless(status: number): boolean {
  return contentlessNumbers.includes(status)
}

/** Finds the key under which the response of a status is declared: its own, that of its range such as `4XX`, or `default`. */
export function declaredKey(responses: object, status: number): string | undefined {
  const own = String(status)
  if (Object.hasOwn(responses, own)) return own
  const range = `${own.charAt(0)}XX`
  if (Object.hasOwn(responses, range)) return range
  return Object.hasOwn(responses, 'default') ? 'default' : undefined
}

/** Finds the response for a status: its own, that of its range such as `4XX`, or `default`. */
export function declaredResponse<Response>(responses: Record<string, Response>, status: number): Response | undefined {
  return responses[declaredKey(responses, status) ?? '']
}

/** The media types of an operation's successful responses, in their order. */
export function offeredTypes({ responses }: Pick<OperationObject, 'responses'>): string[] {
  const successful = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  return [...new Set(successful.flatMap(([, { content }]) => Object.keys(content ?? {})))]
}
