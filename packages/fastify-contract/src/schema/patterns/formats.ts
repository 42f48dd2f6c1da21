import type { Format } from 'ajv'
import { LinearPattern } from './linear-pattern.ts'

// The grammars of the RFCs, under the names of their rules. Redundant alternatives are left out: an IPv4 host is also a
// registered name.
const hexdig = '[0-9A-Fa-f]'
const decOctet = '(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])'
const ipv4 = `${decOctet}(?:\\.${decOctet}){3}`
const h16 = `${hexdig}{1,4}`
const ls32 = `(?:${h16}:${h16}|${ipv4})`
const upTo = (groups: number) => `(?:(?:${h16}:){0,${String(groups)}}${h16})?::`
const ipv6 = either(
  `(?:${h16}:){6}${ls32}`,
  `::(?:${h16}:){5}${ls32}`,
  ...[0, 1, 2, 3, 4].map((groups) => `${upTo(groups)}(?:${h16}:){${String(4 - groups)}}${ls32}`),
  `${upTo(5)}${h16}`,
  upTo(6),
)

/** RFC 3986, appendix A. */
const pctEncoded = `%${hexdig}{2}`
const inName = "-A-Za-z0-9._~!$&'()*+,;="
const pchar = `(?:[${inName}:@]|${pctEncoded})`
const pathAbempty = `(?:/${pchar}*)*`
const ipvFuture = `[Vv]${hexdig}+\\.[${inName}:]+`
const authority =
  `(?:(?:[${inName}:]|${pctEncoded})*@)?` +
  `(?:\\[(?:${ipv6}|${ipvFuture})\\]|(?:[${inName}]|${pctEncoded})*)(?::[0-9]*)?`
const scheme = '[A-Za-z][A-Za-z0-9+.-]*:'
const afterPath = `(?:\\?(?:${pchar}|[/?])*)?(?:#(?:${pchar}|[/?])*)?`
const withAuthority = `//${authority}${pathAbempty}`
const pathAbsolute = `/(?:${pchar}+${pathAbempty})?`
const uri = `${scheme}(?:${withAuthority}|${pathAbsolute}|${pchar}+${pathAbempty}|)${afterPath}`
const pathNoscheme = `(?:[${inName}@]|${pctEncoded})+${pathAbempty}`
const relativeReference = `(?:${withAuthority}|${pathAbsolute}|${pathNoscheme}|)${afterPath}`

/** RFC 5321, section 4.1.2. `IPv6` is the only registered tag of an address literal. */
const atext = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
const quotedString = '"(?:[ !#-\\[\\]-~]|\\\\[ -~])*"'
const subDomain = '[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?'
const snum = '(?:25[0-5]|2[0-4][0-9]|[01]?[0-9]?[0-9])'
const addressLiteral = `\\[(?:${snum}(?:\\.${snum}){3}|[Ii][Pp][Vv]6:${ipv6})\\]`
const mailbox = `(?:${atext}(?:\\.${atext})*|${quotedString})@(?:${subDomain}(?:\\.${subDomain})*|${addressLiteral})`

/** RFC 3339, appendix A. */
const digits = '[0-9]+'
const seconds = `${digits}[Ss]`
const minutes = `${digits}[Mm](?:${seconds})?`
const time = `[Tt](?:${digits}[Hh](?:${minutes})?|${minutes}|${seconds})`
const days = `${digits}[Dd]`
const months = `${digits}[Mm](?:${days})?`
const years = `${digits}[Yy](?:${months})?`
const duration = `[Pp](?:(?:${years}|${months}|${days})(?:${time})?|${time}|${digits}[Ww])`

const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'
const base64 = '[A-Za-z0-9+/]'

const isUri = whole(uri)
const isRelativeReference = whole(relativeReference)

/**
 * The formats of strings, by name, for Ajv. Each matches the whole grammar of its RFC.
 *
 * @see https://json-schema.org/draft/2020-12/json-schema-validation#section-7.3
 * @see https://spec.openapis.org/registry/format/
 */
export const textFormats: Readonly<Record<string, Format>> = {
  // RFC 3339, section 5.6.
  date: isDate,
  time: isTime,
  'date-time': (text: string) => /^.{10}[Tt]/.test(text) && isDate(text.slice(0, 10)) && isTime(text.slice(11), text),
  duration: whole(duration),
  uri: isUri,
  'uri-reference': (text: string) => isUri(text) || isRelativeReference(text),
  // Not the name of an RFC: a URI with an authority.
  url: whole(`${scheme}${withAuthority}${afterPath}`),
  email: whole(mailbox),
  // RFC 1123, section 2.1, with the maximum length of RFC 1035.
  hostname: whole(`${label}(?:\\.${label})*`, 253),
  // RFC 3986 for both: its IPv6address is the text of RFC 4291, section 2.2.
  ipv4: whole(ipv4),
  ipv6: whole(ipv6),
  // RFC 9562, section 4.
  uuid: whole(`${hexdig}{8}-(?:${hexdig}{4}-){3}${hexdig}{12}`),
  // RFC 4648, section 4.
  byte: whole(`(?:${base64}{4})*(?:${base64}{2}==|${base64}{3}=)?`),
  // Of any precision and range: the registry sets no grammar.
  decimal: true,
  password: true,
  binary: true,
}

function either(...rules: string[]): string {
  return `(?:${rules.join('|')})`
}

/**
 * The most characters for JavaScript's own expressions, which take a fraction of the time. With these rules it grows with
 * the square of the length at most.
 */
const shortText = 256

/** @param rule has states few enough to be cached; see `LinearPattern` */
function whole(rule: string, maxCharacters = Infinity): (text: string) => boolean {
  const source = `^${either(rule)}$`
  let short: RegExp | undefined
  let long: LinearPattern | undefined
  return (text) => {
    if (text.length > maxCharacters) return false
    // Both are made on first use: a contract has few of them.
    if (text.length <= shortText) return (short ??= new RegExp(source)).test(text)
    return (long ??= new LinearPattern(source)).test(text)
  }
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const at = Date.parse(`${text}T00:00Z`)
  // Date.parse turns the 30th of February into the 2nd of March.
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text)
}

const fullTime = /^((?:[01]\d|2[0-3]):[0-5]\d):([0-5]\d|60)(?:\.\d+)?([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

/** A leap second ends a day in UTC and, if the date is known, a month. */
function isTime(text: string, dateTime?: string): boolean {
  const [, minute = '', second, offset = ''] = fullTime.exec(text) ?? []
  if (second !== '60') return second !== undefined
  const date = dateTime?.slice(0, 10) ?? '2000-01-01'
  const next = new Date(Date.parse(`${date}T${minute}:59${offset.toUpperCase()}`) + 1_000)
  return next.getTime() % 86_400_000 === 0 && (dateTime === undefined || next.getUTCDate() === 1)
}
