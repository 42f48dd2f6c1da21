import { closeSync, existsSync, lstatSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { setPriority } from 'node:os'
import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import Database from 'better-sqlite3'
import { BadConfig, loadConfig } from '../src/config/config.ts'
import { noteBackup } from '../src/store/sqlite/file-figures.ts'
import { removeLeftIndex, syncFile } from '../src/store/sqlite/open-files.ts'
import { applicationId, assertExists, assertUsable, damageRemedy, readVersions } from '../src/store/sqlite/schema.ts'
import { UnusableStore } from '../src/store/store.ts'
import { UsageError, readArguments, runCommand } from './command.ts'
import { showProgress } from './progress.ts'
import { type Content, contentOf, describeContent, isDamage, publish, sqliteFileOf, verifyCopy } from './verify-copy.ts'

const usage = `Usage: npm run backup -- FILE   copies the database of DATABASE_URL to FILE; the server may run`

async function run(): Promise<void> {
  const [file, ...rest] = readArguments(usage, { allowPositionals: true }).positionals
  if (file === undefined || rest.length > 0) throw new UsageError(usage)
  // Gives precedence to the server and other processes.
  setPriority(10)
  const source = sqliteFileOf(loadConfig(process.env).database, 'pg_dump')
  const began = new Date()
  const backup = await backUp(source, file)
  console.log(`${file}: ${describeContent(backup)} in ${String(backup.bytes)} bytes, verified`)
  try {
    noteBackup(source, began)
  } catch (error) {
    console.error(`the metrics do not show this backup: ${String(error)}`)
  }
}

/** Pages copied in one step. */
const stepPages = 256

/** Pages copied between two syncs. This keeps the disk's queue short for other processes. */
const syncedPages = 1_024

/** The suffix of a copy without free pages. */
const compacted = '-compacted'

/** A finished copy. */
interface Backup extends Content {
  bytes: number
}

/**
 * Copies a snapshot of a database, while servers may write to it.
 *
 * Copies in one read transaction: without it, the online backup would restart at each write of another process. The
 * transaction blocks no writer, but the write-ahead log grows until it ends.
 *
 * @param source the database file
 * @param file the copy, readable by its owner alone; has this name once it is complete and verified
 * @throws UsageError if `file` exists or the source cannot be copied; UnusableStore if the source is not a database
 */
export async function backUp(source: string, file: string): Promise<Backup> {
  // Finds a symbolic link even if its target does not exist.
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) {
    throw new UsageError(`${file} already exists; nothing was changed`)
  }
  if (!existsSync(dirname(file))) throw new UsageError(`the folder ${dirname(file)} does not exist`)
  assertExists(source)
  removeLeftIndex(source)
  const partial = `${file}.partial-${String(process.pid)}`
  try {
    // SQLite would create the file with a mode that depends on the umask.
    closeSync(openSync(partial, 'wx', 0o600))
    const copied = await copy(source, partial)
    compact(partial)
    const content = verifyCopy(partial, file, damageRemedy)
    if (!isDeepStrictEqual(content, copied))
      throw new UsageError(
        `${file} differs from ${source}: it has ${JSON.stringify(content)}, not ${JSON.stringify(copied)}`,
      )
    syncFile(partial)
    publish(partial, file)
    // The folder stores the name.
    syncFile(dirname(file))
    return { ...content, bytes: statSync(file).size }
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error
    const hint = isDamage(error) ? `; ${damageRemedy}` : ''
    throw new UsageError(`${source} cannot be copied: ${error.message}${hint}`, { cause: error })
  } finally {
    const leftovers = ['', compacted].flatMap((name) => ['', '-journal', '-wal', '-shm'].map((each) => name + each))
    for (const suffix of leftovers) rmSync(partial + suffix, { force: true })
  }
}

async function copy(source: string, partial: string): Promise<Content> {
  const database = new Database(source, { fileMustExist: true, timeout: 5_000 })
  try {
    database.exec('BEGIN')
    const versions = readVersions(database)
    if (versions.applicationId !== applicationId) {
      throw new UsageError(`${source} is not a database of this service; nothing was copied`)
    }
    assertUsable(source, versions)
    const content = contentOf(database)
    let nextSync = syncedPages
    using progress = showProgress('copying', 'pages')
    await database.backup(partial, {
      progress: ({ totalPages, remainingPages }) => {
        const copiedPages = totalPages - remainingPages
        progress.show(copiedPages, totalPages)
        if (copiedPages >= nextSync) {
          syncFile(partial)
          nextSync = copiedPages + syncedPages
        }
        return stepPages
      },
    })
    return content
  } finally {
    database.close()
  }
}

/** Removes free pages if they are at least a quarter of the copy. */
function compact(partial: string): void {
  const database = new Database(partial, { fileMustExist: true })
  try {
    // Both pragmas return one integer.
    const freePages = database.pragma('freelist_count', { simple: true }) as number
    if (freePages * 4 < (database.pragma('page_count', { simple: true }) as number)) return
    closeSync(openSync(partial + compacted, 'wx', 0o600))
    database.prepare('VACUUM INTO ?').run(partial + compacted)
  } finally {
    database.close()
  }
  renameSync(partial + compacted, partial)
}

if (import.meta.main) await runCommand(run, BadConfig, UnusableStore)
