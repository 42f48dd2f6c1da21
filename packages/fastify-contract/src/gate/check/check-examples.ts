import type { ValidateFunction } from 'ajv'
import type { ContractDocument, Exampled } from '../../document/document.ts'
import { isJson, isText } from '../../document/document.ts'
import { stringifyJson } from '../../json/json.ts'
import { escapeName, find } from '../../json/pointer.ts'
import { createAjv } from '../../schema/ajv.ts'
import { describeErrors } from '../../schema/describe-errors.ts'
import { validateValue } from '../../schema/validation.ts'
import { type Direction, SchemaRewriter } from '../../schema/rewrite-schema.ts'
import { type Schema, isSchema, schemasPointer } from '../../schema/schema-parts.ts'
import { type ContractObject, objectsOf } from '../keywords/objects.ts'
import type { Finding } from './findings.ts'

/** Says how a value breaks its schema, or why the schema cannot be compiled; undefined where the value is valid. */
type Check = (value: unknown) => { problem: string; isUndeclared?: boolean } | undefined

/** Makes what validates values that go in one direction, or in neither, as examples inside of schemas. */
export function createValueChecks(document: ContractDocument, direction: Direction | undefined) {
  const rewriter = new SchemaRewriter(document.components?.schemas ?? {}, direction)
  // Where a schema is inlined decides about defaults alone, which requests have.
  const ajv = createAjv('json', rewriter, { optimize: false, inline: direction === 'request' })
  /** Schemas that assert the same are compiled once, by their text: to compile takes long. */
  const checks = new Map<string, Check | string>()

  /** @returns why it cannot be compiled, where it cannot */
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
      // The keyword `scalar` asks for the container of a value.
      validate = ajv.compile({ type: 'object', properties: { value: rewritten } })
    } catch (error) {
      if (error instanceof RangeError) return 'has too many parts to be compiled; cut it into schemas'
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

/** In which direction values go that stand beside their schema, by the kind of the object that has both. */
const directions: Partial<Record<ContractObject['kind'], Direction>> = {
  parameter: 'request',
  requestContent: 'request',
  header: 'response',
  responseContent: 'response',
}

/**
 * Finds the examples and the defaults of a contract that break their schemas, and the schemas that cannot be validated.
 *
 * @param document a bundled contract of the right structure, whose schemas apply to a value finitely often
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
    // What cannot be compiled is reported once.
    const found = typeof check === 'string' ? undefined : check(value)
    if (found === undefined) return []
    const remedy = found.isUndeclared === true ? '; describe it in the schema, or leave it out' : ''
    const text = `the ${key === 'default' ? 'default' : 'example'} ${found.problem}${remedy}`
    return [{ at: { object: holder, key }, text }]
  }

  function besideSchema(object: Exampled & { schema?: unknown }, direction: Direction): Finding[] {
    const { schema, example, examples = {} } = object
    if (!isSchema(schema)) return []
    // A named example is checked with what refers to it.
    const values: [object, string, unknown][] = Object.values(examples).map((written) => {
      const each = exampleOf(document, written)
      return [each, 'value', each.value]
    })
    if (example !== undefined) values.push([object, 'example', example])
    // What no value needs is compiled as the named schemas are, but for the defaults, which requests alone have.
    const check = checkOf[direction === 'response' && values.length === 0 ? 'neither' : direction](schema)
    const isReference = Object.keys(schema).join() === '$ref'
    return [
      // A named schema is compiled where it is written.
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
    // Named schemas come first, so that their problems are reported where they are written.
    ...Object.entries(document.components?.schemas ?? {}).flatMap(([name, schema]) => {
      // By the reference, as others refer to it, so that it is compiled once.
      const $ref = schemasPointer + encodeURIComponent(escapeName(name))
      return isSchema(schema) ? uncompiled(checkOf.neither({ $ref }), schema) : []
    }),
    ...objectsOf(document).flatMap(({ object, kind, name }) => {
      if (kind === 'schema') return insideSchema(object)
      const direction = directions[kind]
      // An example of other content is text that stands for bytes.
      const isBytes = /Content$/.test(kind) && !isJson(name) && !isText(name)
      return direction === undefined || isBytes ? [] : besideSchema(object, direction)
    }),
  ]
}

/** Follows the references of an example. */
function exampleOf(document: unknown, written: { $ref?: unknown; value?: unknown }): { value?: unknown } {
  const { $ref: reference } = written
  // The structure and the references have been checked.
  return typeof reference === 'string' ? exampleOf(document, find(document, reference) as object) : written
}
