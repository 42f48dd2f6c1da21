import type { ValidateFunction } from 'ajv'
import { stringifyJson } from '../json/json.ts'
import { createCompiler } from '../schema/check/ajv.ts'
import { describeErrors } from '../schema/check/describe-errors.ts'
import { isShown } from '../schema/check/json-view.ts'
import { SchemaRewriter } from '../schema/check/rewrite-schema.ts'
import type { NamedSchemas, Schema } from '../schema/read/schema.ts'
import { validate } from '../schema/check/validation.ts'
import type { CompileSteps } from './compile-queue.ts'

/** The check of a body, or of all headers together. */
export interface ReplyCheck {
  /** Compiles the validator, unless it is compiled. @returns whether it did */
  compile: () => boolean
  /** Compiles the validator before, unless it is compiled. */
  check: Check
}

/** Checks a value. */
export type Check = <Value>(value: Value) => Checked<Value>

export interface Checked<Value = unknown> {
  /** How the value breaks its schema, without values; undefined if it is valid. */
  problem?: string | undefined
  undeclared?: string | undefined
  value: Value
  /** Whether it has bigints where the contract declares them. */
  hasBigInts?: boolean | undefined
}

/** Makes checks of the parts of replies. */
export class ReplyChecks {
  readonly #rewriter: SchemaRewriter
  readonly #compiler
  /** Of headers and of named schemas, which many responses share, by their texts. */
  readonly #shared = new Map<string, ReplyCheck>()

  constructor(schemas: NamedSchemas) {
    this.#rewriter = new SchemaRewriter(schemas, 'response')
    this.#compiler = createCompiler(this.#rewriter)
  }

  of(name: 'body' | 'item' | 'header', schema: Schema = {}): ReplyCheck {
    if (name !== 'header' && Object.keys(schema).join() !== '$ref') return this.#make(name, schema)
    const text = stringifyJson({ [name]: schema })
    const check = this.#shared.get(text) ?? this.#make(name, schema)
    this.#shared.set(text, check)
    return check
  }

  #make(name: string, schema: Schema): ReplyCheck {
    let validators: [ValidateFunction] | undefined
    const check: ReplyCheck = {
      compile: () => {
        if (validators !== undefined) return false
        // The keyword `scalar` needs a container.
        const container = { type: 'object', properties: { [name]: this.#rewriter.rewriteValue(schema) } }
        validators = [this.#compiler.compile(container)]
        return true
      },
      check: <Value>(given: Value): Checked<Value> => {
        if (validators === undefined) for (const steps = this.compile([check]); steps.next().done !== true;);
        // Compiled by now.
        const { errors, undeclared, value, hasBigInts } = validate(validators!, { [name]: given }, 'response')
        const problem = isShown(value[name]) ? undefined : `${name} is not JSON`
        return {
          problem: errors.length === 0 ? problem : describeErrors(errors),
          undeclared: undeclared.length === 0 ? undefined : describeErrors(undeclared),
          // It has the same member.
          value: value[name]!,
          hasBigInts,
        }
      },
    }
    return check
  }

  /** Compiles the validators of checks. */
  *compile(checks: readonly ReplyCheck[]): CompileSteps {
    for (const check of checks) if (check.compile()) yield
    while (this.#compiler.compileNext()) yield
  }
}
