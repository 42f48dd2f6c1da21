import { performance } from 'node:perf_hooks'
import { failure } from '../contract/errors.ts'
import type { Stage } from './stage.ts'

/** How often batches are looked for. */
const samplesInWait = 20

/**
 * Makes the stage that refuses a request which has waited too long, before anything is done for it.
 *
 * A request that is read now arrived after the event loop had last looked for requests before, so the time that the loop has
 * been at work since then is the longest that it can have waited. Judging each request by that, and not all of them by the
 * average of the last second as load-shedding plugins do, lets an overloaded server go on with as many as it can answer.
 *
 * @param waitMilliseconds the longest wait
 * @param onClose takes what ends the watching
 */
export function refuseWhenOverloaded(waitMilliseconds: number, onClose: (end: () => void) => void): Stage {
  let lookedAt = performance.now()
  let idleThen = performance.nodeTiming.idleTime
  let immediate: NodeJS.Immediate
  let sampledAt = lookedAt
  let idleAtSample = idleThen
  let events = 0
  // Runs once in each turn of the event loop, right after it has looked for requests, and does not keep it turning.
  function look(): void {
    lookedAt = performance.now()
    idleThen = performance.nodeTiming.idleTime
    immediate = setImmediate(look).unref()
  }
  // From many connections libuv reads in batches, up to 48 in one turn, and counts the events of each when it has ended: where
  // the count has changed, it has looked for requests since the sample before.
  function sample(now: number): void {
    const counted = performance.nodeTiming.uvMetricsInfo.events
    if (counted !== events && sampledAt > lookedAt) {
      lookedAt = sampledAt
      idleThen = idleAtSample
    }
    events = counted
    sampledAt = now
    idleAtSample = performance.nodeTiming.idleTime
  }
  look()
  onClose(() => {
    clearImmediate(immediate)
  })

  return () => {
    const now = performance.now()
    if (now - sampledAt > waitMilliseconds / samplesInWait) sample(now)
    const elapsed = now - lookedAt
    // The time that the loop was idle is asked for only when it matters: it costs more than the rest.
    const isLate = elapsed > waitMilliseconds && elapsed - (performance.nodeTiming.idleTime - idleThen) > waitMilliseconds
    return isLate ? overloaded : undefined
  }
}

const overloaded = failure('unavailable', 'the server is overloaded; try again in a second', { 'Retry-After': 1 })
