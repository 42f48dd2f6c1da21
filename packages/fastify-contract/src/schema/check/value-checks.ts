import type { ValidateFunction } from 'ajv'
import { stringifyJson } from '../../json/json.ts'
import { createCompiler } from './ajv.ts'
import { compileWhole } from './compile-flat.ts'
import { describeErrors } from './describe-errors.ts'
import { type Direction, SchemaRewriter } from './rewrite-schema.ts'
import type { Rewritten } from './rewritten-schema.ts'
import type { NamedSchemas, Subschema } from '../read/schema.ts'
import { validate as validateAll } from './validation.ts'

/** Describes how a value breaks its schema; undefined if it is valid. */
export type ValueCheck = (value: unknown) => ValueProblem | undefined

export interface ValueProblem {
  problem: string
  /** Whether one of its properties is not declared. */
  isUndeclared: boolean
  /** Whether the value is valid where properties that no schema declares are open, as JSON Schema has it. */
  isOnlyUndeclared: boolean
}

/**
 * Makes checks of values, as the server does them.
 *
 * @param schemas the named schemas of the contract
 * @param direction undefined for values without a direction, such as examples within schemas
 * @returns for a schema its check, or why it cannot be compiled
 */
export function createValueChecks(schemas: NamedSchemas, direction: Direction | undefined) {
  const rewriter = new SchemaRewriter(schemas, direction)
  const compiler = createCompiler(rewriter)
  /** By the text of the schema, because compiling is slow. */
  const checks = new Map<string, ValueCheck | string>()

  return (schema: Subschema): ValueCheck | string => {
    const rewritten = rewriter.rewriteValue(schema)
    const text = stringifyJson(rewritten)
    const check = checks.get(text) ?? compile(rewritten)
    checks.set(text, check)
    return check
  }

  function compile(rewritten: Rewritten): ValueCheck | string {
    let validate: ValidateFunction
    try {
      // The keyword `scalar` needs a container.
      validate = compileWhole(compiler, { type: 'object', properties: { value: rewritten } })
    } catch (error) {
      if (error instanceof RangeError) return 'is too large to compile; split it into named schemas'
      if (error instanceof TypeError) throw error
      return (error instanceof Error ? error.message : String(error)).split('\n', 1).join()
    }
    return (value) => {
      const { errors, undeclared } = validateAll([validate], { value: structuredClone(value) }, direction)
      const found = (errors.length > 0 ? errors : undeclared).map((error) => ({
        ...error,
        instancePath: error.instancePath.replace(/^\/value/, ''),
      }))
      if (found.length === 0) return undefined
      const isUndeclared = found.some(({ keyword }) => keyword === 'additionalProperties')
      return { problem: describeErrors(found), isUndeclared, isOnlyUndeclared: undeclared.length > 0 }
    }
  }
}
