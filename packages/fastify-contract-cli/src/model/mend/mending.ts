import type { Finding } from '../yaml/findings.ts'
import type { ContractObject } from './visit.ts'
import type { Draft } from '../yaml/node.ts'

/** A contract while it is mended. */
export interface Mending {
  /** With an unchecked structure. */
  document: Draft
  /** Whether it is OpenAPI 3.0. */
  isOld: boolean
  /** Every reference that was written. */
  written: ReadonlySet<string>
  /** An object, or the one at the end of its references; undefined if there is none. */
  resolve: (object: unknown) => Draft | undefined
  /** The object, and those to which its references lead, in their order. */
  chainOf: (object: unknown) => Draft[]
  /**
   * Notes what is ignored or mended.
   *
   * @param kind what counts as one warning; by default, the same text
   * @param beside what else it is about
   */
  warn: (at: Finding['at'], text: string, kind?: string, beside?: NonNullable<Finding['beside']>) => void
  /** Notes why the contract is refused. */
  reject: (at: Finding['at'], text: string) => void
  /** Runs a step that may fail where the structure is broken, and returns its result. */
  attempt: <Result>(step: () => Result) => Result | undefined
}

/** Writes an object, or a keyword of it, as the server reads it; also where the keyword is missing. */
export type Verb = (described: ContractObject, mending: Mending) => void
