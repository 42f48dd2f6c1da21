import type { ReceivedResponse } from '../ground/exchange.ts'
import { type Expectation, Fault } from '../ground/fault.ts'

/**
 * Judges a response by what the request was.
 *
 * @returns a note where the response is not the expected one, and no fault either
 * @throws Error when it is a fault
 */
export type Judge = (response: ReceivedResponse, expected: Expectation) => string | undefined

/** Refusals of an allowed request that the state of a server hardly explains. */
const unexplained = [400, 401, 403, 405, 406, 413, 415]
/** Refusals that the state of a server explains, whatever else is wrong with a request. */
const explained = [404, 409, 410, 429]

/**
 * Judges the responses of any server: the acceptance of what the contract refuses is a fault; another refusal than the
 * expected one is a note, as is a status of 5xx, which is here only where the operation declares it itself.
 */
export const judgeAny: Judge = (response, expected) => {
  const { status } = response
  const note = refusalNote(response, expected)
  if (expected.isAllowed) return unexplained.includes(status) || status >= 500 ? note : undefined
  return explained.includes(status) ? undefined : note
}

/** Judges as `judgeAny`, and makes each note a fault: the earliest stage must refuse a request, with its status. */
export const judgeStrictly: Judge = (response, expected) => {
  const note = expected.isAllowed ? judgeAny(response, expected) : refusalNote(response, expected)
  if (note !== undefined) throw new Fault('refused in another way', `received ${note}`)
  return undefined
}

/** @returns what is not expected of a refusal @throws Fault for what is no refusal */
function refusalNote({ status }: ReceivedResponse, expected: Expectation): string | undefined {
  if (expected.isAllowed) return `${String(status)} for a request that the contract allows`
  const wanted = expected.statuses.join(' or ')
  if (status < 300) {
    throw new Fault('accepted what the contract refuses', `received ${String(status)}, expected ${wanted}`)
  }
  return expected.statuses.includes(status) ? undefined : `${String(status)}, expected ${wanted}`
}
