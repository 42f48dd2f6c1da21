/** JSON with exact integers, JSON Pointers, and text that is safe to print. */
export { MalformedJson, RefusedJson, isObject, parseJson, parseJsonWithBigInts, stringifyJson } from './json/json.ts'
export type { MemberReader } from './json/parser.ts'
export { integerRanges, isIntegerFormat, isOfBigInts } from './json/integers.ts'
export { mapMembers } from './json/map-members.ts'
export { BrokenReference, escapeName, find, lookUp, namesOf } from './json/pointer.ts'
export { printable } from './json/printable.ts'
