/** Stands between pieces: the client waits for the next bytes of the server. */
export const untilAnswered = 'until answered'

/** Names what is known at run time alone; the runner puts it in the place of the name. */
export const tokens = {
  /** Of the caller of the lane, who has no plants between two requests of the list. */
  own: '$TOKEN',
  /** Of a caller with three plants: ids below zero, zero, and beyond 2^53. */
  few: '$FEW',
  /** Of a caller whose list is sent in chunks. */
  many: '$MANY',
  /** Has a scope. */
  scoped: '$SCOPED',
  expired: '$EXPIRED',
  revoked: '$REVOKED',
  /** The tag of a file of the docs page. */
  etag: '$ETAG',
} as const

/** Bytes for one connection, whose answer is the whole stream that comes back. */
export interface GoldenRequest {
  /** Unique and stable: the recorded answer stands under it. */
  name: string
  pieces: readonly (Buffer | typeof untilAnswered)[]
  /** Whether the client closes its side after the last byte. If not, it waits until the server closes. */
  ends?: boolean
  /** Whether each byte is a segment of its own. */
  isSlow?: boolean
  /** The address of this machine from which it comes. */
  from?: string
}

/** The parts of one request that differ from `GET /plants` with a good token. `null` leaves a field out. */
export interface Parts {
  method?: string
  target?: string
  version?: string
  host?: string | null
  authorization?: string | null
  /** The Content-Type. Without it a request with a body has `application/json`. */
  type?: string | null
  /** The Content-Length. Without it the length is right, and absent without a body. */
  length?: string | null
  /** Further fields, without their line ends. */
  fields?: readonly string[]
  /** A text is sent as UTF-8. */
  body?: string | Buffer
  /** Whether the request asks the server to close. */
  isLast?: boolean
}

/** One character for each byte. */
export function raw(text: string): Buffer {
  return Buffer.from(text, 'latin1')
}

/** Encodes one request. */
export function message(parts: Parts = {}): Buffer {
  const { method = 'GET', target = '/plants', version = 'HTTP/1.1', host = 'a', isLast = true } = parts
  const { authorization = `Bearer ${tokens.own}`, fields = [], body } = parts
  const content = Buffer.from(body ?? '')
  const type = parts.type === undefined && body !== undefined ? 'application/json' : parts.type
  const length = parts.length === undefined && body !== undefined ? String(content.length) : parts.length
  const lines = [
    `${method} ${target} ${version}`,
    ...(host === null ? [] : [`Host: ${host}`]),
    ...(authorization === null ? [] : [`Authorization: ${authorization}`]),
    ...(type === undefined || type === null ? [] : [`Content-Type: ${type}`]),
    ...(length === undefined || length === null ? [] : [`Content-Length: ${length}`]),
    ...fields,
    ...(isLast ? ['Connection: close'] : []),
  ]
  return Buffer.concat([raw(`${lines.join('\r\n')}\r\n\r\n`), content])
}

/** A request to create a plant. */
export function create(body: string | Buffer, parts: Parts = {}): Buffer {
  return message({ method: 'POST', body, ...parts })
}

/** A request to delete a plant. */
export function remove(id: string, parts: Parts = {}): Buffer {
  return message({ method: 'DELETE', target: `/plants/${id}`, ...parts })
}

/** Sends requests in one segment. */
export function together(name: string, ...messages: readonly (Buffer | string)[]): GoldenRequest {
  return { name, pieces: [Buffer.concat(messages.map((each) => (typeof each === 'string' ? raw(each) : each)))] }
}

/** The same, and the client closes its side: what would wait for more bytes is answered at once. */
export function ended(name: string, ...messages: readonly (Buffer | string)[]): GoldenRequest {
  return { ...together(name, ...messages), ends: true }
}

/** Sends a request that may have created a plant, then lists what is stored and deletes that plant. */
export function storing(name: string, creation: Parts, id = '1'): GoldenRequest {
  return together(
    name,
    message({ method: 'POST', ...creation, isLast: false }),
    message({ isLast: false }),
    remove(id, { isLast: true }),
  )
}

/** Characters as a name shows them: a few of the text, those beyond printable ASCII as escapes. */
export function shown(text: string): string {
  const escaped = JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}… (${String(text.length)})` : text)
  return escaped.replaceAll(/[^ -~…]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
