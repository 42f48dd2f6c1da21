import { Ajv, type AnySchema, type CodeKeywordDefinition, type KeywordCxt, _ } from 'ajv'
import { inlineRef } from 'ajv/dist/compile/resolve.js'
import { callRef } from 'ajv/dist/vocabularies/core/ref.js'
import { alternativesKeywords } from './alternatives-keywords.ts'
import { equalityKeywords } from './equality-keywords.ts'
import { textFormats } from './formats.ts'
import { patternKeyword } from './pattern-keyword.ts'
import { SchemaRewriter } from './rewrite-schema.ts'
import { type Source, scalarKeyword } from './scalar-keyword.ts'
import { declaredKeyword } from './validation.ts'
import { countKeywords, countedKeyword } from './work.ts'

/** Ajv's keywords that are kept. openapi-backend's own schemas have `title` and `default`. */
const kept: readonly string[] = [
  ...['$ref', '$defs', 'title', 'default', 'type', 'allOf', 'format'],
  ...['minLength', 'maxLength', 'items', 'minItems', 'maxItems'],
  ...['properties', 'additionalProperties', 'propertyNames', 'required', 'minProperties', 'maxProperties'],
]

/**
 * Creates an Ajv for the keywords of JSON Schema 2020-12 that contracts use. It fails to compile a schema with any other
 * keyword or an unknown format.
 *
 * @param source the origin of the values
 * @param rewriter the rewriter of the contract; by default, of one without named schemas
 * @param speed whether Ajv optimizes its code and inlines small schemas, which does not pay off for a single validation
 */
export function createAjv(
  source: Source,
  rewriter = new SchemaRewriter({}, undefined),
  { optimize, inline } = { optimize: true, inline: true },
): Ajv {
  const ajv = new Ajv({
    strict: true,
    strictTypes: false,
    strictRequired: false,
    code: { optimize },
    inlineRefs: inline,
    // `scalar` checks the formats of integers and numbers.
    formats: textFormats,
    // A validator is called with a `Validation` as its `this`.
    passContext: true,
    // Every object inherits `constructor` and `toString`.
    ownProperties: true,
    useDefaults: true,
    // The meta-schema takes 30 ms to compile; each keyword checks its own value.
    meta: false,
    validateSchema: false,
  })
  for (const keyword of Object.keys(ajv.RULES.keywords)) if (!kept.includes(keyword)) ajv.removeKeyword(keyword)
  countKeywords(ajv)
  const own = [scalarKeyword(source), ...equalityKeywords, patternKeyword(), declaredKeyword, countedKeyword]
  for (const keyword of [...own, ...alternativesKeywords((schema) => ajv.compile(schema))]) ajv.addKeyword(keyword)
  compileFlat(ajv)
  for (const [id, schema] of Object.entries(rewriter.named())) ajv.addSchema(schema, id)
  return ajv
}

/**
 * Compiles referenced schemas after the schema that refers to them; reports the first error at the end. By itself Ajv
 * compiles recursively, and a few hundred schemas that refer to one another overflow the stack.
 *
 * Small schemas are still inlined, and compiled ones called directly.
 *
 * @param ajv refers to schemas by the identifiers under which they were added
 */
function compileFlat(ajv: Ajv): void {
  const pending = new Set<string>()
  // Ajv's own definition of `$ref` generates code.
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

  const compile = ajv.compile.bind(ajv) as (schema: AnySchema, isMeta?: boolean) => unknown
  let isInside = false
  // One function for all overloads.
  ajv.compile = ((schema: AnySchema, isMeta?: boolean) => {
    // A keyword compiles a subschema.
    if (isInside) return compile(schema, isMeta)
    isInside = true
    const problems: unknown[] = []
    const attempt = (make: () => unknown): unknown => {
      try {
        return make()
      } catch (error) {
        problems.push(error)
        return undefined
      }
    }
    const validate = attempt(() => compile(schema, isMeta))
    const tried = new Set<string>()
    // Iterating a Set includes the members added meanwhile.
    for (const id of pending) {
      pending.delete(id)
      // A schema that fails to compile may refer to itself.
      if (!tried.has(id)) attempt(() => ajv.getSchema(id))
      tried.add(id)
    }
    isInside = false
    if (problems.length > 0) throw problems[0]
    return validate
  }) as typeof ajv.compile
}
