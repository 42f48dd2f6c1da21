/**
 * The schema, version by version: entry `n` leads from version n to n + 1. A released entry never changes.
 *
 * Both keys begin with the column by which the rows can be spread over machines. Texts are compared as bytes, whatever
 * the database's own collation is. A plant is kept once, and its JSON made when it is listed: no function by which
 * PostgreSQL makes JSON is immutable, as a generated column needs it.
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
]

/**
 * Begins a migration: one at a time in one database, and with a place for the version. The number is "Plnt" in ASCII. At a
 * stricter level of isolation the version would be read as it was before the wait for the lock.
 */
export const beginMigration = `
  BEGIN ISOLATION LEVEL READ COMMITTED;
  SELECT pg_advisory_xact_lock(${String(0x506c6e74)});
  CREATE TABLE IF NOT EXISTS plant_store_schema (version integer NOT NULL);`

/** Ends a migration that reached the last version. */
export const endMigration = `
  DELETE FROM plant_store_schema;
  INSERT INTO plant_store_schema (version) VALUES (${String(migrations.length)});
  COMMIT;`
