import type { ContractOperation } from 'fastify-contract/document'
import { type TestedContract, isPathOf } from './contract.ts'
import { parseExactly } from './exact-json.ts'
import type { ContractRequest } from './requests.ts'
import type { ReceivedResponse } from './response-checks.ts'

/** A collection that a contract lets clients add to, and the operations on one thing of it. */
export interface Resource {
  create: ContractOperation
  /** The path of one thing, such as `/pets/{petId}`. */
  path: string
  /** The parameter that ends this path. */
  parameter: string
  /** The operations on one thing, by their methods. */
  operations: Partial<Record<string, ContractOperation>>
  /** Undefined without one that needs no parameters. */
  list: ContractOperation | undefined
}

const known = new WeakMap<TestedContract, Resource[]>()

/** Finds the collections of a contract: a POST, beside whose path stands that of one thing. */
export function resourcesOf(contract: TestedContract): Resource[] {
  const found = known.get(contract) ?? contract.operations.flatMap((create) => resourceOf(create, contract) ?? [])
  known.set(contract, found)
  return found
}

function resourceOf(create: ContractOperation, { operations }: TestedContract): Resource | undefined {
  if (create.method !== 'post') return undefined
  const ofItems = operations.filter(({ path }) => {
    const [last = '', ...others] = path.split('/').toReversed()
    return /^\{[^{}]+\}$/.test(last) && others.toReversed().join('/') === create.path.replace(/\/$/, '')
  })
  const [first] = ofItems
  if (first === undefined) return undefined
  const list = operations.find(({ path, method }) => path === create.path && method === 'get')
  const isFree = list?.parameters.every((parameter) => parameter.required !== true || parameter.in === 'path')
  return {
    create,
    path: first.path,
    parameter: first.path.slice(first.path.lastIndexOf('{') + 1, -1),
    operations: Object.fromEntries(ofItems.map((operation) => [operation.method, operation])),
    list: isFree === true ? list : undefined,
  }
}

/** The path of what a request has created, as far as its response or a link of the contract names it. */
export function createdUrl(resource: Resource, sent: ContractRequest, received: ReceivedResponse): string | undefined {
  const [collection = ''] = sent.url.split('?', 1)
  const location = String(received.headers['location'] ?? '')
    .replace(/^https?:\/\/[^/]*/i, '')
    .split(/[?#]/, 1)
    .join()
  const segments = location.split('/').slice(-resource.path.split('/').length + 1)
  const located = `/${segments.join('/')}`
  if (location !== '' && isPathOf(resource.path, located)) return located
  const id = linkedId(resource, sent, received) ?? namedId(resource.parameter, bodyOf(received.text)) ?? undefined
  return id === undefined || id === '' ? undefined : `${collection.replace(/\/$/, '')}/${encodeURIComponent(id)}`
}

/** A link of a response (OpenAPI 3.1, "Link Object"); the contract's types leave it out: the server does not read it. */
interface Link {
  operationId?: string
  parameters?: Record<string, unknown>
}

function linkedId(
  { create, operations, parameter }: Resource,
  sent: ContractRequest,
  received: ReceivedResponse,
): string | undefined {
  const { links = {} } = (create.object.responses[String(received.status)] ?? {}) as { links?: Record<string, Link> }
  const ids = Object.values(operations).map((operation) => operation?.id)
  for (const { operationId, parameters = {} } of Object.values(links)) {
    const [, place, name = ''] = /^\$(request|response)\.body#\/([^/]+)$/.exec(String(parameters[parameter])) ?? []
    if (place === undefined || !ids.includes(operationId)) continue
    const body = bodyOf(place === 'request' ? String(sent.body ?? '') : received.text)
    return textOf((body as Record<string, unknown> | undefined)?.[name])
  }
  return undefined
}

/** The value of the property that has the name of a parameter, or `id`. */
function namedId(parameter: string, body: unknown): string | undefined {
  const key = idKey(parameter, body)
  if (key !== undefined) return textOf((body as Record<string, unknown>)[key])
  const inner = typeof body === 'object' && body !== null ? Object.values(body) : []
  return inner.length === 1 && !Array.isArray(body) ? namedId(parameter, inner[0]) : undefined
}

/** The property of an object that names it. */
export function idKey(parameter: string, body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return undefined
  const plain = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
  const keys = Object.keys(body)
  const ids = ['id', '_id', 'uuid', 'guid']
  return (
    keys.find((key) => plain(key) === plain(parameter)) ??
    (/id$/i.test(parameter) ? ids.find((id) => keys.includes(id)) : undefined)
  )
}

function textOf(value: unknown): string | undefined {
  return ['string', 'number', 'bigint'].includes(typeof value) ? String(value) : undefined
}

/** The value of JSON; undefined for anything else. */
export function bodyOf(text: string): unknown {
  try {
    return parseExactly(text)
  } catch {
    return undefined
  }
}
