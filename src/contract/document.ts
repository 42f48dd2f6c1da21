/** The parts of an OpenAPI 3.1 document that this service reads. Values are as `parseJsonWithBigInts` gives them. */
export interface ContractDocument {
  openapi: string
  info: { title: string; version: string }
  security?: SecurityRequirement[]
  paths?: Record<string, PathItem>
  components?: {
    securitySchemes?: Record<string, unknown>
    schemas?: Record<string, Schema>
    [section: string]: unknown
  }
  'x-unmatched-responses'?: Record<string, ContractResponse>
  'x-generated-from'?: string
}

export type SecurityRequirement = Record<string, string[]>
export type Schema = Record<string, unknown>

export type PathItem = { parameters?: Parameter[] } & { [Method in ContractMethod]?: WrittenOperation }

/** OpenAPI 3.1 lets an operation go without responses. */
type WrittenOperation = Omit<OperationObject, 'responses'> & Partial<Pick<OperationObject, 'responses'>>

export interface OperationObject {
  operationId: string
  tags?: string[]
  summary?: string
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

/** The methods that an OpenAPI 3.1 path item can have. */
export const contractMethods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const
export type ContractMethod = (typeof contractMethods)[number]

/** One operation of the contract, with what it inherits from its path and from the document. */
export interface ContractOperation {
  id: string
  method: ContractMethod
  path: string
  parameters: Parameter[]
  security: SecurityRequirement[]
  object: OperationObject
}

/** Lists the operations of a contract without references, in its order. */
export function operationsOf(document: ContractDocument): ContractOperation[] {
  return Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    contractMethods.flatMap((method) => {
      const written = item[method]
      if (written === undefined) return []
      const object = { ...written, responses: written.responses ?? {} }
      const parameters = [...(object.parameters ?? []), ...(item.parameters ?? [])]
      const security = object.security ?? document.security ?? []
      return [{ id: object.operationId, method, path, parameters, security, object }]
    }),
  )
}

/** The names of the security schemes that are bearer authentication (RFC 6750), whatever the contract calls them. */
export function bearerSchemesOf({ components }: ContractDocument): string[] {
  return Object.entries(components?.securitySchemes ?? {}).flatMap(([name, scheme]) => {
    if (typeof scheme !== 'object' || scheme === null) return []
    const { type, scheme: authentication } = scheme as { type?: unknown; scheme?: unknown }
    const isBearer = type === 'http' && typeof authentication === 'string' && authentication.toLowerCase() === 'bearer'
    return isBearer ? [name] : []
  })
}

/**
 * Replaces every local reference by what it refers to.
 *
 * @param document a parsed OpenAPI document
 * @returns a document in which equal references are one shared object
 * @throws Error when a reference leads out of the document, to nothing, or back to itself
 */
export function dereference(document: unknown): ContractDocument {
  const resolved = new Map<string, unknown>()
  const open = new Set<string>()

  function resolve(reference: string): unknown {
    if (resolved.has(reference)) return resolved.get(reference)
    if (open.has(reference)) {
      throw new Error(`the reference ${reference} leads back to itself, which this service does not support`)
    }
    open.add(reference)
    const target = copy(find(document, reference))
    open.delete(reference)
    resolved.set(reference, target)
    return target
  }

  function copy(node: unknown): unknown {
    if (Array.isArray(node)) return node.map(copy)
    if (typeof node !== 'object' || node === null) return node
    const { $ref: reference, ...siblings } = node as Record<string, unknown>
    if (typeof reference !== 'string') {
      return Object.fromEntries(Object.entries(node).map(([name, member]) => [name, copy(member)]))
    }
    const target = resolve(reference)
    const described = Object.keys(siblings).filter((name) => name !== 'description' && name !== 'summary')
    // OpenAPI lets a reference carry a description of its own; JSON Schema 2020-12 lets it carry more assertions.
    return described.length === 0 ? target : { allOf: [target, copy(siblings)] }
  }

  // The caller checks the document's structure before or after.
  return copy(document) as ContractDocument
}

function find(document: unknown, reference: string): unknown {
  if (!reference.startsWith('#/')) throw new Error(`the reference ${reference} leads out of the contract`)
  let node = document
  for (const token of reference.slice(2).split('/')) {
    const name = percentDecoded(token, reference).replaceAll('~1', '/').replaceAll('~0', '~')
    const isMember = typeof node === 'object' && node !== null && Object.hasOwn(node, name)
    node = isMember ? (node as Record<string, unknown>)[name] : undefined
  }
  if (node === undefined) throw new Error(`the reference ${reference} leads to nothing`)
  return node
}

function percentDecoded(token: string, reference: string): string {
  try {
    return decodeURIComponent(token)
  } catch (error) {
    throw new Error(`the percent-encoding of the reference ${reference} is broken`, { cause: error })
  }
}

/** Lists the schemas directly inside a schema (JSON Schema 2020-12, core, section 10), with their places in it. */
export function subschemasOf(schema: Schema): [string, Schema][] {
  return Object.entries(schema).flatMap(([keyword, member]) => {
    if (singles.includes(keyword)) return isSchema(member) ? [[keyword, member]] : []
    if (!collections.includes(keyword) || typeof member !== 'object' || member === null) return []
    return Object.entries(member).flatMap(([name, subschema]): [string, Schema][] =>
      isSchema(subschema) ? [[`${keyword}/${name}`, subschema]] : [],
    )
  })
}

/** Keywords whose value is a schema. */
const singles = [
  'items',
  'additionalProperties',
  'propertyNames',
  'contains',
  'not',
  'if',
  'then',
  'else',
  'unevaluatedItems',
  'unevaluatedProperties',
]

/** Keywords whose value holds schemas. */
const collections = [
  'properties',
  'patternProperties',
  'dependentSchemas',
  '$defs',
  'allOf',
  'anyOf',
  'oneOf',
  'prefixItems',
]

/** `true` and `false` are schemas too, which hold nothing. */
function isSchema(member: unknown): member is Schema {
  return typeof member === 'object' && member !== null && !Array.isArray(member)
}
