import type { AnySchema, ErrorObject, FuncKeywordDefinition, ValidateFunction } from 'ajv'
import { selectionOf } from './discriminator.ts'
import type { Alternatives, ClosedSchema } from './rewrite-schema.ts'
import { type KeywordFunction, type Validation, isDeclared, mergeAlternatives, undeclaredError } from './validation.ts'
import { bytesOf, stepsOf } from './work.ts'

type Compile = (schema: AnySchema) => ValidateFunction
type Context = Parameters<ValidateFunction>[1]

/** The maximum number of described errors. Nested alternatives can produce hundreds of thousands. */
export const maxErrors = 20

/**
 * The keywords `anyOf`, `oneOf` and `not`, which roll back the notes of a failed branch; `closed`, which
 * `SchemaRewriter` writes for `unevaluatedProperties: false`; and `defaults`, which it writes for properties with a
 * default. Ajv's own do not report which branches are valid, and treat an inherited property such as `valueOf` as
 * evaluated or given.
 *
 * @param compile compiles a schema that applies to the same value
 * @see https://json-schema.org/draft/2020-12/json-schema-core#section-10.2.1 https://ajv.js.org/keywords.html
 */
export function alternativesKeywords(compile: Compile): FuncKeywordDefinition[] {
  const not: FuncKeywordDefinition = {
    keyword: 'not',
    errors: false,
    error: { message: 'must not match the schema of not' },
    compile(schema: AnySchema) {
      const branch = compile(schema)
      const validate: KeywordFunction = function (this: Validation, data: unknown, context) {
        return !isBranchValid(this, branch, data, context, false)
      }
      return validate
    },
  }

  const closed: FuncKeywordDefinition = {
    keyword: 'closed',
    schemaType: 'object',
    compile({ schema, names, isOpen }: ClosedSchema) {
      const isValid = compile(schema)
      const validate: KeywordFunction = function (this: Validation, data: unknown, context) {
        const before = this.objects.length
        if (!isValid.call(this, data, context)) {
          validate.errors = isValid.errors ?? []
          return false
        }
        if (isOpen || typeof data !== 'object' || data === null || Array.isArray(data)) return true
        const place = context?.instancePath ?? ''
        this.work.count(this.objects.length - before)
        const declared = this.objects.slice(before).filter((object) => object.place === place)
        const name = Object.keys(data).find((each) => !names.includes(each) && !isDeclared(declared, each))
        if (name === undefined) return true
        validate.errors = [undeclaredError(name, place)]
        return false
      }
      return validate
    },
  }

  const defaults: FuncKeywordDefinition = {
    keyword: 'defaults',
    type: 'object',
    schemaType: 'object',
    // The first keyword of objects, so that the others see the defaults.
    before: 'maxProperties',
    modifying: true,
    errors: false,
    compile(values: Record<string, unknown>) {
      const members = Object.entries(values).map(([name, value]) => ({
        name,
        value,
        bytes: bytesOf({ [name]: value }),
      }))
      const steps = members.reduce((sum, { value }) => sum + stepsOf(value), 0)
      return function (this: Validation, object: Record<string, unknown>) {
        // A schema that may not apply sets no defaults, whoever refers to it.
        if (this.branches > 0) return true
        this.work.count(steps)
        for (const { name, value, bytes } of members) {
          if (Object.hasOwn(object, name)) continue
          object[name] = copyOf(value)
          this.work.add(bytes)
        }
        return true
      }
    },
  }

  return [
    // Validates all branches, because each valid one declares its properties.
    alternatives('anyOf', compile, Infinity, 'must match one of the alternatives'),
    alternatives('oneOf', compile, 1, 'must match exactly one of the alternatives'),
    not,
    closed,
    defaults,
  ]
}

/** Copies a default, because a handler may change it. */
function copyOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copyOf)
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copyOf(member)]))
}

/** Makes a keyword that is valid if at least one branch is, and at most `most`. */
function alternatives(keyword: string, compile: Compile, most: number, message: string): FuncKeywordDefinition {
  return {
    keyword,
    schemaType: ['array', 'object'],
    compile(schema: Alternatives) {
      const { schemas, discriminator } = Array.isArray(schema) ? { schemas: schema } : schema
      const branches = schemas.map(compile)
      const select = discriminator === undefined ? undefined : selectionOf(branches, discriminator)
      const validate: KeywordFunction = function (this: Validation, data: unknown, context) {
        const selection = select?.(data)
        const selected = selection?.selected ?? branches
        this.work.count((branches.length - selected.length) / selectionsPerStep)
        const { starts, errors } = applyBranches(this, selected, data, context, most)
        if (starts.length > 1) mergeAlternatives(this, starts, data)
        if (starts.length > 0 && starts.length <= most) return true
        const expected =
          starts.length === 0 && selection?.isNone === true ? errorsOf(this, branches, data, context) : errors
        validate.errors = [...expected, { keyword, message }]
        return false
      }
      return validate
    },
  }
}

/** How many branches are left out in the time of one step of work. */
const selectionsPerStep = 32

/** Applies branches until more than `most` are valid. @returns the numbers of notes before the valid ones, and errors */
function applyBranches(state: Validation, branches: ValidateFunction[], data: unknown, context: Context, most: number) {
  const starts: { coercions: number; objects: number }[] = []
  const errors: Partial<ErrorObject>[] = []
  for (const branch of branches) {
    const coercions = state.coercions.length
    const objects = state.objects.length
    if (isBranchValid(state, branch, data, context, true)) starts.push({ coercions, objects })
    else addErrors(errors, branch)
    if (starts.length > most) break
  }
  return { starts, errors }
}

/** The first errors of branches. */
function errorsOf(state: Validation, branches: ValidateFunction[], data: unknown, context: Context) {
  const errors: Partial<ErrorObject>[] = []
  for (const branch of branches) {
    if (!isBranchValid(state, branch, data, context, false)) addErrors(errors, branch)
    if (errors.length === maxErrors) break
  }
  return errors
}

function addErrors(errors: Partial<ErrorObject>[], { errors: added }: ValidateFunction): void {
  for (const error of added ?? []) if (errors.length < maxErrors) errors.push(error)
}

/** @param isKept whether the notes of a valid branch are kept */
function isBranchValid(state: Validation, branch: ValidateFunction, data: unknown, context: Context, isKept: boolean) {
  state.work.count(1)
  // Not destructured: V8 would make an array, in the hottest function of a validation.
  const coercions = state.coercions.length
  const objects = state.objects.length
  state.branches++
  const isValid = branch.call(state, data, context)
  state.branches--
  if (!isValid || !isKept) {
    state.coercions.length = coercions
    state.objects.length = objects
  }
  return isValid
}
