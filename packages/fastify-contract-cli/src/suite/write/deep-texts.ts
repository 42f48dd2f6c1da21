import type { Json } from '../draw/json-value.ts'
import { RawText } from '../draw/json-value.ts'

/** Whether a value is one text. */
export function isScalar(value: Json): boolean {
  return ['string', 'number', 'bigint', 'boolean'].includes(typeof value) || value instanceof RawText
}

/** The names and texts of a value in the style `deepObject`, with the indices of lists. */
export function deepTexts(name: string, value: Json): (readonly [name: string, text: Json])[] {
  if (isScalar(value) || typeof value !== 'object' || value === null) return [[name, value]]
  return Object.entries(value).flatMap(([key, member]) => deepTexts(`${name}[${key}]`, member))
}

/** Whether a value can be written in the style `deepObject` without a loss. */
export function hasDeepText(value: Json): boolean {
  if (isScalar(value)) return true
  if (typeof value !== 'object' || value === null) return false
  const members = Object.entries(value)
  const isName = (name: string) => Array.isArray(value) || /^[^[\]]*[^[\]\d][^[\]]*$/.test(name)
  return members.length > 0 && members.every(([name, member]) => isName(name) && hasDeepText(member))
}

/** A value without the members that have no text: null, and lists and objects without members; undefined if it is one. */
export function withTexts(value: Json): Json {
  if (isScalar(value)) return value
  if (typeof value !== 'object' || value === null) return undefined
  const members = Object.entries(value)
    .map(([name, member]): [string, Json] => [name, withTexts(member)])
    .filter(([, member]) => member !== undefined)
  if (members.length === 0) return undefined
  return Array.isArray(value) ? members.map(([, member]) => member) : Object.fromEntries(members)
}
