import { isUtf8 } from 'node:buffer'
import { shellQuoted } from 'fastify-contract/document'
import { printable } from 'fastify-contract/json'
import type { WireRequest } from '../../suite/ground/exchange.ts'

/** A longer body is not printed: no terminal takes the line. */
const longest = 20_000

/**
 * Writes a request as one line for a POSIX shell.
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
  const own = Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'content-length')
  // What curl adds by itself is taken away, as is the meaning of brackets.
  const hasType = own.some(([name]) => name.toLowerCase() === 'content-type')
  const names = [
    ...own.map(([name, value]) => (value === '' ? `${name};` : `${name}: ${value}`)),
    ...(body === undefined || hasType ? [] : ['content-type:']),
  ]
  const options = [
    ...(method === 'HEAD' ? ['-I'] : ['-X', shellQuoted(method)]),
    ...(/[[\]{}]/.test(address) ? ['-g'] : []),
    ...(/\/\.{1,2}(?:[/?]|$)/.test(target) ? ['--path-as-is'] : []),
    word(address),
    ...names.flatMap((header) => ['-H', word(header)]),
  ]
  const [before, data] = dataOf(body)
  return [...before, 'curl', ...options, ...data].join(' ')
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
