import Database from 'better-sqlite3'
import { closeSync, openSync, readSync } from 'node:fs'
import { resolve } from 'node:path'
import { type OpenOptions, assertKnownVersion } from '../schema-version.ts'
import { UnusableStore } from '../store.ts'
import { type Table, jsonOf, quoted } from '../table.ts'
import { assertColumns, tables } from '../tables.ts'
import { assertFile, realPathOf } from './open-files.ts'

/** Marks a file as this service's (sqlite.org/fileformat.html, "Application ID"): "Plnt" in ASCII. */
export const applicationId = 0x506c6e74

/** What to do with a damaged file. */
export const damageRemedy = 'docs/operating.md says how to save the rest, in "If pages of the database are damaged"'

/**
 * The schema, version by version: entry `n` migrates from `PRAGMA user_version` n to n + 1. A released entry never
 * changes.
 *
 * `plants` is clustered by its key, so a caller's plants are stored in list order. A later migration of a table with a
 * column `json` must not name that column: `migrate` drops it first, and makes it again.
 */
export const migrations: readonly string[] = [
  `CREATE TABLE plants (
     caller TEXT NOT NULL,
     id INTEGER NOT NULL,
     name TEXT NOT NULL,
     tag TEXT,
     json TEXT NOT NULL GENERATED ALWAYS AS (
       CASE WHEN tag IS NULL THEN json_object('name', name) ELSE json_object('name', name, 'tag', tag) END
     ) STORED,
     PRIMARY KEY (caller, id)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE tokens (
     hash BLOB NOT NULL PRIMARY KEY,
     prefix TEXT NOT NULL,
     caller TEXT NOT NULL,
     issued_at INTEGER NOT NULL,
     expires_at INTEGER
   ) STRICT, WITHOUT ROWID;`,
  `ALTER TABLE tokens ADD COLUMN last_used_at INTEGER;`,
  `ALTER TABLE tokens ADD COLUMN scope TEXT;`,
]

/**
 * Brings the schema up to date. Safe while other processes do the same.
 *
 * A table that keeps JSON has a generated column for it, so that no statement can leave it behind. SQLite cannot change such
 * a column. If its definition no longer follows from `tables`, the rows are copied to a new table.
 *
 * @throws UnusableStore as `assertTables` and `assertForeignKeys`; nothing has changed then
 */
export function migrate(database: Database.Database, file: string): void {
  if (!isCurrent(database)) {
    // Otherwise the removal of the old table would count as a deletion of its rows.
    const enforced = database.pragma('foreign_keys', { simple: true })
    database.pragma('foreign_keys = OFF')
    database
      .transaction(() => {
        // Another process may have migrated the file meanwhile.
        if (isCurrent(database)) return
        const version = integerOf(database, 'user_version')
        applyMigrations(database, version)
        assertTables(database, file)
        for (const table of withJson) addJson(database, table)
        assertForeignKeys(database, file)
        database.pragma(`application_id = ${String(applicationId)}`)
        if (version < migrations.length) database.pragma(`user_version = ${String(migrations.length)}`)
      })
      .immediate()
    database.pragma(`foreign_keys = ${String(enforced)}`)
  }
  // SQLite compiles statements with the schema that it last read. Only running one tells it that another process has
  // changed the schema.
  database.exec('SELECT 1 FROM sqlite_schema')
}

/** @throws UnusableStore for rows that refer to none, and SQLite's error for a foreign key that leads to no key */
function assertForeignKeys(database: Database.Database, file: string): void {
  const rows = database.prepare<[], { table: string; parent: string }>('PRAGMA foreign_key_check').all()
  const [row] = rows
  if (row === undefined) return
  throw new UnusableStore(
    `${String(rows.length)} rows of ${row.table} in ${file} refer to rows that ${row.parent} does not have; correct the ` +
      'migration; nothing was changed',
  )
}

const withJson = (tables as readonly Table[]).filter(({ keepsJson }) => keepsJson === true)

/** The version of an unfinished move is higher. */
function isCurrent(database: Database.Database): boolean {
  if (integerOf(database, 'user_version') < migrations.length) return false
  return withJson.every((table) => definitionOf(database, table)?.includes(jsonColumn(table)) === true)
}

/** The statement that created a table; undefined if there is none. */
function definitionOf(database: Database.Database, { name }: Table): string | undefined {
  return database.prepare<[string], string>(`SELECT sql FROM sqlite_schema WHERE name = ?`).pluck().get(name)
}

function jsonColumn(table: Table): string {
  return `json TEXT NOT NULL GENERATED ALWAYS AS (${jsonOf(table, 'sqlite')}) STORED`
}

/** Applies all migrations after a version. They may remove or rename what the columns `json` are made of. */
function applyMigrations(database: Database.Database, version: number): void {
  for (const migration of ['', ...migrations.slice(version)]) {
    database.exec(migration)
    for (const table of withJson) dropJson(database, table)
  }
}

function dropJson(database: Database.Database, { name }: Table): void {
  const hasJson = database.prepare(`SELECT 1 FROM pragma_table_xinfo(?) WHERE name = 'json'`).get(name) !== undefined
  if (hasJson) database.exec(`ALTER TABLE ${name} DROP COLUMN json`)
}

/** Copies the rows to a new table with the column. */
function addJson(database: Database.Database, table: Table): void {
  const { name } = table
  const columns = database.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck().all(name)
  const definition = definitionOf(database, table)!.replace(
    /^[^(]*\(/,
    () => `CREATE TABLE new_${name} (${jsonColumn(table)}, `,
  )
  const copied = quoted(columns)
  // They go with the old table. Those of constraints have no statement.
  const dependents = database
    .prepare<[string], string>(
      `SELECT sql FROM sqlite_schema WHERE tbl_name = ? AND type IN ('index', 'trigger') AND sql IS NOT NULL`,
    )
    .pluck()
    .all(name)
  database.exec(
    `${definition};
     INSERT INTO new_${name} (${copied}) SELECT ${copied} FROM ${name};
     DROP TABLE ${name};
     ALTER TABLE new_${name} RENAME TO ${name};
     ${dependents.join(';')}`,
  )
}

/**
 * Checks the columns of every table.
 *
 * @throws UnusableStore if they are not those that the migrations make, or as `assertColumns`
 */
export function assertTables(database: Database.Database, file: string): void {
  const difference = findChangedColumns(database)
  if (difference !== undefined) {
    throw new UnusableStore(
      `${file} ${difference}, unlike what its migrations make: if one was edited after it had run, undo the edit and ` +
        'add another one, or, in development, npm run dev -- --fresh; if the file was changed, restore a backup',
    )
  }
  const read = database
    .prepare<[string], [string, string]>(
      `SELECT name, type || iif("notnull", ' NOT NULL', '') FROM pragma_table_info(?)`,
    )
    .raw()
  for (const table of tables) assertColumns(file, 'sqlite', table, new Map(read.all(table.name)))
}

/** What a query of the schema gives for the migrations alone, and for a database. @param query of one column of text */
function beside(database: Database.Database, query: string): { expected: string[]; found: string[] } {
  const created = new Database(':memory:')
  applyMigrations(created, 0)
  const rowsOf = (each: Database.Database) => each.prepare<[], string>(query).pluck().all()
  const both = { expected: rowsOf(created), found: rowsOf(database) }
  created.close()
  return both
}

/**
 * Names what a database has besides the tables and indexes that the migrations make, such as `the trigger audit`. A trigger
 * runs in the writes of the service.
 *
 * @returns one line for the operator; undefined if there is nothing else
 */
export function describeForeign(database: Database.Database, file: string): string | undefined {
  const { expected, found } = beside(database, namesOfEntries)
  const foreign = found.filter((entry) => !expected.includes(entry))
  return foreign.length === 0
    ? undefined
    : `${file} has ${new Intl.ListFormat('en').format(foreign)}, which this service did not make; drop what you do not know`
}

/** What is in the schema, without what SQLite itself makes (sqlite.org/fileformat.html, section 2.6). */
const namesOfEntries = `
  SELECT format('the %s %s', type, name) FROM sqlite_schema WHERE name NOT GLOB 'sqlite_*' ORDER BY type, name`

/** @returns how the columns differ from those that the migrations make; undefined if they do not */
function findChangedColumns(database: Database.Database): string | undefined {
  const { expected, found } = beside(database, columnsOfTables)
  const lacking = expected.filter((column) => !found.includes(column))
  const isOurs = (column: string) => expected.some((other) => other.startsWith(`${tableOf(column)}.`))
  const added = found.filter((column) => isOurs(column) && !expected.includes(column))
  const parts = [lacking.length > 0 && `lacks ${lacking.join(', ')}`, added.length > 0 && `has ${added.join(', ')}`]
  return parts.filter((part) => part !== false).join(' and ') || undefined
}

/** Each column that is not generated, with its table, type and constraints, such as `plants.name TEXT NOT NULL`. */
const columnsOfTables = `
  SELECT format('%s.%s %s%s%s', entry.name, field.name, field.type,
    iif(field."notnull", ' NOT NULL', ''), iif(field.pk, ' PRIMARY KEY', ''))
  FROM sqlite_schema AS entry JOIN pragma_table_info(entry.name) AS field
  WHERE entry.type = 'table'`

const tableOf = (column: string) => column.split('.', 1).join()

/** The identity and version in a database's header. */
export interface DatabaseHeader {
  applicationId: number
  /** `PRAGMA user_version`: the number of applied migrations. */
  schemaVersion: number
  /** Whether the schema has entries; undefined if the header was read without SQLite. */
  hasTables?: boolean
}

const headerLength = 100

/** The first bytes of a rollback journal (sqlite.org/fileformat.html, section 3). */
const journalMagic = Buffer.from('d9d505f920a163d7', 'hex')

/**
 * Reads a file's header without SQLite, which could change the file (sqlite.org/fileformat.html, section 1.3). The
 * newest header may be in the write-ahead log only.
 *
 * @param name the name of the file in messages
 * @returns undefined when the file is missing or empty, or SQLite will roll it back to empty because the power failed
 *   during the first commit
 * @throws UnusableStore when it is not a file or not an SQLite database; Node's error when it cannot be read
 */
export function readHeader(file: string, name = file): DatabaseHeader | undefined {
  assertFile(file)
  const header = readStart(file, headerLength)
  if (header.length === 0) return undefined
  if (header.every((byte) => byte === 0)) {
    const journal = readStart(`${realPathOf(file)}-journal`, journalMagic.length)
    if (journal.equals(journalMagic)) return undefined
  }
  if (header.length < headerLength || header.toString('latin1', 0, 16) !== 'SQLite format 3\0') {
    throw new UnusableStore(`${name} is not an SQLite database; nothing was changed`)
  }
  return { applicationId: header.readUInt32BE(68), schemaVersion: header.readUInt32BE(60) }
}

/** @returns the first bytes of a file; none if it is missing */
function readStart(file: string, length: number): Buffer {
  try {
    const descriptor = openSync(file, 'r')
    try {
      const start = Buffer.alloc(length)
      return start.subarray(0, readSync(descriptor, start, 0, length, 0))
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0)
    throw error
  }
}

/**
 * Reads the newest header with SQLite, from the file or its write-ahead log. A transaction makes it consistent while
 * another process migrates the file.
 */
export function readVersions(database: Database.Database): DatabaseHeader {
  const read = database.transaction(() => ({
    hasTables: database.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() !== 0,
    applicationId: integerOf(database, 'application_id'),
    schemaVersion: integerOf(database, 'user_version'),
  }))
  return read()
}

/** Reads a pragma with an integer value. */
export function integerOf(
  database: Database.Database,
  pragma: 'application_id' | 'user_version' | 'page_count' | 'page_size',
): number {
  // better-sqlite3 does not type the results of pragmas.
  return database.pragma(pragma, { simple: true }) as number
}

/** @throws UnusableStore when the file belongs to another program, or as `assertKnownVersion` */
export function assertUsable(file: string, header: DatabaseHeader, options: OpenOptions = {}): void {
  assertKnownVersion(file, header.schemaVersion, migrations.length, options)
  const isOurs = header.applicationId === applicationId
  const isBlank = header.applicationId === 0 && header.schemaVersion === 0
  const isUnversioned = header.schemaVersion === 0 && header.hasTables === true
  if (!(isOurs || isBlank) || isUnversioned) {
    throw new UnusableStore(`${file} is an SQLite database of another program; nothing was changed`)
  }
}

/** For commands that must not create a database. @throws UnusableStore when there is none */
export function assertExists(file: string): void {
  if (readHeader(file) === undefined) {
    throw new UnusableStore(
      `there is no database ${resolve(file)}; name another with DATABASE_URL=sqlite:PATH, or start the server, ` +
        'which creates it; nothing was changed',
    )
  }
}
