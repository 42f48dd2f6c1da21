import { _, str } from 'ajv'
import type { GeneratedKeyword } from './guarded.ts'
import { LinearPattern } from '../patterns/linear-pattern.ts'
import type { RewrittenSchema } from './rewritten-schema.ts'
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
      gen.if(_`${pattern}.isTooLong(${data}, this.work)`, () =>
        gen.throw(_`${pattern}.problemAt(instancePath + ${it.errorPath})`),
      )
      context.fail(_`!${pattern}.test(${data})`)
    },
  }
}
