import { Ajv, type AnySchema, type CodeKeywordDefinition, type KeywordCxt, _ } from 'ajv'
import { inlineRef } from 'ajv/dist/compile/resolve.js'
import { callRef } from 'ajv/dist/vocabularies/core/ref.js'
import { alternativesKeywords } from './alternatives-keywords.ts'
import { equalityKeywords } from './equality-keywords.ts'
import { textFormats } from './formats.ts'
import { linearPatterns } from './linear-pattern.ts'
import { SchemaRewriter } from './rewrite-schema.ts'
import { type Source, scalarKeyword } from './scalar-keyword.ts'
import { countedKeyword, declaredKeyword } from './validation.ts'

/** The keywords of Ajv that are used as they are. `title` and `default` are those of openapi-backend's schemas. */
const kept: readonly string[] = [
  ...['$ref', '$defs', 'title', 'default', 'type', 'allOf', 'format', 'pattern'],
  ...['minLength', 'maxLength', 'items', 'minItems', 'maxItems'],
  ...['properties', 'additionalProperties', 'propertyNames', 'required', 'minProperties', 'maxProperties'],
]

/**
 * Makes a validator for the keywords of JSON Schema 2020-12 that contracts use. It refuses to compile a schema with
 * another keyword, or with a format that nobody checks.
 *
 * @param source where the values come from
 * @param rewriter of the contract whose schemas are validated; the default is a contract without named schemas
 * @param speed for schemas that are validated once: whether Ajv shortens the code that it makes, and whether it copies
 *   small schemas to where they are referred to
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
    code: { optimize, regExp: linearPatterns },
    inlineRefs: inline,
    // `scalar` checks the formats of integers and numbers.
    formats: textFormats,
    // A validator is called with a `Validation` as its `this`.
    passContext: true,
    // Every object inherits `constructor` and `toString`.
    ownProperties: true,
    // A schema has a default only where a value is to have it.
    useDefaults: true,
    // The meta-schema takes 30 ms to compile, and each keyword checks its own value.
    meta: false,
    validateSchema: false,
  })
  for (const keyword of Object.keys(ajv.RULES.keywords)) if (!kept.includes(keyword)) ajv.removeKeyword(keyword)
  const own = [scalarKeyword(source), ...equalityKeywords, declaredKeyword, countedKeyword]
  for (const keyword of [...own, ...alternativesKeywords((schema) => ajv.compile(schema))]) ajv.addKeyword(keyword)
  compileFlat(ajv)
  for (const [id, schema] of Object.entries(rewriter.named())) ajv.addSchema(schema, id)
  return ajv
}

/**
 * Has Ajv compile the schemas that a schema refers to after it, and report the first error at the end. Ajv compiles each
 * where it meets the reference, so that the stack overflows where a few hundred schemas refer to one another.
 *
 * Small schemas are still copied to where they are referred to. One that is compiled already is called directly.
 *
 * @param ajv refers to schemas by the identifiers that they have been added with
 */
function compileFlat(ajv: Ajv): void {
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

  const compile = ajv.compile.bind(ajv) as (schema: AnySchema, isMeta?: boolean) => unknown
  let isInside = false
  // One function for all overloads.
  ajv.compile = ((schema: AnySchema, isMeta?: boolean) => {
    // A keyword compiles a part of its schema.
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
    // A set that grows while it is walked is walked to its end.
    for (const id of pending) {
      pending.delete(id)
      // A schema that cannot be compiled may refer to itself.
      if (!tried.has(id)) attempt(() => ajv.getSchema(id))
      tried.add(id)
    }
    isInside = false
    if (problems.length > 0) throw problems[0]
    return validate
  }) as typeof ajv.compile
}
