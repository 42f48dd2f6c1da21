import { readBody, writeBody } from './exact-json.ts'
import { isRegisteredStatus } from '../types/message-types.ts'
import type { CallOptions, Client, ClientContract, ClientOperation, Int64Schema } from './client-types.ts'

export type { CallOptions, Client, ClientContract, ClientOperation, Int64Schema }
export type { ClientReply, ClientRequest } from './client-types.ts'

type PublicOperation<Table> = { [Id in keyof Table]: Table[Id] extends { isPublic: true } ? Id : never }[keyof Table]

interface CommonOptions {
  /** The URL of the service, such as `http://127.0.0.1:3000`, with the base path of the contract's server. */
  baseUrl: string
  /** Replaces the platform's `fetch`. */
  fetch?: typeof fetch
}

interface Credentials {
  /** A bearer token. */
  token: string
}

/** The token is optional if the contract has a public operation. */
export type ClientOptions<Contract extends ClientContract> = CommonOptions &
  ([PublicOperation<Contract['clientOperations']>] extends [never] ? Credentials : Partial<Credentials>)

/** A response that the contract does not declare, such as that of a proxy. */
export class UndeclaredReply extends Error {
  readonly status: number

  constructor(operation: string, status: number, options?: ErrorOptions) {
    super(`${operation} was answered with ${String(status)} in a form that the contract does not declare`, options)
    this.status = status
  }
}

/** Any operation's request. */
interface AnyRequest {
  path?: Record<string, Scalar>
  query?: Parameters
  header?: Parameters
  body?: unknown
  accept?: string
}

type Scalar = string | number | bigint | boolean
type Parameters = Record<string, Scalar | Scalar[] | undefined>

/**
 * Creates a client of the service. Its functions resolve to any declared response, including failures; `status`
 * distinguishes them. They reject with the error of `fetch`, or with UndeclaredReply.
 *
 * @typeParam Operations the generated `operations`
 * @param contract the module `generated/client.ts`
 */
export function createClient<Operations, Contract extends ClientContract = ClientContract>(
  { clientOperations, int64Schemas }: Contract,
  options: ClientOptions<Contract>,
): Client<Operations> {
  const { baseUrl, token, fetch: send = fetch }: CommonOptions & Partial<Credentials> = options
  const server = baseUrl.replace(/(?<!\/)\/+$/, '')
  const functions = Object.entries<ClientOperation>(clientOperations).map(([id, operation]) => [
    id,
    async (request: AnyRequest = {}, options: CallOptions = {}) => {
      const { url, init } = toFetch(operation, request, token)
      return receive(id, operation, int64Schemas, await send(server + url, { ...init, ...options }))
    },
  ])
  // The table and the type are generated from the same contract.
  return Object.fromEntries(functions) as Client<Operations>
}

function toFetch(
  { method, path, commaSeparated = [], contentType }: ClientOperation,
  { path: names = {}, query = {}, header = {}, body, accept }: AnyRequest,
  token: string | undefined,
) {
  const search = given(query).flatMap(([name, value]) => queryPairs(name, value, commaSeparated.includes(name)))
  const filled = path.replaceAll(/\{([^{}]+)\}/g, (_template, name: string) => encode(names[name]))
  const url = search.length === 0 ? filled : `${filled}?${search.join('&')}`
  const headers = new Headers(given(header).map(([name, value]) => [name, String(value)]))
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
  if (accept !== undefined) headers.set('accept', accept)
  if (body === undefined || contentType === undefined) return { url, init: { method, headers } }
  headers.set('content-type', contentType)
  return { url, init: { method, headers, body: writeBody(body) } }
}

function given(parameters: Parameters): [string, Scalar | Scalar[]][] {
  return Object.entries(parameters).filter((entry): entry is [string, Scalar | Scalar[]] => entry[1] !== undefined)
}

/** One parameter for each item of an array, or one for all of them. */
function queryPairs(name: string, value: Scalar | Scalar[], isJoined: boolean): string[] {
  const items = [value].flat().map(encode)
  const values = isJoined ? [items.join(',')] : items
  return values.map((text) => `${encode(name)}=${text}`)
}

function encode(value: Scalar | undefined): string {
  return encodeURIComponent(String(value))
}

async function receive(
  id: string,
  { replies }: ClientOperation,
  int64Schemas: ClientContract['int64Schemas'],
  response: Response,
) {
  const { status, headers } = response
  const content = contentOf(replies, status)
  const bytes = new Uint8Array(await response.arrayBuffer())
  if (content === undefined) throw new UndeclaredReply(id, status)
  if (Object.keys(content).length === 0) return { status, headers, contentType: undefined, body: undefined }
  const media = Object.entries(content).find(([type]) => essence(type) === essence(headers.get('content-type') ?? ''))
  if (media === undefined) throw new UndeclaredReply(id, status)
  const [contentType, schema] = media
  try {
    return { status, headers, contentType, body: read(bytes, contentType, schema, int64Schemas) }
  } catch (error) {
    throw new UndeclaredReply(id, status, { cause: error })
  }
}

/** The content of the most specific response for a status. */
function contentOf(replies: ClientOperation['replies'], status: number) {
  const keys = [String(status), ...(isRegisteredStatus(status) ? [`${String(status)[0] ?? ''}XX`, 'default'] : [])]
  const key = keys.find((each) => Object.hasOwn(replies, each))
  return key === undefined ? undefined : replies[key]
}

/** Decodes a body. Agrees with the type `MediaKind` of message-types.ts. */
function read(
  bytes: Uint8Array,
  contentType: string,
  schema: Int64Schema,
  int64Schemas: ClientContract['int64Schemas'],
): unknown {
  const type = essence(contentType)
  const isJson = type === 'application/json' || type.endsWith('+json')
  if (!isJson && !type.startsWith('text/')) return bytes
  const text = new TextDecoder().decode(bytes)
  return isJson ? readBody(text, schema, int64Schemas) : text
}

/** A media type in lower case, without its parameters (RFC 9110, section 8.3.1). */
function essence(mediaType: string): string {
  return (mediaType.split(';', 1)[0] ?? '').trim().toLowerCase()
}
