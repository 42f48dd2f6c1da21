import { _, str } from 'ajv'
import type { GeneratedKeyword } from './guarded.ts'
import { LinearPattern, positionsPerStep, shortText } from '../patterns/linear-pattern.ts'
import type { RewrittenSchema } from './rewritten-schema.ts'
import { TooMuchWork, isTooMuch } from './work.ts'

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
export function patternKeyword(): GeneratedKeyword {
  const patterns = new Map<string, SchemaPattern>()
  return {
    type: 'string',
    schemaType: 'string',
    error: { message: ({ schema }) => str`must match the pattern ${String(schema)}` },
    code(context) {
      const { gen, data, it } = context
      const { pattern: text = '' }: RewrittenSchema = context.parentSchema
      const compiled = patterns.get(text) ?? new SchemaPattern(text)
      patterns.set(text, compiled)
      const pattern = gen.scopeValue('pattern', { ref: compiled })
      let isTooLong = _`${pattern}.isTooLong(${data}, this.work)`
      let matches = _`${pattern}.test(${data})`
      if (compiled.short !== undefined) {
        // As the two do it, but without a call: most texts are short, and so is what they match.
        const isShort = _`${data}.length <= ${shortText}`
        const short = gen.scopeValue('pattern', { ref: compiled.short })
        isTooLong = _`(${isShort} ? ${isTooMuch(_`(${data}.length + 1) / ${positionsPerStep}`)} : ${isTooLong})`
        matches = _`(${isShort} ? ${short} : ${pattern}).test(${data})`
      }
      gen.if(isTooLong, () => gen.throw(_`${pattern}.problemAt(instancePath + ${it.errorPath})`))
      context.fail(_`!${matches}`)
    },
  }
}
