import type { ErrorObject, ValidateFunction } from 'ajv'
import type { NumberSources } from '../json/json.ts'
import type { Direction } from './rewrite-schema.ts'
import { TooMuchWork, Work } from './work.ts'

type Container = Record<string | number, unknown>

/** A value that a handler is to see in the place of what was sent. */
interface Replacement {
  container: Container
  key: string | number
  value: unknown
}

/** The properties that one schema declares of an object. */
export interface Declaration {
  names: Readonly<Record<string, unknown>>
  patterns: readonly { test: (name: string) => boolean }[]
  /** Whether it says what else the object may have. */
  isOpen: boolean
  /** Whether an object has no other properties than those that its schemas declare. */
  isClosed: boolean
  /** Whether others are refused in requests, too, where they are removed otherwise. */
  isStrict: boolean
}

interface DeclaredObject {
  place: string
  object: object
  declaration: Declaration
}

/**
 * What validation learns about one value: the numbers and booleans that a handler is to see, and which properties the
 * schemas declare. Ajv passes it to the keywords as `this` (https://ajv.js.org/options.html#passcontext). Nothing is
 * changed before the whole value is known to be valid, so a branch of `anyOf` or `oneOf` that fails leaves no trace.
 */
export class Reading {
  readonly #sources: NumberSources | undefined
  readonly #replacements: Replacement[] = []
  readonly #objects: DeclaredObject[] = []
  readonly #marks = new Map<string, readonly [replacements: number, objects: number]>()

  readonly work: Work

  /**
   * @param root the whole value
   * @param sources how the numbers of a parsed body were written
   */
  constructor(root: unknown, sources?: NumberSources) {
    this.work = new Work(root)
    this.#sources = sources
  }

  /** The source text of a number, if the double in `container[key]` may differ from it. */
  sourceOf(container: object, key: string | number): string | undefined {
    return this.#sources?.get(container)?.get(String(key))
  }

  /** Replaces a value when the whole is valid. */
  replace(container: Container, key: string | number, value: unknown): void {
    // A bigint is noted even where it stands already, because a number of another branch would take its place.
    if (container[key] !== value || typeof value === 'bigint') this.#replacements.push({ container, key, value })
  }

  /** Notes what a schema declares of an object. @param place its JSON Pointer */
  declare(place: string, object: object, declaration: Declaration): void {
    this.#objects.push({ place, object, declaration })
  }

  /** Begins a branch, and drops what the failed branch before it has noted. @param place of the schema and its value */
  beginBranch(place: string, isFirst: boolean): void {
    if (isFirst) {
      this.endBranch(place)
      return
    }
    const [replacements, objects] = this.#marks.get(place) ?? [0, 0]
    this.#replacements.length = replacements
    this.#objects.length = objects
  }

  /** Keeps what the branch has noted. */
  endBranch(place: string): void {
    this.#marks.set(place, [this.#replacements.length, this.#objects.length])
  }

  /** Lists the properties of closed objects that no schema declares. */
  undeclared(): { place: string; object: object; name: string; isStrict: boolean }[] {
    if (this.#objects.every(({ object, declaration }) => !lacksOthers(object, declaration))) return []
    // A reply may have one object in several places.
    const places = Map.groupBy(this.#objects, ({ place }) => place)
    return [...places].flatMap(([place, declared]) => {
      if (!declared.some(({ declaration }) => declaration.isClosed)) return []
      // A group has members.
      const { object } = declared[0]!
      const isStrict = declared.some(({ declaration }) => declaration.isStrict)
      return Object.keys(object)
        .filter((name) => !declared.some(({ declaration }) => declares(declaration, name)))
        .map((name) => ({ place, object, name, isStrict }))
    })
  }

  /** Replaces the values. Where a number is an int64 and a `number` too, the bigint stays, because it is exact. */
  apply(): void {
    for (const { container, key, value } of this.#replacements) if (typeof value !== 'bigint') container[key] = value
    for (const { container, key, value } of this.#replacements) if (typeof value === 'bigint') container[key] = value
  }
}

/** Whether a schema leaves a property of a closed object to others. */
function lacksOthers(object: object, declaration: Declaration): boolean {
  return declaration.isClosed && Object.keys(object).some((name) => !declares(declaration, name))
}

function declares({ names, patterns, isOpen }: Declaration, name: string): boolean {
  return isOpen || Object.hasOwn(names, name) || patterns.some((pattern) => pattern.test(name))
}

/**
 * Validates a value and reads it: replaces numbers and booleans by what they mean, and removes from a request what no
 * schema declares. In a response an undeclared property is an error of the keyword `closed`.
 *
 * @param validators made by an Ajv of `createAjv`
 * @param value an object or array, which changes where it is a request
 * @param sources how the numbers of a parsed body were written
 * @returns the errors; none where the value is valid
 */
export function readValue(
  validators: readonly ValidateFunction[],
  value: object,
  direction: Direction | undefined,
  sources?: NumberSources,
): ErrorObject[] {
  for (;;) {
    const reading = new Reading(value, sources)
    const errors = errorsOf(validators, value, reading)
    if (errors.length > 0) return errors
    const others = reading.undeclared()
    // One is enough: every item of a list may have the same.
    const refused = others.find(({ isStrict }) => isStrict || direction === 'response')
    if (refused !== undefined) return [undeclaredError(refused.place, refused.name)]
    if (direction !== 'request') return []
    if (others.length === 0) {
      reading.apply()
      return []
    }
    // What is left must be valid, too.
    for (const { object, name } of others) Reflect.deleteProperty(object, name)
  }
}

function errorsOf(validators: readonly ValidateFunction[], value: object, reading: Reading): ErrorObject[] {
  try {
    return validators.flatMap((isValid) => (isValid.call(reading, value) ? [] : (isValid.errors ?? [])))
  } catch (error) {
    if (!(error instanceof TooMuchWork)) throw error
    return [{ keyword: 'counted', instancePath: '', schemaPath: '', params: {}, message: error.message }]
  }
}

function undeclaredError(place: string, name: string): ErrorObject {
  return { keyword: 'closed', instancePath: place, schemaPath: '', params: { name } }
}
