import type { ValidateFunction } from 'ajv'
import type { ContractDocument, Exampled } from '../../../fastify-contract/src/document/document.ts'
import { isJson, isText } from '../../../fastify-contract/src/document/document.ts'
import { stringifyJson } from '../../../fastify-contract/src/json/json.ts'
import { escapeName, find } from '../../../fastify-contract/src/json/pointer.ts'
import { createAjv } from '../../../fastify-contract/src/schema/ajv.ts'
import { describeErrors } from '../../../fastify-contract/src/schema/describe-errors.ts'
import { validateValue } from '../../../fastify-contract/src/schema/validation.ts'
import { type Direction, SchemaRewriter } from '../../../fastify-contract/src/schema/rewrite-schema.ts'
import { type Schema, isSchema, schemasPointer } from '../../../fastify-contract/src/schema/schema-parts.ts'
import { type ContractObject, objectsOf } from '../keywords/objects.ts'
import type { Finding } from './findings.ts'

/** Describes how a value breaks its schema; undefined if it is valid. */
type Check = (value: unknown) => { problem: string; isUndeclared?: boolean } | undefined

/** Makes the validation of values in one direction, or in neither, such as examples within schemas. */
export function createValueChecks(document: ContractDocument, direction: Direction | undefined) {
  const rewriter = new SchemaRewriter(document.components?.schemas ?? {}, direction)
  // Inlining matters only for defaults, which apply to requests.
  const ajv = createAjv('json', rewriter, { optimize: false, inline: direction === 'request' })
  /** By the text of the schema, because compiling is slow. */
  const checks = new Map<string, Check | string>()

  /** @returns the check, or why the schema cannot be compiled */
  return (schema: unknown): Check | string => {
    const rewritten = rewriter.ofValue(schema)
    const text = stringifyJson(rewritten)
    const check = checks.get(text) ?? compile(rewritten)
    checks.set(text, check)
    return check
  }

  function compile(rewritten: unknown): Check | string {
    let validate: ValidateFunction
    try {
      // The keyword `scalar` needs a container.
      validate = ajv.compile({ type: 'object', properties: { value: rewritten } })
    } catch (error) {
      if (error instanceof RangeError) return 'is too large to compile; split it into named schemas'
      return (error instanceof Error ? error.message : String(error)).split('\n', 1).join()
    }
    return (value) => {
      const errors = validateValue([validate], { value: structuredClone(value) }, direction).map((error) => ({
        ...error,
        instancePath: error.instancePath.replace(/^\/value/, ''),
      }))
      if (errors.length === 0) return undefined
      const isUndeclared = errors.some(({ keyword }) => keyword === 'additionalProperties')
      return { problem: describeErrors(errors), isUndeclared }
    }
  }
}

/** The direction of values beside their schema, by the kind of their object. */
const directions: Partial<Record<ContractObject['kind'], Direction>> = {
  parameter: 'request',
  requestContent: 'request',
  header: 'response',
  responseContent: 'response',
}

/**
 * Finds examples and defaults that break their schemas, and schemas that cannot be compiled.
 *
 * @param document a bundled contract with a checked structure
 */
export function checkExamples(document: ContractDocument): Finding[] {
  const checkOf = {
    request: createValueChecks(document, 'request'),
    response: createValueChecks(document, 'response'),
    neither: createValueChecks(document, undefined),
  }
  const uncompiled = (check: Check | string, object: object): Finding[] =>
    typeof check === 'string' ? [{ at: { object }, text: check, isConsequence: true }] : []

  function valueProblem(value: unknown, check: Check | string, holder: object, key: string): Finding[] {
    // A schema that cannot be compiled is reported elsewhere.
    const found = typeof check === 'string' ? undefined : check(value)
    if (found === undefined) return []
    const remedy = found.isUndeclared === true ? '; declare it in the schema, or remove it' : ''
    const text = `the ${key === 'default' ? 'default' : 'example'} ${found.problem}${remedy}`
    return [{ at: { object: holder, key }, text }]
  }

  function besideSchema(object: Exampled & { schema?: unknown }, direction: Direction): Finding[] {
    const { schema, example, examples = {} } = object
    if (!isSchema(schema)) return []
    // A named example is checked wherever it is used.
    const values: [object, string, unknown][] = Object.values(examples).map((written) => {
      const each = exampleOf(document, written)
      return [each, 'value', each.value]
    })
    if (example !== undefined) values.push([object, 'example', example])
    // Without values, compiles like the named schemas; requests also for their defaults.
    const check = checkOf[direction === 'response' && values.length === 0 ? 'neither' : direction](schema)
    const isReference = Object.keys(schema).join() === '$ref'
    return [
      // A named schema is reported at its definition.
      ...(isReference ? [] : uncompiled(check, schema)),
      ...values.flatMap(([holder, key, value]) => valueProblem(value, check, holder, key)),
    ]
  }

  function insideSchema(schema: Schema): Finding[] {
    const { examples = [], example, default: value } = schema as Exampled & { examples?: unknown[]; default?: unknown }
    const values: [string, unknown][] = examples.map((each) => ['examples', each])
    if (example !== undefined) values.push(['example', example])
    if (value !== undefined) values.push(['default', value])
    return values.flatMap(([key, each]) => valueProblem(each, checkOf.neither(schema), schema, key))
  }

  return [
    // Named schemas first, so that their problems are reported at their definition.
    ...Object.entries(document.components?.schemas ?? {}).flatMap(([name, schema]) => {
      // By reference, so that it is compiled once.
      const $ref = schemasPointer + encodeURIComponent(escapeName(name))
      return isSchema(schema) ? uncompiled(checkOf.neither({ $ref }), schema) : []
    }),
    ...objectsOf(document).flatMap(({ object, kind, name }) => {
      if (kind === 'schema') return insideSchema(object)
      const direction = directions[kind]
      // An example of binary content is text.
      const isBytes = /Content$/.test(kind) && !isJson(name) && !isText(name)
      return direction === undefined || isBytes ? [] : besideSchema(object, direction)
    }),
  ]
}

/** Follows the references of an example. */
function exampleOf(document: unknown, written: { $ref?: unknown; value?: unknown }): { value?: unknown } {
  const { $ref: reference } = written
  // The structure and the references are checked.
  return typeof reference === 'string' ? exampleOf(document, find(document, reference) as object) : written
}
