import { setTimeout as sleep } from 'node:timers/promises'
import { isConflict } from './postgres-errors.ts'

/** How long a transaction is tried again while others are in its way. */
const retryMilliseconds = 2_000

const longestPauseMilliseconds = 64

/**
 * Runs a transaction, again from its beginning when another one was in its way, after pauses that double and differ from
 * process to process, so that those that met do not meet again.
 *
 * @throws what the transaction throws otherwise, or the last conflict once time is over
 */
export async function retryConflicts<Result>(run: () => Promise<Result>): Promise<Result> {
  const deadline = performance.now() + retryMilliseconds
  for (let pause = 1; ; pause = Math.min(2 * pause, longestPauseMilliseconds)) {
    try {
      return await run()
    } catch (error) {
      if (!isConflict(error) || performance.now() > deadline) throw error
    }
    await sleep(pause * (0.5 + Math.random()))
  }
}
