import type { ReceivedResponse } from './response-checks.ts'

/** The characters of a message. */
const longest = 1_000

/** What kind of promise a fault breaks. */
export type FaultKind =
  | 'undeclared status'
  | 'broken response'
  | 'fault of the server'
  | 'accepted what the contract refuses'
  | 'refused in another way'
  | 'lost or shown to others'
  | 'no response'

/** A response, or the lack of one, that breaks the contract. The message says what was expected and received. */
export class Fault extends Error {
  readonly kind: FaultKind
  /** Undefined where there is none, or it does not matter. */
  readonly response: ReceivedResponse | undefined

  constructor(kind: FaultKind, message: string, options?: ErrorOptions & { response?: ReceivedResponse }) {
    super(message.length > longest ? `${message.slice(0, longest)}…` : message, options)
    this.kind = kind
    this.response = options?.response
  }
}

/** The server says that it does not do this yet (RFC 9110, section 15.6.2). */
export class NotImplemented extends Error {}

/** The server cannot be judged: it is not there, or takes no credentials. The message is one line. */
export class Unjudged extends Error {}
