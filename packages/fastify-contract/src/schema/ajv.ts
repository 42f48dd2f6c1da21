import { Ajv2020 } from 'ajv/dist/2020.js'
import { branchKeyword, endOfBranchKeyword } from './branch-keywords.ts'
import { declaredKeyword } from './declared-keyword.ts'
import { finiteKeyword } from './finite-keyword.ts'
import { compileFlat } from './flat-compilation.ts'
import { textFormats } from './text/formats.ts'
import { defaultsKeyword } from './defaults-keyword.ts'
import { linearPatterns } from './text/linear-pattern.ts'
import { SchemaRewriter } from './rewrite-schema.ts'
import { type Source, scalarKeyword } from './scalar-keyword.ts'
import { uniqueItemsKeyword } from './unique-items-keyword.ts'
import { countedKeyword } from './work.ts'

/**
 * Makes a validator for JSON Schema 2020-12, the dialect of OpenAPI 3.1. It refuses to compile a schema with a keyword
 * or a format that nobody checks.
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
): Ajv2020 {
  const ajv = new Ajv2020({
    strict: true,
    strictTypes: false,
    strictRequired: false,
    strictTuples: false,
    code: { optimize, regExp: linearPatterns },
    inlineRefs: inline,
    // `scalar` checks the formats of integers and numbers.
    formats: textFormats,
    // A validator is called with a `Reading` as its `this`.
    passContext: true,
    // Every object inherits `constructor` and `toString`.
    ownProperties: true,
    // A schema has a default only where a value is to have it.
    useDefaults: true,
    // The meta-schema takes 30 ms to compile, and each keyword checks its own value.
    meta: false,
    validateSchema: false,
  })
  ajv.addKeyword(scalarKeyword(source))
  ajv.addKeyword(finiteKeyword)
  ajv.addKeyword(defaultsKeyword)
  ajv.addKeyword(branchKeyword)
  ajv.addKeyword(endOfBranchKeyword)
  ajv.addKeyword(declaredKeyword)
  ajv.addKeyword(countedKeyword)
  ajv.removeKeyword('uniqueItems')
  ajv.addKeyword(uniqueItemsKeyword)
  compileFlat(ajv)
  for (const [id, schema] of Object.entries(rewriter.named())) ajv.addSchema(schema, id)
  return ajv
}
