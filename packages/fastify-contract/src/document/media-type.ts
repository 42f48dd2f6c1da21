/** How content is read and written. A text is in UTF-8. */
export type ContentKind = 'json' | 'form' | 'multipart' | 'text' | 'bytes'

const token = "[\\w!#$%&'*+.^`|~-]+"
const quotedString = '"(?:[^"\\\\]|\\\\.)*"'
const parameter = `(${token})=(${token}|${quotedString})`

/** The most parameters of a media type; those that are registered have fewer. */
export const maxParameters = 10

const typeAndSubtype = new RegExp(`^${token}/${token}$`)
const parametersOnly = new RegExp(`^(?:;[ \\t]*(?:${parameter}[ \\t]*)?){0,${String(maxParameters)}}$`)
const eachParameter = new RegExp(`;[ \\t]*${parameter}`, 'g')

/** A media type of a header, or of a contract, where it may be a range such as `image/*`. */
export interface MediaType {
  /** Type and subtype, in lower case. */
  essence: string
  /** The values of the parameters, by names in lower case. A repeated parameter has several. */
  parameters: ReadonlyMap<string, readonly string[]>
}

/** A text without spaces and tabs around it (RFC 9110, section 5.6.3). `trim` also removes what names may have. */
export function trimSpaces(text: string): string {
  let [start, end] = [0, text.length]
  while (text[start] === ' ' || text[start] === '\t') start++
  while (end > start && (text[end - 1] === ' ' || text[end - 1] === '\t')) end--
  return text.slice(start, end)
}

const noParameters: MediaType['parameters'] = new Map()

/** Parses a media type (RFC 9110, section 8.3.1). @returns undefined if it is malformed or has too many parameters */
export function parseMediaType(text: string): MediaType | undefined {
  const [type = ''] = text.split(';', 1)
  const essence = trimSpaces(type).toLowerCase()
  if (!typeAndSubtype.test(essence)) return undefined
  if (type.length === text.length) return { essence, parameters: noParameters }
  const rest = text.slice(type.length)
  if (!parametersOnly.test(rest)) return undefined
  const parameters = new Map<string, string[]>()
  for (const [, name = '', value = ''] of rest.matchAll(eachParameter)) {
    const unquoted = value.startsWith('"') ? value.slice(1, -1).replaceAll(/\\(.)/gs, '$1') : value
    parameters.set(name.toLowerCase(), [...(parameters.get(name.toLowerCase()) ?? []), unquoted])
  }
  return { essence, parameters }
}

/** How content of a media type is read and written. */
export function kindOf(type: string): ContentKind {
  if (isJson(type)) return 'json'
  if (isText(type)) return 'text'
  const essence = trimSpaces(type.toLowerCase().split(';', 1).join())
  if (essence === 'application/x-www-form-urlencoded') return 'form'
  return essence === 'multipart/form-data' ? 'multipart' : 'bytes'
}

/**
 * Whether a media type is JSON: `application/json`, or one with the suffix `+json` (RFC 6839, section 3.1). `text/json` is
 * not registered, but what many servers declare beside it.
 */
export function isJson(type: string): boolean {
  return /^(?:(?:application|text)\/json|[^;]*\+json)[ \t]*(?:;|$)/i.test(type)
}

/** Whether a media type is text, which is sent in UTF-8. */
export function isText(type: string): boolean {
  return /^text\//i.test(type)
}

/** How a sequential media type separates its items: server-sent events, JSON lines, or JSON text sequences (RFC 7464). */
export type Framing = 'events' | 'lines' | 'records'

/** The sequential media types, without parameters and in lower case (OpenAPI 3.2, section 4.14.3). */
export const framings: Readonly<Record<Framing, RegExp>> = {
  events: /^text\/event-stream$/,
  lines: /^application\/(?:jsonl|(?:x-)?ndjson)$/,
  records: /^application\/(?:[^/]*\+)?json-seq$/,
}

/** How content of a media type is a sequence of items; undefined for other media types. */
export function framingOf(type: string): Framing | undefined {
  const essence = parseMediaType(type)?.essence ?? ''
  return (['events', 'lines', 'records'] as const).find((framing) => framings[framing].test(essence))
}

/** The Content-Type header of a media type: text is UTF-8, and JSON has no charset (RFC 8259, section 11). */
export function contentTypeOf(type: string): string {
  return isText(type) ? `${type.replaceAll(/;[ \t]*charset=(?:"[^"]*"|[^;]*)/gi, '')}; charset=utf-8` : type
}

/** Whether a media type of a contract is a range, such as `image/*` or `application/*+json`. */
export function isRange(type: string): boolean {
  return /^(?:\*|[^;]*\/\*(?:\+[^;*]*)?)[ \t]*(?:;|$)/.test(type)
}

/** Parameters that say how content is written. They are no condition: text is in UTF-8 with or without `charset`. */
const writingParameters: ReadonlySet<string> = new Set(['charset', 'boundary'])

/**
 * Makes the function that finds the declared media type that fits one, the most specific first (OpenAPI 3.1, section
 * 4.8.14): the most parameters, then fewer, then a range. The parameters of a declared type must be as declared; others may
 * be there.
 *
 * @returns its index; -1 without one
 */
export function createMatcher(declared: readonly string[]): (type: MediaType) => number {
  const types = declared.flatMap((text, index) => {
    const type = parseMediaType(text)
    if (type === undefined) return []
    const all = [...type.parameters]
    return { essence: type.essence, all, conditions: all.filter(([name]) => !writingParameters.has(name)), index }
  })
  const byDetail = types.toSorted((a, b) => b.conditions.length - a.conditions.length || b.all.length - a.all.length)
  return ({ essence, parameters }) => {
    if (essence.includes('*')) return -1
    const fits = ([name, values]: readonly [string, readonly string[]]) => isSame(values, parameters.get(name))
    for (const wanted of [essence, withoutName(essence), `${essence.split('/', 1).join()}/*`, '*/*']) {
      const fitting = byDetail.filter((each) => each.essence === wanted && each.conditions.every(fits))
      const closest = fitting.filter(({ conditions }) => conditions.length === fitting[0]?.conditions.length)
      const found = closest.find(({ all }) => all.every(fits)) ?? closest[0]
      if (found !== undefined) return found.index
    }
    return -1
  }
}

/** The range of the media types of a suffix, which begins at the last plus (RFC 6838, section 4.2.8): `application/*+json`. */
function withoutName(essence: string): string {
  const suffix = essence.lastIndexOf('+')
  return `${essence.split('/', 1).join()}/*${suffix === -1 ? '' : essence.slice(suffix)}`
}

/** A parameter that is repeated differs: parsers differ in which one they use. */
function isSame(declared: readonly string[], given: readonly string[] = []): boolean {
  const areSame = declared.every((value, index) => value.toLowerCase() === given[index]?.toLowerCase())
  return areSame && given.length === declared.length
}
