import { unescapeName } from '../../../src/json/pointer.ts'

/** The names of a JSON pointer in a URI fragment, such as `#/paths/~1plants/get` (RFC 6901, section 6). */
export function namesOf(pointer: string): string[] {
  return pointer
    .replace(/^#?\/?/, '')
    .split('/')
    .map(unescapeName)
}

/** The value at a JSON pointer of a document; undefined where there is none. */
export function follow(document: unknown, pointer: string): unknown {
  return namesOf(pointer).reduce(memberOf, document)
}

/** A member of an object or an array; undefined where there is none. */
export function memberOf(value: unknown, name: string): unknown {
  // An object has string keys, and an array's indices are strings, too.
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}
