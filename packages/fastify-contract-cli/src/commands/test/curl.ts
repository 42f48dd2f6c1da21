import { isUtf8 } from 'node:buffer'
import { shellQuoted } from 'fastify-contract/document'
import { printable } from 'fastify-contract/json'
import type { WireRequest } from '../../suite/ground/exchange.ts'

/** A longer body is not printed: no terminal takes the line. */
const longest = 20_000

/**
 * Writes a request as one line for a POSIX shell. curl names itself in User-Agent.
 *
 * @param url of the server, with its base path
 * @param word writes a text of the address or of a header as a word of the shell
 */
export function curlOf(
  url: string,
  { method, url: target, headers, body }: WireRequest,
  word: (text: string) => string = shellQuoted,
): string {
  const address = `${url.replace(/\/$/, '')}${target}`
  const has = (name: string) => Object.keys(headers).some((each) => each.toLowerCase() === name)
  const length = body === undefined ? undefined : String(Buffer.byteLength(body))
  const own = Object.entries(headers).filter(([name, value]) => {
    return name.toLowerCase() !== 'content-length' || value !== length
  })
  // With nothing behind the colon, curl takes a header away.
  const lines = own.map(([name, value]) => (value.trim() === '' ? `${name};` : `${name}: ${value}`))
  const added = body === undefined || has('content-type') ? [] : ['content-type:']
  // As Node says of a method that usually has content.
  const isEmpty = body === undefined && !withoutContent.includes(method) && !has('content-length')
  const names = [...lines, ...added, ...(isEmpty ? ['content-length: 0'] : [])]
  const options = [
    ...(method === 'HEAD' ? ['-I'] : ['-X', shellQuoted(method)]),
    ...(/[[\]{}]/.test(address) ? ['-g'] : []),
    ...(/\/(?:\.|%2e){1,2}(?:[/?]|$)/i.test(address) ? ['--path-as-is'] : []),
    word(address),
    ...names.flatMap((header) => ['-H', headerWord(header, word)]),
  ]
  const [before, data] = dataOf(body)
  return [...before, 'curl', ...options, ...data].join(' ')
}

/** The methods of which Node does not say that a request has no content. */
const withoutContent = ['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT']

/** A header is sent in ISO-8859-1, in which a terminal is not. */
function headerWord(header: string, word: (text: string) => string): string {
  const quoted = word(header)
  // A variable stands for a secret.
  if (/^[ -~]*$/.test(header) || quoted !== shellQuoted(header)) return quoted
  const format = header
    .replaceAll(/[\\%]/g, (character) => escapes[character] ?? character)
    .replaceAll(/[^ -~]/g, (character) => `\\${(character.codePointAt(0) ?? 0).toString(8).padStart(3, '0')}`)
  return `"$(printf ${shellQuoted(format)})"`
}

/** What the format of `printf` (POSIX) writes differently. */
const escapes: Record<string, string> = { '\\': '\\\\', '%': '%%', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

function dataOf(body: WireRequest['body']): [before: string[], options: string[]] {
  if (body === undefined) return [[], []]
  const bytes = Buffer.from(body)
  if (bytes.length > longest) return [[], ['--data-binary', `@- # a body of ${String(bytes.length)} bytes`]]
  const text = bytes.toString()
  const isPrinted = (written: string) => isUtf8(bytes) && printable(written) === written
  if (isPrinted(text) && !text.startsWith('@')) return [[], ['-d', shellQuoted(text)]]
  const format = text.replaceAll(/[\\%\t\n\r]/g, (character) => escapes[character] ?? character)
  const printf =
    isPrinted(format) && !format.startsWith('-')
      ? ['printf', shellQuoted(format), '|']
      : ['printf', '%s', bytes.toString('base64'), '|', 'base64', '-d', '|']
  return [printf, ['--data-binary', '@-']]
}
