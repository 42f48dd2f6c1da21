import { type FaultKind, Fault } from '../ground/fault.ts'
import type { BrokenRule } from '../state/test-case.ts'
import { messageOf } from './message-of.ts'

/** What is said of an error that is a fault of the server. */
export function faultOf(error: unknown): { kind: FaultKind; problem: string } {
  return { kind: error instanceof Fault ? error.kind : 'broken response', problem: messageOf(error) }
}

/** Whether an error is a fault of a valid request, in a test of broken ones. */
export function isOfValid(error: unknown): boolean {
  return error instanceof Fault && error.isOfValid
}

/** What a report says of a test that failed. */
interface Report {
  title: string
  broken?: BrokenRule | undefined
  kind: FaultKind
  problem: string
}

/** Why a test fails, without the data of its request and its response. */
export interface Cause {
  kind: FaultKind
  /** The rule, or the test, that it depends on. */
  of: string
  problems: ReadonlySet<string>
}

/**
 * The cause of a report. What is wrong with a response does not depend on what its request has broken; that it is
 * accepted does.
 */
export function causeOf({ title, broken, kind, problem }: Report): Cause {
  const isOfRule = kind === 'accepted what the contract refuses' || kind === 'refused in another way'
  return { kind, of: isOfRule ? (broken?.rule ?? title) : '', problems: problemsIn(problem) }
}

/** The cause of an error among those of one test. */
export function causeOfError(error: unknown): Cause {
  return causeOf({ title: '', ...faultOf(error) })
}

/** Whether a failure has everything that is wrong with another one. */
export function hasCause(failure: Cause, cause: Cause): boolean {
  return failure.kind === cause.kind && failure.of === cause.of && cause.problems.isSubsetOf(failure.problems)
}

/** The same text for reports of an operation that have one cause. */
export function reportKey(report: Report): string {
  const { kind, of, problems } = causeOf(report)
  return JSON.stringify([kind, of, ...[...problems].sort()])
}

/** The problems of a text that lists them. Where in a value a member is does not matter, nor where its JSON ends. */
function problemsIn(text: string): Set<string> {
  const listed = text
    .replace(/^[A-Z]+ \/\S*: /, '')
    .replace(/(?:; received |(?<=is not JSON): )[^]*?(?=; the server says: |$)/, '')
    .replaceAll(/"(?:[^"\\]|\\.)*"/g, '""')
    .replaceAll(/(?<!received )-?\b\d+(?:\.\d+)?\b/g, '0')
    .replace(/^(received \d+): /, '$1; ')
    .split('; ')
    .map((problem) => problem.replace(/^(?:the body )?\S*\/(?=\S+ )|^the body /, ''))
  // What is expected depends on the request.
  return new Set(listed.filter((problem) => !problem.startsWith('expected ')))
}
