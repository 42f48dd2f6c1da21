import { Encoded } from '../contract/types.ts'
import type { Plant } from './store.ts'

/**
 * How many plants are read at once. The longest plants have some 3 KiB of JSON each, so a page never has more than 400 KiB,
 * and a list of no more plants needs no bound in bytes.
 */
export const pageRows = 128

/** In bytes: a list is read until it has so many, and on when its client has taken them. */
export const chunkBytes = 256 * 1_024

const smallestId = -(2n ** 63n)
const largestId = 2n ** 63n - 1n

/** Where a list goes on: at the first plant with at least this id, and with at most so many. */
export interface Position {
  from: bigint
  left: number
}

/** Plants of a list that follow one another. */
export interface Part {
  /** The JSON of one or more of them in each, separated by commas. */
  plants: Buffer[]
  /** Where the next part begins; undefined at the end of the list. */
  next: Position | undefined
}

/** Where a list begins. */
export function beginningOf(limit: number): Position {
  return { from: smallestId, left: limit }
}

/**
 * Where a list goes on.
 *
 * @param plants how many the page before this position has
 * @param lastId the largest id among them
 */
export function positionAfter({ left }: Position, plants: number, lastId: bigint): Position | undefined {
  return left === plants || lastId === largestId ? undefined : { from: lastId + 1n, left: left - plants }
}

const [open, comma, close] = ['[', ',', ']'].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer]

/**
 * Encodes a list as a JSON array: whole where its first part is all there is, else in chunks, one for each part.
 *
 * @param readNext reads the part at a position; it throws when the store cannot be read
 */
export function encodeList({ plants, next }: Part, readNext: (position: Position) => Promise<Part>): Encoded<Plant[]> {
  const pieces = [open, ...withCommas(plants).slice(1)]
  return new Encoded<Plant[]>(next === undefined ? Buffer.concat([...pieces, close]) : chunksOf(pieces, next, readNext))
}

async function* chunksOf(
  first: Buffer[],
  second: Position,
  readNext: (position: Position) => Promise<Part>,
): AsyncGenerator<Buffer> {
  yield Buffer.concat(first)
  for (let position: Position | undefined = second; position !== undefined; ) {
    const { plants, next }: Part = await readNext(position)
    if (plants.length > 0) yield Buffer.concat(withCommas(plants))
    position = next
  }
  yield close
}

function withCommas(plants: Buffer[]): Buffer[] {
  return plants.flatMap((piece) => [comma, piece])
}
