import type { FaultKind } from '../ground/fault.ts'
import type { Named } from './result.ts'

/** What a report says of a test that failed. */
interface Report extends Pick<Named, 'title' | 'broken'> {
  kind: FaultKind
  problem: string
}

/**
 * The same text for reports of an operation that have one cause. What is wrong with a response does not depend on what
 * its request has broken; that it is accepted does.
 */
export function reportKey({ title, broken, kind, problem }: Report): string {
  const isOfRule = kind === 'accepted what the contract refuses' || kind === 'refused in another way'
  return JSON.stringify([kind, isOfRule ? (broken?.rule ?? title) : '', causeOf(problem)])
}

/** A problem without the data of its request and its response. */
function causeOf(problem: string): string {
  return problem
    .replace(/^[A-Z]+ \/\S*: /, '')
    .replace(/; received [^]*?(?=; the server says: |$)/, '')
    .replaceAll(/"(?:[^"\\]|\\.)*"/g, '""')
    .replaceAll(/(?<!received )-?\b\d+(?:\.\d+)?\b/g, '0')
}
