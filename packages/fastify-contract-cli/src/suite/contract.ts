import {
  type ContractDocument,
  type ContractOperation,
  type ContractResponse,
  basePathsOf,
  dereference,
  operationsOf,
} from 'fastify-contract/document'
import { type NamedSchemas, type Schema, type ValueCheck, createValueChecks } from 'fastify-contract/schema'

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
  schemas: NamedSchemas
  problemsOf: SchemaChecks
}

/** `closed` is a response without properties that no schema declares; the others may have some. */
export type CheckKind = 'request' | 'response' | 'closed'

/** Lists the ways in which a JSON value breaks a schema. */
export type SchemaChecks = (value: unknown, schema: Schema, kind?: CheckKind) => string[]

/** @param document one that `fastify-contract generate` has checked, parsed by `parseJsonWithBigInts` */
export function readContract(document: unknown): TestedContract {
  const resolved = dereference(document)
  const schemas = resolved.components?.schemas ?? {}
  return { document: resolved, operations: operationsOf(resolved), schemas, problemsOf: createSchemaChecks(schemas) }
}

function createSchemaChecks(schemas: NamedSchemas): SchemaChecks {
  const compilers = {
    request: createValueChecks(schemas, 'request'),
    response: createValueChecks(schemas, 'response'),
  }
  const known = { request: new WeakMap<Schema, ValueCheck | string>(), response: new WeakMap<Schema, ValueCheck>() }
  return (value, schema, kind = 'request') => {
    const direction = kind === 'request' ? kind : 'response'
    const check = known[direction].get(schema) ?? compilers[direction](schema)
    // What cannot be compiled is not checked; `generate` refuses it.
    if (typeof check === 'string') return []
    known[direction].set(schema, check)
    const found = check(value)
    return found === undefined || (found.isOnlyUndeclared && kind !== 'closed') ? [] : [found.problem]
  }
}

/** @throws Error when the contract has no such operation */
export function operationNamed({ operations }: Pick<TestedContract, 'operations'>, id: string): ContractOperation {
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
  { operations }: Pick<TestedContract, 'operations'>,
  { method, url }: SentRequest,
): ContractOperation | undefined {
  const [path = ''] = url.replace(/^https?:\/\/[^/?]*/i, '').split('?')
  const has = (wanted: string) =>
    operations
      .filter((operation) => operation.method.toUpperCase() === wanted && isPathOf(operation.path, path))
      // OpenAPI 3.1, "Path Templating Matching": a path without parameters comes first, then the one with most text.
      .toSorted((a, b) => Number(a.path.includes('{')) - Number(b.path.includes('{')) || textIn(b) - textIn(a))[0]
  const name = method.toUpperCase()
  return has(name) ?? (name === 'HEAD' ? has('GET') : undefined)
}

/** How much of a path is not in parameters. */
function textIn({ path }: ContractOperation): number {
  return path.replaceAll(/\{[^{}]+\}/g, '').length
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

/** The statuses that an operation declares, as numbers: of a range its first, of `default` the one that is given. */
export function statusesOf({ object }: ContractOperation, ofDefault: number): number[] {
  return Object.keys(object.responses)
    .map((key) => (key === 'default' ? ofDefault : Number(key.replace('XX', '00'))))
    .toSorted((a, b) => a - b)
}

/** The status of a request that succeeds. */
export function successOf(operation: ContractOperation): number {
  const successes = Object.keys(operation.object.responses).filter((key) => key.startsWith('2'))
  if (successes.includes('201') && operation.method === 'post') return 201
  const statuses = statusesOf(operation, 200)
  // `generate` gives every operation a response.
  return statuses.find((status) => status >= 200 && status < 300) ?? statuses[0]!
}

/** The URL of a server with its base path: that of the URL, or else that of the contract. */
export function addressOf(contract: TestedContract, url: string): string {
  const hasPath = /^https?:\/\/[^/]+\//i.test(url)
  const [base = ''] = hasPath ? [] : basePathsOf(contract.document)
  return `${url}${base}`
}
