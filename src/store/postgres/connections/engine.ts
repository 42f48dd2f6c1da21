import type { ClientBase } from 'pg'
import { statements } from '../statements.ts'

/** What speaks PostgreSQL's protocol at the other end. */
export interface Engine {
  name: 'PostgreSQL' | 'Citus' | 'CockroachDB' | 'YugabyteDB'
  /**
   * Whether the rows of different callers lie on different machines. A statement or transaction then names one caller:
   * one that names several fails with any of their machines, and is committed in two phases. Other engines than
   * PostgreSQL also have JSON functions of their own, so the service makes the JSON of a list itself there.
   */
  isSharded: boolean
  /** How the database keeps text. */
  encoding: string
}

/** Asks a server what it is. Whether a Citus database is sharded depends on its tables: see `readLayout`. */
export async function readEngine(client: ClientBase): Promise<Engine> {
  const { rows } = await client.query<{ version: string; encoding: string; citus: boolean }>(statements.engine())
  // A SELECT without FROM returns one row.
  const { version, encoding, citus } = rows[0]!
  const name = nameIn(version, citus)
  return { name, isSharded: name !== 'PostgreSQL', encoding }
}

function nameIn(version: string, hasCitus: boolean): Engine['name'] {
  if (version.startsWith('CockroachDB')) return 'CockroachDB'
  if (version.includes('-YB-')) return 'YugabyteDB'
  return hasCitus ? 'Citus' : 'PostgreSQL'
}
