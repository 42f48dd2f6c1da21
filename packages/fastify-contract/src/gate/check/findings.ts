import { printable } from '../../json/printable.ts'

/** A problem of a contract, and where it is. */
export interface Finding {
  /** A member of a mapping or a list of the contract, or the whole of it where there is no key. */
  at?: { object: object; key?: string | number } | undefined
  /** What is wrong, and the remedy. */
  text: string
  /** Whether the contract can be served all the same. */
  isWarning?: boolean
  /** Whether it may come of another problem: it is told where there is none. */
  isConsequence?: boolean
}

/** The most characters of a line, which may quote a text of any length. */
const maxLine = 1_000

/** A contract that cannot be generated from. The message has a line for each reason, with its place. */
export class BrokenContract extends Error {
  readonly lines: readonly string[]

  /** @param reasons one for each line; what they quote of the contract is made printable, and cut where it is long */
  constructor(reasons: readonly string[], options?: ErrorOptions) {
    const lines = reasons.map((reason) => printable(reason.length > maxLine ? `${reason.slice(0, maxLine)}…` : reason))
    super(lines.join('\n'), options)
    this.lines = lines
  }
}
