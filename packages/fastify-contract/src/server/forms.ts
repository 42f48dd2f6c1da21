import { isUtf8 } from 'node:buffer'
import type { FormField } from '../engine/form-fields.ts'
import { decoded } from '../engine/parameter-texts.ts'
import { Refusal } from '../engine/refusal.ts'

const malformed = (problem: string): Refusal => new Refusal('malformed_body', problem)

/**
 * Parses `application/x-www-form-urlencoded` (url.spec.whatwg.org, section 5.1), but refuses broken percent-encoding,
 * which URLSearchParams replaces.
 *
 * @throws Refusal
 */
export function parseUrlencoded(bytes: Buffer): FormField[] {
  if (!isUtf8(bytes)) throw malformed('the form is not UTF-8')
  const pairs = bytes
    .toString()
    .split('&')
    .filter((pair) => pair !== '')
  return pairs.map((pair) => {
    const end = pair.indexOf('=')
    const [name, value] = end === -1 ? [pair, ''] : [pair.slice(0, end), pair.slice(end + 1)]
    return { name: textIn(name), content: textIn(value), filename: undefined, type: undefined }
  })
}

function textIn(encoded: string): string {
  try {
    return decoded(encoded)
  } catch {
    throw malformed('the percent-encoding of the form is invalid or not UTF-8')
  }
}

/** One to 70 characters, of which the last is not a space (RFC 2046, section 5.1.1). */
const validBoundary = /^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/

/**
 * Parses `multipart/form-data` (RFC 7578). A body within the limit is complete, so that this can refuse what parsers of
 * streams leave out: a part without a name, text after it, another encoding.
 *
 * @param boundary the parameter of the media type
 * @throws Refusal
 */
export function parseMultipart(bytes: Buffer, boundary: string | undefined): FormField[] {
  if (boundary === undefined || !validBoundary.test(boundary)) {
    throw malformed('the Content-Type of the form must have one boundary, of 1 to 70 characters')
  }
  // The first delimiter needs no line before it.
  const lines = Buffer.concat([Buffer.from('\r\n'), bytes])
  const text = Buffer.from(`\r\n--${boundary}`)
  const fields: FormField[] = []
  let last = nextDelimiter(lines, text, 0)
  while (!last.isClosing) {
    const next = nextDelimiter(lines, text, last.end)
    fields.push(fieldOf(lines.subarray(last.end, next.start)))
    last = next
  }
  return fields
}

interface Delimiter {
  start: number
  /** Before the end of its line. */
  end: number
  /** Whether it is the last one. */
  isClosing: boolean
}

const [tab, lineFeed, carriageReturn, space, dash] = [0x09, 0x0a, 0x0d, 0x20, 0x2d]

/** A line that only begins like a delimiter is content. */
function nextDelimiter(bytes: Buffer, text: Buffer, from: number): Delimiter {
  for (let start = bytes.indexOf(text, from); start !== -1; start = bytes.indexOf(text, start + 1)) {
    let end = start + text.length
    if (bytes[end] === dash && bytes[end + 1] === dash) return { start, end, isClosing: true }
    while (bytes[end] === space || bytes[end] === tab) end++
    if (bytes[end] === carriageReturn && bytes[end + 1] === lineFeed) return { start, end, isClosing: false }
  }
  throw malformed('the form has no closing boundary')
}

/** @param part from the end of the line of its delimiter */
function fieldOf(part: Buffer): FormField {
  const end = part.indexOf('\r\n\r\n')
  if (end === -1) throw malformed('a part of the form has no empty line after its headers')
  const headers = new Map<string, string>()
  for (const line of part.toString('latin1', 0, end).split('\r\n').slice(1)) {
    const [, name = '', value = ''] = /^([^:]*):(.*)$/s.exec(line) ?? []
    headers.set(name.toLowerCase(), value.trim())
  }
  const parameters = parametersOf(headers.get('content-disposition') ?? '')
  const name = parameters.get('name')
  if (name === undefined) throw malformed('a part of the form has no name in Content-Disposition: form-data')
  // Deprecated (RFC 7578, section 4.7).
  if (!/^(?:7bit|8bit|binary|)$/i.test(headers.get('content-transfer-encoding') ?? '')) {
    throw malformed('a part of the form has a Content-Transfer-Encoding; send its bytes as they are')
  }
  return {
    name,
    content: part.subarray(end + 4),
    filename: parameters.get('filename'),
    type: headers.get('content-type'),
  }
}

/** A quote within a quoted text has a backslash; elsewhere a backslash is a character, as browsers send it. */
const dispositionParameter = /;[ \t]*([\w!#$%&'*+.^`|~-]+)[ \t]*=[ \t]*(?:"((?:\\"|[^"])*)"|([^;\s"]*))/g

/** The parameters of `Content-Disposition: form-data`. */
function parametersOf(field: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>()
  if (!/^form-data[ \t]*(?:;|$)/i.test(field)) return parameters
  for (const [, name = '', quoted, plain = ''] of field.matchAll(dispositionParameter)) {
    parameters.set(name.toLowerCase(), quoted === undefined ? textOf(plain) : unescaped(textOf(quoted)))
  }
  return parameters
}

/** Browsers encode three characters (html.spec.whatwg.org, "multipart/form-data encoding algorithm"). */
function unescaped(text: string): string {
  const encoded: Readonly<Record<string, string>> = { '\\"': '"', '%22': '"', '%0d': '\r', '%0a': '\n' }
  return text.replaceAll(/\\"|%22|%0d|%0a/gi, (match) => encoded[match.toLowerCase()] ?? match)
}

function textOf(latin1: string): string {
  const bytes = Buffer.from(latin1, 'latin1')
  if (!isUtf8(bytes)) throw malformed('a name in the form is not UTF-8')
  return bytes.toString()
}
