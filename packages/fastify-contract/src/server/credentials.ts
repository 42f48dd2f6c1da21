import { isUtf8 } from 'node:buffer'
import type { FastifyRequest } from 'fastify'
import type { SecurityScheme } from '../document/security.ts'
import { cookiesOf } from '../engine/parameter-texts.ts'
import type { BasicCredentials } from '../types/handler-types.ts'
import { textsOf } from './request-target.ts'

/** Where the credentials of a scheme are in a request. */
export type CredentialField = Pick<SecurityScheme, 'in' | 'name'>

/** Node gives the names of headers in lower case. */
export function fieldOf({ in: place, name }: SecurityScheme): CredentialField {
  return { in: place, name: place === 'header' ? name.toLowerCase() : name }
}

/** What stands for credentials that are sent more than once: those that are verified here may not be those that another reads. */
const repeated: unique symbol = Symbol('repeated')

/** Credentials as they were sent; undefined if absent. */
export type SentCredentials = string | typeof repeated | undefined

/** Takes the credentials out of a request: an API key is not a parameter of the operation. */
export function takeCredentials(request: FastifyRequest, fields: readonly CredentialField[]): SentCredentials[] {
  const sent: SentCredentials[] = []
  for (const { in: place, name } of fields) {
    if (place === 'header') sent.push(inHeader(request, name))
    else sent.push(place === 'query' ? inQuery(textsOf(request).query, name) : inCookie(request.headers.cookie, name))
  }
  for (const { in: place, name } of fields) if (place === 'query') Reflect.deleteProperty(textsOf(request).query, name)
  return sent
}

/** @param name in lower case */
function inHeader({ headers, raw: { rawHeaders } }: FastifyRequest, name: string): SentCredentials {
  // Objects inherit `constructor`.
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined
  if (value === undefined) return undefined
  // Node joins repeated fields, or takes the first.
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const field = rawHeaders[index] ?? ''
    if (field.length === name.length && field.toLowerCase() === name) count++
  }
  return typeof value === 'string' && count <= 1 ? value : repeated
}

/** A parser of queries that the service has chosen may make other values than texts and lists. */
function inQuery(query: Readonly<Record<string, unknown>>, name: string): SentCredentials {
  const value = Object.hasOwn(query, name) ? query[name] : undefined
  return value === undefined || typeof value === 'string' ? value : repeated
}

function inCookie(header: string | undefined, name: string): SentCredentials {
  const [value, ...others] = cookiesOf(header).filter(([key]) => key === name)
  return others.length > 0 ? repeated : value?.[1]
}

/** `token68` of RFC 9110, section 11.2, which RFC 6750 calls `b64token`. */
const token68 = /^[A-Za-z0-9\-._~+/]+=*$/

/**
 * Reads the credentials of a scheme: a bearer token, the user and the password of Basic, an API key, or the whole header of
 * another HTTP scheme.
 *
 * @returns `missing` if the header has another scheme, `unknown` if no credentials of the scheme look like this, or if they
 *   are repeated
 */
export function readCredentials(
  kind: SecurityScheme['kind'],
  text: SentCredentials,
): { credentials: unknown } | 'missing' | 'unknown' {
  if (text === undefined) return 'missing'
  if (text === repeated) return 'unknown'
  switch (kind) {
    case 'bearer':
    case 'jwt': {
      const token = afterScheme('bearer', text)
      if (token === undefined) return 'missing'
      return token68.test(token) ? { credentials: token } : 'unknown'
    }
    case 'basic': {
      const encoded = afterScheme('basic', text)
      return encoded === undefined ? 'missing' : (readBasic(encoded) ?? 'unknown')
    }
    case 'apiKey':
    case 'http':
      return { credentials: text }
  }
}

/** What follows a scheme, in any case, and spaces (RFC 9110, section 11.4); undefined for another scheme. */
function afterScheme(scheme: string, text: string): string | undefined {
  const [start, rest] = [text.slice(0, scheme.length), text.slice(scheme.length)]
  return start.toLowerCase() === scheme && rest.startsWith(' ') ? rest.replace(/^ +/, '') : undefined
}

/** The user-id ends at the first colon, and neither part has control characters (RFC 7617, section 2). */
function readBasic(encoded: string): { credentials: BasicCredentials } | undefined {
  const bytes = Buffer.from(encoded, 'base64')
  // Node ignores what is not Base64 (RFC 4648, section 4), and another decoder may not.
  if (!isUtf8(bytes) || bytes.toString('base64') !== encoded) return undefined
  const [, user, password] = /^([^:\p{Cc}]*):(\P{Cc}*)$/u.exec(bytes.toString()) ?? []
  return user === undefined || password === undefined ? undefined : { credentials: { user, password } }
}
