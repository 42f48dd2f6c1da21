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
