import { type Json, RawText } from '../draw/json-value.ts'
import { isObject } from '../ground/members.ts'
import { type Part, fieldOf } from './part.ts'
import { cookieText, spelled, textOf } from './spellings.ts'

/** A parameter that is there several times. */
export class Repeated {
  readonly values: readonly Json[]

  constructor(values: readonly Json[]) {
    this.values = values
  }
}

/** Whether a value is one text. */
export function isScalar(value: Json): boolean {
  return ['string', 'number', 'bigint', 'boolean'].includes(typeof value) || value instanceof RawText
}

/** Whether a value can be written without a loss, and arrives as it was written. */
export function canBeWritten(value: Json, part: Part): boolean {
  switch (part.as) {
    case 'json':
      return arrives(value, part)
    case 'text':
    case 'bytes':
      return isScalar(value) && arrives(value, part)
    case 'styled':
      return hasText(value, part.objects) && isSplit(value, part) && arrives(value, part)
    // It is one text wherever a server splits the list.
    case 'item':
      return isScalar(value) && /^[\w.+-]+$/.test(textOf(value))
    case 'deep':
      return hasDeepText(value)
    case 'form':
      return isObject(value) && Object.entries(value).every(([name, each]) => canBeWritten(each, fieldOf(part, name)))
  }
}

/** Whether a value has texts: a list without items and an object without members are not written at all. */
function hasText(value: Json, objects: Part['objects']): boolean {
  if (Array.isArray(value)) {
    return value.length > 0 && value.every((item) => isScalar(item) || (objects === 'json' && isObject(item)))
  }
  if (!isObject(value)) return isScalar(value)
  const members = Object.values(value)
  const isFlat = (member: Json) => !isObject(member) && hasText(member, objects)
  return objects === 'json' || (objects === 'members' && members.length > 0 && members.every(isFlat))
}

/** Whether a value has texts with names in brackets, of which integers are those of items. */
function hasDeepText(value: Json): boolean {
  if (isScalar(value)) return true
  const members = Object.entries(value ?? {})
  const isName = (name: string) => Array.isArray(value) || /^[^[\]]*[^[\]\d][^[\]]*$/.test(name)
  return members.length > 0 && members.every(([name, member]) => isName(name) && hasDeepText(member))
}

/** Whether the texts of a value can be told apart. Percent-encoding hides a comma, but not other separators. */
function isSplit(value: Json, { style, explode, isEncoded }: Part): boolean {
  const separator = separators[style] ?? (isEncoded ? undefined : ',')
  if (explode || isScalar(value) || separator === undefined) return true
  return !partsOf(value).some((part) => textOf(part).includes(separator))
}

/** Whether a text is percent-encoded in a cookie: the style `cookie` has it as it is (OpenAPI 3.2, section 4.12.4). */
export function isCoded({ path: [place], style }: Part): boolean {
  return place === 'cookie' && style !== 'cookie'
}

/** No path is without a text, and not every text can be a header's or a cookie's. An empty query is none. */
function arrives(value: Json, part: Part): boolean {
  switch (part.path[0]) {
    case 'path':
      return !/^(?:|(?:\.|%2e){1,2})$/i.test(writtenValue(value, part, String))
    case 'header':
    case 'cookie':
      // A header has Latin-1, in which Node writes and reads it.
      if (!/^[!-:<>-~\xa1-\xff]+$/.test(part.name)) return false
      return fieldsOf(value, part, isCoded(part) ? cookieText : String).every(([, text]) => {
        return /^(?:[!-~](?:[ -~]*[!-~])?)?$/.test(text) && (part.style !== 'cookie' || !text.includes(';'))
      })
    case 'querystring':
      return value !== ''
    case 'query':
    case 'body':
      return true
  }
}

/**
 * A value without what names in brackets cannot say: null, and lists and objects without members; undefined if it is one.
 */
export function withTexts(value: Json, part: Part): Json {
  const isForm = part.as === 'form'
  if ((part.as !== 'deep' && !isForm) || isScalar(value)) return value
  const members = Object.entries(value ?? {})
    .map(([name, member]: [string, Json]) => [name, withTexts(member, isForm ? fieldOf(part, name) : part)] as const)
    .filter(([, member]) => member !== undefined)
  if (members.length === 0) return undefined
  return Array.isArray(value) ? members.map(([, member]) => member) : Object.fromEntries(members)
}

type Encode = (text: string) => string

/** Writes a value of a part as it stands in a path, a query, a header, a cookie or a form; nothing if it has no text. */
export function writtenValue(value: Json, part: Part, encode: Encode): string {
  if (part.path[0] === 'querystring' && value instanceof RawText) return value.text
  const [start, between] = marks[part.style] ?? ['', '&']
  const texts = fieldsOf(value, part, encode).map(([name, text]) => {
    if (name === undefined) return text
    return `${part.isEncoded ? encodeURIComponent(name) : name}=${text}`
  })
  return start + texts.join(between)
}

/** What is before the texts of a style, and between those of an exploded value (OpenAPI 3.1, "Style Values"). */
const marks: Readonly<Record<string, readonly [start: string, between: string]>> = {
  simple: ['', ','],
  label: ['.', '.'],
  matrix: [';', ';'],
}

/** What separates the texts of a value that is not exploded; a comma otherwise. */
const separators: Readonly<Record<string, string>> = { pipeDelimited: '|', spaceDelimited: ' ' }

/** The styles whose texts have no names; a whole query has none. */
const unnamed = ['', 'simple', 'label']

type Field = readonly [name: string | undefined, text: string]

/** The texts that stand for a value, and their names. */
export function fieldsOf(value: Json, part: Part, encode: Encode): Field[] {
  const { as, style, explode, objects } = part
  const name = unnamed.includes(style) ? undefined : part.name
  if (value === undefined) return []
  if (value instanceof Repeated) return value.values.flatMap((each) => fieldsOf(each, part, encode))
  if (as === 'json') return [[name, encode(value instanceof RawText ? value.text : spelled(value, 0))]]
  if (as === 'deep') return deepTexts(part.name, value).map(([key, text]) => [key, encode(textOf(text))])
  if (as === 'form') {
    return Object.entries(value ?? {}).flatMap(([key, each]) => fieldsOf(each, fieldOf(part, key), encode))
  }
  if (as !== 'styled' || isScalar(value) || typeof value !== 'object' || value === null) {
    return [[name, encode(textOf(value))]]
  }
  // A point that separates nothing.
  const coded = (text: Json) => (style === 'label' ? encode(textOf(text)).replaceAll('.', '%2E') : encode(textOf(text)))
  if (Array.isArray(value) && explode) return value.map((item) => [name, coded(item)])
  if (explode && objects === 'json') return [[name, coded(value)]]
  if (explode) {
    return Object.entries(value).flatMap(([key, member]: [string, Json]) => {
      const texts = style in marks ? [firstOf(member)] : [member].flat()
      return texts.map((text): Field => [key, coded(text)])
    })
  }
  const separator = separators[style]
  return [
    [
      name,
      partsOf(value)
        .map(coded)
        .join(separator === undefined ? ',' : encode(separator)),
    ],
  ]
}

/** The names and texts of a value in the style `deepObject`, with the indices of lists. */
function deepTexts(name: string, value: Json): (readonly [name: string, text: Json])[] {
  if (isScalar(value) || typeof value !== 'object' || value === null) return [[name, value]]
  return Object.entries(value).flatMap(([key, member]) => deepTexts(`${name}[${key}]`, member))
}

/** The texts of a list, and the names and texts of an object. */
function partsOf(value: Json): Json[] {
  return Array.isArray(value) ? value : Object.entries(value ?? {}).flatMap(([key, member]) => [key, firstOf(member)])
}

function firstOf(member: Json): Json {
  return [member].flat()[0]
}
