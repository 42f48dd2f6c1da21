import type { ErrorObject, ValidateFunction } from 'ajv'
import { mapMembers } from '../../json/map-members.ts'
import { type Compilers, type Context, isBranchValid } from './branch.ts'
import { selectionOf } from './discriminator.ts'
import { mustBe } from './equality-keywords.ts'
import { ending, maxErrors } from './error-limit.ts'
import type { CalledKeyword } from './guarded.ts'
import type { Alternatives, Rewritten, RewrittenSchema } from './rewritten-schema.ts'
import { isOfType } from '../read/meaning.ts'
import { type KeywordFunction, type Validation, mergeAlternatives } from './validation.ts'
import { bytesOf, stepsOf } from './work.ts'

type Errors = Partial<ErrorObject>[]

/**
 * The keywords `anyOf`, `oneOf` and `not`, which roll back the notes of a failed branch, and `defaults`, which
 * `SchemaRewriter` writes for properties with a default. Ajv's own do not report which branches are valid, and treat an
 * inherited property such as `valueOf` as given.
 *
 * @param compilers compile schemas that apply to the same value, and branches, whose first error is enough
 * @see https://json-schema.org/draft/2020-12/json-schema-core#section-10.2.1 https://ajv.js.org/keywords.html
 */
export function alternativesKeywords(compilers: Compilers) {
  const not: CalledKeyword = {
    errors: false,
    error: { message: 'must not match the schema of not' },
    compile(schema: Rewritten) {
      const branch = compilers.compileBranch(schema)
      const validate: KeywordFunction = function (this: Validation, data: unknown, context) {
        return !isBranchValid(this, branch, data, context, false)
      }
      return validate
    },
  }

  const defaults: CalledKeyword = {
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

  return {
    // Validates all branches, because each valid one declares its properties.
    anyOf: ending(alternatives('anyOf', compilers, Infinity, 'must match one of the alternatives')),
    oneOf: ending(alternatives('oneOf', compilers, 1, 'must match exactly one of the alternatives')),
    not,
    defaults,
  }
}

/** Copies a default, because a handler may change it. */
function copyOf(value: unknown): unknown {
  return mapMembers(value, copyOf)
}

/** Makes a keyword that is valid if at least one branch is, and at most `maxMatches`. */
function alternatives(keyword: string, compilers: Compilers, maxMatches: number, message: string): CalledKeyword {
  return {
    schemaType: ['array', 'object'],
    compile(schema: Alternatives, parent: RewrittenSchema) {
      const { schemas, discriminator } = 'schemas' in schema ? schema : { schemas: schema }
      // Of the only branch for a value, all errors count.
      const isOnly = discriminator !== undefined || schemas.filter((each) => !isNull(each)).length < 2
      const compile = isOnly ? compilers.compile : compilers.compileBranch
      const branches = schemas.map(compile)
      const select = discriminator === undefined ? undefined : selectionOf(branches, discriminator)
      const validate: KeywordFunction = function (this: Validation, data: unknown, context) {
        const selection = select?.(data, this)
        const selected = selection?.selected ?? branches
        this.work.count((branches.length - selected.length) / selectionsPerStep)
        const isText = typeof data === 'string' && this.texts?.has(context!.parentData) === true
        const applied = applyBranches(this, selected, data, context, isText ? Infinity : maxMatches)
        const { failures } = applied
        const starts = isText && applied.starts.length > maxMatches ? readOnce(this, applied.starts) : applied.starts
        if (starts.length > 1) mergeAlternatives(this, starts, data)
        if (starts.length > 0 && starts.length <= maxMatches) return true
        if (!isOfType(parent, data)) return true
        const isUnselected = starts.length === 0 && selection?.isNone === true
        const reasons = isUnselected ? failuresOf(this, branches, data, context) : failures
        validate.errors = [...firstOf(reasons), { keyword, message: branches.length === 0 ? mustBe([]) : message }]
        return false
      }
      return validate
    },
  }
}

/** Whether a schema is `type: 'null'`. */
function isNull(schema: Rewritten): boolean {
  return typeof schema === 'object' && schema.type === 'null'
}

/** How many branches are left out in the time of one step of work. */
const selectionsPerStep = 32

/** The numbers of notes before a branch. */
interface Start {
  coercions: number
  objects: number
}

/**
 * Applies branches until more than `maxMatches` are valid. @returns the numbers of notes before the valid ones, and the
 * errors of others
 */
function applyBranches(
  state: Validation,
  branches: ValidateFunction[],
  data: unknown,
  context: Context,
  maxMatches: number,
) {
  const starts: Start[] = []
  const failures: Errors[] = []
  for (const branch of branches) {
    const coercions = state.coercions.length
    const objects = state.objects.length
    if (isBranchValid(state, branch, data, context, true)) starts.push({ coercions, objects })
    else failures.push(branch.errors ?? [])
    if (starts.length > maxMatches) break
  }
  return { starts, failures }
}

/**
 * Reads a text of which one alternative makes a number or a boolean, and others a string: it is one of them, not several.
 *
 * @param starts those of the valid alternatives. A text has no other notes than its own coercions
 * @returns the one that counts, whose notes are kept; all where no reading is of one alternative
 */
function readOnce({ coercions }: Validation, starts: Start[]): Start[] {
  // There are several.
  const first = starts[0]!
  const readings = starts.map((start, at) => coercions.slice(start.coercions, starts[at + 1]?.coercions))
  const [texts, values] = [readings.filter((own) => own.length === 0), readings.filter((own) => own.length > 0)]
  // One that the handler cannot get comes last.
  const isUsable = values.flat().every(({ problem }) => problem === undefined)
  const [reading] = (isUsable ? [values, texts] : [texts, values]).find((some) => some.length === 1) ?? []
  if (reading === undefined) return starts
  coercions.splice(first.coercions, Infinity, ...reading)
  return [first]
}

/** The errors of the first branches. */
function failuresOf(state: Validation, branches: ValidateFunction[], data: unknown, context: Context): Errors[] {
  const failures: Errors[] = []
  for (const branch of branches) {
    if (!isBranchValid(state, branch, data, context, false)) failures.push(branch.errors ?? [])
    if (failures.length === maxErrors) break
  }
  return failures
}

/** The first errors of branches, each once. Those of alternatives in one another double with each level. */
function firstOf(failures: Errors[]): Errors {
  const first: Errors = []
  for (const error of failures.values().flatMap((errors) => errors)) {
    if (!first.some((other) => isSame(other, error))) first.push(error)
    if (first.length === maxErrors) break
  }
  return first
}

function isSame(one: Partial<ErrorObject>, other: Partial<ErrorObject>): boolean {
  if (one.instancePath !== other.instancePath || one.message !== other.message) return false
  return one.params?.['additionalProperty'] === other.params?.['additionalProperty']
}
