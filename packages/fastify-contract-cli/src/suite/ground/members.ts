/** An object of JSON. */
export type Members = Record<string, unknown>

export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

/** Whether a value is a number of JSON, of which integers may be bigints. */
export function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}

/** Whether a value is an object of JSON: forms have files, too. */
export function isObject(value: unknown): value is Members {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** The value at a path of names; undefined where the path leads to none. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, name) => (isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined),
    value,
  )
}

/** Where something is in a value of JSON: the names of members, and the indexes of items. */
export type Place = readonly (string | number)[]

/** A copy with another value at a place; undefined takes it away. What a place leads to where nothing is, is an object. */
export function replaced(value: unknown, [key, ...rest]: Place, end: unknown): unknown {
  if (key === undefined) return end
  if (typeof key === 'number' && isList(value)) return value.with(key, replaced(value[key], rest, end))
  const { [key]: member, ...others }: Members = isObject(value) ? value : {}
  const changed = replaced(member, rest, end)
  return changed === undefined ? others : { ...(isObject(value) ? value : {}), [key]: changed }
}
