import { performance } from 'node:perf_hooks'
import { unavailable } from '../contract/errors.ts'
import type { Stage } from './stage.ts'

/** How many samples are taken in `waitMilliseconds`. */
const samplesInWait = 20

/**
 * Makes the stage that refuses a request which has waited too long, before any work is done for it.
 *
 * A request cannot have waited longer than the event loop has worked since it last polled for input. This time is
 * compared for each request, so an overloaded server still answers as many as it can. Load-shedding plugins compare the
 * average of the last second, and then refuse every request for a second.
 *
 * @param waitMilliseconds the longest wait
 * @param onClose receives a function that stops the watching
 */
export function refuseWhenOverloaded(waitMilliseconds: number, onClose: (end: () => void) => void): Stage {
  let lookedAt = performance.now()
  let idleThen = performance.nodeTiming.idleTime
  let immediate: NodeJS.Immediate
  let sampledAt = lookedAt
  let idleAtSample = idleThen
  let events = 0
  // Runs once in each iteration of the event loop, right after it has polled, and does not keep the process alive.
  function look(): void {
    lookedAt = performance.now()
    idleThen = performance.nodeTiming.idleTime
    immediate = setImmediate(look).unref()
  }
  // With many connections libuv polls up to 48 times in one iteration, and counts the events of each poll. When the
  // count has changed, it has polled since the sample before.
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
    // Read only when it matters: the idle time costs more than the rest.
    const isLate =
      elapsed > waitMilliseconds && elapsed - (performance.nodeTiming.idleTime - idleThen) > waitMilliseconds
    return isLate ? overloaded : undefined
  }
}

const overloaded = unavailable('the server is overloaded; try again in a second')
