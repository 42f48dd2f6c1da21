import { BrokenReference, find } from '../json/pointer.ts'
import { type Schema, schemasPointer } from '../schema/schema-parts.ts'

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
    schemas?: Record<string, Schema>
    [section: string]: unknown
  }
  'x-unmatched-responses'?: Record<string, ContractResponse>
  'x-generated-from'?: string
}

export type SecurityRequirement = Record<string, string[]>

export type PathItem = { [Method in ContractMethod]?: WrittenOperation }

/** In OpenAPI 3.1 `responses` is optional. */
type WrittenOperation = Omit<OperationObject, 'responses'> & Partial<Pick<OperationObject, 'responses'>>

export interface OperationObject {
  operationId: string
  tags?: string[]
  /** Not checked, because it only documents. */
  summary?: unknown
  parameters?: Parameter[]
  requestBody?: { required?: boolean; content: Record<string, MediaType> }
  responses: Record<string, ContractResponse>
  security?: SecurityRequirement[]
}

export interface Parameter extends Exampled {
  name: string
  in: 'path' | 'query' | 'header' | 'cookie'
  required?: boolean
  schema?: Schema
  content?: Record<string, MediaType>
  style?: string
  explode?: boolean
}

export interface ContractResponse {
  description: string
  headers?: Record<string, { required?: boolean; schema?: Schema } & Exampled>
  content?: Record<string, MediaType>
}

export interface MediaType extends Exampled {
  schema?: Schema
}

export interface Exampled {
  example?: unknown
  examples?: Record<string, { value?: unknown }>
}

/** The methods of an OpenAPI 3.1 path item. */
export const contractMethods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const
export type ContractMethod = (typeof contractMethods)[number]

/** An operation, with the security of the document. */
export interface ContractOperation {
  id: string
  method: ContractMethod
  path: string
  parameters: Parameter[]
  security: SecurityRequirement[]
  object: OperationObject
}

/** Lists the operations of a dereferenced contract, in its order. `generate` gives each the parameters of its path. */
export function operationsOf(document: ContractDocument): ContractOperation[] {
  const paths = Object.entries(document.paths ?? {}).filter(([path]) => !path.startsWith('x-'))
  return paths.flatMap(([path, item]) =>
    contractMethods.flatMap((method) => {
      const written = item[method]
      if (written === undefined) return []
      const object = { ...written, responses: written.responses ?? {} }
      const { operationId: id, parameters = [], security = document.security ?? [] } = object
      return [{ id, method, path, parameters, security, object }]
    }),
  )
}

/**
 * Lists the base paths of the contract's servers: `/v1` for `https://plants.example/v1/`, `` for the root.
 */
export function basePathsOf({ servers = [] }: ContractDocument): string[] {
  const paths = servers.map(({ url }) =>
    decodeURI(new URL(url, 'http://localhost/').pathname).replace(/(?<!\/)\/+$/, ''),
  )
  return paths.length === 0 ? [''] : [...new Set(paths)]
}

/** Members that map names chosen by the author of the contract. */
export const maps: readonly string[] = [
  '$defs',
  'callbacks',
  'content',
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

/** Members that are JSON values, where `$ref` is not a reference. */
const values: readonly string[] = ['const', 'default', 'enum', 'example', 'value']

/** The library's own extension, which contains responses. */
const readExtension = 'x-unmatched-responses'

/** Whether a member is data rather than OpenAPI: an extension, an example, a constant. */
function isData(name: string, member: unknown): boolean {
  if (name.startsWith('x-')) return name !== readExtension
  return values.includes(name) || (name === 'examples' && Array.isArray(member))
}

/**
 * Replaces local references with their targets, except in data (extensions and values) and except references to schemas:
 * a schema may contain itself.
 *
 * @param document a parsed OpenAPI document
 * @returns a copy in which equal references share one object
 * @throws BrokenReference if one leads out of the document, to nothing, or back to itself
 */
export function dereference(document: unknown): ContractDocument {
  const resolved = new Map<string, unknown>()
  const open = new Set<string>()

  function resolve(reference: string): unknown {
    if (resolved.has(reference)) return resolved.get(reference)
    if (open.has(reference)) throw new BrokenReference(`the reference ${reference} leads back to itself`)
    open.add(reference)
    const target = copy(find(document, reference))
    open.delete(reference)
    resolved.set(reference, target)
    return target
  }

  function copy(node: unknown, isMap = false): unknown {
    if (Array.isArray(node)) return node.map((member) => copy(member))
    if (typeof node !== 'object' || node === null) return node
    if ('$ref' in node && typeof node.$ref === 'string' && !node.$ref.startsWith(schemasPointer)) {
      return resolve(node.$ref)
    }
    const members = Object.entries(node).map(([name, member]): [string, unknown] => {
      if (!isMap && isData(name, member)) return [name, member]
      return [name, copy(member, !isMap && maps.includes(name))]
    })
    return Object.fromEntries(members)
  }

  // The structure of the document is checked elsewhere.
  return copy(document) as ContractDocument
}

/** Finds the response for a status: its own, that of its range such as `4XX`, or `default`. */
export function declaredResponse<Response>(responses: Record<string, Response>, status: number): Response | undefined {
  return responses[String(status)] ?? responses[`${String(Math.floor(status / 100))}XX`] ?? responses['default']
}

/** The media types of an operation's successful responses, in their order. */
export function offeredTypes({ responses }: Pick<OperationObject, 'responses'>): string[] {
  const successful = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  return [...new Set(successful.flatMap(([, { content }]) => Object.keys(content ?? {})))]
}
