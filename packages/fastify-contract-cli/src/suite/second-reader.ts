import { runInNewContext } from 'node:vm'
import { type Output, type SchemaObject, registerSchema, unregisterSchema } from '@hyperjump/json-schema/draft-2020-12'
import { BASIC, type CompiledSchema, compile, getSchema, interpret } from '@hyperjump/json-schema/experimental'
import type { NamedSchemas, Schema } from 'fastify-contract/schema'
import { type Dialect, dialects, instanceOf } from './exact-dialect.ts'
import { plainSchema } from './plain-schema.ts'
import type { ReceivedValue } from './response-checks.ts'

/** A schema that is ready for use. */
interface Compiled {
  schema: CompiledSchema
  /** Whether a pattern may take far longer than the text is long. */
  isSlow: boolean
}

/**
 * Reads the values of responses as plain JSON Schema, with a validator that the server has no code of: where both have the
 * same code, they have the same faults.
 */
export class SecondReader {
  readonly #schemas: NamedSchemas
  readonly #known: Record<Dialect, WeakMap<Schema, Promise<Compiled>>> = {
    asserted: new WeakMap(),
    annotated: new WeakMap(),
  }

  /** @param schemas the named ones of a contract */
  constructor(schemas: NamedSchemas) {
    this.#schemas = schemas
  }

  /**
   * Compares the verdicts on a value. JSON Schema leaves open whether a format is a rule: it is enough that one reading
   * agrees.
   *
   * @param problems what the validator of fastify-contract finds wrong
   * @returns how they differ; undefined where they agree
   * @throws Error if it cannot read the schema, or takes too long
   */
  async difference({ place, value, schema }: ReceivedValue, problems: readonly string[]): Promise<string | undefined> {
    const isValid = problems.length === 0
    const [first = 'is valid'] = problems
    let second = ''
    for (const dialect of ['annotated', 'asserted'] as const) {
      const verdict = await this.#verdictOn(value, schema, dialect)
      if (verdict.valid === isValid) return undefined
      second = describe(verdict)
    }
    return `two validators differ: for fastify-contract, ${place} ${first}; for @hyperjump/json-schema, ${place} ${second}`
  }

  async #verdictOn(value: unknown, schema: Schema, dialect: Dialect): Promise<Output> {
    const compiling = this.#known[dialect].get(schema) ?? compiledOf(plainSchema(schema, this.#schemas), dialect)
    this.#known[dialect].set(schema, compiling)
    const compiled = await compiling
    const instance = instanceOf(value)
    const run = (): Output => {
      const output = interpret(compiled.schema, instance)
      // To collect the errors takes several times as long.
      return output.valid ? output : interpret(compiled.schema, instance, BASIC)
    }
    return compiled.isSlow ? withTimeLimit(mostMilliseconds, run) : run()
  }
}

function describe(output: Output): string {
  if (output.valid) return 'is valid'
  const [error] = output.errors ?? []
  const rule = error?.absoluteKeywordLocation.replace(/^.*#(?:\/\$defs\/\d+)?\//, '') ?? 'a rule'
  const place = error?.instanceLocation.replace(/^#/, '') ?? ''
  return `breaks ${decodeURIComponent(rule)}${place === '' ? '' : ` at ${decodeURIComponent(place)}`}`
}

/** How many schemas were compiled: each has an address of its own. */
let count = 0

async function compiledOf(schema: object, dialect: Dialect): Promise<Compiled> {
  const uri = `tag:fastify-contract,2026:schema/${String(count++)}`
  // A copy of JSON is JSON.
  registerSchema(schema as SchemaObject, uri, dialects[dialect])
  try {
    return { schema: await compile(await getSchema(uri)), isSlow: hasSlowPattern(schema) }
  } finally {
    unregisterSchema(uri)
  }
}

/** Whether a pattern may be slow: JavaScript's engine tries each way to match. */
function hasSlowPattern(schema: object): boolean {
  return JSON.stringify(schema)
    .split('"pattern')
    .slice(1)
    .some((text) => {
      const pattern = text.slice(0, 1_000)
      return (pattern.match(/[*+]|\{\d+,/g) ?? []).length > 1
    })
}

/** The time for one value with such a pattern. */
const mostMilliseconds = 1_000

/** @throws Error if a function takes longer */
function withTimeLimit<Result>(milliseconds: number, run: () => Result): Result {
  const results: Result[] = []
  const context = { run: () => results.push(run()) }
  runInNewContext('run()', context, { timeout: milliseconds })
  // It has run.
  return results[0]!
}
