/** What a test sends; a header that is undefined is not sent. */
export interface ContractRequest {
  method: string
  /** The request target, without the base path of the server; sent as it is. */
  url: string
  headers?: Record<string, string | undefined>
  body?: string | Buffer
  /** The schemes of which it has the caller's credentials; by default those of one alternative of its operation. */
  schemes?: readonly string[]
  /** Whether it has every parameter that it should have: one may be missing on purpose. */
  isWhole?: boolean
}

/** The credentials of a caller by the names of their schemes: what `Authorization` has, such as `Bearer abc`, or a key. */
export type Credentials = Readonly<Record<string, string>>
