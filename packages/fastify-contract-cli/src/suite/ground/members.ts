/** An object of JSON. */
export type Members = Record<string, unknown>

/** Whether a value is an object of JSON: forms have files, too. */
export function isObject(value: unknown): value is Members {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
