/** A value of a record, as better-sqlite3 binds it. */
export type Value = bigint | number | string | Uint8Array | null

/** Pages of an SQLite file, and what its header says of them. */
export interface Pages {
  count: number
  /** The size of a page, and how much of it holds content. */
  bytes: number
  usableBytes: number
  /** Reads a page by its number, from 1. */
  read: (number: number) => Buffer
}

/** A page of an index b-tree, which holds the rows of a WITHOUT ROWID table or the entries of an index. */
export interface DecodedPage {
  /** The pages below it. */
  children: number[]
  /** The pages with the rest of long records. */
  overflow: number[]
  records: Value[][]
}

/** A page that is damaged, or is not of an index b-tree. */
class Damage extends Error {}

const interior = 0x02
const leaf = 0x0a

/**
 * Decodes a page of an index b-tree as sqlite.org/fileformat.html, sections 1.6 and 2.1, describes it. Trusts nothing: a
 * page with one fault may be half of an older one, with rows that were deleted since.
 *
 * @returns undefined if anything in the page is damaged
 */
export function decodePage(pages: Pages, number: number): DecodedPage | undefined {
  try {
    return decode(pages, pages.read(number))
  } catch (error) {
    // What a Buffer throws when it is read beyond its end, and a TextDecoder for text that is not UTF-8.
    if (error instanceof Damage || error instanceof RangeError || error instanceof TypeError) return undefined
    throw error
  }
}

function decode(pages: Pages, page: Buffer): DecodedPage {
  const isInterior = page[0] === interior
  assert(isInterior || page[0] === leaf)
  const first = isInterior ? 12 : 8
  const count = page.readUInt16BE(3)
  const decoded: DecodedPage = { children: [], overflow: [], records: [] }
  for (let index = 0; index < count; index++) {
    const reader = new Reader(page, page.readUInt16BE(first + 2 * index), pages.usableBytes)
    if (isInterior) decoded.children.push(reader.integer(4))
    decoded.records.push(decodeRecord(readPayload(pages, reader, decoded.overflow)))
  }
  if (isInterior) decoded.children.push(page.readUInt32BE(8))
  return decoded
}

/** Reads the payload of a cell, with its overflow pages. */
function readPayload(pages: Pages, reader: Reader, overflow: number[]): Buffer {
  const length = reader.varint()
  const { usableBytes } = pages
  const most = Math.floor(((usableBytes - 12) * 64) / 255) - 23
  const least = Math.floor(((usableBytes - 12) * 32) / 255) - 23
  const wanted = least + ((length - least) % (usableBytes - 4))
  const local = length <= most ? length : wanted <= most ? wanted : least
  const parts = [reader.bytes(local)]
  for (let left = length - local, next = left > 0 ? reader.integer(4) : 0; left > 0;) {
    assert(next > 1 && next <= pages.count && !overflow.includes(next))
    overflow.push(next)
    const part = pages.read(next).subarray(4, 4 + Math.min(left, usableBytes - 4))
    parts.push(part)
    next = pages.read(next).readUInt32BE(0)
    left -= part.length
  }
  return Buffer.concat(parts)
}

function decodeRecord(payload: Buffer): Value[] {
  const header = new Reader(payload, 0, payload.length)
  const headerLength = header.varint()
  const body = new Reader(payload, headerLength, payload.length)
  const values: Value[] = []
  while (header.at < headerLength) values.push(body.value(header.varint()))
  assert(header.at === headerLength && body.at === payload.length)
  return values
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The lengths of integers by their serial type. */
const integerLengths = [0, 1, 2, 3, 4, 6, 8]

/** Reads bytes in order, up to an end. */
class Reader {
  readonly #source: Buffer
  readonly #end: number
  at: number

  constructor(source: Buffer, at: number, end: number) {
    this.#source = source
    this.#end = end
    this.at = at
  }

  bytes(length: number): Buffer {
    assert(this.at + length <= this.#end)
    this.at += length
    return this.#source.subarray(this.at - length, this.at)
  }

  /** An unsigned integer of up to 6 bytes. */
  integer(length: number): number {
    return this.bytes(length).readUIntBE(0, length)
  }

  /** A length or a serial type. No sound one has more than 5 bytes. */
  varint(): number {
    let value = 0
    for (let count = 0; count < 5; count++) {
      const byte = this.integer(1)
      value = value * 128 + (byte & 0x7f)
      if (byte < 0x80) return value
    }
    throw new Damage()
  }

  value(type: number): Value {
    if (type === 0) return null
    if (type === 7) return this.bytes(8).readDoubleBE(0)
    if (type === 8 || type === 9) return BigInt(type - 8)
    const length = integerLengths[type]
    if (length !== undefined) return BigInt.asIntN(8 * length, BigInt(`0x${this.bytes(length).toString('hex')}`))
    assert(type >= 12)
    const bytes = this.bytes(Math.floor((type - 12) / 2))
    return type % 2 === 0 ? bytes : utf8.decode(bytes)
  }
}

function assert(isSound: boolean): asserts isSound {
  if (!isSound) throw new Damage()
}
