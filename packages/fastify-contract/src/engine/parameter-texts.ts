import type { Parameter } from '../document/document.ts'
import { trimSpaces } from '../document/media-type.ts'
import { createMembers } from '../json/json.ts'
import { splitPair } from './text-values.ts'
import type { Reading, TextShape } from './texts.ts'

/** The separators of items, before percent-decoding. */
const separators: Readonly<Record<string, RegExp>> = {
  spaceDelimited: /%20|\+/,
  pipeDelimited: /\||%7c/i,
}

/** How the value of a parameter is written, in the words of OpenAPI 3.1, section 4.8.12. */
export interface Written {
  in: Exclude<Parameter['in'], 'querystring'>
  name: string
  shape: TextShape | 'json'
  style: string
  explode: boolean
}

/**
 * Splits a text into its items, which are decoded later: a separator within an item is percent-encoded (RFC 6570, section
 * 3.2.8).
 *
 * @returns undefined if the text does not begin as its style asks for
 */
export function splitText(one: Written, text: string): string[] | undefined {
  const { in: place, style } = one
  if (place === 'header') return text.split(',').map(trimSpaces)
  return place === 'path' ? splitInPath(one, text) : splitRaw(text, style)
}

/** Splits a value of a query or a form that is not yet percent-decoded. */
export function splitRaw(raw: string, style: string): string[] {
  return raw.split(separators[style] ?? ',')
}

/** The function that decodes an item, or its name and its value. */
export function decoderOf({ in: place, style }: Pick<Written, 'in' | 'style'>): (text: string) => string {
  // OpenAPI 3.2, section 4.12.4.
  if (place === 'header' || style === 'cookie') return (text) => text
  return place === 'query' ? decoded : decodeURIComponent
}

/** The items of a text in a style of paths (OpenAPI 3.1, section 4.8.12.4). */
function splitInPath({ name, shape, style, explode }: Written, text: string): string[] | undefined {
  const isSplit = shape !== 'text'
  if (style === 'label') {
    const rest = text.startsWith('.') ? text.slice(1) : undefined
    return isSplit ? rest?.split(explode ? '.' : ',') : rest === undefined ? undefined : [rest]
  }
  if (style !== 'matrix') return text.split(',')
  if (!text.startsWith(';')) return undefined
  const rest = text.slice(1)
  const items = isSplit && explode ? rest.split(';') : [rest]
  // An empty value has no `=` (RFC 6570, section 3.2.7).
  if (isSplit && explode && shape === 'object') return items.map((item) => item.replace(/^[^=]+$/, '$&='))
  const values = items.map(splitPair)
  if (!values.every(([key = '']) => decodeURIComponent(key) === name)) return undefined
  const all = values.map(([, value = '']) => value)
  return isSplit && !explode ? all.join().split(',') : all
}

/** The value of a parameter of a query before percent-decoding. */
export function rawValue(query: string, name: string): string {
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

/** The names and values of a Cookie header, as they were sent. Spaces around both are none of theirs. */
export function cookiesOf(header: string | undefined): [name: string, value: string][] {
  return (header?.split(';') ?? []).flatMap((pair) => {
    const [name = '', value] = splitPair(pair)
    return value === undefined ? [] : [[trimSpaces(name), trimSpaces(value)]]
  })
}

/**
 * Reads the declared cookies (RFC 6265, section 4.2.1). Of two with one name, the first is the more specific.
 *
 * `isSplit` tells whether a cookie is split before it is decoded, `isRaw` whether it is a text as it was sent.
 */
export function readCookies(
  header: unknown,
  names: readonly string[],
  { isSplit, isRaw }: Record<'isSplit' | 'isRaw', (name: string) => boolean>,
  reading: Reading,
): Record<string, unknown> {
  const cookies = withoutPrototype({})
  for (const [name, value] of cookiesOf(typeof header === 'string' ? header : undefined)) {
    if (!names.includes(name) || name in cookies) continue
    if (isRaw(name)) {
      cookies[name] = value
      continue
    }
    const text = value.replace(/^"(.*)"$/s, '$1')
    try {
      const whole = decodeURIComponent(text)
      cookies[name] = isSplit(name) ? text : whole
    } catch {
      reading.problems.push(`the percent-encoding of cookie/${name} is invalid`)
    }
  }
  return cookies
}

export function withoutPrototype(object: object): Record<string, unknown> {
  // A literal with __proto__ takes longer.
  return Object.assign(createMembers(null), object)
}
