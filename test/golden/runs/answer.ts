import { hash } from 'node:crypto'
import { leftOpen } from './exchange.ts'

/** One response of a connection, without what differs from run to run. */
export interface Answer {
  /** The status line and the fields, sorted by name; empty for bytes that are no response. */
  head: string
  body: string
}

/** A longer body is recorded as its length and its SHA-256. */
const longestBody = 400

/** The values of fields that differ from run to run. Where one has another form, it stays as it is. */
const varying: Partial<Record<string, RegExp>> = {
  date: /^\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  'x-request-id': /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/,
}

/** The parts of values and of messages that count seconds. */
const seconds: readonly [RegExp, string][] = [
  [/;t=\d+/g, ';t=*'],
  [/try again in \d+ s/g, 'try again in * s'],
]

/** Takes the bytes of a connection apart (RFC 9112, section 6.3). */
export function readAnswers(bytes: Buffer): Answer[] {
  const answers: Answer[] = []
  let rest = bytes
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n')
    if (end === -1 || !rest.subarray(0, 9).equals(Buffer.from('HTTP/1.1 '))) {
      answers.push({ head: '', body: shownBody(rest) })
      break
    }
    const [line = '', ...fields] = rest.toString('latin1', 0, end).split('\r\n')
    rest = rest.subarray(end + 4)
    const length = valueOf(fields, 'content-length')
    const isChunked = valueOf(fields, 'transfer-encoding') === 'chunked'
    const isToTheEnd = length === undefined && !/^HTTP\/1\.1 (?:1|204|304)/.test(line)
    const { body, rest: next } = isChunked
      ? readChunks(rest)
      : readLength(rest, isToTheEnd ? rest.length : Number(length ?? 0))
    rest = next
    const isRight = !isChunked && length === String(body.length)
    answers.push({ head: [line, ...normalFields(fields, isRight)].join('\n'), body: shownBody(body) })
  }
  return answers
}

function valueOf(fields: readonly string[], name: string): string | undefined {
  const field = fields.find((each) => each.toLowerCase().startsWith(`${name}:`))
  return field?.slice(name.length + 1).trim()
}

/** In the order of their names, which have no order of their own (RFC 9110, section 5.3). */
function normalFields(fields: readonly string[], isLengthRight: boolean): string[] {
  const nameOf = (field: string) => field.split(':', 1).join().toLowerCase()
  return fields
    .map((field) => {
      const name = nameOf(field)
      const value = field.slice(name.length + 1).trim()
      if (varying[name]?.test(value) === true) return `${field.slice(0, name.length)}: *`
      if (name === 'content-length' && isLengthRight) return `${field.slice(0, name.length)}: *`
      if (name === 'retry-after' && Number(value) > 1) return `${field.slice(0, name.length)}: *`
      return withoutSeconds(field)
    })
    .sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : nameOf(one) > nameOf(other) ? 1 : 0))
}

function withoutSeconds(text: string): string {
  return seconds.reduce((changed, [pattern, by]) => changed.replaceAll(pattern, by), text)
}

function readLength(bytes: Buffer, length: number): { body: Buffer; rest: Buffer } {
  // The answer to HEAD has the length and not the content. No content begins like a response.
  const isAbsent = bytes.length === 0 || bytes.subarray(0, 9).equals(Buffer.from('HTTP/1.1 '))
  const end = isAbsent ? 0 : length
  return { body: bytes.subarray(0, end), rest: bytes.subarray(end) }
}

function readChunks(bytes: Buffer): { body: Buffer; rest: Buffer } {
  const chunks: Buffer[] = []
  let rest = bytes
  for (;;) {
    const end = rest.indexOf('\r\n')
    const size = parseInt(rest.toString('latin1', 0, Math.max(end, 0)), 16)
    // An answer to HEAD, or one that is cut off.
    if (!(size >= 0) || rest.length < end + 2 + size) return { body: Buffer.concat(chunks), rest }
    chunks.push(rest.subarray(end + 2, end + 2 + size))
    rest = rest.subarray(end + 4 + size)
    if (size === 0) return { body: Buffer.concat(chunks), rest }
  }
}

function shownBody(body: Buffer): string {
  if (body.equals(leftOpen)) return body.toString()
  const text = body.toString()
  if (body.length <= longestBody && Buffer.from(text).equals(body)) return withoutSeconds(text)
  return `${String(body.length)} bytes with SHA-256 ${hash('sha256', body).slice(0, 16)}`
}
