import type { ContractOperation } from 'fastify-contract/document'
import { type SecurityScheme, securitySchemesOf } from 'fastify-contract/security'
import { type TestedContract, operationOf } from './contract.ts'
import type { ContractRequest } from './requests.ts'
import type { WireRequest } from './send.ts'

/** The credentials of a caller by the names of their schemes: what `Authorization` has, such as `Bearer abc`, or a key. */
export type Credentials = Readonly<Record<string, string>>

/** What every request of a run has beside what is drawn. */
export interface Additions {
  headers?: Readonly<Record<string, string>>
  query?: readonly [name: string, value: string][]
  cookies?: readonly [name: string, value: string][]
}

/** Whether an operation refuses requests without credentials. */
export function wantsCredentials({ security }: ContractOperation): boolean {
  return security.length > 0 && security.every((requirement) => Object.keys(requirement).length > 0)
}

/** The schemes of which an operation needs credentials; undefined where each alternative needs some that are not known. */
export function schemesFor({ security }: ContractOperation, known: readonly string[]): string[] | undefined {
  const alternatives = security.map((requirement) => Object.keys(requirement))
  const isKnown = (names: string[]) => names.every((name) => known.includes(name))
  const chosen = alternatives.find((names) => names.length > 0 && isKnown(names)) ?? alternatives.find(isKnown)
  return chosen ?? (alternatives.length === 0 ? [] : undefined)
}

/**
 * Writes credentials as they are sent.
 *
 * @param given for `bearer` a token, with or without the word before it; for `basic` `user:password`; else the value
 */
export function credentialsOf(contract: TestedContract, name: string, given: string): string {
  const { kind, scheme } = schemeOf(contract, name)
  if (kind === 'apiKey' || given.toLowerCase().startsWith(`${scheme.toLowerCase()} `)) return given
  return `${scheme} ${kind === 'basic' ? Buffer.from(given).toString('base64') : given}`
}

/** A security scheme of the contract. */
export function schemeOf({ document }: TestedContract, name: string): SecurityScheme {
  // `generate` has checked that each scheme exists.
  return securitySchemesOf(document).get(name)!
}

/**
 * Writes what a caller sends: with its credentials, where the headers of the request do not have others, and with what
 * every request has. A request that needs no credentials has some all the same.
 */
export function onWire(
  contract: TestedContract,
  request: ContractRequest,
  credentials: Credentials,
  { headers = {}, query = [], cookies = [] }: Additions = {},
): WireRequest {
  const { method, url, headers: own = {}, body } = withCredentials(contract, request, credentials)
  const content =
    body === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }
  const cookie = [own['cookie'] ?? [], ...cookies.map((pair) => pair.join('='))].flat().join('; ')
  const all = { ...content, ...headers, ...own, ...(cookie === '' ? {} : { cookie }) }
  const fields = Object.entries<string | undefined>(all).filter(
    (field): field is [string, string] => field[1] !== undefined,
  )
  const target = query.reduce((before, pair) => withPair(before, pair), url)
  return { method, url: target, headers: Object.fromEntries(fields), ...(body === undefined ? {} : { body }) }
}

function withCredentials(contract: TestedContract, request: ContractRequest, credentials: Credentials) {
  if (request.isAnonymous === true) return request
  const known = Object.keys(credentials)
  const operation = operationOf(contract, request)
  const needed = operation === undefined ? [] : (schemesFor(operation, known) ?? [])
  const chosen = needed.length > 0 ? needed : known.slice(0, 1)
  return chosen.reduce((sent, name) => withKey(sent, schemeOf(contract, name), credentials[name] ?? ''), request)
}

function withKey(request: ContractRequest, scheme: SecurityScheme, value: string): ContractRequest {
  const { url, headers = {} } = request
  switch (scheme.in) {
    case 'query':
      return { ...request, url: withPair(url, [scheme.name, value]) }
    case 'cookie': {
      const pair = `${encodeURIComponent(scheme.name)}=${encodeURIComponent(value)}`
      return { ...request, headers: { ...headers, cookie: [headers['cookie'] ?? [], pair].flat().join('; ') } }
    }
    case 'header': {
      const isThere = Object.keys(headers).some((name) => name.toLowerCase() === scheme.name.toLowerCase())
      return isThere ? request : { ...request, headers: { ...headers, [scheme.name]: value } }
    }
  }
}

/** Adds a parameter to the query of a target. */
export function withPair(url: string, pair: readonly [name: string, value: string]): string {
  return `${url}${url.includes('?') ? '&' : '?'}${pair.map(encodeURIComponent).join('=')}`
}

/** Gives a request other credentials of a scheme. */
export function withOther(
  contract: TestedContract,
  request: ContractRequest,
  scheme: string,
  value: string,
): ContractRequest {
  return { ...withKey(request, schemeOf(contract, scheme), value), isAnonymous: true }
}
