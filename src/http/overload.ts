import { performance } from 'node:perf_hooks'
import type { onRequestHookHandler } from 'fastify'
import { failure } from '../contract/errors.ts'
import { sendFailure } from './failures.ts'

/**
 * Makes the hook that refuses a request which has waited too long, before anything is done for it.
 *
 * A request that is looked at now arrived after the event loop last looked for requests, so the time that the loop has been
 * at work since then is the longest that it can have waited. Judging each request by that, and not all of them by the
 * average of the last second as load-shedding plugins do, lets an overloaded server go on with as many as it can answer.
 *
 * @param waitMilliseconds the longest wait
 * @param onClose takes what ends the watching
 */
export function createOverloadHook(waitMilliseconds: number, onClose: (end: () => void) => void): onRequestHookHandler {
  let lookedAt = performance.now()
  let idleThen = performance.nodeTiming.idleTime
  let immediate: NodeJS.Immediate
  // Runs once in each turn of the event loop, right after it has looked for requests, and does not keep it turning.
  function look(): void {
    lookedAt = performance.now()
    idleThen = performance.nodeTiming.idleTime
    immediate = setImmediate(look).unref()
  }
  look()
  onClose(() => {
    clearImmediate(immediate)
  })

  return (_request, reply, done) => {
    const elapsed = performance.now() - lookedAt
    if (elapsed > waitMilliseconds && elapsed - (performance.nodeTiming.idleTime - idleThen) > waitMilliseconds) sendFailure(reply, overloaded)
    else done()
  }
}

const overloaded = failure('unavailable', 'the server is overloaded; try again in a second', { 'Retry-After': 1 })
