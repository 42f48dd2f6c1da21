import { types } from 'node:util'
import { createMembers, hasMembers } from '../../json/json.ts'

/** Whether an object is of no class. */
export function isPlainObject(object: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(object)
  return prototype === Object.prototype || prototype === null
}

/** That of the copies. They inherit nothing, and any name is one of their own. */
const prototype: object = Object.freeze({ __proto__: null })

/**
 * A copy of a reply, as JSON shows it: with what `toJSON` returns, and without functions. Of an object of a class, JSON shows
 * the properties that it has itself; TypeScript also promises those that it inherits or hides, such as the `message` of an
 * Error. Those are read if a schema names them.
 */
export class JsonView {
  /** Whether the copy differs from the value, or may get further properties. */
  isOther = false
  /** The copies, by what they are of: an object may refer to itself. */
  readonly #copies = new Map<object, object>()
  /** The objects of classes, by their copies. */
  readonly #objects = new Map<object, Record<string, unknown>>()

  /** @param name that of the member that the value is */
  copy(value: unknown, name: string): unknown {
    if (!hasMembers(value)) return value
    const { toJSON } = value
    if (typeof toJSON !== 'function') return this.#copyShown(value)
    this.isOther = true
    return this.#copyShown(toJSON.call(value, name))
  }

  #copyShown(value: unknown): unknown {
    if (!hasMembers(value) || JSON.isRawJSON(value)) return value
    const copy = this.#copies.get(value)
    if (copy !== undefined) return copy
    if (types.isBoxedPrimitive(value)) {
      this.isOther = true
      return value.valueOf()
    }
    return Array.isArray(value) ? this.#copyList(value) : this.#copyObject(value)
  }

  #copyList(list: readonly unknown[]): unknown[] {
    const copy: unknown[] = []
    this.#copies.set(list, copy)
    for (const [index, item] of list.entries()) {
      const member = this.copy(item, String(index))
      if (!isShown(member)) this.isOther = true
      copy.push(isShown(member) ? member : null)
    }
    return copy
  }

  #copyObject(object: Record<string, unknown>): object {
    const copy = createMembers(prototype)
    this.#copies.set(object, copy)
    if (!isPlainObject(object)) {
      this.isOther = true
      this.#objects.set(copy, object)
    }
    for (const name of Object.keys(object)) {
      const member = this.copy(object[name], name)
      if (isShown(member)) copy[name] = member
      else this.isOther = true
    }
    return copy
  }

  /** Reads the properties that an object of a class inherits or hides into its copy. @returns whether there were some */
  read(copy: object, names: readonly string[]): boolean {
    const object = this.#objects.get(copy)
    if (object === undefined) return false
    let hasRead = false
    for (const name of names) {
      // Those that every object inherits say nothing of it.
      if (Object.hasOwn(copy, name) || name in Object.prototype) continue
      const member = this.copy(object[name], name)
      if (!isShown(member)) continue
      Object.assign(copy, { [name]: member })
      hasRead = true
    }
    return hasRead
  }
}

/** Whether JSON shows a value. */
export function isShown(member: unknown): boolean {
  return member !== undefined && typeof member !== 'function' && typeof member !== 'symbol'
}
