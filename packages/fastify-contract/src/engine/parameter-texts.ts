import type { Parameter } from '../document/document.ts'
import type { Reading } from './texts.ts'

/** The separators of items, before percent-decoding. */
const separators: Readonly<Record<string, RegExp>> = {
  spaceDelimited: /%20|\+/,
  pipeDelimited: /\||%7c/i,
}

/** Splits a text into its items. A separator within an item is percent-encoded (RFC 6570, section 3.2.8). */
export function splitText(
  { in: place, name, style }: Pick<Parameter, 'in' | 'name'> & { style: string },
  text: string,
  { url, template }: { url: string; template: string },
): string[] {
  if (place === 'header') return text.split(',').map((item) => item.trim())
  if (place === 'cookie') return text.split(',')
  if (place === 'path') return rawSegment(url, template, name).split(',').map(decodeURIComponent)
  return rawValue(url, name)
    .split(separators[style] ?? ',')
    .map(decoded)
}

/** The text of a path parameter before percent-decoding. The path of the request may start with a base path. */
function rawSegment(url: string, template: string, name: string): string {
  const segments = template.split('/').reverse()
  const index = segments.findIndex((segment) => segment.includes(`{${name}}`))
  const [before = '', after = ''] = (segments[index] ?? '').split(`{${name}}`)
  const raw = url.split('?', 1).join().split('/').reverse()[index] ?? ''
  return raw.slice(before.length, raw.length - after.length)
}

/** The value of a query parameter before percent-decoding. */
function rawValue(url: string, name: string): string {
  const query = url.slice(url.indexOf('?') + 1)
  const pairs = query.split('&').map((pair) => pair.split(/=(.*)/s))
  return pairs.find(([key = '']) => decoded(key) === name)?.[1] ?? ''
}

/**
 * Decodes a name or a value of a query or a form, as the query parser does (WHATWG URL, section 5.1).
 *
 * @throws URIError if the percent-encoding is broken, for which the target of a request was rejected before
 */
export function decoded(text: string): string {
  return /[+%]/.test(text) ? decodeURIComponent(text.replaceAll('+', ' ')) : text
}

export function splitPair(item: string): string[] {
  return item.split(/=(.*)/s).slice(0, 2)
}

export function pairsOf(items: string[]): string[][] {
  return items.flatMap((_, index) => (index % 2 === 0 ? [items.slice(index, index + 2)] : []))
}

/** Reads the declared cookies (RFC 6265, section 4.2.1). Of two with one name, the first is the more specific. */
export function readCookies(header: unknown, names: readonly string[], reading: Reading): Record<string, unknown> {
  const cookies = withoutPrototype({})
  for (const pair of typeof header === 'string' ? header.split(';') : []) {
    const [name = '', value] = splitPair(pair.trim())
    if (value === undefined || !names.includes(name) || name in cookies) continue
    try {
      cookies[name] = decodeURIComponent(value.replace(/^"(.*)"$/s, '$1'))
    } catch {
      reading.problems.push(`the percent-encoding of cookie/${name} is invalid`)
    }
  }
  return cookies
}

export function withoutPrototype(object: object): Record<string, unknown> {
  // Object.create returns any.
  return Object.assign(Object.create(null) as Record<string, unknown>, object)
}
