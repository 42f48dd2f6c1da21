import type { ContractOperation, Parameter } from 'fastify-contract/document'
import { type SecurityScheme, securitySchemesOf } from 'fastify-contract/security'
import { type TestedContract, operationOf } from '../ground/contract.ts'
import type { GivenValues } from '../draw/flat-schema.ts'
import type { ContractRequest, Credentials } from '../ground/contract-request.ts'
import type { WireRequest } from '../ground/exchange.ts'

/** What every request of a run has. The values of declared parameters are not drawn then. */
export interface Additions {
  headers?: Readonly<Record<string, string>>
  query?: readonly [name: string, value: string][]
  cookies?: readonly [name: string, value: string][]
  /** Of path parameters, wherever they are declared. */
  pathValues?: readonly [name: string, value: string][]
}

/** What stands in place of drawn values; of several for one parameter, the last. */
export function givenValues({ headers = {}, query = [], cookies = [], pathValues = [] }: Additions): GivenValues {
  const of = (place: 'path' | 'query' | 'header' | 'cookie', pairs: readonly [name: string, value: string][]) =>
    pairs.map(([name, value]) => [`${place}/${name}`, value] as const)
  const named = Object.entries(headers).map(([name, value]): [string, string] => [name.toLowerCase(), value])
  return new Map([...of('path', pathValues), ...of('query', query), ...of('header', named), ...of('cookie', cookies)])
}

/** The schemes of each alternative of an operation, those that need no credentials last. Scopes make no other one. */
export function alternativesOf({ security }: ContractOperation): string[][] {
  const all = security.length === 0 ? [[]] : security.map((requirement) => Object.keys(requirement))
  const different = new Map(all.map((names) => [JSON.stringify(names.toSorted()), names]))
  return [...different.values()].toSorted((a, b) => Number(a.length === 0) - Number(b.length === 0))
}

/** Whether an operation refuses requests without credentials. */
export function wantsCredentials(operation: ContractOperation): boolean {
  return alternativesOf(operation).every((names) => names.length > 0)
}

/** The alternatives of an operation of which all credentials are known. */
export function knownAlternatives(operation: ContractOperation, available: readonly string[]): string[][] {
  return alternativesOf(operation).filter((names) => names.every((name) => available.includes(name)))
}

/** The schemes of which a caller has credentials: its own, and those of what every request has. */
export function schemesOf(contract: TestedContract, own: object, additions: Additions): string[] {
  const { headers = {}, query = [], cookies = [] } = additions
  const added = { header: Object.entries(headers), query, cookie: cookies }
  const given = [...securitySchemesOf(contract.document)].filter(([, scheme]) => {
    return added[scheme.in].some((pair) => isCredentialOf(scheme, scheme.in, pair))
  })
  return [...new Set([...Object.keys(own), ...given.map(([name]) => name)])]
}

/** Whether a part of a request has the place, the name and the form of a scheme's credentials. */
export function isCredentialOf(
  scheme: SecurityScheme,
  place: string,
  [name, value]: readonly [name: string, value: string],
): boolean {
  if (place !== scheme.in || !isSameName(place, name, scheme.name)) return false
  return scheme.kind === 'apiKey' || value.toLowerCase().startsWith(`${scheme.scheme.toLowerCase()} `)
}

/** The name of a header has no case. */
function isSameName(place: string, one: string, other: string): boolean {
  return place === 'header' ? one.toLowerCase() === other.toLowerCase() : one === other
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
 * every request has, but for parameters and credentials that it lacks on purpose. A request that needs no credentials has
 * some all the same.
 */
export function onWire(
  contract: TestedContract,
  request: ContractRequest,
  credentials: Credentials,
  additions: Additions = {},
): WireRequest {
  const { headers = {}, query = [], cookies = [] } = additions
  const operation = operationOf(contract, request)
  const chosen = request.schemes ?? usualSchemes(contract, operation, credentials, additions)
  const { method, url, headers: own = {}, body } = withCredentials(contract, request, credentials, chosen)
  const declared = request.isWhole === true ? (operation?.parameters ?? []) : []
  const ofOperation = operation === undefined ? [] : alternativesOf(operation).flat()
  const isAdded = (place: Parameter['in'], name: string, value: string) => {
    if (declared.some((each) => each.in === place && each.name.toLowerCase() === name.toLowerCase())) return false
    if (place === 'header' && Object.keys(own).some((each) => isSameName(place, each, name))) return false
    const schemes = ofOperation.filter((each) => isCredentialOf(schemeOf(contract, each), place, [name, value]))
    return schemes.length === 0 || schemes.some((each) => chosen.includes(each) && !Object.hasOwn(credentials, each))
  }
  const content =
    body === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }
  const crumbs = cookies.filter((pair) => isAdded('cookie', ...pair)).map((pair) => pair.join('='))
  const cookie = [own['cookie'] ?? [], ...crumbs].flat().join('; ')
  const added = Object.fromEntries(Object.entries(headers).filter((pair) => isAdded('header', ...pair)))
  const all = { ...content, ...added, ...own, ...(cookie === '' ? {} : { cookie }) }
  const fields = Object.entries<string | undefined>(all).filter(
    (field): field is [string, string] => field[1] !== undefined,
  )
  const pairs = query.filter((pair) => isAdded('query', ...pair))
  const target = pairs.reduce((before, pair) => withPair(before, pair), url)
  return { method, url: target, headers: Object.fromEntries(fields), ...(body === undefined ? {} : { body }) }
}

/** The schemes of which a request has credentials that says nothing of them. */
function usualSchemes(
  contract: TestedContract,
  operation: ContractOperation | undefined,
  credentials: Credentials,
  additions: Additions,
): string[] {
  const available = schemesOf(contract, credentials, additions)
  const [first = []] = operation === undefined ? [] : knownAlternatives(operation, available)
  if (first.length > 0) return first
  // In the query, a key is a parameter that a public operation does not have.
  const other = Object.keys(credentials).find((name) => schemeOf(contract, name).in !== 'query')
  return [other ?? []].flat()
}

function withCredentials(
  contract: TestedContract,
  request: ContractRequest,
  credentials: Credentials,
  schemes: readonly string[],
): ContractRequest {
  return schemes.reduce((sent, name) => {
    const value = Object.hasOwn(credentials, name) ? credentials[name] : undefined
    // Of the others, every request has the credentials.
    return value === undefined ? sent : withKey(sent, schemeOf(contract, name), value)
  }, request)
}

/** Gives a request credentials of a scheme, unless it has some. */
export function withKey(request: ContractRequest, scheme: SecurityScheme, value: string): ContractRequest {
  const { url, headers = {} } = request
  const pair = [scheme.name, value].map(encodeURIComponent).join('=')
  // Two schemes may have the same key.
  switch (scheme.in) {
    case 'query':
      return url.split(/[?&]/).slice(1).includes(pair)
        ? request
        : { ...request, url: withPair(url, [scheme.name, value]) }
    case 'cookie': {
      if (headers['cookie']?.split('; ').includes(pair) === true) return request
      return { ...request, headers: { ...headers, cookie: [headers['cookie'] ?? [], pair].flat().join('; ') } }
    }
    case 'header': {
      const isThere = Object.keys(headers).some((name) => isSameName('header', name, scheme.name))
      return isThere ? request : { ...request, headers: { ...headers, [scheme.name]: value } }
    }
  }
}

/** Adds a parameter to the query of a target. */
export function withPair(url: string, pair: readonly [name: string, value: string]): string {
  return `${url}${url.includes('?') ? '&' : '?'}${pair.map(encodeURIComponent).join('=')}`
}
