import Database from 'better-sqlite3'

/**
 * The primary result codes caused by the file, the disk or another process, not by the statement
 * (sqlite.org/rescode.html). The statements were prepared at the start, so an ERROR says that a table is gone since.
 */
const environmental = [
  'ERROR',
  'BUSY',
  'LOCKED',
  'NOMEM',
  'READONLY',
  'IOERR',
  'CORRUPT',
  'FULL',
  'CANTOPEN',
  'PROTOCOL',
  'NOTADB',
  'INTERRUPT',
]

/** Whether the database cannot be read or written now, whatever the statement. */
export function isUnavailable(error: unknown): error is InstanceType<typeof Database.SqliteError> {
  return error instanceof Database.SqliteError && environmental.some((code) => isCode(error.code, code))
}

/** Whether another process holds the lock. */
export function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && isCode(error.code, 'BUSY')
}

/** Extended codes begin with their primary code: SQLITE_IOERR_FSYNC. */
function isCode(code: string, primary: string): boolean {
  return code === `SQLITE_${primary}` || code.startsWith(`SQLITE_${primary}_`)
}
