/**
 * The schema, version by version: entry `n` leads from `PRAGMA user_version` n to n + 1. A released entry never changes.
 *
 * `plants` is clustered by its key, so that a caller's plants lie in the order in which they are listed. `json` is the
 * plant as the contract's `Plant`, made once when it is written instead of each time it is listed.
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
]
