import type { Pool, QueryResult } from 'pg'
import { isConflict, isDamage, isLostNode } from './errors.ts'
import type { Statement } from './statements.ts'

type Answer<Row extends object> = PromiseSettledResult<QueryResult<Row>>

/**
 * Sends statements on one connection, all before the first answer. They must leave no transaction open. Closes the
 * connection after errors that leave its state in doubt; `pool.query` does so after every error.
 */
export async function send<Row extends object>(pool: Pool, all: Statement<Row>[]): Promise<Answer<Row>[]> {
  const client = await pool.connect()
  // The statements report a lost connection. Without a listener, the event would end the process.
  client.on('error', ignore)
  const answers = await Promise.allSettled(all.map((statement) => client.query<Row>(statement)))
  const failure = answers.map(reasonOf).find((reason) => reason !== undefined)
  client.release(isDoubtful(failure) ? failure : undefined)
  client.off('error', ignore)
  return answers
}

/** Sends one statement. Unlike `pool.query`, keeps the connection as `send` does. */
export function query<Row extends object>(pool: Pool, statement: Statement<Row>): Promise<QueryResult<Row>> {
  return new Promise((resolve, reject) => {
    pool.connect((noConnection, client, release) => {
      if (client === undefined) {
        // Defined if there is no client.
        reject(noConnection!)
        return
      }
      client.on('error', ignore)
      client.query<Row>(statement, (error: Error | null, result) => {
        release(isDoubtful(error) ? error : undefined)
        client.off('error', ignore)
        if (error) reject(error)
        else resolve(result)
      })
    })
  })
}

function ignore(): void {}

function isDoubtful(error: unknown): error is Error {
  return error instanceof Error && !isConflict(error) && !isDamage(error) && !isLostNode(error)
}

/** @throws the first error, which causes all later ones in a transaction */
export function resultsOf<Row extends object>(answers: Answer<Row>[]): QueryResult<Row>[] {
  return answers.map((answer) => {
    if (answer.status === 'rejected') throw answer.reason
    return answer.value
  })
}

export function reasonOf(answer: Answer<object> | undefined): unknown {
  return answer?.status === 'rejected' ? answer.reason : undefined
}
