import type { CodeKeywordDefinition, KeywordCxt } from 'ajv'
import type { Ajv2020 } from 'ajv/dist/2020.js'
import { _ } from 'ajv'
import { inlineRef } from 'ajv/dist/compile/resolve.js'
import { callRef } from 'ajv/dist/vocabularies/core/ref.js'

/**
 * Has Ajv compile the schemas that a schema refers to after it. Ajv compiles each where it meets the reference, so that
 * the stack overflows where a few hundred schemas refer to one another.
 *
 * Small schemas are still copied to where they are referred to. One that is compiled already is called directly.
 *
 * @param ajv refers to schemas by the identifiers that they have been added with
 */
export function compileFlat(ajv: Ajv2020): void {
  const pending = new Set<string>()
  // Ajv has made this object for the keyword `$ref`, whose code it generates with it.
  const keyword = ajv.getKeyword('$ref') as CodeKeywordDefinition
  const nested = keyword.code.bind(keyword)
  keyword.code = (context: KeywordCxt) => {
    const id = context.schema as string
    const env = ajv.schemas[id]
    if (env === undefined || env.validate !== undefined || inlineRef(env.schema, ajv.opts.inlineRefs)) {
      nested(context)
      return
    }
    pending.add(id)
    callRef(context, _`${context.gen.scopeValue('wrapper', { ref: env })}.validate`, env)
  }

  const compile = ajv.compile.bind(ajv) as (schema: object, isMeta?: boolean) => unknown
  // One function for all overloads.
  ajv.compile = ((schema: object, isMeta?: boolean) => {
    const validate = compile(schema, isMeta)
    compilePending()
    return validate
  }) as typeof ajv.compile

  /** Compiles what is pending, and what that refers to: all of it, also where some of it cannot be compiled. */
  function compilePending(): void {
    const problems: unknown[] = []
    const tried = new Set<string>()
    // A set that grows while it is walked is walked to its end.
    for (const id of pending) {
      pending.delete(id)
      // A schema that cannot be compiled may refer to itself.
      if (tried.has(id)) continue
      tried.add(id)
      try {
        ajv.getSchema(id)
      } catch (error) {
        problems.push(error)
      }
    }
    if (problems.length > 0) throw problems[0]
  }
}
