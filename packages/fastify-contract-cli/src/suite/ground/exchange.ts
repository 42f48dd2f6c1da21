/** A request as it is sent. */
export interface WireRequest {
  method: string
  url: string
  headers: Record<string, string>
  body?: string | Buffer
}

/** A size by which requests are compared: what is plain is smaller than what is not. */
export function sizeOf({ url, headers, body = '' }: { url: string; headers?: object; body?: string | Buffer }): number {
  return `${url}${JSON.stringify(headers)}${String(body)}`.replaceAll(/[^ -~]|\\/g, ' '.repeat(10)).length
}

/** A response as it came over the wire. Names of headers are in lower case. */
export interface ReceivedResponse {
  status: number
  headers: Record<string, string | string[] | number | undefined>
  text: string
  /** Every header line as it came, where the client could see it: a repeated one is not joined. */
  rawHeaders?: [name: string, value: string][]
  /** The length of the body on the wire, where it may not be that of the text in UTF-8. */
  bytes?: number
  /** Whether it is a stream of which only the first items were read. */
  isCut?: boolean
  /** Why the server failed, where it runs in this process. */
  reason?: string
}

/** Sends a request and gives its response. @throws Fault without a complete one */
export type Exchange = (request: WireRequest) => Promise<ReceivedResponse>
