import { type ContractDocument, type Exampled, isJson, isText } from 'fastify-contract/document'
import { escapeName, find } from 'fastify-contract/json'
import {
  type Direction,
  type Schema,
  type ValueCheck,
  createValueChecks,
  isSchema,
  schemasPointer,
} from 'fastify-contract/schema'
import { type ContractObject, objectsOf } from '../keywords/objects.ts'
import type { Finding } from './findings.ts'

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
  const schemas = document.components?.schemas ?? {}
  const checkOf = {
    request: createValueChecks(schemas, 'request'),
    response: createValueChecks(schemas, 'response'),
    neither: createValueChecks(schemas, undefined),
  }
  const uncompiled = (check: ValueCheck | string, object: object): Finding[] =>
    typeof check === 'string' ? [{ at: { object }, text: check, isConsequence: true }] : []

  function valueProblem(value: unknown, check: ValueCheck | string, holder: object, key: string): Finding[] {
    // A schema that cannot be compiled is reported elsewhere.
    const found = typeof check === 'string' ? undefined : check(value)
    if (found === undefined) return []
    const remedy = found.isUndeclared ? '; declare it in the schema, or remove it' : ''
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
    ...Object.entries(schemas).flatMap(([name, schema]) => {
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
