import type { Pool, PoolClient } from 'pg'
import { UnusableStore } from '../../store.ts'
import { stateOf } from '../errors.ts'
import { statements } from '../statements.ts'

const remedy = 'see docs/postgres.md, PgBouncer'

/** What PgBouncer and PostgreSQL answer where a pooler spreads one client's statements over several sessions. */
const lostStatements: Record<string, string> = {
  '26000': 'invalid_sql_statement_name',
  '42P05': 'duplicate_prepared_statement',
}

/**
 * Checks that a pooler, if there is one, gives the pool's connections what they need: prepared statements, transactions
 * and a statement's timeout.
 *
 * @throws UnusableStore which names the setting that is missing
 */
export async function checkSessions(pool: Pool, place: string): Promise<void> {
  try {
    // Those that were opened are given back when a further one is refused: the pool waits for them at its end.
    const clients: PoolClient[] = []
    try {
      for (let count = 0; count < 2; count++) clients.push(await pool.connect())
      // One after the other, so that each is given a session that the other has used.
      for (const client of [...clients, ...clients]) await client.query(statements.isReady())
      const { rows } = await clients[0]!.query<{ statement_timeout: string }>(statements.statementTimeout())
      if (rows[0]?.statement_timeout === '0') {
        throw new UnusableStore(
          `the sessions at ${place} have no statement_timeout: if a pooler drops it, set it in its connect_query ` +
            `or for the role; ${remedy}`,
        )
      }
    } finally {
      for (const client of clients) client.release()
    }
  } catch (error) {
    const code = stateOf(error) ?? ''
    if (code in lostStatements) {
      throw new UnusableStore(
        `the pooler at ${place} loses prepared statements (${code}): PgBouncer keeps them from 1.21 on with ` +
          `max_prepared_statements above 0; before that use pool_mode = session; ${remedy}`,
        { cause: error },
      )
    }
    if (error instanceof Error && /unsupported startup parameter: statement_timeout/.test(error.message)) {
      throw new UnusableStore(
        `the pooler at ${place} refuses the start-up parameter statement_timeout: add it to ` +
          `ignore_startup_parameters, and set it in connect_query or for the role; ${remedy}`,
        { cause: error },
      )
    }
    throw error
  }
}
