import {
  type ContractDocument,
  type ContractOperation,
  type ContractResponse,
  basePathsOf,
  createMatcher,
  declaredKey,
  operationsOf,
  parseMediaType,
  unmatchedResponsesOf,
} from 'fastify-contract/document'
import { Unjudged } from './fault.ts'
import { type Direction, type NamedSchemas, type Schema, type Subschema } from 'fastify-contract/schema'
import { type ValueCheck, createValueChecks } from 'fastify-contract/schema'

/** A request, as far as it decides which response the contract declares. */
export interface SentRequest {
  method: string
  /** The request target, without the base path of the server. */
  url: string
}

/** A contract as the suite reads it. */
export interface TestedContract {
  document: ContractDocument
  operations: readonly ContractOperation[]
  /** The responses to requests that match no operation. */
  unmatched: Record<string, ContractResponse> | undefined
  schemas: NamedSchemas
  problemsOf: SchemaChecks
}

/** `closed` is a response without properties that no schema declares; the others may have some. */
export type CheckKind = 'request' | 'response' | 'closed'

/** Lists the ways in which a JSON value breaks a schema. */
export type SchemaChecks = (value: unknown, schema: Subschema, kind?: CheckKind) => string[]

/** @param document one that `fastify-contract generate` has checked, parsed by `parseJsonWithBigInts` */
export function readContract(document: unknown): TestedContract {
  // `generate` has checked it.
  const checked = document as ContractDocument
  const schemas = checked.components?.schemas ?? {}
  return {
    document: checked,
    operations: operationsOf(checked),
    unmatched: unmatchedResponsesOf(checked),
    schemas,
    problemsOf: createSchemaChecks(schemas),
  }
}

function createSchemaChecks(schemas: NamedSchemas): SchemaChecks {
  const checks = { request: checksOf(schemas, 'request'), response: checksOf(schemas, 'response') }
  return (value, schema, kind = 'request') => {
    if (typeof schema === 'boolean') return schema ? [] : ['no value is valid']
    const check = checks[kind === 'request' ? kind : 'response'](schema)
    // What cannot be compiled is not checked; `generate` refuses it.
    const found = typeof check === 'string' ? undefined : check(value)
    return found === undefined || (found.isOnlyUndeclared && kind !== 'closed') ? [] : [found.problem]
  }
}

/** To find the check of a schema by its text is slow. */
function checksOf(schemas: NamedSchemas, direction: Direction): (schema: Schema) => ValueCheck | string {
  const compile = createValueChecks(schemas, direction)
  const known = new WeakMap<Schema, ValueCheck | string>()
  return (schema) => {
    const check = known.get(schema) ?? compile(schema)
    known.set(schema, check)
    return check
  }
}

/** @throws Error when the contract has no such operation */
export function operationNamed({ operations }: Pick<TestedContract, 'operations'>, id: string): ContractOperation {
  const operation = operations.find((candidate) => candidate.id === id)
  if (operation === undefined) throw new Error(`the contract has no operation ${id}`)
  return operation
}

/** The operation that somebody names by its id, or by its method and path. @throws Unjudged */
export function chosenOperation(contract: Pick<TestedContract, 'operations'>, name: string): ContractOperation {
  const operation = contract.operations.find((each) => each.id === name || routeOf(each) === name)
  if (operation === undefined) throw new Unjudged(`the contract has no operation ${name}`)
  return operation
}

/** Method and path of an operation, such as `POST /pet`. */
export function routeOf({ method, path }: Pick<ContractOperation, 'method' | 'path'>): string {
  return `${method.toUpperCase()} ${path}`
}

/** A path as a request has it: what is not ASCII is percent-encoded. */
export function asTarget(path: string): string {
  return path.replaceAll(/[^\x21-\x7e]+/gu, encodeURIComponent)
}

/** Whether a path is one of a template, such as `/plants/{id}`. */
export function isPathOf(written: string, given: string): boolean {
  const [template, path] = [asTarget(written), asTarget(given)]
  // An expression may be too large.
  if (!template.includes('{')) return template === path
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
export function responseTo(
  contract: TestedContract,
  request: SentRequest,
  status: number,
): [string, ContractResponse] | undefined {
  const responses = responsesTo(contract, request)
  const key = declaredKey(responses, status)
  return key === undefined ? undefined : [key, responses[key]!]
}

/** Every response that the contract declares for a request. */
export function responsesTo(contract: TestedContract, request: SentRequest): Record<string, ContractResponse> {
  return operationOf(contract, request)?.object.responses ?? contract.unmatched ?? {}
}

/** The statuses that an operation declares, as numbers: of a range its first, of `default` the one that is given. */
export function statusesOf({ object }: ContractOperation, defaultStatus: number): number[] {
  return Object.keys(object.responses)
    .map((key) => (key === 'default' ? defaultStatus : Number(key.replace('XX', '00'))))
    .toSorted((a, b) => a - b)
}

/** The status of a request that succeeds; undefined where an operation declares none. */
export function declaredSuccessOf(operation: ContractOperation): number | undefined {
  const keys = Object.keys(operation.object.responses)
  if (keys.includes('201') && operation.method === 'post') return 201
  const lowest = (start: string) => keys.filter((key) => key.startsWith(start)).toSorted()[0]
  // A failure that is declared as `default` is no success, unless nothing else is one.
  const key = lowest('2') ?? keys.find((each) => each === 'default') ?? lowest('3')
  return key === undefined ? undefined : Number(key.replace('XX', '00').replace('default', '200'))
}

/** The status of a request that succeeds; 204 where an operation declares none. */
export function successOf(operation: ContractOperation): number {
  return declaredSuccessOf(operation) ?? 204
}

/**
 * The URL of a server with the base path of a request: that of its operation's own servers, or else that of the URL, or
 * else that of the contract.
 */
export function addressOf(contract: TestedContract, url: string, request: SentRequest): string {
  const [origin = url] = /^https?:\/\/[^/]+/i.exec(url) ?? []
  const own = ownBaseOf(contract, request)
  if (own !== undefined) return `${origin}${asTarget(own)}`
  return url === origin ? `${url}${baseOf(contract, request)}` : url
}

/** The base path of a request. */
export function baseOf(contract: TestedContract, request: SentRequest): string {
  const [base = ''] = basePathsOf(contract.document)
  return asTarget(ownBaseOf(contract, request) ?? base)
}

/** The base path of an operation that has servers of its own. */
function ownBaseOf({ operations }: TestedContract, { method, url }: SentRequest): string | undefined {
  const own = operations.filter(({ object }) => object.servers !== undefined)
  // Most contracts have none.
  if (own.length === 0) return undefined
  const [path = ''] = url.split('?')
  const onPath = operations.filter((each) => isPathOf(each.path, path))
  const operation = operationOf({ operations: onPath }, { method, url }) ?? onPath[0]
  return operation !== undefined && own.includes(operation) ? operation.basePaths[0] : undefined
}

/** Finds a media type among those that are declared: itself, without its parameters, or by its range. */
export function declaredType(declared: string[], type: string): string | undefined {
  const parsed = parseMediaType(type)
  return parsed === undefined ? undefined : declared[createMatcher(declared)(parsed)]
}
