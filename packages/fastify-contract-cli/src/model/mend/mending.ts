import type { Finding } from '../yaml/findings.ts'
import { References } from '../yaml/follow.ts'
import type { Draft } from '../yaml/node.ts'
import type { Reading } from '../yaml/read-json.ts'
import type { ContractObject } from './visit.ts'

/** Writes an object, or a keyword of it, as the server reads it; also where the keyword is missing. */
export type Verb = (described: ContractObject, mending: Mending) => void

/** An operation of `paths`. */
export interface ServedOperation {
  object: Draft
  method: string
  path: string
  /** Names it in messages. */
  route: string
}

/** A contract while it is mended, and what is found. */
export class Mending {
  /** What was read; its structure is unchecked. */
  readonly reading: Reading
  readonly document: Draft
  readonly references: References
  /** Whether it is OpenAPI 3.0. */
  readonly isOld: boolean
  /** What is ignored or mended. */
  readonly warnings: Finding[] = []
  /** Why the contract is refused. */
  readonly problems: Finding[] = []
  /** Why steps failed. If the structure is sound, they are at fault. */
  readonly failures: unknown[] = []

  constructor(reading: Reading) {
    this.reading = reading
    this.document = reading.document
    this.references = new References(reading)
    this.isOld = /^3(?:\.0.*)?$/.test(String(reading.document['openapi']))
  }

  /**
   * Notes what is ignored or mended.
   *
   * @param kind what counts as one warning; by default, the same text
   * @param beside what else it is about
   */
  readonly warn = (at: Finding['at'], text: string, kind = text, beside?: Finding['beside']): void => {
    this.warnings.push({ at, text, kind, beside })
  }

  /** Removes a member with a warning. */
  readonly remove = (object: object, key: string, text: string, kind?: string): void => {
    Reflect.deleteProperty(object, key)
    this.warn({ object, key }, text, kind)
  }

  readonly reject = (at: Finding['at'], text: string): void => {
    this.problems.push({ at, text })
  }

  /** Runs a step that may fail where the structure is broken, and returns its result. */
  readonly attempt = <Result>(step: () => Result): Result | undefined => {
    try {
      return step()
    } catch (error) {
      if (error instanceof RangeError) throw error
      this.failures.push(error)
      return undefined
    }
  }

  /** An object, or the one at the end of its references; undefined if there is none. */
  readonly resolve = (object: unknown): Draft | undefined => {
    const { chain, problem, end } = this.references.follow(object)
    return problem === undefined && chain.at(-1) === end ? chain.at(-1) : undefined
  }
}
