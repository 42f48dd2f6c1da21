import { printable } from 'fastify-contract/json'

/** A problem of a contract, with its place. */
export interface Finding {
  /** A member of a mapping or list; without a key, all of it. */
  at?: { object: object; key?: string | number } | undefined
  /** The problem and the remedy. */
  text: string
  /** What else the problem is about. */
  beside?: { object: object; key: string } | undefined
  /** What counts as one warning with it. */
  kind?: string
}

/** The result of a command. */
export interface CommandResult {
  /** Whether the contract is taken, its generated files match, and no change breaks a client. */
  ok: boolean
  /** The lines to print. */
  lines: string[]
}

/** The maximum length of a line, which may quote long text. */
const maxLine = 1_000

/** A text as one printable line, cut if it is too long. */
export function asLine(text: string): string {
  return printable(text.length > maxLine ? `${text.slice(0, maxLine)}…` : text)
}

/** A rejected contract. The message has a line for each problem, with its place. */
export class BrokenContract extends Error {
  readonly lines: readonly string[]
  /** What was warned of before: it may be why the contract is rejected. */
  readonly warnings: readonly string[]

  /**
   * @param reasons the lines; made printable, and cut if too long
   * @param warnings lines that are printable
   */
  constructor(reasons: readonly string[], options?: ErrorOptions, warnings: readonly string[] = []) {
    const lines = reasons.map(asLine)
    super(lines.join('\n'), options)
    this.lines = lines
    this.warnings = warnings
  }

  /** The warnings, then the reasons. */
  get all(): string[] {
    return [...this.warnings, ...this.lines]
  }
}
