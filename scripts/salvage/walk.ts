import { fstatSync, readSync } from 'node:fs'
import { type DecodedPage, type Pages, type Value, decodePage } from './decode-page.ts'

/** SQLite never uses the page at this byte, because it locks it (sqlite.org/fileformat.html, section 1.4). */
const lockByte = 2 ** 30

/** Reads the pages of an SQLite file. */
export function pagesOf(descriptor: number): Pages {
  const header = Buffer.alloc(100)
  readSync(descriptor, header, 0, header.length, 0)
  // A page of 65,536 bytes is written as 1.
  const size = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16)
  return {
    count: Math.floor(fstatSync(descriptor).size / size),
    bytes: size,
    usableBytes: size - header[20]!,
    read: (number) => {
      const page = Buffer.alloc(size)
      readSync(descriptor, page, 0, size, (number - 1) * size)
      return page
    },
  }
}

/** Whether the records of a page are sound, and are between those to its left and to its right. */
export type IsPage = (records: Value[][], low: Value[] | undefined, high: Value[] | undefined) => boolean

/** Goes through the b-trees of a file, and remembers the pages that it has seen. */
export class Walk {
  readonly #pages: Pages
  readonly #seen: Set<number>
  /** How many pages were damaged, or are below a damaged one and could not be read. */
  damaged = 0

  constructor(pages: Pages) {
    this.#pages = pages
    this.#seen = new Set([1, lockByte / pages.bytes + 1])
  }

  /**
   * The sound pages of a b-tree.
   *
   * @param isPage whether records between two others can be of a page of this tree
   */
  *below(root: number, isPage: IsPage, low?: Value[], high?: Value[]): Generator<DecodedPage> {
    const page = this.#decode(root)
    if (page === undefined || !isPage(page.records, low, high)) {
      this.damaged++
      return
    }
    yield page
    const { children, records } = page
    for (const [index, child] of children.entries())
      yield* this.below(child, isPage, records[index - 1] ?? low, records[index] ?? high)
  }

  /**
   * The sound pages that are neither free nor in a b-tree, because a page above them is damaged. None if the list of free
   * pages is damaged, too: it may miss pages with rows that were deleted.
   */
  *unreached(): Generator<DecodedPage> {
    const isSound = this.#seeFreePages()
    for (let number = 2; number <= this.#pages.count; number++) {
      if (this.#seen.has(number)) continue
      const page = isSound ? this.#decode(number) : undefined
      if (page === undefined) this.damaged++
      else yield page
    }
  }

  /** @returns undefined if the page is damaged, is not there, or has another place, too */
  #decode(number: number): DecodedPage | undefined {
    if (number < 2 || number > this.#pages.count || this.#seen.has(number)) return undefined
    this.#seen.add(number)
    const page = decodePage(this.#pages, number)
    if (page === undefined || page.overflow.some((each) => this.#seen.has(each))) return undefined
    for (const each of page.overflow) this.#seen.add(each)
    return page
  }

  /** Goes through the list of free pages (sqlite.org/fileformat.html, section 1.5). @returns whether it is sound */
  #seeFreePages(): boolean {
    const header = this.#pages.read(1)
    let left = header.readUInt32BE(36)
    for (let trunk = header.readUInt32BE(32); trunk !== 0;) {
      const numbers = this.#freePagesOf(trunk)
      if (numbers.some((number) => number < 2 || number > this.#pages.count || this.#seen.has(number))) return false
      for (const number of numbers) this.#seen.add(number)
      left -= numbers.length
      trunk = this.#pages.read(trunk).readUInt32BE(0)
    }
    return left === 0
  }

  /** A page of the list, and the free pages that it names. */
  #freePagesOf(trunk: number): number[] {
    const page = this.#pages.read(trunk)
    const count = Math.min(page.readUInt32BE(4), page.length / 4 - 2)
    return [trunk, ...Array.from({ length: count }, (_, index) => page.readUInt32BE(8 + 4 * index))]
  }
}
