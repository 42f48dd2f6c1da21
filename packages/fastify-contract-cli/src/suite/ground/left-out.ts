/** Why a test is left out. Only after the last three may a server whose other tests are ok be said to keep its contract. */
export type LeftOutCause =
  /** The caller has no credentials of the needed schemes. */
  | 'credentials'
  /** No request is known that the contract allows, or none that succeeds. */
  | 'value'
  /** Valid requests get the same response as what is refused. */
  | 'no success'
  /** The time was up before. */
  | 'time'
  /** The server does not respond any more. */
  | 'no response'
  /** Whoever runs the suite named the operation, or did not name one that may do harm. */
  | 'skipped'
  /** An operation answers 501, as a handler that is not written yet does (RFC 9110, section 15.6.2). */
  | 'not implemented'
  /** No known request breaks the rule, or a part of requests that may be left out has no known values. */
  | 'nothing to send'

/** A test cannot be run. The message says why, and names the remedy where there is one. */
export class LeftOut extends Error {
  readonly because: LeftOutCause

  constructor(because: LeftOutCause, message: string, options?: ErrorOptions) {
    super(message, options)
    this.because = because
  }
}
