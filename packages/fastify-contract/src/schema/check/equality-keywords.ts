import { _ } from 'ajv'
import { stringifyJson } from '../../json/json.ts'
import { type CalledKeyword, type GeneratedKeyword, guarded } from './guarded.ts'
import type { RewrittenSchema } from './rewritten-schema.ts'
import { keyOf } from './scalar-assertions.ts'
import { isOfType } from '../read/meaning.ts'
import type { KeywordFunction, Validation } from './validation.ts'
import { stepsOf } from './work.ts'

/**
 * The keywords that compare values. Neither the order of properties nor the notation of numbers matters (JSON Schema
 * 2020-12, core, section 4.2.2). Ajv's own keywords do not support bigints, and call a property of the body named
 * `toString`; its `uniqueItems` takes quadratic time.
 *
 * @see https://ajv.js.org/keywords.html
 */
export const equalityKeywords = {
  enum: constantsKeyword('enum'),
  const: constantsKeyword('const'),
  uniqueItems: {
    type: 'array',
    schemaType: 'boolean',
    compile(mustBeUnique: boolean) {
      const validate: KeywordFunction = function (this: Validation, items: unknown[]) {
        this.work.count(stepsOf(items))
        const places = new Map<string, number>()
        for (const [place, item] of items.entries()) {
          const text = canonicalText(item)
          const first = places.get(text)
          if (first !== undefined) {
            const message = `must have unique items, but items ${String(first)} and ${String(place)} are equal`
            validate.errors = [{ keyword: 'uniqueItems', message }]
            return false
          }
          places.set(text, place)
        }
        return true
      }
      return mustBeUnique ? validate : () => true
    },
  },
} satisfies Record<string, CalledKeyword | GeneratedKeyword>

/** The values of a message. */
const maxListed = 20

/** The rule of a value that is one of constants. */
export function mustBe(values: readonly unknown[]): string {
  return values.length === 0 ? 'has no valid value' : `must be ${listed(values)}`
}

/** Lists constants of the contract as JSON. */
function listed(values: readonly unknown[]): string {
  const texts = values.slice(0, maxListed).map((value) => stringifyJson(value))
  const all = [...texts, ...(values.length > maxListed ? ['…'] : [])].join(', ')
  return values.length > 1 ? `one of ${all}` : all
}

function constantsKeyword(keyword: 'enum' | 'const'): GeneratedKeyword {
  const constantsOf = ({ enum: values = [], const: value }: RewrittenSchema = {}) =>
    keyword === 'enum' ? values : [value]
  const definition: CalledKeyword = {
    schemaType: keyword === 'enum' ? ['array'] : [],
    errors: false,
    error: { message: ({ parentSchema }) => mustBe(constantsOf(parentSchema)) },
    compile: (_constants, schema) => isOneOf(constantsOf(schema), schema),
  }
  return guarded(definition, ({ gen, parentSchema, data }) => {
    // A text is one of the constants only as it is.
    const texts = new Set(constantsOf(parentSchema).filter((value) => typeof value === 'string'))
    return texts.size === 0 ? undefined : _`${gen.scopeValue('schema', { ref: texts })}.has(${data})`
  })
}

function isOneOf(values: readonly unknown[], schema: RewrittenSchema): KeywordFunction {
  const keys = new Set(values.filter((value) => !isComposite(value)).map(keyOf))
  const texts = new Set(values.filter(isComposite).map(canonicalText))
  return function (this: Validation, value: unknown) {
    if (!isComposite(value)) return keys.has(keyOf(value)) || !isOfType(schema, value)
    if (texts.size === 0) return !isOfType(schema, value)
    this.work.count(stepsOf(value))
    return texts.has(canonicalText(value)) || !isOfType(schema, value)
  }
}

function isComposite(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

/** Maps equal values to the same text. */
function canonicalText(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) => {
    if (typeof member === 'bigint') return JSON.rawJSON(String(member))
    // A number and a bigint may be the same integer.
    if (typeof member === 'number' && Number.isInteger(member)) return JSON.rawJSON(String(BigInt(member)))
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member
    return Object.fromEntries(Object.entries(member).sort(([name], [other]) => (name < other ? -1 : 1)))
  })
}
