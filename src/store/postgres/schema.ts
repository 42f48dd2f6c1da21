import type { Client } from 'pg'
import { UnusableStore } from '../store.ts'
import { citusStatements } from './citus/layout.ts'
import type { Engine } from './connections/engine.ts'
import { isUndefinedTable } from './errors.ts'
import { statements } from './statements.ts'

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

/**
 * Begins a migration. The lock allows one at a time in a database; its number is "Plnt" in ASCII. A stricter isolation
 * level would read the version as it was before the wait for the lock.
 */
const beginMigration = `
  BEGIN ISOLATION LEVEL READ COMMITTED;
  SELECT pg_advisory_xact_lock(${String(0x506c6e74)});
  CREATE TABLE IF NOT EXISTS plant_store_schema (version integer NOT NULL);`

/** Ends a migration to the last version. */
const endMigration = `
  DELETE FROM plant_store_schema;
  INSERT INTO plant_store_schema (version) VALUES (${String(migrations.length)});
  COMMIT;`

/**
 * Brings the schema up to date. Safe while other processes do the same. An up-to-date schema is only read, so the user
 * needs no right to create tables then. The tables of an empty Citus database are distributed.
 *
 * @param place the database's name in messages
 * @throws UnusableStore when a newer release migrated the database
 */
export async function migrate(client: Client, place: string, engine: Engine): Promise<void> {
  if ((await readVersion(client, place)) === migrations.length) return
  if (engine.name === 'Citus') await assertCoordinator(client, place)
  await client.query(beginMigration)
  // Read again: another process may have migrated the database while this one waited for the lock.
  const version = await readVersion(client, place)
  for (const migration of migrations.slice(version)) await client.query(migration)
  if (version === 0 && engine.name === 'Citus') await client.query(citusStatements.distribute())
  await client.query(endMigration)
}

/** A worker would make tables that no other node knows. */
async function assertCoordinator(client: Client, place: string): Promise<void> {
  const { rows } = await client.query<{ coordinator: boolean }>(citusStatements.isCoordinator())
  if (rows[0]?.coordinator === true) return
  throw new UnusableStore(
    `the database ${place} is a worker of Citus, and its schema is not that of this release: ` +
      'start one server with the coordinator as its DATABASE_URL first',
  )
}

/** The schema's version; 0 in a database that this service has never used. */
async function readVersion(client: Client, place: string): Promise<number> {
  const version = await client.query<{ version: number }>(statements.schemaVersion()).then(
    ({ rows }) => rows[0]?.version ?? 0,
    (error: unknown) => {
      if (isUndefinedTable(error)) return 0
      throw error
    },
  )
  if (version <= migrations.length) return version
  throw new UnusableStore(
    `the database ${place} has schema version ${String(version)}, and this release knows versions up to ` +
      `${String(migrations.length)}: start a newer release; nothing was changed`,
  )
}
