import type { LineCounter } from 'yaml'
import { isObject } from 'fastify-contract/json'
import type { Finding } from './findings.ts'

/** A place in a file; line and column start at 1. */
export interface Place {
  file: string
  line: number
  col: number
}

/** A file, and where its lines start. */
export interface SourceFile {
  name: string
  lines: LineCounter
  text: string
}

/** The key of the origin of an object or a list. A copy by `...` carries it on, and what reads names does not see it. */
export const origin = Symbol('origin')

/** Where an object or a list is, and the names and values of its members: two offsets in one number. */
export interface Origin {
  file: SourceFile
  offset: number
  members: Map<string, number>
  /** The objects from which members were taken. */
  taken?: Readonly<Record<string, object>>
}

/** An object of a contract with an unchecked structure. */
export interface Node {
  readonly [name: string]: unknown
  readonly [origin]?: Origin | undefined
}

/** An object of a contract that is mended. */
export interface Draft {
  [name: string]: unknown
  [origin]?: Origin | undefined
}

/** More than the offsets of a file. */
export const offsets = 2 ** 26

/** An object as it is; none of the members of anything else. */
export function membersOf(value: unknown): Draft {
  return isObject(value) ? value : {}
}

/** @returns undefined for what no file contains, such as objects added by bundling */
export function originOf(value: object): Origin | undefined {
  // Only reading gives anything this key.
  return (value as Node)[origin]
}

/** Gives a list the place of another value. Its items keep their own. */
export function withOrigin<List extends unknown[]>(list: List, original: object): List {
  const found = originOf(original)
  return found === undefined ? list : Object.assign(list, { [origin]: { ...found, members: new Map() } })
}

/** Takes the place of a member from another object, which has a member of that name. */
export function takenFrom(object: object, key: string, from: object): Origin | undefined {
  const found = originOf(object)
  return found && { ...found, taken: { ...found.taken, [key]: from } }
}

/** A number, a boolean or a text without quotes, as it is written. */
export function sourceOf(object: object, key: string | number): string | undefined {
  const { file, members } = originOf(object) ?? {}
  const both = members?.get(String(key))
  if (file === undefined || both === undefined) return undefined
  const scalar = /[^\s,{}[\]"'&*!|>#][^\s,{}[\]]*/y
  scalar.lastIndex = both % offsets
  return scalar.exec(file.text)?.[0]
}

/** The place of a member, or of an object; undefined if no file contains it. */
export function placeOf({ object, key }: NonNullable<Finding['at']>, of: 'name' | 'value' = 'name'): Place | undefined {
  const found = originOf(object)
  if (found === undefined) return undefined
  const { file, offset, members, taken } = found
  const from = key === undefined ? undefined : taken?.[key]
  if (from !== undefined) return placeOf({ object: from, ...(key === undefined ? {} : { key }) }, of)
  const both = key === undefined ? undefined : members.get(String(key))
  const at = both === undefined ? offset : of === 'name' ? Math.floor(both / offsets) : both % offsets
  return { file: file.name, ...file.lines.linePos(at) }
}
