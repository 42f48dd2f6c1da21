import type { Ajv2020 } from 'ajv/dist/2020.js'
import { createAjv } from '../schema/ajv.ts'
import { withExactScalars } from '../schema/rewrite-schema.ts'
import type { ContractDocument, ContractOperation, ContractResponse, Exampled, Parameter, Schema } from './document.ts'
import { operationsOf, subschemasOf } from './document.ts'

/**
 * Finds what this service cannot keep of a contract: parts of OpenAPI that it does not support, formats that nobody
 * checks, examples that break their own schema.
 *
 * @param document a dereferenced contract
 * @returns one line for each problem, naming its place; empty when the contract can be served
 */
export function checkContract(document: ContractDocument): string[] {
  if (!/^3\.1\.\d+$/.test(document.openapi)) {
    return [`openapi: must be 3.1.x, the version that this service reads, not ${document.openapi}`]
  }
  const operations = operationsOf(document)
  if (operations.length === 0) return ['paths: there is no operation']
  const examples = new ExampleCheck()
  // The types describe a checked contract; this one may lack any operationId.
  const named = operations.filter(({ id }) => typeof (id as unknown) === 'string')
  const unnamed = operations.filter((operation) => !named.includes(operation))
  return [
    // Named schemas come first, so that their problems are reported under their names.
    ...Object.entries(document.components?.schemas ?? {}).flatMap(([name, schema]) =>
      examples.problems({}, schema, `components/schemas/${name}`),
    ),
    ...unnamed.map(({ method, path }) => `${method.toUpperCase()} ${path}: has no operationId`),
    ...named.flatMap((operation) => [
      ...structureProblems(operation, document).map((problem) => `operation ${operation.id}: ${problem}`),
      ...exampleProblems(operation, examples),
    ]),
    ...openOperations(named),
    ...duplicates(operations.map(({ id }) => id)).map((id) => `operationId ${id}: is used more than once`),
    ...Object.entries(document['x-unmatched-responses'] ?? {}).flatMap(([status, response]) =>
      responseProblems(response, `x-unmatched-responses/${status}`, examples),
    ),
  ]
}

/** One line for each operation that can be called without credentials. */
export function openOperations(operations: ContractOperation[]): string[] {
  const isOpen = ({ security }: ContractOperation) =>
    security.length === 0 || security.some((requirement) => Object.keys(requirement).length === 0)
  const problem = 'can be called without credentials, and every operation of this service acts for a caller'
  return operations.filter(isOpen).map(({ id }) => `operation ${id}: ${problem}`)
}

function structureProblems(operation: ContractOperation, document: ContractDocument): string[] {
  return [
    ...statusProblems(operation),
    ...pathProblems(operation),
    ...parameterProblems(operation),
    ...bodyProblems(operation),
    ...schemeProblems(operation, document),
  ]
}

function statusProblems({ object }: ContractOperation): string[] {
  const statuses = Object.keys(object.responses)
  if (statuses.length === 0) return ['declares no response']
  return statuses
    .filter((status) => !/^[1-5]\d\d$/.test(status))
    .map((status) => `declares the response ${status}; name each status, so that a reply can be checked against it`)
}

function pathProblems({ path, parameters }: ContractOperation): string[] {
  const described = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
  const named = namesIn(path)
  return [
    ...path
      .split('/')
      .filter((segment) => /[{}]/.test(segment) && !/^\{[^{}]+\}$/.test(segment))
      .map(() => `a segment of ${path} must be wholly literal or wholly one {parameter}`),
    ...described.filter((name) => !named.includes(name)).map((name) => `the path parameter ${name} is not in ${path}`),
    ...named.filter((name) => !described.includes(name)).map((name) => `the path parameter ${name} is not described`),
  ]
}

function namesIn(path: string): string[] {
  return [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name)
}

function parameterProblems({ parameters }: ContractOperation): string[] {
  const nameOf = (parameter: Parameter) => `the ${parameter.in} parameter ${parameter.name}`
  return [
    ...parameters.flatMap((parameter) => unreadable(parameter).map((problem) => `${nameOf(parameter)} ${problem}`)),
    ...duplicates(parameters.map(nameOf)).map((name) => `${name} is described twice`),
  ]
}

function unreadable(parameter: Parameter): string[] {
  const { schema, style, explode } = parameter
  const problems: [boolean, string][] = [
    [parameter.in === 'cookie', 'is in a cookie, which this service does not read'],
    [schema === undefined, 'has no schema'],
    [style !== undefined || explode !== undefined, 'has a style of its own, which this service does not read'],
    [schema?.['type'] === 'object', 'is an object, which this service does not read'],
    [
      schema?.['type'] === 'array' && parameter.in !== 'query',
      'is an array, which this service reads from queries alone',
    ],
  ]
  return problems.filter(([applies]) => applies).map(([, problem]) => problem)
}

function bodyProblems({ object: { requestBody } }: ContractOperation): string[] {
  if (requestBody === undefined) return []
  const types = Object.keys(requestBody.content).join(', ')
  if (types !== 'application/json') return [`takes a body of ${types}, and this service reads application/json`]
  const { schema } = requestBody.content['application/json'] ?? {}
  if (schema?.['type'] !== 'integer') return []
  return ['takes a bare integer as its body; wrap it in an object, so that it is read exactly']
}

function schemeProblems({ security }: ContractOperation, { components }: ContractDocument): string[] {
  const described = components?.securitySchemes ?? {}
  return security
    .flatMap((requirement) => Object.keys(requirement))
    .filter((scheme) => !(scheme in described))
    .map((scheme) => `requires the security scheme ${scheme}, which components/securitySchemes does not describe`)
}

function exampleProblems({ id, parameters, object }: ContractOperation, examples: ExampleCheck): string[] {
  const place = `operation ${id}`
  return [
    ...parameters.flatMap((parameter) =>
      examples.problems(parameter, parameter.schema, `${place}: ${parameter.in}/${parameter.name}`),
    ),
    ...Object.entries(object.requestBody?.content ?? {}).flatMap(([type, media]) =>
      examples.problems(media, media.schema, `${place}: requestBody/${type}`),
    ),
    ...Object.entries(object.responses).flatMap(([status, response]) =>
      responseProblems(response, `${place}: responses/${status}`, examples),
    ),
  ]
}

function responseProblems({ headers, content }: ContractResponse, place: string, examples: ExampleCheck): string[] {
  return [
    ...Object.entries(headers ?? {}).flatMap(([name, header]) =>
      examples.problems(header, header.schema, `${place}/headers/${name}`),
    ),
    ...Object.entries(content ?? {}).flatMap(([type, media]) =>
      examples.problems(media, media.schema, `${place}/${type}`),
    ),
  ]
}

/** Validates examples by their schemas. The examples inside a schema are checked once, whatever refers to it. */
class ExampleCheck {
  readonly #ajv: Ajv2020 = createAjv('json')
  readonly #checked = new Set<Schema>()
  readonly #holders = new Map<Schema, object>()

  /** Checks the examples beside a schema, and those that it and its subschemas carry. */
  problems({ example, examples }: Exampled, schema: Schema | undefined, place: string): string[] {
    if (schema === undefined) return []
    try {
      this.#compile(schema)
    } catch (error) {
      return [`${place}: ${error instanceof Error ? error.message : String(error)}`]
    }
    return [
      ...Object.entries(examples ?? {}).flatMap(([name, { value }]) =>
        this.#valueProblem(value, schema, `${place}/examples/${name}`),
      ),
      ...(example === undefined ? [] : this.#valueProblem(example, schema, `${place}/example`)),
      ...this.#innerProblems(schema, place),
    ]
  }

  #innerProblems(schema: Schema, place: string): string[] {
    if (this.#checked.has(schema)) return []
    this.#checked.add(schema)
    const { examples, example } = schema
    const listed = Array.isArray(examples) ? (examples as unknown[]) : []
    const values = example === undefined ? listed : [...listed, example]
    return [
      ...values.flatMap((value) => this.#valueProblem(value, schema, place)),
      ...subschemasOf(schema).flatMap(([name, subschema]) => this.#innerProblems(subschema, `${place}/${name}`)),
    ]
  }

  #valueProblem(value: unknown, schema: Schema, place: string): string[] {
    const validate = this.#compile(schema)
    // The keyword `scalar` writes into the value's container, so the value gets one of its own.
    if (validate({ value: structuredClone(value) })) return []
    const reasons = (validate.errors ?? []).map(({ instancePath, message = 'is not valid' }) =>
      `${instancePath.slice('/value'.length)} ${message}`.trim(),
    )
    return [`${place}: the example ${reasons.join(', ')}`]
  }

  #compile(schema: Schema) {
    // Ajv compiles one object once.
    let holder = this.#holders.get(schema)
    if (holder === undefined) {
      holder = { type: 'object', properties: { value: withExactScalars(schema) } }
      this.#holders.set(schema, holder)
    }
    return this.#ajv.compile(holder)
  }
}

function duplicates(names: string[]): string[] {
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))]
}
