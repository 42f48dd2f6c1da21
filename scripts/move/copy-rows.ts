import { createHash } from 'node:crypto'
import { UsageError } from '../command.ts'
import { showProgress } from '../progress.ts'
import type { Row, Rows } from './rows.ts'

/** Rows read at once. */
const pageSize = 1_000

/** The copy of a table. */
export interface Copy {
  /** Removes the rows of the target that differ. */
  clear: () => Promise<void>
  /** Copies the rows that the target lacks. */
  copy: () => Promise<void>
  /** Reads both tables again. @returns what both have, for people. @throws UsageError if they differ */
  verify: () => Promise<string>
}

/**
 * Compares the rows of a table that the target has with the first rows of the source. Changes nothing yet.
 *
 * @param isUnfinished whether an earlier move into the target did not finish; its other rows are removed by the copy
 * @throws UsageError if the target has other rows, and no move has put them there
 */
export async function prepareCopy(from: Rows, to: Rows, isUnfinished: boolean): Promise<Copy> {
  const { name } = from
  const held = await findCommon(from, to)
  if (held.hasOthers && !isUnfinished)
    throw new UsageError(`the target has other ${name} than the source; nothing was changed`)
  return {
    clear: async () => {
      if (held.hasOthers) await to.removeAfter(held.last)
    },
    copy: async () => {
      if (held.count > 0)
        console.log(`resumed   after ${held.count.toLocaleString('en')} ${name} that the target already has`)
      await copyAfter(from, to, held)
    },
    verify: async () => {
      const [there, here] = await Promise.all([digest(from), digest(to)])
      if (there === here) return `${name}: ${here} on both sides`
      throw new UsageError(
        `the ${name} differ: ${there} in the source, ${here} in the target. ` +
          'Another program has changed them; stop it, and run the command again.',
      )
    },
  }
}

/** The first rows of both tables, as far as they are equal. */
interface Common {
  last: Row | undefined
  count: number
  /** Whether the target has further rows. */
  hasOthers: boolean
}

async function findCommon(from: Rows, to: Rows): Promise<Common> {
  let last: Row | undefined
  let count = 0
  for await (const held of pagesAfter(to, undefined)) {
    const expected = await from.after(last, held.length)
    const isOther = (row: Row, index: number) =>
      expected[index] === undefined || encodeRow(row) !== encodeRow(expected[index])
    const different = held.findIndex(isOther)
    const equal = different === -1 ? held : held.slice(0, different)
    count += equal.length
    last = equal.at(-1) ?? last
    if (different !== -1) return { last, count, hasOthers: true }
  }
  return { last, count, hasOthers: false }
}

async function copyAfter(from: Rows, to: Rows, { last, count }: Common): Promise<void> {
  const total = await from.count()
  using progress = showProgress('copying', from.name)
  let copied = count
  for await (const rows of pagesAfter(from, last)) {
    await to.add(rows)
    progress.show((copied += rows.length), total)
  }
}

/**
 * Reads all rows.
 *
 * @returns the number of rows, and their SHA-256 in key order
 */
async function digest(rows: Rows): Promise<string> {
  const hash = createHash('sha256')
  let count = 0
  for await (const page of pagesAfter(rows, undefined)) {
    for (const row of page) hash.update(`${encodeRow(row)}\n`)
    count += page.length
  }
  return `${count.toLocaleString('en')} with SHA-256 ${hash.digest('hex')}`
}

async function* pagesAfter(table: Rows, last: Row | undefined): AsyncGenerator<Row[]> {
  for (let rows = await table.after(last, pageSize); rows.length > 0; rows = await table.after(rows.at(-1), pageSize))
    yield rows
}

/** A row as text, without a line break. Equal rows of both stores have equal texts. */
function encodeRow(row: Row): string {
  const values = row.map((value) =>
    value instanceof Uint8Array
      ? Buffer.from(value).toString('hex')
      : typeof value === 'bigint'
        ? String(value)
        : value,
  )
  return JSON.stringify(values)
}
