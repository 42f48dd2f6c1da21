import Database from 'better-sqlite3'
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { syncFile, syncName } from './durable-file.ts'
import { Refusal } from './refusal.ts'
import { type Content, verifyCopy } from './verify-copy.ts'

/** What SQLite keeps beside a database file. */
const companions = ['-wal', '-shm', '-journal']

/**
 * Puts a copy in the place of a database, all at once: whatever happens, the file is the old one or the new one.
 *
 * @param copy a file that `backUp` made; it is left as it is
 * @param target the database file
 * @param force whether a database that is there may be replaced
 * @throws Refusal when the copy is not good, the target is there, or a server has it open; UnusableStore as `verifyCopy`
 */
export function restore(copy: string, target: string, force: boolean): Content {
  if (!existsSync(copy)) throw new Refusal(`there is no file ${copy}`)
  if (resolve(copy) === resolve(target)) throw new Refusal(`${copy} is the database itself`)
  if (existsSync(`${copy}-wal`)) throw new Refusal(`${copy} has a write-ahead log beside it: it is a database in use and not a copy of one`)
  const isThere = existsSync(target)
  if (isThere && !force) throw new Refusal(`${target} is there already; --force replaces it; nothing was changed`)
  mkdirSync(dirname(target), { recursive: true })
  const incoming = `${target}.restoring-${String(process.pid)}`
  try {
    copyFileSync(copy, incoming)
    const content = verifyCopy(incoming, copy)
    syncFile(incoming)
    const release = isThere ? takeOver(target) : () => undefined
    try {
      // What is beside a file that is gone or cannot be read would be taken for part of the new one.
      for (const suffix of companions) rmSync(target + suffix, { force: true })
      renameSync(incoming, target)
    } finally {
      release()
    }
    syncName(target)
    return content
  } finally {
    for (const suffix of ['', ...companions]) rmSync(incoming + suffix, { force: true })
  }
}

/**
 * Makes sure that nobody has the database open, and that nobody opens it before it is replaced. Leaving the mode with a log,
 * which folds the log in, takes a lock that every open connection prevents.
 *
 * @returns what lets go of it
 */
function takeOver(target: string): () => void {
  const database = new Database(target, { fileMustExist: true, timeout: 0 })
  try {
    database.pragma('journal_mode = DELETE')
    database.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')) {
      database.close()
      throw new Refusal(`${target} is open in another process; stop the server first; nothing was changed`, { cause: error })
    }
    // A file that is damaged is what a copy is restored for.
  }
  return () => {
    database.close()
  }
}
