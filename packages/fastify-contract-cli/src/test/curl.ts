import { isUtf8 } from 'node:buffer'
import { shellQuoted } from 'fastify-contract/document'
import type { WireRequest } from '../suite/send.ts'

/** A longer body is not printed: no terminal takes the line. */
const longest = 20_000

/**
 * Writes a request as one line for a POSIX shell.
 *
 * @param url of the server, with its base path
 */
export function curlOf(url: string, { method, url: target, headers, body }: WireRequest): string {
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
    shellQuoted(address),
    ...names.flatMap((header) => ['-H', shellQuoted(header)]),
  ]
  const [before, data] = dataOf(body)
  return [...before, 'curl', ...options, ...data].join(' ')
}

function dataOf(body: WireRequest['body']): [before: string[], options: string[]] {
  if (body === undefined) return [[], []]
  const bytes = Buffer.from(body)
  if (bytes.length > longest) return [[], ['--data-binary', `@- # a body of ${String(bytes.length)} bytes`]]
  const text = bytes.toString()
  const isPlain = isUtf8(bytes) && !/[^\P{C}\n\t]/u.test(text) && !text.startsWith('@')
  if (isPlain) return [[], [method(text), shellQuoted(text)]]
  return [
    ['printf', '%s', bytes.toString('base64'), '|', 'base64', '-d', '|'],
    ['--data-binary', '@-'],
  ]
}

/** `-d` takes away the ends of lines. */
function method(text: string): string {
  return text.includes('\n') ? '--data-binary' : '-d'
}
