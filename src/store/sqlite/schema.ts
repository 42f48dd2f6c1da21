import type Database from 'better-sqlite3'

/** Marks a file as this service's (sqlite.org/fileformat.html, "Application ID"): "Plnt" in ASCII. */
export const applicationId = 0x506c6e74

/**
 * The schema, version by version: entry `n` migrates from `PRAGMA user_version` n to n + 1. A released entry never
 * changes.
 *
 * `plants` is clustered by its key, so a caller's plants are stored in the order of the list. `json` is the contract's
 * `Plant`, made once when the plant is created instead of for each list.
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

/** Brings the schema up to date. Safe while other processes do the same. */
export function migrate(database: Database.Database): void {
  if (schemaVersionOf(database) === migrations.length) return
  database
    .transaction(() => {
      // Read again: another process may have migrated the file while this one waited for the lock.
      for (const migration of migrations.slice(schemaVersionOf(database))) database.exec(migration)
      database.pragma(`application_id = ${String(applicationId)}`)
      database.pragma(`user_version = ${String(migrations.length)}`)
    })
    .immediate()
}

/** How many migrations a database has had. */
export function schemaVersionOf(database: Database.Database): number {
  // The pragma returns one integer of 32 bits.
  return database.pragma('user_version', { simple: true }) as number
}
