import Database from 'better-sqlite3'
import { closeSync, existsSync, linkSync, lstatSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { assertExists, assertUsable, readVersions } from '../../../src/store/sqlite/database-header.ts'
import { assertPaired } from '../../../src/store/sqlite/open-files.ts'
import { applicationId } from '../../../src/store/sqlite/schema.ts'
import { UsageError } from '../../command.ts'
import type { ProgressBar } from '../progress-bar.ts'
import { syncFile, syncName } from './durable-file.ts'
import { type Content, contentOf, verifyCopy } from './verify-copy.ts'

/** How many pages are copied between two looks at the progress. */
const stepPages = 256

/** How much is copied before it is sent to the disk: the disk's queue stays short for whoever else waits for it. */
const syncedPages = 1_024

/** Ends the name of a copy without free pages. */
const compacted = '-compacted'

/**
 * Copies a database as it is at one moment, while servers go on to write to it.
 *
 * One read transaction holds the moment: an online backup would otherwise begin anew at each write of another process.
 * It keeps nobody from writing; all it does is that the write-ahead log cannot be begun anew until it ends.
 *
 * @param source the database file
 * @param file the copy; it appears under this name when it is whole and verified, and its owner alone can read it
 * @throws UsageError when the copy is there already, or the source cannot be copied; UnusableStore when the source is
 *   no
 *   database
 */
export async function backUp(
  source: string,
  file: string,
  bar: Pick<ProgressBar, 'show' | 'end'>,
): Promise<Content & { bytes: number }> {
  // A symbolic link is there, too, wherever it leads.
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) {
    throw new UsageError(`${file} is there already; nothing was changed`)
  }
  if (!existsSync(dirname(file))) throw new UsageError(`there is no folder ${dirname(file)}`)
  assertExists(source)
  assertPaired(source)
  const partial = `${file}.partial-${String(process.pid)}`
  try {
    // SQLite would make it with the mode that the umask leaves.
    closeSync(openSync(partial, 'wx', 0o600))
    const copied = await copy(source, partial, bar)
    compact(partial)
    const content = verifyCopy(partial, file)
    if (content.plants !== copied.plants || content.tokens !== copied.tokens)
      throw new UsageError(
        `${file} has not become what ${source} was: ${JSON.stringify(content)} instead of ${JSON.stringify(copied)}`,
      )
    syncFile(partial)
    publish(partial, file)
    return { ...content, bytes: statSync(file).size }
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error
    throw new UsageError(`${source} cannot be copied: ${error.message}`, { cause: error })
  } finally {
    for (const suffix of ['', '-journal', '-wal', '-shm', compacted]) rmSync(partial + suffix, { force: true })
  }
}

async function copy(source: string, partial: string, bar: Pick<ProgressBar, 'show' | 'end'>): Promise<Content> {
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
    await database.backup(partial, {
      progress: ({ totalPages, remainingPages }) => {
        const copiedPages = totalPages - remainingPages
        bar.show(copiedPages, totalPages)
        if (copiedPages >= nextSync) {
          syncFile(partial)
          nextSync = copiedPages + syncedPages
        }
        return stepPages
      },
    })
    return content
  } finally {
    bar.end()
    database.close()
  }
}

/** Leaves out the pages that deletes have freed, where they are a quarter of a copy or more. */
function compact(partial: string): void {
  const database = new Database(partial, { fileMustExist: true })
  try {
    // Both pragmas give one integer.
    const freePages = database.pragma('freelist_count', { simple: true }) as number
    if (freePages * 4 < (database.pragma('page_count', { simple: true }) as number)) return
    closeSync(openSync(partial + compacted, 'wx', 0o600))
    database.prepare('VACUUM INTO ?').run(partial + compacted)
  } finally {
    database.close()
  }
  renameSync(partial + compacted, partial)
}

/** A link, unlike a rename, takes no other file's place. */
function publish(partial: string, file: string): void {
  try {
    linkSync(partial, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw new UsageError(`${file} is there already; nothing was changed`, { cause: error })
    throw error
  }
  syncName(file)
}
