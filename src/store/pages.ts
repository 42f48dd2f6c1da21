import { Encoded, release } from '../contract/types.ts'
import type { Plant } from './store.ts'

/**
 * How many plants are read at once while nothing is known of their size. The longest have some 3 KiB of JSON each, so a page
 * has at most 400 KiB, and a list of no more plants needs no bound in bytes.
 */
export const pageRows = 128

/** In bytes: a list is read until it has so many, and on when its client has taken them. */
export const chunkBytes = 128 * 1_024

/** Where a list goes on. */
export interface Position {
  /** At the first plant with at least this id. */
  from: bigint
  /** With at most so many plants. */
  left: number
  /** How many of them probably fill a chunk, where it is known. */
  rows?: number
}

/** Plants of a list that follow one another. */
export interface Part {
  /** The JSON of one or more of them in each, separated by commas. */
  plants: Buffer[]
  /** Where the next part begins; undefined at the end of the list. */
  next: Position | undefined
}

/** Where a list of at most so many plants begins. */
export function beginningOf(limit: number): Position {
  return { from: -(2n ** 63n), left: limit }
}

const [open, comma, close] = ['[', ',', ']'].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer]

/**
 * Encodes a list as a JSON array: whole where its first part is all there is, else in chunks, one for each part.
 *
 * @param readNext reads the part at a position; it throws when the store cannot be read
 */
export function encodeList({ plants, next }: Part, readNext: (position: Position) => Promise<Part>): Encoded<Plant[]> {
  const first = join(open, plants, next === undefined ? [close] : [])
  return new Encoded<Plant[]>(next === undefined ? first : chunksOf(first, next, readNext))
}

async function* chunksOf(
  first: Buffer,
  second: Position,
  readNext: (position: Position) => Promise<Part>,
): AsyncGenerator<Buffer> {
  yield first
  for (let position: Position | undefined = second; position !== undefined; ) {
    const { plants, next }: Part = await readNext(position)
    if (plants.length > 0) yield join(comma, plants, [])
    position = next
  }
  yield close
}

function join(before: Buffer, plants: Buffer[], after: Buffer[]): Buffer {
  const joined = Buffer.concat([before, ...plants.flatMap((piece, index) => (index === 0 ? [piece] : [comma, piece])), ...after])
  plants.forEach(release)
  return joined
}
