import { type Ajv, type AnySchema, type KeywordCxt, type ValidateFunction, nil } from 'ajv'
import { _Code } from 'ajv/dist/compile/codegen/code.js'
import type { ValueScopeName } from 'ajv/dist/compile/codegen/scope.js'
import { SchemaEnv, compileSchema } from 'ajv/dist/compile/index.js'
import { callRef, getValidate } from 'ajv/dist/vocabularies/core/ref.js'
import { stringifyJson } from '../../json/json.ts'
import { endIfFull } from './error-limit.ts'
import { changeCode } from './guarded.ts'
import type { RewrittenSchema } from './rewritten-schema.ts'
import { isApplicator } from '../read/schema.ts'

/** The values of generated code. */
type NamedValues = Map<unknown, ValueScopeName> | Set<ValueScopeName>

type Compile = (schema: AnySchema) => ValidateFunction

/** Compiles schemas in steps, each of which takes time proportional to the size of one schema. */
export interface SchemaCompiler {
  /** Compiles a schema, but not the named schemas to which it refers. */
  compile: Compile
  /** Compiles a schema likewise; the validation ends at the first error. */
  compileBranch: Compile
  /** Compiles a named schema to which a compiled one refers. @returns false if none is left */
  compileNext: () => boolean
}

/** Finds the schemas to which others refer, by the identifiers in the references. */
interface ReferencedSchemas {
  named: (id: string) => AnySchema
  /** Undefined if the identifier is that of a named schema. */
  part: (id: string) => AnySchema | undefined
}

/** Compiles a schema and all named schemas to which it refers. */
export function compileWhole({ compile, compileNext }: SchemaCompiler, schema: AnySchema): ValidateFunction {
  const problems: unknown[] = []
  const noting = <Result>(step: () => Result): Result | undefined => {
    try {
      return step()
    } catch (error) {
      problems.push(error)
      return undefined
    }
  }
  const validate = noting(() => compile(schema))
  while (noting(compileNext) !== false);
  if (validate === undefined || problems.length > 0) throw problems[0]
  return validate
}

/**
 * Replaces the parts of Ajv that take more time than the size of a schema accounts for.
 *
 * - A named schema becomes one function, however many schemas refer to it, or two if branches do so too. Ajv would
 *   compile it within the schema that refers to it, and a few hundred schemas that refer to one another would overflow
 *   the stack.
 * - A part is included at its only reference.
 * - Schemas are not searched for identifiers and references. Ajv does so for each schema that a keyword compiles, and its
 *   search takes 2^n steps for n alternatives in one another.
 *
 */
export function compileFlat(ajv: Ajv, { named, part }: ReferencedSchemas): SchemaCompiler {
  const envs = new Map<string, SchemaEnv>()
  /** Whether it reports all errors. */
  const pending = new Map<SchemaEnv, boolean>()
  changeCode(ajv, ['$ref'], (context) => {
    const { $ref: id = '' }: RewrittenSchema = context.parentSchema
    const included = part(id)
    if (included !== undefined) {
      include(context, id, included)
      return
    }
    const { allErrors = false } = context.it
    const key = keyOf(id, allErrors)
    const env = envs.get(key) ?? new SchemaEnv({ schema: named(id) })
    envs.set(key, env)
    if (env.validate === undefined) pending.set(env, allErrors)
    callRef(context, getValidate(context, env), env)
    endIfFull(context)
  })
  // Ajv's own copies the definitions so far for each further one.
  ajv.scope.scopeRefs = (scope, values = {}) => {
    const definitions: string[] = []
    for (const names of Object.values<NamedValues | undefined>(values)) {
      names?.forEach((name) => definitions.push(`const ${String(name)} = ${String(scope)}${String(name.scopePath)};`))
    }
    return new _Code(definitions.join(''))
  }

  // Without `$async` a schema becomes a function that returns a boolean.
  const compileEnv = (env: SchemaEnv) => compileSchema.call(ajv, env).validate as ValidateFunction
  const allErrorsNow = () => ajv.opts.allErrors === true
  const inMode = <Result>(allErrors: boolean, step: () => Result): Result => {
    const before = allErrorsNow()
    ajv.opts.allErrors = allErrors
    try {
      return step()
    } finally {
      ajv.opts.allErrors = before
    }
  }
  const compile = sharingLeaves((schema) => compileEnv(new SchemaEnv({ schema })), allErrorsNow)
  return {
    compile,
    compileBranch: (schema) => inMode(false, () => compile(schema)),
    compileNext() {
      const [next] = pending
      if (next === undefined) return false
      const [env, allErrors] = next
      try {
        inMode(allErrors, () => compileEnv(env))
      } catch (error) {
        env.validate = failing(error, env)
        throw error
      } finally {
        pending.delete(env)
      }
      return true
    },
  }
}

/** A schema becomes one function that reports all errors, and one for branches that ends at the first. */
function keyOf(schema: string, allErrors: boolean): string {
  return `${allErrors ? 'all' : 'first'} ${schema}`
}

/** Generates the code of a schema in the place of its `$ref`. */
function include(context: KeywordCxt, id: string, schema: AnySchema): void {
  const { gen } = context
  const valid = gen.name('valid')
  const topSchemaRef = gen.scopeValue('schema', { ref: schema })
  context.subschema({ schema, dataTypes: [], schemaPath: nil, topSchemaRef, errSchemaPath: id }, valid)
  context.ok(valid)
}

/** Compiles equal schemas without subschemas once. A contract may have `type: 'null'` in hundreds of places. */
function sharingLeaves(compile: Compile, allErrors: () => boolean): Compile {
  const compiled = new Map<string, ValidateFunction>()
  return (schema) => {
    if (Object.keys(schema).some(isApplicator)) return compile(schema)
    const text = keyOf(stringifyJson(schema), allErrors())
    const validate = compiled.get(text) ?? compile(schema)
    compiled.set(text, validate)
    return validate
  }
}

/** The validator of a named schema that cannot be compiled; others may still refer to it. */
function failing(error: unknown, schemaEnv: SchemaEnv): ValidateFunction {
  const validate = (_value: unknown): _value is unknown => {
    throw error
  }
  return Object.assign(validate, { schema: true, schemaEnv })
}
