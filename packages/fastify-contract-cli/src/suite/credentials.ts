import type { ContractOperation } from 'fastify-contract/document'
import { type SentRequest, type TestedContract, operationOf } from './contract.ts'
import type { ContractRequest } from './requests.ts'

/** The credentials of a caller by the names of their schemes: what `Authorization` has, such as `Bearer abc`, or a key. */
export type Credentials = Readonly<Record<string, string>>

/** A security scheme of a contract (OpenAPI 3.1, "Security Scheme Object"). */
interface Scheme {
  type?: string
  scheme?: string
  in?: 'query' | 'header' | 'cookie'
  name?: string
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
  const authorization = authorizationOf(contract, name)
  if (authorization === undefined || given.toLowerCase().startsWith(`${authorization} `)) return given
  const word = `${authorization.charAt(0).toUpperCase()}${authorization.slice(1)}`
  return `${word} ${authorization === 'basic' ? Buffer.from(given).toString('base64') : given}`
}

/** Where credentials of a scheme are sent. */
export function placeOf(contract: TestedContract, name: string): { in: 'query' | 'header' | 'cookie'; name: string } {
  const { type, in: place = 'header', name: key = '' } = schemeOf(contract, name)
  return type === 'apiKey' ? { in: place, name: key } : { in: 'header', name: 'authorization' }
}

/** The scheme of `Authorization`, in lower case: `bearer`, `basic`; undefined for a key. */
export function authorizationOf(contract: TestedContract, name: string): string | undefined {
  const { type, scheme = 'bearer' } = schemeOf(contract, name)
  return type === 'apiKey' ? undefined : scheme.toLowerCase()
}

function schemeOf({ document }: TestedContract, name: string): Scheme {
  // `generate` has checked that each scheme exists.
  return document.components?.securitySchemes?.[name] ?? {}
}

/**
 * Adds the credentials of a caller to a request, where its headers do not have others. A request that needs none has
 * some all the same.
 */
export function withCredentials(
  contract: TestedContract,
  request: ContractRequest,
  credentials: Credentials,
): ContractRequest {
  if (request.isAnonymous === true) return request
  const known = Object.keys(credentials)
  const operation = operationOf(contract, request satisfies SentRequest)
  const needed = operation === undefined ? [] : (schemesFor(operation, known) ?? [])
  const chosen = needed.length > 0 ? needed : known.slice(0, 1)
  return chosen.reduce((sent, name) => withKey(sent, placeOf(contract, name), credentials[name] ?? ''), request)
}

function withKey(request: ContractRequest, place: ReturnType<typeof placeOf>, value: string): ContractRequest {
  const { url, headers = {} } = request
  const pair = `${encodeURIComponent(place.name)}=${encodeURIComponent(value)}`
  switch (place.in) {
    case 'query':
      return { ...request, url: `${url}${url.includes('?') ? '&' : '?'}${pair}` }
    case 'cookie':
      return { ...request, headers: { ...headers, cookie: [headers['cookie'] ?? [], pair].flat().join('; ') } }
    case 'header': {
      const isThere = Object.keys(headers).some((name) => name.toLowerCase() === place.name.toLowerCase())
      return isThere ? request : { ...request, headers: { ...headers, [place.name]: value } }
    }
  }
}

/** Gives a request other credentials of a scheme. */
export function withOther(
  contract: TestedContract,
  request: ContractRequest,
  scheme: string,
  value: string,
): ContractRequest {
  return { ...withKey(request, placeOf(contract, scheme), value), isAnonymous: true }
}
