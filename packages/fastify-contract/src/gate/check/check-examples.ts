import type { Ajv, ErrorObject, ValidateFunction } from 'ajv'
import type { ContractDocument, Exampled } from '../../document/document.ts'
import { isJson, isText } from '../../document/document.ts'
import { stringifyJson } from '../../json/json.ts'
import { escapeName } from '../../json/pointer.ts'
import { createAjv } from '../../schema/ajv.ts'
import { describeErrors } from '../../schema/describe-errors.ts'
import { type Direction, SchemaRewriter } from '../../schema/rewrite-schema.ts'
import { type NamedSchemas, type Schema, isSchema } from '../../schema/schema-parts.ts'
import { schemasPointer, subschemasOf, targetOf } from '../../schema/schema-parts.ts'
import { validateValue } from '../../schema/validation.ts'
import type { Finding } from './findings.ts'
import { resolve } from './references.ts'
import { type ContractObject, objectsOf } from './words/check-words.ts'

/**
 * Finds the examples and the defaults of a contract that break their schemas, and the schemas that cannot be validated.
 *
 * @param document a bundled contract of the right structure
 */
export function checkExamples(document: ContractDocument): Finding[] {
  const schemas = document.components?.schemas ?? {}
  const endless = Object.values(schemas).filter((schema) => isSchema(schema) && appliesToItself(schema, schemas))
  const text = 'the schema refers to itself for the same value; refer to it from a part'
  const check = new ExampleCheck(document)
  return [
    ...endless.map((object) => ({ at: { object }, text })),
    // Named schemas come first, so that their problems are reported where they are written.
    ...Object.entries(schemas).flatMap(([name, schema]) => check.named(name, schema)),
    ...objectsOf(document).flatMap((each) => check.examplesOf(each)),
  ]
}

/** What validates the values of a schema, or why it cannot be compiled. */
type Compiled = { validate: ValidateFunction } | { problem: string }

/** What validates values that go in one direction. Schemas that assert the same are compiled once, by their text. */
interface Validators {
  ajv: Ajv
  rewriter: SchemaRewriter
  compiled: Map<string, Compiled>
}

/** In which direction values go that stand beside their schema, by the kind of the object that has both. */
const directions: Partial<Record<ContractObject['kind'], Direction>> = {
  parameter: 'request',
  requestContent: 'request',
  header: 'response',
  responseContent: 'response',
}

class ExampleCheck {
  readonly #document: ContractDocument
  readonly #validators: Record<Direction | 'neither', Validators>

  constructor(document: ContractDocument) {
    this.#document = document
    const validatorOf = (direction: Direction | undefined) => {
      const rewriter = new SchemaRewriter(document.components?.schemas ?? {}, direction)
      // Where a schema is inlined decides about defaults alone, which requests have.
      const speed = { optimize: false, inline: direction === 'request' }
      return { ajv: createAjv('json', rewriter, speed), rewriter, compiled: new Map<string, Compiled>() }
    }
    this.#validators = {
      request: validatorOf('request'),
      response: validatorOf('response'),
      neither: validatorOf(undefined),
    }
  }

  /** Checks that a named schema can be compiled. */
  named(name: string, schema: unknown): Finding[] {
    if (!isSchema(schema)) return []
    // By the reference, as others refer to it, so that it is compiled once.
    const $ref = schemasPointer + encodeURIComponent(escapeName(name))
    return compileProblems(this.#compiled({ $ref }, 'neither'), schema)
  }

  /** Checks the examples and the default that an object has, and the schema beside them. */
  examplesOf({ object, kind, name }: ContractObject): Finding[] {
    if (kind === 'schema') return this.#inside(object)
    const direction = directions[kind]
    // An example of other content is text that stands for bytes.
    const isBytes = /Content$/.test(kind) && !isJson(name) && !isText(name)
    return direction === undefined || isBytes ? [] : this.#beside(object, direction)
  }

  #beside(object: Exampled & { schema?: unknown }, direction: Direction): Finding[] {
    const { schema, example, examples = {} } = object
    if (!isSchema(schema)) return []
    const values: [object, string, unknown][] = Object.values(examples).map((written) => {
      const each = resolve(this.#document, written)
      return [each, 'value', each.value]
    })
    if (example !== undefined) values.push([object, 'example', example])
    // What no value needs is compiled as the named schemas are, but for the defaults, which requests alone have.
    const needed = direction === 'response' && values.length === 0 ? 'neither' : direction
    return [
      // A named schema is compiled where it is written.
      ...(isReference(schema) ? [] : compileProblems(this.#compiled(schema, needed), schema)),
      ...values.flatMap(([holder, key, value]) => this.#value(value, schema, { object: holder, key }, direction)),
    ]
  }

  #inside(schema: Schema): Finding[] {
    const { examples = [], example, default: value } = schema as Exampled & { examples?: unknown[]; default?: unknown }
    const values: [string, unknown][] = examples.map((each) => ['examples', each])
    if (example !== undefined) values.push(['example', example])
    if (value !== undefined) values.push(['default', value])
    return values.flatMap(([key, each]) => this.#value(each, schema, { object: schema, key }, 'neither'))
  }

  #compiled(schema: Schema, direction: Direction | 'neither'): Compiled {
    const { ajv, rewriter, compiled } = this.#validators[direction]
    const rewritten = rewriter.ofValue(schema)
    const text = stringifyJson(rewritten)
    const known = compiled.get(text)
    if (known !== undefined) return known
    const result = compile(ajv, rewritten)
    compiled.set(text, result)
    return result
  }

  #value(value: unknown, schema: Schema, at: Finding['at'], direction: Direction | 'neither'): Finding[] {
    const compiled = this.#compiled(schema, direction)
    // What cannot be compiled is reported once.
    if ('problem' in compiled) return []
    const { validate } = compiled
    // The keyword `scalar` asks for the container of a value, so that the example has one.
    const found = errorsOf(validate, { value: structuredClone(value) }, direction === 'neither' ? undefined : direction)
    if (found.length === 0) return []
    const errors = found.map((error) => ({
      ...error,
      instancePath: error.instancePath.replace(/^\/value(?=\/)/, '/').replace(/^\/value$/, ''),
    }))
    const name = at?.key === 'default' ? 'default' : 'example'
    const isUndeclared = errors.some(({ keyword }) => /^(?:(?:additional|unevaluated)Properties|closed)$/.test(keyword))
    const remedy = isUndeclared ? '; describe it in the schema, or leave it out' : ''
    return [{ at, text: `the ${name} ${describeErrors(errors)}${remedy}` }]
  }
}

/** Whether a schema applies to a value because it applies to that value, so that validation would not end. */
function appliesToItself(schema: Schema, schemas: NamedSchemas): boolean {
  const met = new Set<Schema>()
  const unread = [schema]
  for (let each = unread.pop(); each !== undefined; each = unread.pop()) {
    const target = targetOf(each, schemas)
    const applied = subschemasOf(each).filter(({ applies }) => applies === 'to the value')
    for (const next of [...(target === undefined ? [] : [target]), ...applied.map((part) => part.schema)]) {
      if (next === schema) return true
      if (met.has(next)) continue
      met.add(next)
      unread.push(next)
    }
  }
  return false
}

/** Says how a value breaks its schema; nothing where a schema refers to itself for the same value. */
function errorsOf(validate: ValidateFunction, value: object, direction: Direction | undefined): ErrorObject[] {
  try {
    return validateValue([validate], value, direction)
  } catch (error) {
    if (error instanceof RangeError) return []
    throw error
  }
}

function compile(ajv: Ajv, rewritten: unknown): Compiled {
  try {
    return { validate: ajv.compile({ type: 'object', properties: { value: rewritten } }) }
  } catch (error) {
    if (error instanceof RangeError) return { problem: 'has too many parts to be compiled; cut it into schemas' }
    return { problem: (error instanceof Error ? error.message : String(error)).split('\n', 1).join() }
  }
}

function compileProblems(compiled: Compiled, schema: Schema): Finding[] {
  return 'problem' in compiled ? [{ at: { object: schema }, text: compiled.problem, isConsequence: true }] : []
}

/** Whether a schema is a reference and nothing else. */
function isReference(schema: Schema): boolean {
  return Object.keys(schema).length === 1 && typeof schema['$ref'] === 'string'
}
