import type { Code, CodeKeywordDefinition, FuncKeywordDefinition, KeywordCxt } from 'ajv'
import { funcKeywordCode } from 'ajv/dist/compile/validate/keyword.js'

/**
 * Calls the function of a keyword only where a condition in the code of the validator does not hold. A call needs the place
 * of the value as text, which takes longer than most checks.
 *
 * @param guard gives a condition under which every value is valid; `this` is the `Validation`. Undefined for a schema whose
 *   values all need the function
 */
export function guarded(
  { keyword, type, schemaType, before, errors, error, ...rest }: FuncKeywordDefinition,
  guard: (context: KeywordCxt) => Code | undefined,
): CodeKeywordDefinition {
  const definition = { keyword, errors, ...rest } as FuncKeywordDefinition
  return {
    keyword,
    ...(type === undefined ? {} : { type }),
    ...(schemaType === undefined ? {} : { schemaType }),
    ...(before === undefined ? {} : { before }),
    ...(error === undefined ? {} : { error }),
    trackErrors: errors !== false,
    code(context) {
      const isValid = guard(context)
      if (isValid !== undefined) {
        // In the place where Ajv reads `$data`, which no schema here has.
        context.block$data = (valid, call) => {
          context.gen.if(isValid, () => context.gen.assign(valid, true), call)
        }
      }
      funcKeywordCode(context, definition)
    },
  }
}
