import {
  type ContractDocument,
  type ContractOperation,
  type ContractResponse,
  maps,
  operationsOf,
  basePathsOf,
} from 'fastify-contract/document'
import { find } from 'fastify-contract/json'
import { type Schema, schemaNameOf, schemasPointer } from 'fastify-contract/schema'
import { type SchemaChecks, createSchemaChecks } from './schema-checks.ts'

/** A request, as far as it decides which response the contract declares. */
export interface SentRequest {
  method: string
  /** The request target, without the base path of the server. */
  url: string
}

/** A contract as the suite reads it. */
export interface TestedContract {
  /** The document without references, but for those to named schemas. */
  document: ContractDocument
  operations: readonly ContractOperation[]
  /** Finds the named schema of a reference. @throws Error without one */
  targetOf: (reference: string) => Schema
  problemsOf: SchemaChecks
}

/**
 * Reads a contract without the library's code for schemas, which could not find its own faults.
 *
 * @param document one that `fastify-contract generate` has checked, parsed by `parseJsonWithBigInts`
 */
export function readContract(document: unknown): TestedContract {
  const inlined = inlineReferences(document)
  const schemas = inlined.components?.schemas ?? {}
  return {
    document: inlined,
    operations: operationsOf(inlined),
    targetOf: (reference) => {
      const target = schemas[schemaNameOf(reference) ?? '']
      if (target === undefined) throw new Error(`the reference ${reference} leads to no schema`)
      return target
    },
    problemsOf: createSchemaChecks(schemas),
  }
}

/** @throws Error when the contract has no such operation */
export function operationNamed({ operations }: TestedContract, id: string): ContractOperation {
  const operation = operations.find((candidate) => candidate.id === id)
  if (operation === undefined) throw new Error(`the contract has no operation ${id}`)
  return operation
}

/** Method and path of an operation, such as `POST /pet`. */
export function routeOf({ method, path }: Pick<ContractOperation, 'method' | 'path'>): string {
  return `${method.toUpperCase()} ${path}`
}

/** Whether a path is one of a template, such as `/plants/{id}`. */
export function isPathOf(template: string, path: string): boolean {
  const pattern = template.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`).replaceAll(/\{[^{}]+\}/g, '[^/]+')
  return new RegExp(`^${pattern}$`).test(path)
}

/** The operation of a request; undefined for a path or a method that the contract does not have. */
export function operationOf(
  { operations }: TestedContract,
  { method, url }: SentRequest,
): ContractOperation | undefined {
  const [path = ''] = url.replace(/^https?:\/\/[^/?]*/i, '').split('?')
  const has = (wanted: string) =>
    operations
      .filter((operation) => operation.method.toUpperCase() === wanted && isPathOf(operation.path, path))
      // OpenAPI 3.1, "Path Templating Matching": a path without parameters comes first.
      .toSorted((a, b) => Number(a.path.includes('{')) - Number(b.path.includes('{')))[0]
  const name = method.toUpperCase()
  return has(name) ?? (name === 'HEAD' ? has('GET') : undefined)
}

/** The declared response of a status, with the key under which it stands: `404`, `4XX` or `default`. */
export function declaredResponse(
  contract: TestedContract,
  request: SentRequest,
  status: number,
): [string, ContractResponse] | undefined {
  const responses = responsesTo(contract, request)
  const keys = [String(status), `${String(status).charAt(0)}XX`, 'default']
  return Object.entries(responses).find(([key]) => key === keys.find((each) => each in responses))
}

/** Every response that the contract declares for a request. */
export function responsesTo(contract: TestedContract, request: SentRequest): Record<string, ContractResponse> {
  return operationOf(contract, request)?.object.responses ?? contract.document['x-unmatched-responses'] ?? {}
}

/** Members that are data, in which nothing is a reference. */
const data = ['const', 'default', 'enum', 'example', 'value']

/**
 * Replaces every reference by its target, except references to named schemas: a schema may contain itself.
 *
 * @returns a document in which equal references share one object
 */
function inlineReferences(document: unknown): ContractDocument {
  const resolved = new Map<string, unknown>()

  function resolve(reference: string): unknown {
    const target = resolved.get(reference) ?? copy(find(document, reference))
    resolved.set(reference, target)
    return target
  }

  function copy(node: unknown, isMap = false): unknown {
    if (Array.isArray(node)) return node.map((member) => copy(member))
    if (typeof node !== 'object' || node === null) return node
    if ('$ref' in node && typeof node.$ref === 'string' && !node.$ref.startsWith(schemasPointer)) {
      return resolve(node.$ref)
    }
    // The names in a map are those of the author, such as `default` for a response.
    const members = Object.entries(node).map(([name, member]: [string, unknown]): [string, unknown] => {
      return [name, !isMap && data.includes(name) ? member : copy(member, !isMap && maps.includes(name))]
    })
    return Object.fromEntries(members)
  }

  // `generate` has checked its structure.
  return copy(document) as ContractDocument
}

/** The URL of a server with its base path: that of the URL, or else that of the contract. */
export function addressOf(contract: TestedContract, url: string): string {
  const hasPath = /^https?:\/\/[^/]+\//i.test(url)
  const [base = ''] = hasPath ? [] : basePathsOf(contract.document)
  return `${url}${base}`
}
