import type { Ajv, Code, CodeKeywordDefinition, FuncKeywordDefinition, KeywordCxt } from 'ajv'
import { funcKeywordCode } from 'ajv/dist/compile/validate/keyword.js'
import type { KeywordName } from '../read/schema.ts'

/** A keyword of validators, without its name, that calls a function. */
export type CalledKeyword = Omit<FuncKeywordDefinition, 'keyword'>

/** A keyword of validators, without its name, that generates code. */
export type GeneratedKeyword = Omit<CodeKeywordDefinition, 'keyword'>

/**
 * Calls the function of a keyword only where a condition in the code of the validator does not hold. A call needs the place
 * of the value as text, which takes longer than most checks.
 *
 * @param guard gives a condition under which every value is valid; `this` is the `Validation`. Undefined for a schema whose
 *   values all need the function
 */
export function guarded(
  definition: CalledKeyword,
  guard: (context: KeywordCxt) => Code | undefined = () => undefined,
): GeneratedKeyword {
  return {
    ...definition,
    trackErrors: definition.errors !== false,
    code(context) {
      const isValid = guard(context)
      if (isValid !== undefined) {
        // In the place where Ajv reads `$data`, which no schema here has.
        context.block$data = (valid, call) => {
          context.gen.if(isValid, () => context.gen.assign(valid, true), call)
        }
      }
      funcKeywordCode(context, { ...definition, keyword: context.keyword })
    },
  }
}

/**
 * Changes what keywords of Ajv's own generate.
 *
 * @param change receives what generates the code of a keyword
 */
export function changeCode<Name extends KeywordName>(
  ajv: Ajv,
  names: readonly Name[],
  change: (context: KeywordCxt, generate: () => void, name: Name) => void,
): void {
  for (const name of names) {
    // Ajv's own definitions of these generate code.
    const keyword = ajv.getKeyword(name) as CodeKeywordDefinition
    const code = keyword.code.bind(keyword)
    keyword.code = (context, rule) => {
      const generate = () => {
        code(context, rule)
      }
      change(context, generate, name)
    }
  }
}
