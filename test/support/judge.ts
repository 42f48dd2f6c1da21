import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createAjv } from '../../src/contract/ajv.ts'
import { type ContractResponse, type Schema, dereference, operationsOf } from '../../src/contract/document.ts'
import { parseJson, parseJsonWithBigInts } from '../../src/contract/json.ts'
import { withExactScalars } from '../../src/contract/scalars.ts'

/** A response as it came over the wire. Names of headers are in lower case. */
export interface ReceivedResponse {
  status: number
  headers: Record<string, string | string[] | number | undefined>
  text: string
}

/** A request, as far as it decides which response the contract declares. */
export interface SentRequest {
  method: string
  url: string
}

const document = dereference(parseJsonWithBigInts(readFileSync(join(import.meta.dirname, '../../generated/contract.json'), 'utf8')))
const operations = operationsOf(document)

/** Headers that belong to HTTP itself or to every response of the server, not to an operation. */
const transportHeaders = ['content-type', 'content-length', 'transfer-encoding', 'date', 'connection', 'keep-alive']

/** The operation that a request is meant for; undefined for a path or a method that the contract does not have. */
export function operationOf({ method, url }: SentRequest) {
  const path = url.split('?', 1).join()
  const wanted = method.toUpperCase() === 'HEAD' ? 'GET' : method.toUpperCase()
  return operations.find((operation) => operation.method.toUpperCase() === wanted && templatePattern(operation.path).test(path))
}

function templatePattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{[^{}]+\}/g, '[^/]+')}$`)
}

/**
 * Judges a response against everything that the contract says of it: status, media type, body without undeclared
 * fields, declared headers. The tests' own judge: what the server validates with could not find its own faults.
 *
 * @throws Error that names each way in which the response breaks the contract
 */
export function assertKeepsContract(request: SentRequest, response: ReceivedResponse): void {
  const operation = operationOf(request)
  const responses = operation?.object.responses ?? document['x-unmatched-responses'] ?? {}
  const place = `${operation?.id ?? 'no operation'} (${request.method} ${request.url}) answered ${String(response.status)}`
  const declared = responses[String(response.status)]
  if (declared === undefined) throw new Error(`${place}: the contract does not declare this status`)
  const problems = [...headerProblems(declared, response), ...bodyProblems(declared, response, request.method.toUpperCase() === 'HEAD')]
  if (problems.length > 0) throw new Error(`${place}: ${problems.join('; ')}`)
}

function headerProblems(declared: ContractResponse, { headers }: ReceivedResponse): string[] {
  const expected = Object.entries(declared.headers ?? {})
  const missing = expected.filter(([name, header]) => header.required === true && headers[name.toLowerCase()] === undefined).map(([name]) => `the header ${name} is missing`)
  const wrong = expected.flatMap(([name, header]) => {
    const value = headers[name.toLowerCase()]
    return value === undefined || header.schema === undefined ? [] : judge(String(value), header.schema, 'text').map((problem) => `the header ${name} ${problem}`)
  })
  const known = new Set([...transportHeaders, ...expected.map(([name]) => name.toLowerCase())])
  const undeclared = Object.keys(headers).filter((name) => headers[name] !== undefined && !known.has(name)).map((name) => `the header ${name} is not declared`)
  return [...missing, ...wrong, ...undeclared]
}

function bodyProblems(declared: ContractResponse, { headers, text }: ReceivedResponse, isHead: boolean): string[] {
  if (isHead) return text === '' ? [] : ['a response to HEAD has a body']
  if (declared.content === undefined) return text === '' ? [] : ['has a body, and none is declared']
  const type = String(headers['content-type'])
  const schema = declared.content[type]?.schema
  if (schema === undefined) return [`the media type ${type} is not declared`]
  let body: unknown
  try {
    body = parseJson(Buffer.from(text))
  } catch (error) {
    return [`the body is not JSON: ${String(error)}`]
  }
  return judge(body, closed(schema), 'json').map((problem) => `the body ${problem}`)
}

const validators = { json: createAjv('json'), text: createAjv('text') }
const holders = new WeakMap<Schema, object>()

function judge(value: unknown, schema: Schema, source: 'json' | 'text'): string[] {
  let holder = holders.get(schema)
  if (holder === undefined) {
    holder = { type: 'object', properties: { value: withExactScalars(schema) } }
    holders.set(schema, holder)
  }
  const validate = validators[source].compile(holder)
  return validate({ value }) ? [] : [validators[source].errorsText(validate.errors)]
}

const closedSchemas = new WeakMap<Schema, Schema>()

/** The same schema, refusing every property that it does not describe: requests are open, what the service answers is not. */
function closed(schema: Schema): Schema {
  const known = closedSchemas.get(schema)
  if (known !== undefined) return known
  const copy: Schema = Object.fromEntries(Object.entries(schema).map(([name, member]) => [name, closeMember(name, member)]))
  const result = 'properties' in schema || 'allOf' in schema ? { ...copy, unevaluatedProperties: false } : copy
  closedSchemas.set(schema, result)
  return result
}

function closeMember(name: string, member: unknown): unknown {
  // Every object that is a member of `properties`, and `items`, is a schema.
  if (name === 'items') return closed(member as Schema)
  if (name === 'properties') return Object.fromEntries(Object.entries(member as Record<string, Schema>).map(([key, property]) => [key, closed(property)]))
  return member
}
