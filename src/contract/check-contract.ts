import type { Ajv2020 } from 'ajv/dist/2020.js'
import { createAjv } from '../schema/ajv.ts'
import { type ContractDocument, type ContractOperation, type ContractResponse, type Exampled, type Schema, operationsOf, subschemasOf } from './document.ts'
import { withExactScalars } from '../schema/rewrite-schema.ts'

/**
 * Everything in a contract that this service could not keep: what it does not support, formats that nobody checks,
 * examples that break their own schema.
 *
 * @param document a dereferenced contract
 * @returns one line for each problem, naming its place; empty when the contract can be served
 */
export function problemsOf(document: ContractDocument): string[] {
  if (!/^3\.1\.\d+$/.test(document.openapi)) return [`openapi: must be 3.1.x, the version that this service reads, not ${document.openapi}`]
  const operations = operationsOf(document)
  if (operations.length === 0) return ['paths: there is no operation']
  const judge: Judge = { ajv: createAjv('json'), seen: new Set() }
  return [
    // First the schemas that have a name, so that it is under this name that the problems inside of them are told.
    ...Object.entries(document.components?.schemas ?? {}).flatMap(([name, schema]) => exampleProblems({}, schema, `components/schemas/${name}`, judge)),
    ...operations.flatMap((operation) => [...structureProblems(operation, document), ...valueProblems(operation, judge)]),
    ...openOperations(operations.filter(({ id }) => typeof (id as unknown) === 'string')),
    ...duplicates(operations.map(({ id }) => id)).map((id) => `operationId ${id}: is used more than once`),
    ...Object.entries(document['x-unmatched-responses'] ?? {}).flatMap(([status, response]) =>
      responseProblems(response, `x-unmatched-responses/${status}`, judge),
    ),
  ]
}

/** What judges the examples of a contract. Of a schema that several places refer to, the examples inside are judged once. */
interface Judge {
  ajv: Ajv2020
  seen: Set<Schema>
}

function structureProblems({ id, method, path, parameters, security, object }: ContractOperation, document: ContractDocument): string[] {
  const problems: string[] = []
  const place = `operation ${id}`
  // The types describe a contract that has been judged; this one is being judged.
  if (typeof (id as unknown) !== 'string') return [`${method.toUpperCase()} ${path}: has no operationId`]
  const statuses = Object.keys(object.responses)
  if (statuses.length === 0) problems.push(`${place}: declares no response`)
  for (const status of statuses) {
    if (!/^[1-5]\d\d$/.test(status)) problems.push(`${place}: declares the response ${status}; name each status, so that a reply can be checked against it`)
  }
  for (const segment of path.split('/')) {
    if (/[{}]/.test(segment) && !/^\{[^{}]+\}$/.test(segment)) problems.push(`${place}: a segment of ${path} must be wholly literal or wholly one {parameter}`)
  }
  const inPath = [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name)
  for (const parameter of parameters) {
    const where = `${place}: the ${parameter.in} parameter ${parameter.name}`
    if (parameter.in === 'cookie') problems.push(`${where} is in a cookie, which this service does not read`)
    if (parameter.schema === undefined) problems.push(`${where} has no schema`)
    if (parameter.style !== undefined || parameter.explode !== undefined) problems.push(`${where} has a style of its own, which this service does not read`)
    if (parameter.schema?.['type'] === 'object') problems.push(`${where} is an object, which this service does not read`)
    if (parameter.schema?.['type'] === 'array' && parameter.in !== 'query') problems.push(`${where} is an array, which this service reads from queries alone`)
    if (parameter.in === 'path' && !inPath.includes(parameter.name)) problems.push(`${where} is not in ${path}`)
  }
  for (const name of duplicates(parameters.map((parameter) => `the ${parameter.in} parameter ${parameter.name}`))) problems.push(`${place}: ${name} is described twice`)
  for (const name of inPath) {
    if (!parameters.some((parameter) => parameter.in === 'path' && parameter.name === name)) problems.push(`${place}: the path parameter ${String(name)} is not described`)
  }
  const mediaTypes = Object.keys(object.requestBody?.content ?? {})
  if (object.requestBody && mediaTypes.join() !== 'application/json') problems.push(`${place}: takes a body of ${mediaTypes.join(', ')}, and this service reads application/json`)
  const schema = object.requestBody?.content['application/json']?.schema
  if (schema?.['type'] === 'integer') problems.push(`${place}: takes a bare integer as its body; wrap it in an object, so that it is read exactly`)
  const schemes = document.components?.securitySchemes ?? {}
  for (const scheme of security.flatMap((requirement) => Object.keys(requirement))) {
    if (!(scheme in schemes)) problems.push(`${place}: requires the security scheme ${scheme}, which components/securitySchemes does not describe`)
  }
  return problems
}

/** One line for each operation that can be called without credentials. */
export function openOperations(operations: ContractOperation[]): string[] {
  return operations
    .filter(({ security }) => security.length === 0 || security.some((requirement) => Object.keys(requirement).length === 0))
    .map(({ id }) => `operation ${id}: can be called without credentials, and every operation of this service acts for a caller`)
}

function valueProblems({ id, parameters, object }: ContractOperation, judge: Judge): string[] {
  return [
    ...parameters.flatMap((parameter) => exampleProblems(parameter, parameter.schema, `operation ${id}: ${parameter.in}/${parameter.name}`, judge)),
    ...Object.entries(object.requestBody?.content ?? {}).flatMap(([type, media]) => exampleProblems(media, media.schema, `operation ${id}: requestBody/${type}`, judge)),
    ...Object.entries(object.responses).flatMap(([status, response]) => responseProblems(response, `operation ${id}: responses/${status}`, judge)),
  ]
}

function responseProblems(response: ContractResponse, place: string, judge: Judge): string[] {
  return [
    ...Object.entries(response.headers ?? {}).flatMap(([name, header]) => exampleProblems(header, header.schema, `${place}/headers/${name}`, judge)),
    ...Object.entries(response.content ?? {}).flatMap(([type, media]) => exampleProblems(media, media.schema, `${place}/${type}`, judge)),
  ]
}

/** Judges the examples beside a schema and, throughout it, those that its subschemas carry. */
function exampleProblems({ example, examples }: Exampled, schema: Schema | undefined, place: string, judge: Judge): string[] {
  if (schema === undefined) return []
  const named = Object.entries(examples ?? {}).map(([name, { value }]) => [`${place}/examples/${name}`, value] as const)
  const values = example === undefined ? named : [...named, [`${place}/example`, example] as const]
  try {
    compiled(schema, judge.ajv)
  } catch (error) {
    return [`${place}: ${error instanceof Error ? error.message : String(error)}`]
  }
  return [...values.flatMap(([where, value]) => valueProblem(value, schema, where, judge.ajv)), ...innerExampleProblems(schema, place, judge)]
}

function innerExampleProblems(schema: Schema, place: string, judge: Judge): string[] {
  if (judge.seen.has(schema)) return []
  judge.seen.add(schema)
  const { examples, example } = schema
  const values = [...(Array.isArray(examples) ? (examples as unknown[]) : []), ...(example === undefined ? [] : [example])]
  return [
    ...values.flatMap((value) => valueProblem(value, schema, place, judge.ajv)),
    ...subschemasOf(schema).flatMap(([name, subschema]) => innerExampleProblems(subschema, `${place}/${name}`, judge)),
  ]
}

function valueProblem(value: unknown, schema: Schema, place: string, ajv: Ajv2020): string[] {
  const validate = compiled(schema, ajv)
  // The keyword `scalar` writes into the value's container, so the value gets one of its own.
  const holder = { value: structuredClone(value) }
  if (validate(holder)) return []
  const reasons = (validate.errors ?? []).map(({ instancePath, message = 'is not valid' }) => `${instancePath.slice('/value'.length)} ${message}`.trim())
  return [`${place}: the example ${reasons.join(', ')}`]
}

const holders = new WeakMap<Schema, object>()

function compiled(schema: Schema, ajv: Ajv2020) {
  let holder = holders.get(schema)
  if (holder === undefined) {
    holder = { type: 'object', properties: { value: withExactScalars(schema) } }
    holders.set(schema, holder)
  }
  return ajv.compile(holder)
}

function duplicates(ids: string[]): string[] {
  return [...new Set(ids.filter((id, index) => ids.indexOf(id) !== index))]
}
