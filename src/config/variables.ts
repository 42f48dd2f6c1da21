import { makeValidator } from 'envalid'
import { BlockList, isIP } from 'node:net'
import { type DatabaseLocation, readDatabaseLocation } from '../store/location.ts'

/** An address or a host name. */
export const host = makeValidator((text: string) => {
  if (!/^[\w.:-]+$/.test(text)) throw new Error(`must be an address or a host name, not ${quoted(text)}`)
  return text
})

/** An integer in a range, in plain decimal form. */
export function integer(minimum: number, maximum: number) {
  return makeValidator<number>((text: string) => readInteger(text, minimum, maximum))
}

/** An integer number of seconds in a range; the value is in milliseconds. */
export function seconds(minimum: number, maximum: number) {
  return makeValidator<number>((text: string) => readInteger(text, minimum, maximum) * 1_000)
}

/** One of a list of words. */
export function oneOf<Word extends string>(words: readonly Word[]) {
  return makeValidator<Word>((text: string) => {
    const word = words.find((each) => each === text)
    if (word === undefined) throw new Error(`must be one of ${words.join(', ')}, not ${quoted(text)}`)
    return word
  })
}

/** The database's URL. */
export const databaseLocation = makeValidator<DatabaseLocation>(readDatabaseLocation)

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Whether only this machine can reach a server at this host. */
export function isLoopback(host: string): boolean {
  const version = isIP(host)
  return version === 0 ? host === 'localhost' : loopback.check(host, version === 4 ? 'ipv4' : 'ipv6')
}

/** The URL of a key set. Over plain HTTP, anyone on the network path could replace the keys. */
export const keysUrl = makeValidator<string>((text: string) => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isSafe =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname.replace(/^\[(.*)\]$/, '$1')))
  if (!isSafe) throw new Error('must be an https: URL, or an http: URL of a loopback address')
  // Node's fetch rejects such a URL with an error that quotes it.
  if (url.username !== '' || url.password !== '') throw new Error('must not contain a user name or password')
  return text
})

/**
 * The longest identifier, in UTF-16 code units. With the longest subject it fits into an index entry of PostgreSQL, at
 * most 2,704 bytes.
 */
const maxIdentifierLength = 512

/** A name without white space, such as an issuer or an audience. */
export const identifier = makeValidator<string>((text: string) => {
  if (text.length > maxIdentifierLength) throw new Error(`must have at most ${String(maxIdentifierLength)} characters`)
  if (/\s/.test(text)) throw new Error(`must not contain white space, as in ${quoted(text)}`)
  return text
})

/** The origin of a URL; none if it has none. */
function originOf(text: string): string | undefined {
  const origin = URL.canParse(text) ? new URL(text).origin : 'null'
  return origin === 'null' ? undefined : origin
}

/** Origins of web pages, separated by commas, or `*` for every origin. */
export const origins = makeValidator<string[]>((text: string) => {
  const all = text.split(',').map((origin) => origin.trim())
  const bad = all.find((origin) => !(origin === '*' && all.length === 1) && originOf(origin) !== origin)
  if (bad !== undefined) {
    const origin = originOf(bad)
    const remedy = bad === '*' ? '; * stands alone' : origin === undefined ? '' : `; write ${origin}`
    throw new Error(
      `must be * or a comma-separated list of origins such as https://plants.example, not ${quoted(bad)}${remedy}`,
    )
  }
  return all
})

/** Addresses and networks, separated by commas. The three names come from proxy-addr, which Fastify uses. */
export const addresses = makeValidator<string>((text: string) => {
  const bad = text
    .split(',')
    .map((address) => address.trim())
    .find((address) => !['loopback', 'linklocal', 'uniquelocal'].includes(address) && !isNetwork(address))
  if (bad !== undefined)
    throw new Error(
      'must be a comma-separated list of addresses, networks such as 10.0.0.0/8, ' +
        `loopback, linklocal or uniquelocal, not ${quoted(bad)}`,
    )
  return text
})

/** Quotes a value for a message, unless it may contain a password. */
function quoted(text: string): string {
  return text.includes('@') ? 'a value that is not shown, because it may contain a password' : JSON.stringify(text)
}

function isNetwork(text: string): boolean {
  const [, address = '', bits = '1'] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const version = isIP(address)
  // proxy-addr rejects a network of all addresses.
  return version !== 0 && Number(bits) >= 1 && Number(bits) <= (version === 4 ? 32 : 128)
}

function readInteger(text: string, minimum: number, maximum: number): number {
  const value = /^(?:0|[1-9][0-9]*)$/.test(text) ? Number(text) : NaN
  if (!(value >= minimum && value <= maximum))
    throw new Error(`must be an integer from ${String(minimum)} to ${String(maximum)}, not ${quoted(text)}`)
  return value
}
