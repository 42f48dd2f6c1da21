import { createHash } from 'node:crypto'
import { type DatabaseLocation, readDatabaseLocation } from '../../src/store/location.ts'
import { isUnavailable } from '../../src/store/postgres/errors.ts'
import { readHeader } from '../../src/store/sqlite/schema.ts'
import { UnusableStore } from '../../src/store/store.ts'
import { UsageError, readArguments, runCommand } from '../command.ts'
import { showProgress } from '../progress.ts'
import { openRows } from './open-rows.ts'
import type { Rows, StoreRows } from './rows.ts'

const usage = `Usage: npm run move -- --from URL --to URL
Copies all plants and tokens from one store to another. The target must be empty, or contain what an interrupted move
copied. URL is sqlite:PATH or postgres://USER@HOST:PORT/DATABASE. Stop the servers first.
Other users of this machine can see the arguments of a command, so leave the password out of the URL. Put it into
PGPASSWORD, the file ~/.pgpass, or the file that PGPASSFILE names.`

/** Rows read at once. */
const pageSize = 1_000

async function run(): Promise<void> {
  const { from, to } = readCommand()
  await using opened = new AsyncDisposableStack()
  const open = async (location: DatabaseLocation) =>
    opened.adopt(await openRows(location, console.error), (rows) => rows.close())
  const [source, target] = [await open(from), await open(to)]
  try {
    await move(source, target)
  } catch (error) {
    if (error instanceof UsageError || error instanceof UnusableStore || !isUnavailable(error)) throw error
    const message = `the move stopped: ${error.message}; run the command again to continue`
    throw new UsageError(message, { cause: error })
  }
}

function readCommand(): { from: DatabaseLocation; to: DatabaseLocation } {
  const options = { from: { type: 'string' }, to: { type: 'string' } } as const
  // An error about a positional argument would quote it, and it may contain a password.
  const { values, positionals } = readArguments(usage, { options, allowPositionals: true })
  if (positionals.length > 0) throw new UsageError(usage)
  if (values.from === undefined || values.to === undefined) throw new UsageError(usage)
  const [from, to] = [readUrl('--from', values.from), readUrl('--to', values.to)]
  if (from.engine === 'sqlite' && readHeader(from.file) === undefined) {
    throw new UsageError(`--from: there is no database ${from.file}; nothing was changed`)
  }
  return { from, to }
}

function readUrl(option: string, text: string): DatabaseLocation {
  try {
    return readDatabaseLocation(text)
  } catch (error) {
    // It throws nothing but errors.
    throw new UsageError(`${option} ${(error as Error).message}; nothing was changed`, { cause: error })
  }
}

/** Compares both tables before it writes the first row. */
async function move(source: StoreRows, target: StoreRows): Promise<void> {
  const tokens = await prepare(source.tokens, target.tokens)
  const plants = await prepare(source.plants, target.plants)
  console.log(`verified  ${await tokens()}`)
  console.log(`verified  ${await plants()}`)
}

async function prepare<Row>(from: Rows<Row>, to: Rows<Row>): Promise<() => Promise<string>> {
  const label = from.name
  const held = await findResumption(from, to)
  if (held === undefined) throw new UsageError(`the target has other ${label} than the source; nothing was changed`)
  return async () => {
    if (held.count > 0) {
      console.log(`resumed   after ${held.count.toLocaleString('en')} ${label} that the target already has`)
    }
    await copyAfter(from, to, held)
    const [there, here] = await Promise.all([digest(from), digest(to)])
    if (there !== here) {
      throw new UsageError(
        `the ${label} differ: ${there} in the source, ${here} in the target. ` +
          'The source may have changed; stop the servers and move into an empty target.',
      )
    }
    return `${label}: ${here} on both sides`
  }
}

/** Copies the rows that the target does not have yet. */
async function copyAfter<Row>(from: Rows<Row>, to: Rows<Row>, { last, count }: Resumption<Row>): Promise<void> {
  const total = await from.count()
  using progress = showProgress('copying', from.name)
  let copied = count
  for await (const rows of pagesAfter(from, last)) {
    await to.add(rows)
    progress.show((copied += rows.length), total)
  }
}

/** The last row that both tables have, after which a move continues, and how many rows they share. */
interface Resumption<Row> {
  last: Row | undefined
  count: number
}

/**
 * Compares the rows of the target with the first rows of the source.
 *
 * @returns undefined if the target has other rows
 */
async function findResumption<Row>(from: Rows<Row>, to: Rows<Row>): Promise<Resumption<Row> | undefined> {
  let last: Row | undefined
  let count = 0
  for await (const held of pagesAfter(to, undefined)) {
    const expected = await from.after(last, held.length)
    const isOther = (row: Row, index: number) =>
      expected[index] === undefined || encodeRow(to, row) !== encodeRow(from, expected[index])
    if (held.some(isOther)) return undefined
    count += held.length
    last = held.at(-1)
  }
  return { last, count }
}

/**
 * Reads all rows.
 *
 * @returns the number of rows, and their SHA-256 in key order
 */
async function digest<Row>(rows: Rows<Row>): Promise<string> {
  const hash = createHash('sha256')
  let count = 0
  for await (const page of pagesAfter(rows, undefined)) {
    for (const row of page) hash.update(`${encodeRow(rows, row)}\n`)
    count += page.length
  }
  return `${count.toLocaleString('en')} with SHA-256 ${hash.digest('hex')}`
}

async function* pagesAfter<Row>(table: Rows<Row>, last: Row | undefined): AsyncGenerator<Row[]> {
  for (let rows = await table.after(last, pageSize); rows.length > 0; rows = await table.after(rows.at(-1), pageSize))
    yield rows
}

/** A row as text, without a line break. Equal rows of both stores have equal texts. */
function encodeRow<Row>({ valuesOf }: Rows<Row>, row: Row): string {
  const values = valuesOf(row).map((value) =>
    value instanceof Uint8Array
      ? Buffer.from(value).toString('hex')
      : typeof value === 'bigint'
        ? String(value)
        : value,
  )
  return JSON.stringify(values)
}

await runCommand(run, UnusableStore)
