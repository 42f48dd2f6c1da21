import { type ClientOperation, clientOperations } from '../../generated/client.ts'
import { readBody, writeBody } from './exact-json.ts'
import type { CallOptions, Client } from './types.ts'

export interface ClientOptions {
  /** Where the service is, such as `http://127.0.0.1:3000`. */
  baseUrl: string
  /** The bearer token that the service issued. */
  token: string
  /** Sends the requests; the platform's `fetch` by default. */
  fetch?: typeof fetch
}

/** An answer that the contract does not declare, such as that of a proxy in between. */
export class UndeclaredReply extends Error {
  readonly status: number

  constructor(operation: string, status: number, options?: ErrorOptions) {
    super(`${operation} was answered with ${String(status)} in a form that the contract does not declare`, options)
    this.status = status
  }
}

/** Any operation's request. */
interface AnyRequest {
  path?: Parameters
  query?: Parameters
  header?: Parameters
  body?: unknown
}

type Scalar = string | number | bigint | boolean
type Parameters = Record<string, Scalar | Scalar[] | undefined>

/**
 * Creates a client of the service. Its functions resolve to every declared answer, failures too; `status` distinguishes
 * them. They reject when there is none: with the error of `fetch`, or with UndeclaredReply.
 */
export function createClient({ baseUrl, token, fetch: send = fetch }: ClientOptions): Client {
  const functions = Object.entries<ClientOperation>(clientOperations).map(([id, operation]) => [
    id,
    async (request: AnyRequest = {}, options: CallOptions = {}) => {
      const { url, init } = toFetch(operation, request)
      init.headers.set('authorization', `Bearer ${token}`)
      return receive(id, operation, await send(baseUrl.replace(/\/+$/, '') + url, { ...init, ...options }))
    },
  ])
  // The table and the type are generated from the same contract; the test of each operation keeps them together.
  return Object.fromEntries(functions) as Client
}

function toFetch({ method, path }: ClientOperation, { path: names = {}, query = {}, header = {}, body }: AnyRequest) {
  const search = new URLSearchParams(pairs(query)).toString()
  const filled = path.replaceAll(/\{([^{}]+)\}/g, (_template, name: string) => encodeURIComponent(String(names[name])))
  const url = search === '' ? filled : `${filled}?${search}`
  const headers = new Headers(pairs(header))
  if (body === undefined) return { url, init: { method, headers } }
  headers.set('content-type', 'application/json')
  return { url, init: { method, headers, body: writeBody(body) } }
}

/** The given parameters as text, an array item by item: the default style of OpenAPI. */
function pairs(parameters: Parameters): [string, string][] {
  return Object.entries(parameters).flatMap(([name, value]) => {
    const items = value === undefined ? [] : [value].flat()
    return items.map((item): [string, string] => [name, String(item)])
  })
}

async function receive(id: string, { replies }: ClientOperation, response: Response) {
  const { status, headers } = response
  const int64Places = replies[status]
  const text = await response.text()
  if (int64Places === null) return { status, headers, body: undefined }
  const isJson = /^application\/json\b/i.test(headers.get('content-type') ?? '')
  if (int64Places === undefined || !isJson) throw new UndeclaredReply(id, status)
  try {
    return { status, headers, body: readBody(text, int64Places) }
  } catch (error) {
    throw new UndeclaredReply(id, status, { cause: error })
  }
}
