import type { Client } from 'pg'
import { UnusableStore } from '../store.ts'
import { distributeTables, isCoordinator } from './citus.ts'
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
 * Both keys begin with the column by which the rows can be distributed. Texts are compared as bytes, whatever the
 * database's collation. A plant's JSON is made for each list: a generated column needs an immutable function, and no
 * function that makes JSON is one.
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
  // Citus rebalances no database with a replicated table without a key.
  `ALTER TABLE plant_store_schema ADD CONSTRAINT plant_store_schema_pkey PRIMARY KEY (version);`,
]

/** In the order in which they are locked: first the one for which the wait is longest. */
const tables = ['tokens', 'plants', 'plant_store_schema']

interface VersionRow {
  version: number
}

const readVersion: LockingStatements = {
  text: `${boundLocks} SELECT version FROM plant_store_schema`,
  tables: ['plant_store_schema'],
}

/**
 * Begins a migration, and reads the version, which another process may have changed meanwhile. The lock allows one at a
 * time in a schema. It is held between the tries, so that several processes lock tables no longer than one. A
 * stricter isolation level would read the version as it was before the wait for the lock.
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

/** How long the tables may take to be made, for which no server waits yet: Citus takes seconds for its shards. */
const makeMilliseconds = 30_000

function makeTables(isCitus: boolean): LockingStatements {
  return {
    text: `
      SET LOCAL statement_timeout = ${String(makeMilliseconds)};
      ${migrations.join('')}
      ${isCitus ? distributeTables : ''}
      ${setVersion}
      COMMIT`,
    undo: 'ROLLBACK TO SAVEPOINT begun',
    tables: [],
  }
}

/**
 * Changes the tables. It does so in one statement, whose limit bounds how long they are locked altogether: the waits
 * for all locks, also those on other nodes of Citus, and the work.
 */
function changeTables(version: number): LockingStatements {
  const pending = migrations.slice(version).join('') + setVersion
  const locked = tables.filter((table) => pending.includes(table))
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
 * Brings the schema up to date. Safe while other processes do the same, and while servers use the tables: their
 * statements wait for less than two seconds, and are left alone before the next try. An up-to-date schema is only read,
 * so the user needs no right to create tables then. The tables of an empty Citus database are distributed.
 *
 * @param place the database's name in messages
 * @throws UnusableStore when a newer release migrated the database
 * @throws Error which names the sessions that hold its locks when time is over; nothing has changed then
 */
export async function migrate(client: Client, place: string, options: RetryOptions): Promise<void> {
  const { isCitus } = options
  const versionIn = ([row]: VersionRow[]) => knownVersion(row?.version ?? 0, place)
  const found = await retryLocked<VersionRow>(client, readVersion, options).catch((error: unknown) => {
    if (isUndefinedTable(error)) return []
    throw error
  })
  if (versionIn(found) === migrations.length) return
  if (isCitus && !(await isCoordinator(client))) {
    throw new UnusableStore(
      `the database ${place} is a worker of Citus, and its schema is not that of this release: ` +
        'start one server with the coordinator as its DATABASE_URL first',
    )
  }
  const version = versionIn(await retryLocked<VersionRow>(client, beginMigration, options))
  if (version === migrations.length) await client.query('ROLLBACK')
  else await retryLocked(client, version === 0 ? makeTables(isCitus) : changeTables(version), options)
}

/** @throws UnusableStore for the version of a newer release */
function knownVersion(version: number, place: string): number {
  if (version <= migrations.length) return version
  throw new UnusableStore(
    `the database ${place} has schema version ${String(version)}, and this release knows versions up to ` +
      `${String(migrations.length)}: start a newer release; nothing was changed`,
  )
}
