import type { Client } from 'pg'
import { type OpenOptions, assertKnownVersion } from '../schema-version.ts'
import { assertColumns, tableNames, tables } from '../tables.ts'
import {
  type LockingStatements,
  type RetryOptions,
  boundLocks,
  lockMigrations,
  lockTables,
  retryLocked,
} from './locks.ts'
import { isUndefinedTable } from './errors.ts'

/**
 * The schema, version by version: entry `n` migrates from version n to n + 1. A released entry never changes.
 *
 * Both keys begin with a column by which Citus can distribute the rows. Collation "C" compares texts as bytes, whatever
 * the database's collation. A plant's JSON is made for each list: a generated column needs immutable functions, and
 * those that make JSON are not.
 */
export const migrations: readonly string[] = [
  `CREATE TABLE plants (
     caller text COLLATE "C" NOT NULL,
     id bigint NOT NULL,
     name text NOT NULL,
     tag text,
     PRIMARY KEY (caller, id)
   );
   CREATE TABLE tokens (
     hash bytea NOT NULL PRIMARY KEY,
     prefix text COLLATE "C" NOT NULL,
     caller text NOT NULL,
     issued_at bigint NOT NULL,
     expires_at bigint
   );`,
  `ALTER TABLE tokens ADD COLUMN last_used_at bigint;`,
  `ALTER TABLE tokens ADD COLUMN scope text COLLATE "C";`,
  // Citus does not rebalance a database if a replicated table has no key.
  `ALTER TABLE plant_store_schema ADD CONSTRAINT plant_store_schema_pkey PRIMARY KEY (version);`,
]

/** In locking order: the table with the longest wait first. */
const lockedTables: readonly string[] = [...tableNames.toReversed(), 'plant_store_schema']

interface VersionRow {
  version: number
}

const readVersion: LockingStatements = {
  text: `${boundLocks} SELECT version FROM plant_store_schema`,
  tables: ['plant_store_schema'],
}

/**
 * Begins a migration, and reads the version again, because another process may have changed it. The advisory lock
 * allows one migration at a time. It is held between tries, so that several processes lock tables no longer than one
 * does. A stricter isolation level would read the version from before the wait for the lock.
 */
const beginMigration: LockingStatements = {
  text: `
    BEGIN ISOLATION LEVEL READ COMMITTED;
    ${lockMigrations}
    CREATE TABLE IF NOT EXISTS plant_store_schema (version integer NOT NULL);
    SAVEPOINT begun;
    SELECT version FROM plant_store_schema`,
  undo: 'ROLLBACK',
  tables: [],
}

const setVersion = `
  DELETE FROM plant_store_schema;
  INSERT INTO plant_store_schema (version) VALUES (${String(migrations.length)});`

/**
 * Makes or changes the tables in one statement. Its timeout bounds how long they are locked altogether: the waits for
 * all locks, also on other nodes of Citus, and the work.
 */
function changeTables(version: number): LockingStatements {
  const pending = migrations.slice(version).join('') + setVersion
  // A table that the migration makes cannot be locked yet.
  const locked = lockedTables.filter((table) => pending.includes(table) && !pending.includes(`CREATE TABLE ${table} `))
  return {
    text: `
      DO $migration$ BEGIN
        ${lockTables(locked)}
        ${pending}
      END $migration$;
      COMMIT`,
    undo: 'ROLLBACK TO SAVEPOINT begun',
    tables: locked,
  }
}

/**
 * Brings the schema up to date. Safe while other processes do the same, and while servers use the tables: each try
 * delays their statements by less than two seconds, and a pause follows. If the schema is up to date, the role needs no
 * right to create tables.
 *
 * @param place the database's name in messages
 * @throws UnusableStore as `assertKnownVersion`
 * @throws Error naming the sessions that hold the locks, when time is up; nothing has changed then
 */
export async function migrate(client: Client, place: string, options: RetryOptions & OpenOptions): Promise<void> {
  const versionIn = ([{ version } = { version: 0 }]: VersionRow[]) => {
    assertKnownVersion(`the database ${place}`, version, migrations.length, options)
    return version
  }
  const found = await retryLocked<VersionRow>(client, readVersion, options).catch((error: unknown) => {
    if (isUndefinedTable(error)) return []
    throw error
  })
  // The version of an unfinished move is higher.
  if (versionIn(found) >= migrations.length) return
  const version = versionIn(await retryLocked<VersionRow>(client, beginMigration, options))
  if (version >= migrations.length) await client.query('ROLLBACK')
  else await retryLocked(client, changeTables(version), options)
}

interface ColumnRow {
  name: string
  type: string
}

/** Checks the columns of every table. @throws UnusableStore as `assertColumns` */
export async function assertTables(client: Client, place: string): Promise<void> {
  for (const table of tables) {
    const { rows } = await client.query<ColumnRow>(
      `SELECT attname AS name, format_type(atttypid, atttypmod) || CASE WHEN attnotnull THEN ' NOT NULL' ELSE '' END AS type
       FROM pg_attribute
       WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped`,
      [table.name],
    )
    assertColumns(`the database ${place}`, 'postgres', table, new Map(rows.map(({ name, type }) => [name, type])))
  }
}
