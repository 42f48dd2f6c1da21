import { type Output, type SchemaObject, registerSchema, unregisterSchema } from '@hyperjump/json-schema/draft-2020-12'
import { BASIC, type CompiledSchema, compile, getSchema, interpret } from '@hyperjump/json-schema/experimental'
import type { NamedSchemas, Schema } from 'fastify-contract/schema'
import { dialect, instanceOf } from './exact-dialect.ts'
import { plainSchema } from './plain-schema.ts'
import type { ReceivedValue } from './response-checks.ts'

/**
 * Reads the values of responses as plain JSON Schema, with a validator of which the server has formats and patterns alone:
 * where both have the same code, they have the same faults.
 */
export class SecondReader {
  readonly #schemas: NamedSchemas
  readonly #known = new WeakMap<Schema, Promise<CompiledSchema>>()

  /** @param schemas the named ones of a contract */
  constructor(schemas: NamedSchemas) {
    this.#schemas = schemas
  }

  /**
   * Compares the verdicts on a value.
   *
   * @param problems what the validator of fastify-contract finds wrong
   * @returns how they differ; undefined where they agree
   * @throws Error if it cannot read the schema
   */
  async difference({ place, value, schema }: ReceivedValue, problems: readonly string[]): Promise<string | undefined> {
    const verdict = await this.#verdictOn(value, schema)
    if (verdict.valid === (problems.length === 0)) return undefined
    const [first = 'is valid'] = problems
    const second = describe(verdict)
    return `two validators differ: for fastify-contract, ${place} ${first}; for @hyperjump/json-schema, ${place} ${second}`
  }

  async #verdictOn(value: unknown, schema: Schema): Promise<Output> {
    const compiling = this.#known.get(schema) ?? compiledOf(plainSchema(schema, this.#schemas))
    this.#known.set(schema, compiling)
    const compiled = await compiling
    const instance = instanceOf(value)
    const output = interpret(compiled, instance)
    // To collect the errors takes several times as long.
    return output.valid ? output : interpret(compiled, instance, BASIC)
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

async function compiledOf(schema: object): Promise<CompiledSchema> {
  const uri = `tag:fastify-contract,2026:schema/${String(count++)}`
  // A copy of JSON is JSON.
  registerSchema(schema as SchemaObject, uri, dialect)
  try {
    return await compile(await getSchema(uri))
  } finally {
    unregisterSchema(uri)
  }
}
