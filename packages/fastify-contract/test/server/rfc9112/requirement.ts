/** A requirement of RFC 9112 or RFC 9110, with messages that show whether the server keeps it. */
export interface Requirement {
  /** As docs/rfc9112.md names it: `9112 6.3`. */
  section: string
  /** In few words, as docs/rfc9112.md has it. */
  must: string
  /** What a client sends on a connection of its own, one connection after the other; `me` is a token. */
  sent: readonly string[]
  /** Whether the client ends its side behind that. */
  ends?: boolean
  /** The status codes that each connection receives before the server closes it; any where there are none. */
  statuses: readonly number[]
  /** What else everything that a connection receives is or is not like. */
  received?: RegExp
  notReceived?: RegExp
}

/** A request that keeps its connection, and one that is the last. */
export const kept = 'GET /livez HTTP/1.1\r\nHost: a\r\n\r\n'
export const last = 'GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'

/** A request for `/livez` with these header fields, which is the last. */
export function withFields(...fields: string[]): string {
  return `GET /livez HTTP/1.1\r\n${fields.map((field) => `${field}\r\n`).join('')}Connection: close\r\n\r\n`
}

/** A request that creates a thing, with these fields and whatever follows them. */
export function post(fields: string, rest: string): string {
  return (
    'POST /things HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer me\r\nContent-Type: application/json\r\n' +
    `${fields}\r\n\r\n${rest}`
  )
}
