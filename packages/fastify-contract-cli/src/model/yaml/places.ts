import type { LineCounter } from 'yaml'
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

/** Where a mapping or a list is, and the names and values of its members: two offsets in one number. */
interface Noted {
  file: SourceFile
  offset: number
  members: Map<string, number>
  /** The objects from which members were taken. */
  taken?: ReadonlyMap<string, object>
}

/** The places of mappings and lists of YAML files, and of the names and values of their members. */
export class Places {
  readonly #noted = new WeakMap<object, Noted>()
  /** Every reference outside of extensions, and an object that has it. */
  readonly references = new Map<string, object>()
  /** Whether a schema has an identifier, an anchor or a dynamic reference. */
  hasIdentifiers = false
  /** What other tools may read in another way. */
  readonly warnings: Finding[] = []

  note(object: object, noted: Noted): void {
    this.#noted.set(object, noted)
  }

  /** The offsets of the members of a mapping or a list of a file. */
  membersOf(object: object): ReadonlyMap<string, number> {
    return this.#noted.get(object)?.members ?? new Map()
  }

  /** Gives a copy the places of its original; the items of a list keep their own. */
  share<Copy extends object>(copy: Copy, original: object): Copy {
    const noted = this.#noted.get(original)
    if (noted !== undefined) this.#noted.set(copy, Array.isArray(copy) ? { ...noted, members: new Map() } : noted)
    return copy
  }

  /** Gives a copy the places of its original, and one member that of the same member of another object. */
  take<Copy extends object>(copy: Copy, original: object, key: string, from: object): Copy {
    this.share(copy, original)
    const noted = this.#noted.get(copy)
    if (noted !== undefined) this.#noted.set(copy, { ...noted, taken: new Map(noted.taken).set(key, from) })
    return copy
  }

  /** A number, a boolean or a text without quotes, as it is written. */
  sourceOf({ object, key }: { object: object; key: string | number }): string | undefined {
    const { file, members } = this.#noted.get(object) ?? {}
    const both = members?.get(String(key))
    if (file === undefined || both === undefined) return undefined
    const scalar = /[^\s,{}[\]"'&*!|>#][^\s,{}[\]]*/y
    scalar.lastIndex = both % offsets
    return scalar.exec(file.text)?.[0]
  }

  /** @returns undefined for objects that no file contains, such as those added by bundling */
  find({ object, key }: NonNullable<Finding['at']>, of: 'name' | 'value' = 'name'): Place | undefined {
    const noted = this.#noted.get(object)
    if (noted === undefined) return undefined
    const { file, offset, members, taken } = noted
    const from = taken?.get(String(key))
    if (from !== undefined) return this.find({ object: from, ...(key === undefined ? {} : { key }) }, of)
    const both = key === undefined ? undefined : members.get(String(key))
    const found = both === undefined ? offset : of === 'name' ? Math.floor(both / offsets) : both % offsets
    return { file: file.name, ...file.lines.linePos(found) }
  }
}

/** More than the offsets of a file. */
export const offsets = 2 ** 26
