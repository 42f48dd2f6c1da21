import { Ajv } from 'ajv'
import { alternativesKeywords } from './alternatives-keywords.ts'
import { applicatorKeywords } from './applicator-keywords.ts'
import { type SchemaCompiler, compileFlat } from './compile-flat.ts'
import { equalityKeywords } from './equality-keywords.ts'
import { endLoops } from './error-limit.ts'
import { textFormats } from '../patterns/formats.ts'
import type { CalledKeyword, GeneratedKeyword } from './guarded.ts'
import { itemKeywords } from './item-keywords.ts'
import { countFewCharacters } from './length-keywords.ts'
import { patternKeyword } from './pattern-keyword.ts'
import { readPlainObjects } from './plain-objects.ts'
import { SchemaRewriter } from './rewrite-schema.ts'
import type { RewrittenSchema } from './rewritten-schema.ts'
import { scalarKeyword } from './scalar-keyword.ts'
import { type NameOf, type Subschema, groups } from '../read/schema.ts'
import { unevaluatedKeywords } from './unevaluated-keywords.ts'
import { declaredKeyword } from './validation.ts'
import { countKeywords, countedKeyword } from './work.ts'

/** Ajv's own keywords that are kept. openapi-backend's own schemas also have `title` and `default`. */
const kept = [
  ...['$ref', 'type', 'allOf', 'format', 'minLength', 'maxLength', 'minItems', 'maxItems'],
  ...['properties', 'additionalProperties', 'propertyNames', 'required', 'minProperties', 'maxProperties'],
] as const satisfies readonly (keyof RewrittenSchema)[]

/** Those that Ajv lacks, or reads in another way. */
type OwnKeywords = Record<
  Exclude<keyof RewrittenSchema, (typeof kept)[number] | NameOf<{ beside: string }> | `x-${string}`>,
  CalledKeyword | GeneratedKeyword
>

/**
 * Creates a compiler for the keywords of JSON Schema 2020-12 that contracts use. It fails to compile a schema with any
 * other keyword or an unknown format.
 *
 * @param rewriter the rewriter of the contract; by default, of one without named schemas
 * @param parts schemas of the contract, by the identifiers in their only references
 */
export function createCompiler(
  rewriter = new SchemaRewriter({}, undefined),
  parts: ReadonlyMap<string, Subschema> = new Map(),
): SchemaCompiler {
  const ajv = new Ajv({
    strict: true,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
    // Optimized code is as fast, but takes time quadratic in the number of properties.
    code: { optimize: false, process: compiledAtOnce },
    // A client gets all faults of a request at once.
    allErrors: true,
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
    // It would print code that V8 cannot compile. The error is thrown all the same.
    logger: false,
  })
  const names: readonly string[] = [...kept, 'title', 'default']
  for (const name of Object.keys(ajv.RULES.keywords)) if (!names.includes(name)) ajv.removeKeyword(name)
  const compiler = compileFlat(ajv, {
    named: (id) => rewriter.named(id),
    part: (id) => {
      const part = parts.get(id)
      return part === undefined ? undefined : rewriter.rewriteValue(part)
    },
  })
  const own: OwnKeywords = {
    ...itemKeywords,
    scalar: scalarKeyword(),
    ...equalityKeywords,
    pattern: patternKeyword(),
    declared: declaredKeyword,
    counted: countedKeyword,
    ...alternativesKeywords(compiler),
    ...applicatorKeywords(compiler),
    ...unevaluatedKeywords(compiler),
  }
  ajv.addVocabulary(groups.flatMap(([, ...others]) => others))
  for (const [keyword, definition] of Object.entries(own)) ajv.addKeyword({ keyword, ...definition })
  countFewCharacters(ajv)
  readPlainObjects(ajv)
  countKeywords(ajv)
  endLoops(ajv)
  return compiler
}

/**
 * Makes V8 compile the code of a validator now, not at its first call: it does so for a function in parentheses.
 *
 * @see https://v8.dev/blog/preparser#pife
 */
function compiledAtOnce(code: string): string {
  return `${code.replace('return function', 'return (function')})`
}
