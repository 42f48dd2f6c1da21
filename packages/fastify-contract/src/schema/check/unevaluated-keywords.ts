import type { ValidateFunction } from 'ajv'
import { isObject } from '../../json/json.ts'
import { escapeName } from '../../json/pointer.ts'
import { areValid, isValid } from './applicator-keywords.ts'
import { type Compilers, type Context, contextOf, isBranchValid } from './branch.ts'
import { ending, maxErrors } from './error-limit.ts'
import type { CalledKeyword } from './guarded.ts'
import type { Closed, Declaration, SeenItems } from './rewritten-schema.ts'
import { type KeywordFunction, type Validation, errorAt, isDeclared, nameSet, undeclaredError } from './validation.ts'

/**
 * The keywords that `SchemaRewriter` writes for `unevaluatedProperties` and `unevaluatedItems`. Ajv's own treat an
 * inherited property such as `valueOf` as evaluated.
 *
 * @see https://json-schema.org/draft/2020-12/json-schema-core#section-11
 */
export function unevaluatedKeywords({ compile, compileBranch }: Compilers) {
  const closed: CalledKeyword = {
    schemaType: 'object',
    compile({ schema, others, evaluated: { names, patterns, isOpen } }: Closed<Declaration>) {
      const whole = compile(schema)
      const evaluatedNames = nameSet(names, patterns)
      const other = others === false ? undefined : compile(others)
      const validate: KeywordFunction = function (this: Validation, data: unknown, context) {
        const before = this.objects.length
        const { isNoting } = this
        this.isNoting = true
        const isWholeValid = isValid(this, validate, whole, data, context)
        this.isNoting = isNoting
        if (!isWholeValid) return false
        if (isOpen || !isObject(data)) return true
        const place = context?.instancePath ?? ''
        this.work.count(this.objects.length - before)
        const declared = this.objects.slice(before).filter((object) => object.place === place)
        const names = Object.keys(data).filter((each) => !evaluatedNames.has(each) && !isDeclared(declared, each))
        if (names.length === 0) return true
        if (other === undefined) {
          validate.errors = names.slice(0, maxErrors + 1).map((name) => undeclaredError(name, place))
          return false
        }
        return areValid(
          this,
          validate,
          names.map((name) => [other, data[name], contextOf(context, data, name, escapeName(name))]),
        )
      }
      return validate
    },
  }

  const closedItems: CalledKeyword = {
    schemaType: 'object',
    compile({ schema, others, evaluated }: Closed<SeenItems>) {
      const whole = compile(schema)
      const isSeen = seenBy(evaluated)
      const other = compile(others)
      const validate: KeywordFunction = function (this: Validation, data: unknown, context) {
        if (!isValid(this, validate, whole, data, context)) return false
        if (!Array.isArray(data)) return true
        const isEvaluated = isSeen(this, data, context)
        for (const [index, item] of data.entries()) {
          if (isEvaluated(index)) continue
          if (isValid(this, validate, other, item, contextOf(context, data, index, String(index)))) continue
          if (others === false)
            validate.errors = [errorAt(`${context?.instancePath ?? ''}/${String(index)}`, 'is not an item here')]
          return false
        }
        return true
      }
      return validate
    },
  }
  return { closed: ending(closed), closedItems: ending(closedItems) }

  type Finder = (state: Validation, items: unknown[], context: Context) => (index: number) => boolean

  /** Makes the function that finds which items are evaluated. */
  function seenBy({ first, containing, choices }: SeenItems): Finder {
    const matchers = containing.map((schema) => compileBranch(schema))
    const alternatives = choices.map(({ applies, seen }) => [compileBranch(applies), seenBy(seen)] as const)
    const test = (state: Validation, schema: ValidateFunction, value: unknown, context: Context) =>
      isBranchValid(state, schema, value, context, false)
    return (state, items, context) => {
      const inner = alternatives.flatMap(([applies, seen]) =>
        test(state, applies, items, context) ? [seen(state, items, context)] : [],
      )
      return (index) =>
        index < first ||
        inner.some((isSeen) => isSeen(index)) ||
        matchers.some((matcher) => test(state, matcher, items[index], contextOf(context, items, index, String(index))))
    }
  }
}
