import { createHash } from 'node:crypto'
import type { Rows as Table } from '../../src/store/rows.ts'

/** How many rows are read at once. */
const pageSize = 1_000

/** The number of rows, and the SHA-256 of all rows in the order of their key. */
export interface Digest {
  count: number
  checksum: string
}

/**
 * Compares the rows of the target with the first rows of the source.
 *
 * @param encode returns equal texts for equal rows
 * @returns the last row that is in both, after which the move continues; undefined when the target has other rows
 */
export async function findResumption<Row>(
  from: Table<Row>,
  to: Table<Row>,
  encode: (row: Row) => string,
): Promise<{ last: Row | undefined; count: number } | undefined> {
  let last: Row | undefined
  let count = 0
  for (;;) {
    const held = await to.after(last, pageSize)
    const expected = held.length === 0 ? [] : await from.after(last, held.length)
    const isOther = (row: Row, index: number) =>
      expected[index] === undefined || encode(row) !== encode(expected[index])
    if (held.some(isOther)) return undefined
    count += held.length
    last = held.at(-1) ?? last
    if (held.length < pageSize) return { last, count }
  }
}

/** Copies the rows after `last`. */
export async function copyTable<Row>(from: Table<Row>, to: Table<Row>, last: Row | undefined): Promise<void> {
  for await (const rows of pagesAfter(from, last)) await to.add(rows)
}

/** Reads all rows. @param encode returns equal texts for equal rows, without line breaks */
export async function digestTable<Row>(table: Table<Row>, encode: (row: Row) => string): Promise<Digest> {
  const hash = createHash('sha256')
  let count = 0
  for await (const rows of pagesAfter(table, undefined)) {
    for (const row of rows) hash.update(`${encode(row)}\n`)
    count += rows.length
  }
  return { count, checksum: hash.digest('hex') }
}

async function* pagesAfter<Row>(table: Table<Row>, last: Row | undefined): AsyncGenerator<Row[]> {
  for (let rows = await table.after(last, pageSize); rows.length > 0; rows = await table.after(rows.at(-1), pageSize))
    yield rows
}
