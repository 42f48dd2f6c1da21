import type { CodeKeywordDefinition, ErrorObject, KeywordCxt, ValidateFunction } from 'ajv'
import type { Ajv2020 } from 'ajv/dist/2020.js'

/**
 * Changes the code that Ajv generates for one of its own keywords.
 *
 * @param around generates the keyword's code where it calls `generate`
 */
export function wrapKeyword(
  ajv: Ajv2020,
  name: string,
  around: (context: KeywordCxt, generate: () => void) => void,
): void {
  // Ajv has made these objects, whose code it generates with them.
  const keyword = ajv.getKeyword(name) as CodeKeywordDefinition
  const generateCode = keyword.code.bind(keyword)
  keyword.code = (context, ruleType) => {
    around(context, () => {
      generateCode(context, ruleType)
    })
  }
}

/** A compiled schema: whether a value is valid, and the errors of the value before. */
interface Validator {
  (value: object): boolean
  errors?: ErrorObject[] | null
}

/**
 * Changes what Ajv compiles.
 *
 * @param around receives each compiled schema, and returns the function that is used instead of it
 */
export function wrapCompile(ajv: Ajv2020, around: (validate: ValidateFunction) => Validator): void {
  const compile = ajv.compile.bind(ajv) as (schema: object, isMeta?: boolean) => ValidateFunction
  // One function for all overloads.
  ajv.compile = ((schema: object, isMeta?: boolean) => around(compile(schema, isMeta))) as typeof ajv.compile
}
