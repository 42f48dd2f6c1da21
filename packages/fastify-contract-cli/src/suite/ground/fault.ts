import type { RefusalName, Stage } from './refusals.ts'

/** The beginning of a text that is printed. */
export function shortened(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
}

/** What kind of promise a fault breaks. */
export type FaultKind =
  | 'undeclared status'
  | 'broken response'
  | 'fault of the server'
  | 'accepted what the contract refuses'
  | 'refused in another way'
  | 'lost or shown to others'
  | 'no response'

interface FaultOptions extends ErrorOptions {
  isOfValid?: boolean
}

/** A response, or the lack of one, that breaks the contract. The message says what was expected and received. */
export class Fault extends Error {
  readonly kind: FaultKind
  /** Whether a valid request has it, beside those of its test. */
  readonly isOfValid: boolean

  constructor(kind: FaultKind, message: string, { isOfValid = false, ...options }: FaultOptions = {}) {
    super(shortened(message, 1_000), options)
    this.kind = kind
    this.isOfValid = isOfValid
  }
}

/** The server, or the response to a request, cannot be judged. The message is one line. */
export class Unjudged extends Error {}

/** What a response should be. */
export type Expectation =
  /** The contract allows the request. The state of the server may still refuse it, above all what is gone. */
  | { isAllowed: true; isGone?: boolean }
  /** The request is at fault. */
  | {
      isAllowed: false
      stage: Stage
      /** The failure that it earns, and the statuses that fit. */
      failure: RefusalName
      statuses: readonly number[]
      /** The place that the message should name. */
      place: string
    }
