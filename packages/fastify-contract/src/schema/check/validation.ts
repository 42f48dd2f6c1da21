import { type ErrorObject, type FuncKeywordDefinition, type ValidateFunction, _ } from 'ajv'
import type { NumberSources } from '../../json/json.ts'
import { escapeName } from '../../json/pointer.ts'
import { guarded } from './guarded.ts'
import { LinearPattern } from '../patterns/linear-pattern.ts'
import { JsonView } from './json-view.ts'
import type { Viewing } from './plain-objects.ts'
import type { Direction } from './rewrite-schema.ts'
import type { Declaration, RewrittenSchema } from './rewritten-schema.ts'
import { isInfinite } from './scalar-assertions.ts'
import { withoutProperties } from './without-properties.ts'
import { TooMuchWork, Work } from './work.ts'

/** The function of a keyword. */
export type KeywordFunction = ReturnType<NonNullable<FuncKeywordDefinition['compile']>>

/** The value that replaces the sent one for the handler, or why the handler cannot get it. */
export interface Coercion {
  container: Record<string | number, unknown>
  key: string | number
  value?: unknown
  /** Whether it is an integer that the sent one is not. */
  isRounded?: boolean
  problem?: ErrorObject
}

/** The properties of an object that one schema declares. */
interface DeclaredObject {
  /** A JSON Pointer. A reply may contain one object several times. */
  place: string
  object: Record<string, unknown>
  names: NameSet
  /** Whether the schema decides by itself about the other properties. */
  isOpen: boolean
  /** Whether the object may only have declared properties, as far as this schema is concerned. */
  isClosed: boolean
}

/** Names, some by their pattern. */
interface NameSet {
  has: (name: string) => boolean
}

/** What a value was read from. */
export interface Origin {
  /** The source text of the numbers of parsed JSON. */
  sources?: NumberSources | undefined
  /** The objects and lists whose strings are texts of any type: parameters and the fields of forms. */
  texts?: ReadonlySet<object> | undefined
}

/**
 * The state of one validation. Ajv passes it to the keywords as `this` (https://ajv.js.org/options.html#passcontext).
 * Nothing changes before the whole value is valid, so truncating these lists rolls back a failed branch.
 */
export interface Validation extends Origin, Viewing {
  coercions: Coercion[]
  /** What the schemas of every object declare, if it is noted. */
  objects: DeclaredObject[]
  isNoting: boolean
  /** Whether a double has rounded a number to an integer when it was parsed. */
  isRounded: boolean
  /** Whether a reply has bigints where the contract declares them. */
  hasBigInts: boolean
  /** Whether an object has a property that one of its schemas does not declare. */
  hasOthers: boolean
  /** The current depth of `anyOf`, `oneOf` and `not`. */
  branches: number
  work: Work
}

/** The result of validating a value. */
export interface Validated<Value> {
  /** None if the value is valid. */
  errors: ErrorObject[]
  /** The errors of properties that no schema declares, which are gone; one for many. */
  undeclared: ErrorObject[]
  /** The value without them: the same object in a request. In a response it may be a copy of what JSON shows. */
  value: Value
  /** Of a valid reply: whether it has bigints where the contract declares them. It may have others. */
  hasBigInts?: boolean
}

const noOrigin: Origin = {}

/**
 * Validates a value, and removes undeclared properties. In a valid request, coerces numbers and booleans.
 *
 * @param validators compiled by a compiler of `createCompiler`
 * @param direction undefined for a value without one, such as an example, which keeps its properties
 */
export function validate<Value extends object>(
  validators: readonly ValidateFunction[],
  given: Value,
  direction: Direction | undefined,
  { sources, texts }: Origin = noOrigin,
): Validated<Value> {
  const undeclared: ErrorObject[] = []
  const isReply = direction === 'response'
  // A reply is no attack, and its refusal would be a fault. Only what takes forever is refused.
  const workFactor = direction === 'request' ? 1 : 8
  let work = new Work(given, workFactor)
  let value = given
  let view: JsonView | undefined
  let isNoting = false
  try {
    for (;;) {
      const state: Validation = {
        sources: sources?.size === 0 ? undefined : sources,
        texts,
        isReply,
        coercions: [],
        objects: [],
        isNoting,
        view,
        isPlain: true,
        isRounded: false,
        hasBigInts: false,
        // They are looked for again only because there were some.
        hasOthers: isNoting,
        branches: 0,
        work,
      }
      const errors = errorsOf(validators, value, state)
      if (isReply && view === undefined && (errors.length > 0 || !state.isPlain)) {
        view = new JsonView()
        // A copy of the same form.
        value = view.copy(value, '') as Value
        work = new Work(value, workFactor)
        if (view.isOther) continue
      }
      // What an object of a class inherits may decide what else applies to it.
      if (isReply && !state.isPlain) continue
      if (errors.length > 0 || direction === undefined) return { errors, undeclared, value }
      // Most values have no other properties. To find them, what all schemas declare is noted.
      const found = state.hasOthers && isNoting ? undeclaredProperties(state.objects, Infinity) : []
      if (found.length === 0 && (isNoting || !state.hasOthers))
        return {
          errors: isReply ? [] : handOver(validators, value, state),
          undeclared,
          value,
          hasBigInts: state.hasBigInts,
        }
      isNoting = !isNoting
      if (isNoting) continue
      // The reduced value must be valid too.
      if (direction === 'response') {
        // One is named: every item of a list may have the same.
        undeclared.push(...found.slice(0, 1).map(({ place, name }) => undeclaredError(name, place)))
        value = withoutProperties(value, found)
      } else for (const { object, name } of found) Reflect.deleteProperty(object, name)
      work.count(state.objects.length)
    }
  } catch (error) {
    if (!(error instanceof TooMuchWork)) throw error
    return { errors: [errorAt(error.place, error.message)], undeclared, value }
  }
}

// In this function and the next, loops and no functions of lists, because every request and reply comes here.

function errorsOf(validators: readonly ValidateFunction[], value: object, state: Validation): ErrorObject[] {
  let errors: ErrorObject[] = []
  for (const isValid of validators) if (!isValid.call(state, value)) errors = errors.concat(isValid.errors ?? [])
  if (errors.length === 0) for (const { problem } of state.coercions) if (problem !== undefined) errors.push(problem)
  return errors
}

/** Replaces the values of a valid request. @returns why a handler may not get them */
function handOver(validators: readonly ValidateFunction[], value: object, state: Validation): ErrorObject[] {
  const { coercions, sources } = state
  const infinite = sources !== undefined && mayBeInfinite(sources) ? infinitePlace(value, '') : undefined
  if (infinite !== undefined) return [errorAt(infinite, 'must not be a number beyond the range of a double')]
  let { isRounded } = state
  for (const coercion of coercions) {
    coercion.container[coercion.key] = coercion.value
    if (coercion.isRounded === true) isRounded = true
  }
  // For a value that is both int64 and `number`, the bigint wins, because it is exact.
  for (const { container, key, value: coerced } of coercions) if (typeof coerced === 'bigint') container[key] = coerced
  if (!isRounded) return []
  // Integers were judged as they were sent. What a handler gets must be valid, too.
  return errorsOf(validators, value, { ...state, sources: undefined, coercions: [], objects: [] })
}

/** Whether a number may be beyond the range of a double. */
function mayBeInfinite(sources: NumberSources): boolean {
  return sources.values().some((numbers) => numbers.values().some((source) => isInfinite(Number(source))))
}

export function errorAt(instancePath: string, message: string): ErrorObject {
  return { keyword: 'validation', instancePath, schemaPath: '', params: {}, message }
}

/** The error of a property that no schema declares, in the form of Ajv's `additionalProperties`. */
export function undeclaredError(name: string, instancePath: string): ErrorObject {
  return { keyword: 'additionalProperties', instancePath, schemaPath: '', params: { additionalProperty: name } }
}

/** The place of a number beyond the range of a double. Only a schema without a type accepts one. */
function infinitePlace(value: unknown, place: string): string | undefined {
  if (isInfinite(value)) return place
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, member] of Object.entries(value)) {
    const found = infinitePlace(member, `${place}/${escapeName(name)}`)
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * Notes the properties that a schema declares. The notes of a failed schema are rolled back.
 *
 * `unevaluatedProperties` would not do: it sees one schema, but several may describe the same object, such as two schemas
 * of an `allOf` that each declare some properties of `a`.
 *
 * @see https://ajv.js.org/keywords.html
 */
export const declaredKeyword = guarded(
  {
    type: 'object',
    schemaType: 'object',
    errors: false,
    compile({ names, patterns, isOpen, isClosed }: Declaration) {
      const declared = nameSet(names, patterns)
      const validate: KeywordFunction = function (this: Validation, object: Record<string, unknown>, context) {
        const note = { place: context?.instancePath ?? '', object, names: declared, isOpen, isClosed }
        this.hasOthers ||= hasOthers(note)
        if (this.isNoting) this.objects.push(note)
        return true
      }
      return validate
    },
  },
  ({ gen, parentSchema, data }) => {
    const { declared }: RewrittenSchema = parentSchema
    if (declared?.isClosed !== true) return _`!this.isNoting`
    const { names, patterns } = declared
    const has = gen.scopeValue('func', { ref: hasOnly })
    const hasOnlyNames = _`${has}(${data}, ${gen.scopeValue('schema', { ref: new Set(names) })})`
    // Without patterns that is all that the function would find out.
    return patterns.length > 0
      ? _`!this.isNoting && ${hasOnlyNames}`
      : _`!this.isNoting && (${hasOnlyNames} || (this.hasOthers = true))`
  },
)

function hasOnly(object: Record<string, unknown>, names: ReadonlySet<string>): boolean {
  // An inherited property is no other one, but there is none in JSON.
  for (const name in object) if (!names.has(name) && isGiven(object, name)) return false
  return true
}

/** A set of names, and of those that match a pattern. */
export function nameSet(names: readonly string[], patterns: readonly string[]): NameSet {
  const exactNames = new Set(names)
  if (patterns.length === 0) return exactNames
  const expressions = patterns.map((pattern) => new LinearPattern(pattern))
  return { has: (name) => exactNames.has(name) || expressions.some((expression) => expression.test(name)) }
}

/** The notes of a schema. */
type Notes = Pick<Validation, 'coercions' | 'objects'>

/**
 * Merges the notes of the alternatives that apply to a value. If a handler can get the value from some of them, the others
 * do not count. If one of them keeps the value whole, the others do not close its objects.
 *
 * @param starts the numbers of notes before each of the valid alternatives
 */
export function mergeAlternatives(
  state: Validation,
  starts: { coercions: number; objects: number }[],
  value: unknown,
): void {
  // There is one at least.
  const first = starts[0]!
  const members = typeof value === 'object' && value !== null ? Object.keys(value).length : 0
  state.work.count((state.objects.length - first.objects + starts.length * members) / 4)
  const all = starts.map((start, index): Notes => {
    const end = starts[index + 1]
    return {
      coercions: state.coercions.slice(start.coercions, end?.coercions),
      objects: state.objects.slice(start.objects, end?.objects),
    }
  })
  const usable = all.filter(({ coercions }) => coercions.every(({ problem }) => problem === undefined))
  const kept = usable.length > 0 ? usable : all
  if (kept.some(({ objects }) => undeclaredProperties(objects, 1).length === 0)) {
    for (const declared of kept.flatMap(({ objects }) => objects)) declared.isClosed = false
  }
  if (kept.length === all.length) return
  state.coercions = [...state.coercions.slice(0, first.coercions), ...kept.flatMap(({ coercions }) => coercions)]
  state.objects = [...state.objects.slice(0, first.objects), ...kept.flatMap(({ objects }) => objects)]
}

/** Lists the undeclared properties of closed objects, up to `max`. */
function undeclaredProperties(objects: DeclaredObject[], max: number) {
  const undeclared: { place: string; object: object; name: string }[] = []
  for (const [place, declared] of Map.groupBy(objects, (each) => each.place)) {
    if (!declared.some(({ isClosed }) => isClosed)) continue
    // A group is not empty.
    const { object } = declared[0]!
    for (const name of Object.keys(object)) {
      if (isDeclared(declared, name) || !isGiven(object, name)) continue
      undeclared.push({ place, object, name })
      if (undeclared.length === max) return undeclared
    }
  }
  return undeclared
}

/** Whether a closed object has a property that this schema does not declare. */
function hasOthers({ object, names, isClosed }: DeclaredObject): boolean {
  if (!isClosed) return false
  for (const name of Object.keys(object)) if (!names.has(name) && isGiven(object, name)) return true
  return false
}

/** JSON has no undefined property. */
function isGiven(object: Record<string, unknown>, name: string): boolean {
  return object[name] !== undefined
}

/** Whether a schema declares a property of the object that all of these schemas describe. */
export function isDeclared(declared: DeclaredObject[], name: string): boolean {
  return declared.some(({ names, isOpen }) => isOpen || names.has(name))
}
