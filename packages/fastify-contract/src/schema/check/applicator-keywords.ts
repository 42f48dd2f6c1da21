import type { ErrorObject, ValidateFunction } from 'ajv'
import { escapeName } from '../../json/pointer.ts'
import { type Compilers, type Context, contextOf, isBranchValid } from './branch.ts'
import { ending, maxErrors } from './error-limit.ts'
import type { CalledKeyword } from './guarded.ts'
import { LinearPattern } from '../patterns/linear-pattern.ts'
import type { Rewritten, RewrittenSchema } from './rewritten-schema.ts'
import type { Keywords } from '../read/schema.ts'
import { type KeywordFunction, type Validation, undeclaredError } from './validation.ts'
import { TooMuchWork } from './work.ts'

/**
 * `if` with `then` and `else`, `dependentSchemas`, `dependentRequired`, `contains` with its bounds, and the keyword that
 * `SchemaRewriter` writes for `patternProperties`. Ajv's own keep no notes, count no work, and match patterns that
 * backtrack.
 *
 * @see https://json-schema.org/draft/2020-12/json-schema-core#section-10
 */
export function applicatorKeywords({ compile, compileBranch }: Compilers) {
  const conditional: CalledKeyword = {
    schemaType,
    compile(condition: Rewritten, { then, else: otherwise }: RewrittenSchema) {
      const applies = compileBranch(condition)
      const [whenTrue, whenFalse] = [then, otherwise].map((schema) =>
        schema === undefined ? undefined : compile(schema),
      )
      const validate: KeywordFunction = function (this: Validation, data: unknown, context) {
        const before = this.coercions.length
        const chosen = isBranchValid(this, applies, data, context, true) ? whenTrue : whenFalse
        // What a condition calls an integer may be one that only an int64 of other schemas holds.
        const usable = this.coercions.slice(before).filter(({ problem }) => problem === undefined)
        this.coercions.splice(before, Infinity, ...usable)
        return chosen === undefined || isValid(this, validate, chosen, data, context)
      }
      return validate
    },
  }

  const dependentRequired: CalledKeyword = {
    type: 'object',
    schemaType: 'object',
    compile(required: Record<string, string[]>) {
      const validate: KeywordFunction = function (this: Validation, data: object) {
        const names = Object.entries(required).flatMap(([name, names]) => (Object.hasOwn(data, name) ? names : []))
        const missing = names.filter((name) => !Object.hasOwn(data, name))
        validate.errors = missing.map((missingProperty) => ({ keyword: 'required', params: { missingProperty } }))
        return missing.length === 0
      }
      return validate
    },
  }

  const dependentSchemas: CalledKeyword = {
    type: 'object',
    schemaType: 'object',
    compile(schemas: Record<string, Rewritten>) {
      const validators = Object.entries(schemas).map(([name, schema]) => [name, compile(schema)] as const)
      const validate: KeywordFunction = function (this: Validation, data: object, context) {
        const applied = validators.filter(([name]) => Object.hasOwn(data, name))
        return areValid(
          this,
          validate,
          applied.map(([, validator]) => [validator, data, context]),
        )
      }
      return validate
    },
  }

  const contains: CalledKeyword = {
    type: 'array',
    schemaType,
    compile(schema: Rewritten, { minContains: min = 1, maxContains: max = Infinity }: RewrittenSchema) {
      const matches = compileBranch(schema)
      const validate: KeywordFunction = function (this: Validation, items: unknown[], context) {
        let count = 0
        for (const [index, item] of items.entries()) {
          const place = contextOf(context, items, index, String(index))
          if (isBranchValid(this, matches, item, place, false)) count++
          if (count > max) break
        }
        if (count >= min && count <= max) return true
        const bound = count < min ? `at least ${String(min)}` : `at most ${String(max)}`
        validate.errors = [{ keyword: 'contains', message: `must have ${bound} of the items of contains` }]
        return false
      }
      return validate
    },
  }

  const patterned: CalledKeyword = {
    type: 'object',
    schemaType: 'object',
    compile(
      { patternProperties = {}, additionalProperties: others }: Keywords<Rewritten>,
      { properties = {} }: RewrittenSchema,
    ) {
      const declared = new Set(Object.keys(properties))
      const patterns = Object.entries(patternProperties).map(([pattern, schema]) => ({
        pattern: new LinearPattern(pattern),
        validator: compile(schema),
      }))
      const other = others === undefined || others === false ? undefined : compile(others)
      const validate: KeywordFunction = function (this: Validation, data: Record<string, unknown>, context) {
        const errors: Partial<ErrorObject>[] = []
        const members: Applied[] = []
        for (const name of Object.keys(data)) {
          const place = contextOf(context, data, name, escapeName(name))
          const matching = patterns.filter(({ pattern }) => {
            this.work.count(1)
            if (pattern.isTooLong(name, this.work))
              throw new TooMuchWork(
                place?.instancePath ?? '',
                'has a name that takes too long to match; send a shorter one',
              )
            return pattern.test(name)
          })
          const isOther = matching.length === 0 && !declared.has(name)
          if (isOther && others === false) errors.push(undeclaredError(name, context?.instancePath ?? ''))
          const validators = isOther ? [other ?? []].flat() : matching.map(({ validator }) => validator)
          for (const validator of validators) members.push([validator, data[name], place])
        }
        return areValid(this, validate, members, errors)
      }
      return validate
    },
  }

  return {
    if: ending(conditional),
    dependentRequired: ending(dependentRequired),
    dependentSchemas: ending(dependentSchemas),
    contains: ending(contains),
    patterned: ending(patterned),
  }
}

const schemaType = ['object' as const, 'boolean' as const]

/** A schema, the value that it applies to, and where that is. */
export type Applied = [validator: ValidateFunction, data: unknown, context: Context]

/** Applies schemas that all must match. Their errors, after these, become those of the keyword. */
export function areValid(
  state: Validation,
  keyword: KeywordFunction,
  applied: readonly Applied[],
  errors: Partial<ErrorObject>[] = [],
): boolean {
  for (const [validator, data, context] of applied) {
    if (errors.length > maxErrors) break
    if (!isValid(state, keyword, validator, data, context)) errors.push(...(keyword.errors ?? []))
  }
  keyword.errors = errors
  return errors.length === 0
}

/** Applies a schema that must match. Its errors become those of the keyword. */
export function isValid(
  state: Validation,
  keyword: KeywordFunction,
  validator: ValidateFunction,
  data: unknown,
  context: Context,
): boolean {
  state.work.count(1)
  if (validator.call(state, data, context)) return true
  keyword.errors = validator.errors ?? []
  return false
}
