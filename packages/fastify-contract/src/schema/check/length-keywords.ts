import { type Ajv, _ } from 'ajv'
import { changeCode } from './guarded.ts'
import type { Work } from './work.ts'

/**
 * Makes Ajv's `minLength` and `maxLength` count the characters of a text only where its length does not decide: a character
 * has one or two units of UTF-16.
 */
export function countFewCharacters(ajv: Ajv): void {
  changeCode(ajv, ['minLength', 'maxLength'], (context, _generate, name) => {
    const { gen, data } = context
    const limit = Number(context.schema)
    const count = gen.scopeValue('func', { ref: charactersOf })
    const tooMany = _`${data}.length > ${limit} && ${count}(${data}, this.work) > ${limit}`
    const tooFew = _`${data}.length < ${2 * limit - 1} && ${count}(${data}, this.work) < ${limit}`
    context.fail(name === 'maxLength' ? tooMany : tooFew)
  })
}

function charactersOf(text: string, work: Work): number {
  work.count(text.length / 16)
  let count = 0
  // The place is within the text.
  for (let at = 0; at < text.length; at += text.codePointAt(at)! > 0xffff ? 2 : 1) count++
  return count
}
