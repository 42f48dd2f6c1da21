// Loaded before the service as a control: commits do not wait for the disk.
import Database from 'better-sqlite3'

const original: Pick<Database.Database, 'pragma'> = { ...Database.prototype }

Database.prototype.pragma = function (source, options) {
  return original.pragma.call(this, source === 'synchronous = FULL' ? 'synchronous = NORMAL' : source, options)
}
