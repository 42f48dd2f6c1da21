import { Encoded, release } from 'fastify-contract/encoded'
import type { Plant } from './store.ts'

/**
 * How many plants are read at once while their size is unknown. The JSON of the longest takes about 3 KiB each, so such
 * a page takes at most 400 KiB, and a list of at most this many plants needs no limit in bytes.
 */
export const pageRows = 128

/** In bytes. A part of a list ends once it has this many; the next part is read when the client has taken it. */
export const chunkBytes = 128 * 1_024

/** Where a list continues. */
export interface Position {
  /** With the first plant whose id is at least this. */
  from: bigint
  /** The most plants that remain. */
  left: number
  /** How many of them probably fill a chunk, if known. */
  rows?: number
}

/** Consecutive plants of a list. */
export interface Part {
  /** The JSON of one or more plants in each, separated by commas. */
  plants: Buffer[]
  /** Where the next part begins; undefined at the end of the list. */
  next: Position | undefined
}

/** Where a list of at most `limit` plants begins. */
export function beginningOf(limit: number): Position {
  return { from: -(2n ** 63n), left: limit }
}

const [open, comma, close] = ['[', ',', ']'].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer]

/**
 * Encodes a list as a JSON array: whole if it has one part, otherwise in chunks, one for each part.
 *
 * @param first the part at the beginning
 * @param readNext reads the part at a position; resolves to `unavailable` when the store cannot be read, and the list
 *   then ends with an error
 */
export function encodeList(
  { plants, next }: Part,
  readNext: (position: Position) => Promise<Part | 'unavailable'>,
): Encoded<Plant[]> {
  const first = join(open, plants, next === undefined ? [close] : [])
  return new Encoded<Plant[]>(next === undefined ? first : chunksOf(first, next, readNext))
}

async function* chunksOf(
  first: Buffer,
  second: Position,
  readNext: (position: Position) => Promise<Part | 'unavailable'>,
): AsyncGenerator<Buffer> {
  yield first
  for (let position: Position | undefined = second; position !== undefined;) {
    const part: Part | 'unavailable' = await readNext(position)
    if (part === 'unavailable') throw new Error('a list was cut off, because the store is not available')
    if (part.plants.length > 0) yield join(comma, part.plants, [])
    position = part.next
  }
  yield close
}

function join(before: Buffer, plants: Buffer[], after: Buffer[]): Buffer {
  const separated = plants.flatMap((piece, index) => (index === 0 ? [piece] : [comma, piece]))
  const joined = Buffer.concat([before, ...separated, ...after])
  plants.forEach(release)
  return joined
}
