/** A problem of a contract, and where it is. */
export interface Finding {
  /** A member of a mapping or a list of the contract, or the whole of it where there is no key. */
  at?: { object: object; key?: string | number } | undefined
  /** What is wrong, and the remedy. */
  text: string
  /** Whether the contract can be served all the same. */
  isWarning?: boolean
  /** Whether Ajv cannot compile the schema. */
  isUncompiled?: boolean
}

/** A contract that cannot be generated from. The message has a line for each reason, with its place. */
export class BrokenContract extends Error {
  /** The files that it refers to, as far as they are known: those that cannot be read, too. */
  referred: readonly string[] = []
}
