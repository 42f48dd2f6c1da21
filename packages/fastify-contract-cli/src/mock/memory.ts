import type { Members } from '../suite/ground/members.ts'

/** How many things and names of deleted ones are kept, over all collections; the oldest are forgotten. */
const maxMembers = 1_000
/** What they may take in memory, by `bytesOf`. */
const maxBytes = 16 * 2 ** 20

/** A thing of a collection; without members if it was deleted. */
interface Thing {
  collection: string
  id: string
  members: Members | undefined
  /** Whether no client has put it there. */
  isSeed: boolean
  /** The path that it was posted to; undefined for any. */
  home?: string | undefined
}

/** A thing, or none for a collection that has been asked for, and what it takes. */
interface Kept {
  thing: Thing | undefined
  bytes: number
}

/** What clients have posted and not deleted. */
export class Memory {
  /** By their paths; that of a collection that has been asked for ends in a slash. */
  readonly #things = new Map<string, Kept>()
  #bytes = 0

  /** Gives a collection what it has at first. */
  seed(collection: string, things: () => Map<string, Members>): void {
    if (this.#things.has(`${collection}/`)) return
    this.#keep(`${collection}/`, undefined)
    for (const [id, members] of things()) this.#put({ collection, id, members, isSeed: true })
  }

  find(collection: string, id: string): Thing | undefined {
    return this.#things.get(pathOf(collection, id))?.thing
  }

  /** @param home where they were posted to */
  list(collection: string, home = collection): Members[] {
    return this.#thingsOf(collection).flatMap((thing) => {
      const isThere = home === collection || (thing.home ?? home) === home
      return isThere && thing.members !== undefined ? [thing.members] : []
    })
  }

  /** How many things a collection has and had. */
  sizeOf(collection: string): number {
    return this.#thingsOf(collection).length
  }

  /** @param home the path that it is posted to; that of before for one that is changed */
  put(collection: string, id: string, members: Members, home = this.find(collection, id)?.home): void {
    this.#put({ collection, id, members, isSeed: false, home })
  }

  delete(collection: string, id: string): void {
    const isSeed = this.find(collection, id)?.isSeed ?? true
    this.#put({ collection, id, members: undefined, isSeed })
  }

  #thingsOf(collection: string): Thing[] {
    return [...this.#things.values()].flatMap(({ thing }) => (thing?.collection === collection ? [thing] : []))
  }

  #put(thing: Thing): void {
    this.#keep(pathOf(thing.collection, thing.id), thing)
  }

  #keep(path: string, thing: Thing | undefined): void {
    // What is put again is the newest.
    this.#forget(path)
    const bytes = bytesOf([path, thing])
    this.#things.set(path, { thing, bytes })
    this.#bytes += bytes
    for (const oldest of this.#things.keys()) {
      if (oldest === path || (this.#things.size <= maxMembers && this.#bytes <= maxBytes)) break
      this.#forget(oldest)
    }
  }

  #forget(path: string): void {
    this.#bytes -= this.#things.get(path)?.bytes ?? 0
    this.#things.delete(path)
  }
}

/** About what a value takes in memory. Small values have many times the bytes of their JSON. */
function bytesOf(value: unknown): number {
  if (typeof value === 'string') return 16 + 2 * value.length
  if (value instanceof Blob) return 200 + value.size
  if (typeof value !== 'object' || value === null) return 16
  return Object.entries(value).reduce((sum, [name, member]) => sum + 16 + 2 * name.length + bytesOf(member), 56)
}

function pathOf(collection: string, id: string): string {
  return `${collection}/${encodeURIComponent(id)}`
}
