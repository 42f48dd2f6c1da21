import { type CodeKeywordDefinition, type KeywordCxt, _, str } from 'ajv'
import { LinearPattern } from './linear-pattern.ts'
import { TooMuchWork } from './work.ts'

/** A pattern of a schema, in the code of its validator. */
class SchemaPattern extends LinearPattern {
  problemAt(place: string): TooMuchWork {
    return new TooMuchWork(place, 'takes too long to match its pattern; send a shorter text')
  }
}

/**
 * The keyword `pattern`, matched in linear time and within the limit of work. JavaScript's own expressions backtrack:
 * `^(a+)+$` takes minutes for forty characters.
 *
 * @see https://github.com/google/re2/wiki/WhyRE2 https://ajv.js.org/keywords.html
 */
export function patternKeyword(): CodeKeywordDefinition {
  const patterns = new Map<string, SchemaPattern>()
  return {
    keyword: 'pattern',
    type: 'string',
    schemaType: 'string',
    error: { message: ({ schema }) => str`must match the pattern ${schema as string}` },
    code(context: KeywordCxt) {
      const { gen, data, it } = context
      const text = context.schema as string
      const compiled = patterns.get(text) ?? new SchemaPattern(text)
      patterns.set(text, compiled)
      const pattern = gen.scopeValue('pattern', { ref: compiled })
      gen.if(_`${pattern}.isTooLong(${data}, this.work)`, () =>
        gen.throw(_`${pattern}.problemAt(instancePath + ${it.errorPath})`),
      )
      context.fail(_`!${pattern}.test(${data})`)
    },
  }
}
