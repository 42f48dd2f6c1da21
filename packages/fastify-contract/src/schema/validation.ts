import type { ErrorObject, FuncKeywordDefinition, ValidateFunction } from 'ajv'
import type { NumberSources } from '../json/json.ts'
import { escapeName } from '../json/pointer.ts'
import type { Declaration, Direction } from './rewrite-schema.ts'

/** The function of a keyword. Ajv always gives it the context. */
export type KeywordFunction = ReturnType<NonNullable<FuncKeywordDefinition['compile']>>

/** A value that a handler is to see in place of the one that was sent. */
interface Coercion {
  container: Record<string | number, unknown>
  key: string | number
  value: unknown
}

/** What one schema declares of an object. */
interface DeclaredObject {
  /** A JSON Pointer. A reply may have one object in several places. */
  place: string
  object: object
  declaration: Omit<Declaration, 'names'> & { names: ReadonlySet<string> }
}

/**
 * The state of one validation. Ajv passes it to the keywords as `this` (https://ajv.js.org/options.html#passcontext).
 * Nothing is changed before the whole value is valid: to roll back a failed branch is to cut these lists.
 */
export interface Validation {
  /** How the numbers of a parsed body were written. */
  sources: NumberSources | undefined
  coercions: Coercion[]
  objects: DeclaredObject[]
  /** How many branches of `anyOf`, `oneOf` and `not` are being validated. */
  branches: number
  /** The whole value. */
  root: unknown
  /** How many schemas that are referred to have been applied. */
  applied: number
  /** The work of those that are counted. */
  work: number
  maxWork: number
}

/**
 * Validates a value. A valid request is changed: numbers and booleans are coerced, and the properties that no schema
 * declares are removed. In a response they are errors.
 *
 * @param validators made by an Ajv of `createAjv`
 * @param direction undefined for a value that goes neither way, such as an example
 * @param sources how the numbers of a parsed body were written
 * @returns the errors; none where the value is valid
 */
export function validateValue(
  validators: readonly ValidateFunction[],
  value: object,
  direction: Direction | undefined,
  sources?: NumberSources,
): ErrorObject[] {
  for (;;) {
    const state: Validation = {
      sources,
      coercions: [],
      objects: [],
      branches: 0,
      root: value,
      applied: 0,
      work: 0,
      maxWork: minWork,
    }
    const errors = errorsOf(validators, value, state)
    if (errors.length > 0 || direction === undefined) return errors
    const undeclared = undeclaredProperties(state.objects)
    // One is enough: every item of a list may have the same.
    if (direction === 'response') return undeclared.slice(0, 1).map(({ place, name }) => undeclaredError(name, place))
    if (undeclared.length === 0) {
      const infinite = hasInfinite(sources) ? infinitePlace(value, '') : undefined
      if (infinite !== undefined) return [errorAt(infinite, 'must not be a number beyond the range of a double')]
      coerce(state.coercions)
      return []
    }
    // What is left must be valid, too.
    for (const { object, name } of undeclared) Reflect.deleteProperty(object, name)
  }
}

function errorsOf(validators: readonly ValidateFunction[], value: object, state: Validation): ErrorObject[] {
  const errors: ErrorObject[] = []
  try {
    for (const isValid of validators) if (!isValid.call(state, value)) errors.push(...(isValid.errors ?? []))
    return errors
  } catch (error) {
    if (!(error instanceof TooMuchWork)) throw error
    return [errorAt('', error.message)]
  }
}

function errorAt(instancePath: string, message: string): ErrorObject {
  return { keyword: 'validation', instancePath, schemaPath: '', params: {}, message }
}

/** The error of a property that no schema declares, in the form of Ajv's `additionalProperties`. */
function undeclaredError(name: string, instancePath: string): ErrorObject {
  return { keyword: 'additionalProperties', instancePath, schemaPath: '', params: { additionalProperty: name } }
}

function hasInfinite(sources: NumberSources | undefined): boolean {
  for (const numbers of sources?.values() ?? []) {
    for (const source of numbers.values()) if (!Number.isFinite(Number(source))) return true
  }
  return false
}

/** Where a number beyond the range of a double is, which only a schema that leaves a value open lets through. */
function infinitePlace(value: unknown, place: string): string | undefined {
  if (value === Infinity || value === -Infinity) return place
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, member] of Object.entries(value)) {
    const found = infinitePlace(member, `${place}/${escapeName(name)}`)
    if (found !== undefined) return found
  }
  return undefined
}

function coerce(coercions: Coercion[]): void {
  for (const { container, key, value } of coercions) container[key] = value
  // Where a number is an int64 and a `number` too, the bigint stays, because it is exact.
  for (const { container, key, value } of coercions) if (typeof value === 'bigint') container[key] = value
}

/**
 * The Ajv keyword that notes which properties the schemas of a value declare. A schema that does not hold is rolled
 * back, and so declares nothing.
 *
 * `unevaluatedProperties` would not do: it sees one schema, and several may describe the same object, as where two
 * schemas of an `allOf` each describe some of the properties of `a`.
 *
 * @see https://ajv.js.org/keywords.html
 */
export const declaredKeyword: FuncKeywordDefinition = {
  keyword: 'declared',
  type: 'object',
  schemaType: 'object',
  errors: false,
  compile({ names, ...rest }: Declaration) {
    const declaration = { names: new Set(names), ...rest }
    const validate: KeywordFunction = function (this: Validation, object: object, context) {
      this.objects.push({ place: context?.instancePath ?? '', object, declaration })
      return true
    }
    return validate
  },
}

/** Lists the properties of closed objects that no schema declares. */
function undeclaredProperties(objects: DeclaredObject[]): { place: string; object: object; name: string }[] {
  if (!objects.some(hasOthers)) return []
  const places = Map.groupBy(objects, ({ place }) => place)
  return [...places].flatMap(([place, declared]) => {
    if (!declared.some(({ declaration }) => declaration.isClosed)) return []
    // A group has members.
    const { object } = declared[0]!
    return Object.keys(object)
      .filter((name) => !declared.some(({ declaration: { names, isOpen } }) => isOpen || names.has(name)))
      .map((name) => ({ place, object, name }))
  })
}

/** Whether a schema leaves a property of a closed object to others. */
function hasOthers({ object, declaration: { names, isClosed, isOpen } }: DeclaredObject): boolean {
  if (!isClosed || isOpen) return false
  for (const name of Object.keys(object)) if (!names.has(name)) return true
  return false
}

/** How many schemas that are referred to apply before their work is counted. Most values meet fewer. */
const uncounted = 64

/** In the units of `sizeOf`: what a validation may take in any case, and for each unit of what it validates. */
const minWork = 500_000
const workOfUnit = 50

class TooMuchWork extends Error {
  constructor() {
    super('the body takes too long to validate, because too many alternatives are in one another; nest fewer')
  }
}

/**
 * The keyword of the named schemas that refer to others. It bounds the work of a validation: where two alternatives of a
 * schema lead back to it, each level of a value doubles the time, so that 40 levels would take days.
 */
export const countedKeyword: FuncKeywordDefinition = {
  keyword: 'counted',
  before: '$ref',
  schemaType: 'boolean',
  errors: false,
  validate(this: Validation, _counted: boolean, data: unknown) {
    if (++this.applied > uncounted) countWork(this, data)
    return true
  },
}

/** Counts what it takes to validate a value by one schema. @throws TooMuchWork */
function countWork(validation: Validation, value: unknown): void {
  validation.work += sizeOf(value)
  if (validation.work <= validation.maxWork) return
  validation.maxWork = Math.max(minWork, sizeOf(validation.root) * workOfUnit)
  if (validation.work > validation.maxWork) throw new TooMuchWork()
}

/** The number of values in a value, a long text counting as several. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return 1 + value.length / 16
  if (typeof value !== 'object' || value === null) return 1
  return Object.entries(value).reduce((size, [name, member]) => size + name.length / 16 + sizeOf(member), 1)
}
