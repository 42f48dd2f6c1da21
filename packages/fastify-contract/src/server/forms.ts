import { isUtf8 } from 'node:buffer'
import { type FormField, urlencodedFields } from '../engine/form-fields.ts'
import { Refusal } from '../engine/refusal.ts'
import { trimSpaces } from '../document/media-type.ts'

const malformed = (problem: string): Refusal => new Refusal('malformed_body', problem)

/** Parses `application/x-www-form-urlencoded`. @throws Refusal */
export function parseUrlencoded(bytes: Buffer): FormField[] {
  if (!isUtf8(bytes)) throw malformed('the form is not UTF-8')
  try {
    return urlencodedFields(bytes.toString())
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
 * @throws Refusal
 */
export function parseMultipart(bytes: Buffer<ArrayBuffer>, boundary: string | undefined): FormField[] {
  if (boundary === undefined || !validBoundary.test(boundary)) {
    throw malformed('the Content-Type of the form must have one boundary, of 1 to 70 characters')
  }
  const fields: FormField[] = []
  let last: Delimiter | undefined
  for (const next of delimitersOf(bytes, Buffer.from(`--${boundary}`))) {
    if (last?.isClosing === true) throw malformed('the form goes on after its closing boundary')
    if (last !== undefined) fields.push(fieldOf(bytes.subarray(last.end, next.start)))
    last = next
  }
  if (last?.isClosing !== true) throw malformed('the form has no closing boundary')
  return fields
}

interface Delimiter {
  /** Before the end of the line before it. */
  start: number
  /** Before the end of its line. */
  end: number
  /** Whether it is the last one. */
  isClosing: boolean
}

const [tab, lineFeed, carriageReturn, space, dash] = [0x09, 0x0a, 0x0d, 0x20, 0x2d]

/**
 * Finds the delimiters of a form. A boundary anywhere else must not be there (RFC 2046, section 5.1.1): parsers differ in
 * whether it ends a part.
 */
function* delimitersOf(bytes: Buffer, text: Buffer): Generator<Delimiter, void, undefined> {
  const isLineEnd = (at: number) => bytes[at] === carriageReturn && bytes[at + 1] === lineFeed
  for (let start = bytes.indexOf(text), end = 0; start !== -1; start = bytes.indexOf(text, end)) {
    end = start + text.length
    const isClosing = bytes[end] === dash && bytes[end + 1] === dash
    if (isClosing) end += 2
    while (bytes[end] === space || bytes[end] === tab) end++
    const isLine = (start === 0 || isLineEnd(start - 2)) && (isLineEnd(end) || (isClosing && end === bytes.length))
    if (!isLine) throw malformed('the boundary of the form is inside a line')
    yield { start: start - 2, end, isClosing }
  }
}

/** A field line (RFC 9112, section 5), without folding. */
const headerLine = /^([\w!#$%&'*+.^`|~-]+):([\t\x20-\x7e\x80-\xff]*)$/

/** @param part from the end of the line of its delimiter */
function fieldOf(part: Buffer<ArrayBuffer>): FormField {
  const end = part.indexOf('\r\n\r\n')
  if (end === -1) throw malformed('a part of the form has no empty line after its headers')
  const headers = new Map<string, string>()
  for (const line of part.toString('latin1', 0, end).split('\r\n').slice(1)) {
    const [, name = '', value = ''] = headerLine.exec(line) ?? []
    const key = name.toLowerCase()
    if (name === '' || headers.has(key)) throw malformed('a part of the form has a malformed or a repeated header')
    headers.set(key, trimSpaces(value))
  }
  const parameters = parametersOf(headers.get('content-disposition') ?? '')
  const name = parameters.get('name')
  if (name === undefined) throw malformed('a part of the form has no name in Content-Disposition: form-data')
  // Deprecated (RFC 7578, section 4.7).
  if (!/^(?:7bit|8bit|binary|)$/i.test(headers.get('content-transfer-encoding') ?? '')) {
    throw malformed('a part of the form has a Content-Transfer-Encoding; send its bytes as they are')
  }
  const type = headers.get('content-type')
  // Some parsers read the files within.
  if (/^multipart\/mixed(?![^\s;])/i.test(type ?? '')) {
    throw malformed('a part of the form is multipart/mixed; send each file in a part of its own')
  }
  return { name, content: part.subarray(end + 4), filename: parameters.get('filename'), type }
}

/**
 * A quote within a quoted text has a backslash. Elsewhere a backslash is a character, as browsers send it; not before
 * another one or at the end, where other parsers read an escape.
 */
const dispositionParameter =
  /[ \t]*;[ \t]*([\w!#$%&'*+.^`|~-]+)[ \t]*=[ \t]*(?:"((?:\\"|\\(?!["\\])|[^"\\])*)"|([\w!#$%&'*+.^`|~-]+))/y

const extended =
  'the Content-Disposition of a part of the form has a parameter with *; send name and filename without it, in UTF-8'

/** The parameters of `Content-Disposition: form-data`. */
function parametersOf(field: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>()
  const [start] = /^form-data(?=[ \t]*(?:;|$))/i.exec(field) ?? []
  let at = start?.length ?? field.length
  while (/[^ \t;]/.test(field.slice(at))) {
    dispositionParameter.lastIndex = at
    const [all = '', name = '', quoted, plain = ''] = dispositionParameter.exec(field) ?? []
    const key = name.toLowerCase()
    if (all === '' || parameters.has(key)) {
      throw malformed('the Content-Disposition of a part of the form is malformed')
    }
    // Parsers differ in which of `name`, `name*` and `name*0` they read (RFC 7578, section 4.2; RFC 2231).
    if (key.includes('*')) throw malformed(extended)
    parameters.set(key, quoted === undefined ? textOf(plain) : unescaped(textOf(quoted)))
    at += all.length
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
