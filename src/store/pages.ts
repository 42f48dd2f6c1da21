import { Encoded, release } from 'fastify-contract/encoded'
import type { Plant } from '../plants/plant.ts'

/**
 * The size of a page while the length of its plants is unknown. A plant's JSON has at most 3 KiB, so the page has at
 * most 400 KiB, and a list of at most this many plants needs no limit in bytes.
 */
export const pageRows = 128

/** A part of a list ends when it has this many bytes. The next part is read when the client has received it. */
export const chunkBytes = 128 * 1_024

/** Where a list continues. */
export interface Position {
  /** The lowest id. */
  from: bigint
  /** The most plants that remain. */
  left: number
  /** How many of them probably fill a chunk, if known. */
  rows?: number
}

/** Consecutive plants of a list. */
export interface Part {
  /** JSON of one or more plants in each, separated by commas. */
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
 * @param first the first part of the list
 * @param readNext reads the part at a position. If it resolves to `unavailable`, the list ends with an error
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
    if (part === 'unavailable') throw new Error('a list was cut off: the store is unavailable')
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
