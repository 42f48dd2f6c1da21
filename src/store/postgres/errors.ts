import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseError } from 'pg'

/**
 * The classes of SQLSTATE caused by the database, its machine or another transaction, not by the statement
 * (postgresql.org/docs/18/errcodes-appendix.html): connections, authorization, rolled-back transactions, resources,
 * locks, operator intervention (also a statement's timeout), system errors, internal errors, and missing databases.
 */
const environmental = ['08', '28', '40', '53', '55', '57', '58', 'XX', '3D']

/**
 * The classes for a statement that fits the database no more: rights were taken away, or tables, columns or schemas are
 * missing. Other statements may still work.
 */
const changed = ['42', '3F']

/** A standby accepts no writes until it is promoted. */
const readOnlyTransaction = '25006'

/** `serialization_failure` and `deadlock_detected`: the transaction changed nothing, and can be retried. */
const conflicts = ['40001', '40P01']

/** How long conflicting transactions are retried. */
const retryMilliseconds = 2_000

const maxPauseMilliseconds = 64

/** Whether the database cannot be read or written now: at all, or by the statement. */
export function isUnavailable(error: unknown): error is Error {
  return isOutage(error) || changed.includes(classOf(error))
}

/** Whether the database cannot be read or written now, whatever the statement. */
export function isOutage(error: unknown): error is Error {
  if (!(error instanceof Error)) return false
  // An error that the server did not send comes from pg or the operating system, and is about the connection.
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

/** Whether the statement names a table that does not exist. */
export function isUndefinedTable(error: unknown): boolean {
  return stateOf(error) === '42P01'
}

/** Whether the server did not answer in time, as `Client` says it. */
export function isAnswerTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout'
}

/**
 * Whether a statement could not have its locks: `lock_not_available`, `query_canceled`, which a statement's timeout
 * causes, and `deadlock_detected`.
 */
export function isLockTimeout(error: unknown): boolean {
  return ['55P03', '57014', '40P01'].includes(stateOf(error) ?? '')
}

/** The SQLSTATE of an error that the server sent. */
export function stateOf(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.code : undefined
}

/**
 * Runs a transaction, and retries it from its beginning when it conflicts with another one. The pauses double and are
 * random, so that the same transactions do not conflict again.
 *
 * @throws any other error of the transaction, or the last conflict once time is over
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
