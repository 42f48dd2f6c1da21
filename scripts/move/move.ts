import { type DatabaseLocation, readDatabaseLocation } from '../../src/store/location.ts'
import { isUnavailable } from '../../src/store/postgres/errors.ts'
import { realPathOf } from '../../src/store/sqlite/open-files.ts'
import { readHeader } from '../../src/store/sqlite/schema.ts'
import { UnusableStore } from '../../src/store/store.ts'
import { UsageError, readArguments, runCommand } from '../command.ts'
import { type Copy, prepareCopy } from './copy-rows.ts'
import type { OpenRowsOptions, StoreRows } from './rows.ts'

const usage = `Usage: npm run move -- --from URL --to URL
Copies everything from one store to another. The target must be empty, or contain what an interrupted move
copied. URL is sqlite:PATH or postgres://USER@HOST:PORT/DATABASE. Stop the servers first. No server starts on the
target until the move is verified.
Other users of this machine can see the arguments of a command, so leave the password out of the URL. Put it into
PGPASSWORD, the file ~/.pgpass, or the file that PGPASSFILE names.`

async function run(): Promise<void> {
  const { from, to } = readCommand()
  await using opened = new AsyncDisposableStack()
  const open = async (location: DatabaseLocation, role: 'source' | 'target') => {
    const rows = opened.adopt(await openRows(location, { role, onWarning: console.error }), (each) => each.close())
    await rows.lock()
    await rows.assertUnused()
    return rows
  }
  try {
    const source = await open(from, 'source')
    await move(source, await open(to, 'target'))
  } catch (error) {
    if (error instanceof UsageError || error instanceof UnusableStore || !isUnavailable(error)) throw error
    const message = `the move stopped: ${error.message}; run the command again to continue`
    throw new UsageError(message, { cause: error })
  }
}

/** Opens the rows of a store and brings its schema up to date. Loads only the driver that it needs. */
async function openRows(location: DatabaseLocation, options: OpenRowsOptions): Promise<StoreRows> {
  return location.engine === 'sqlite'
    ? (await import('./sqlite-rows.ts')).openSqliteRows(location.file, options)
    : (await import('./postgres-rows.ts')).openPostgresRows(location.url, options)
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
  if (from.engine === 'sqlite' && to.engine === 'sqlite' && realPathOf(from.file) === realPathOf(to.file))
    throw new UsageError('--from and --to name the same database; nothing was changed')
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

async function move(source: StoreRows, target: StoreRows): Promise<void> {
  // Compares all tables before it writes the first row.
  const copies: Copy[] = []
  for (const [index, from] of source.tables.entries()) {
    copies.push(await prepareCopy(from, target.tables[index]!, target.isUnfinished))
  }
  await target.setUnfinished(true)
  // A table stands after those that it refers to.
  for (const { clear } of copies.toReversed()) await clear()
  for (const { copy } of copies) await copy()
  const verified: string[] = []
  for (const { verify } of copies) verified.push(await verify())
  // A server may have started meanwhile.
  await source.assertUnused()
  await target.assertUnused()
  await target.setUnfinished(false)
  for (const line of verified) console.log(`verified  ${line}`)
}

await runCommand(run, UnusableStore)
