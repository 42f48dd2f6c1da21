import { DatabaseError } from 'pg'

/**
 * The classes of SQLSTATE that speak of the database, its machine or another transaction, not of the statement
 * (postgresql.org/docs/18/errcodes-appendix.html): connections, authorization, rolled-back transactions, resources,
 * locks, the operator's intervention (a statement's timeout too), the system, the server's own faults; and databases
 * that are gone.
 */
const environmental = ['08', '28', '40', '53', '55', '57', '58', 'XX', '3D']

/** A standby takes no writes until it is promoted. */
const readOnlyTransaction = '25006'

/** `serialization_failure` and `deadlock_detected`: the transaction did nothing, and can do the same again. */
const conflicts = ['40001', '40P01']

/** Whether the database cannot be read or written now, through no fault of the statement. */
export function isUnavailable(error: unknown): error is Error {
  if (!(error instanceof Error)) return false
  // What the server did not raise, pg or the operating system did, and about the connection.
  const code = stateOf(error)
  return code === undefined || code === readOnlyTransaction || environmental.includes(code.slice(0, 2))
}

/** Whether another transaction was in the way. */
export function isConflict(error: unknown): boolean {
  const code = stateOf(error)
  return code !== undefined && conflicts.includes(code)
}

/** Whether the statement names a table that does not exist. */
export function isUndefinedTable(error: unknown): boolean {
  return stateOf(error) === '42P01'
}

function stateOf(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.code : undefined
}
