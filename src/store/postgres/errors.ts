import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseError } from 'pg'

/**
 * Classes of SQLSTATE for faults of the database, its machine or another transaction
 * (postgresql.org/docs/18/errcodes-appendix.html): connections, authorization, rolled-back transactions, resources,
 * locks, operator intervention (which includes statement timeouts), missing databases.
 */
const environmental = ['08', '28', '40', '53', '55', '57', '3D']

/** Classes for missing rights, tables, columns or schemas. Other statements may still work. */
const changed = ['42', '3F']

/** Classes for system errors, such as files that cannot be read, and for damaged data. Other rows may still be sound. */
const damaged = ['58', 'XX']

/** A standby accepts no writes until it is promoted. */
const readOnlyTransaction = '25006'

/** `serialization_failure` and `deadlock_detected`: the transaction was rolled back and can be retried. */
const conflicts = ['40001', '40P01']

/** How long conflicting transactions are retried. */
const retryMilliseconds = 2_000

const maxPauseMilliseconds = 64

/** Whether the database cannot run the statement now. */
export function isUnavailable(error: unknown): error is Error {
  return isOutage(error) || isDamage(error) || changed.includes(classOf(error))
}

/** Whether the statement met damaged data, which other statements may not need. */
export function isDamage(error: unknown): error is Error {
  return damaged.includes(classOf(error))
}

/** Whether the database cannot be read or written now, whatever the statement. */
export function isOutage(error: unknown): error is Error {
  if (!(error instanceof Error)) return false
  // Without a SQLSTATE the error comes from pg or the operating system, and is about the connection.
  const code = stateOf(error)
  return code === undefined || code === readOnlyTransaction || environmental.includes(classOf(error))
}

function classOf(error: unknown): string {
  return stateOf(error)?.slice(0, 2) ?? ''
}

/** Whether the transaction failed because of another one. */
export function isConflict(error: unknown): boolean {
  const code = stateOf(error)
  return code !== undefined && conflicts.includes(code)
}

/** Whether a node of Citus could not reach another one. The connection to the node that says so still works. */
export function isLostNode(error: unknown): boolean {
  return stateOf(error) === '08006'
}

/** Whether PostgreSQL cannot store a value, such as a text with the character U+0000: class 22. */
export function isDataException(error: unknown): error is Error {
  return classOf(error) === '22'
}

/** Whether the statement names a table that does not exist. */
export function isUndefinedTable(error: unknown): boolean {
  return stateOf(error) === '42P01'
}

/** Whether `Client` gave up waiting for an answer. */
export function isAnswerTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout'
}

/**
 * Whether a statement did not get its locks: `lock_not_available`, `query_canceled` (timeout) or `deadlock_detected`.
 */
export function isLockTimeout(error: unknown): boolean {
  return ['55P03', '57014', '40P01'].includes(stateOf(error) ?? '')
}

/** The SQLSTATE of an error that the server sent. */
export function stateOf(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.code : undefined
}

/**
 * Runs a transaction, and retries it after a conflict with another one. Pauses double and have jitter, so that the same
 * transactions do not conflict again.
 *
 * @throws any other error of the transaction, or the last conflict when time is up
 */
export async function retryConflicts<Result>(run: () => Promise<Result>): Promise<Result> {
  const deadline = performance.now() + retryMilliseconds
  for (let pause = 1; ; pause = Math.min(2 * pause, maxPauseMilliseconds)) {
    try {
      return await run()
    } catch (error) {
      if (!isConflict(error) || performance.now() > deadline) throw error
    }
    await sleep(pause * (0.5 + Math.random()))
  }
}
