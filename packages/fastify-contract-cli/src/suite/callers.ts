import type { TestedContract } from './contract.ts'
import { type Credentials, withCredentials } from './credentials.ts'
import type { ContractRequest } from './requests.ts'
import type { Exchange, WireRequest } from './send.ts'

/** What every request of a run has beside what is drawn. */
export interface Additions {
  headers?: Readonly<Record<string, string>>
  query?: readonly [name: string, value: string][]
  cookies?: readonly [name: string, value: string][]
}

/** Writes what a caller sends. */
export function onWire(
  contract: TestedContract,
  sent: ContractRequest,
  credentials: Credentials,
  { headers = {}, query = [], cookies = [] }: Additions = {},
): WireRequest {
  const { method, url, headers: own = {}, body } = withCredentials(contract, sent, credentials)
  const content =
    body === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }
  const cookie = [own['cookie'] ?? [], ...cookies.map((pair) => pair.join('='))].flat().join('; ')
  const all = { ...content, ...headers, ...own, ...(cookie === '' ? {} : { cookie }) }
  const fields = Object.entries<string | undefined>(all).filter(
    (field): field is [string, string] => field[1] !== undefined,
  )
  const pairs = query.map((pair) => pair.map(encodeURIComponent).join('='))
  const target = pairs.length === 0 ? url : `${url}${url.includes('?') ? '&' : '?'}${pairs.join('&')}`
  return { method, url: target, headers: Object.fromEntries(fields), ...(body === undefined ? {} : { body }) }
}

/** Gives the credentials of a caller; those of a function are new ones. */
export async function credentialsFrom(
  auth: Readonly<Record<string, string | (() => Promise<string>)>>,
): Promise<Credentials> {
  const known = Object.entries(auth).map(async ([name, given]): Promise<[string, string]> => {
    return [name, typeof given === 'string' ? given : await given()]
  })
  return Object.fromEntries(await Promise.all(known))
}

/** How many requests are kept of one case. */
const mostKept = 10

/** Keeps the last requests of a case, and counts all. */
export class Trail {
  requests: WireRequest[] = []
  count = 0

  /** Sends requests and keeps them. */
  through(exchange: Exchange): Exchange {
    return (request) => {
      this.count++
      this.requests = [...this.requests.slice(1 - mostKept), request]
      return exchange(request)
    }
  }
}
