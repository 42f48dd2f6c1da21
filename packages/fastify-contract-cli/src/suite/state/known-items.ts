import type { ContractOperation } from 'fastify-contract/document'
import { type SentRequest, isPathOf, operationOf } from '../ground/contract.ts'
import type { ContractRequest } from '../ground/contract-request.ts'
import type { ReceivedResponse } from '../ground/exchange.ts'
import { isObject } from '../ground/members.ts'
import { type GrowingResource, type Operations, resourcesOf } from '../ground/resources.ts'
import { bodyOf, collectionOf, idIn, idTextOf, linksOf } from '../ground/resources.ts'
import type { SchemaSource } from '../draw/flat-schema.ts'
import { ThingShape, replySchemaOf } from '../draw/thing-shape.ts'

/** The path of what a request has created, as far as its response or a link of the contract names it. */
export function createdUrl(
  shape: ThingShape<GrowingResource>,
  sent: ContractRequest,
  received: ReceivedResponse,
): string | undefined {
  const { resource } = shape
  const [path = ''] = sent.url.split('?', 1)
  const location = String(received.headers['location'] ?? '')
    .replace(/^https?:\/\/[^/]*/i, '')
    .split(/[?#]/, 1)
    .join()
  const segments = location.split('/').slice(-resource.path.split('/').length + 1)
  const located = `/${segments.join('/')}`
  if (location !== '' && isPathOf(resource.path, located)) return located
  const thing = shape.unwrapped(bodyOf(received.text), replySchemaOf(resource.create, received.status))
  const id = linkedId(resource, sent, received) ?? idTextOf(idIn(resource, thing))
  if (id === undefined) return undefined
  const item = resource.path.slice(resource.collection.length)
  return collectionOf({ path }) + item.replace(/\{[^{}]+\}/, () => encodeURIComponent(id))
}

function linkedId(
  { create, operations, parameter }: GrowingResource,
  sent: ContractRequest,
  received: ReceivedResponse,
): string | undefined {
  const ids = Object.values(operations).map((operation) => operation?.id)
  for (const [, { operationId, parameters = {} }] of linksOf(create, received.status)) {
    const [, place, name = ''] = /^\$(request|response)\.body#\/([^/]+)$/.exec(String(parameters[parameter])) ?? []
    if (place === undefined || !ids.includes(operationId)) continue
    const body = bodyOf(place === 'request' ? String(sent.body ?? '') : received.text)
    return isObject(body) ? idTextOf(body[name]) : undefined
  }
  return undefined
}

/** How many things of one kind that exist are remembered. */
const maxPaths = 20

/** What a caller has created and not deleted, by the paths of the contract. */
export class KnownItems {
  readonly #contract: Operations
  readonly #shapes: readonly ThingShape<GrowingResource>[]
  readonly #paths = new Map<string, string[]>()
  readonly #gone = new Set<string>()
  readonly #statuses = new WeakMap<ContractRequest, number>()
  /** The paths of requests that show a fault. */
  readonly #reported = new Set<string>()

  constructor(contract: Operations & SchemaSource) {
    this.#contract = contract
    this.#shapes = resourcesOf(contract).map((resource) => new ThingShape(resource, contract))
  }

  /** Remembers what a response has created, and forgets what it has deleted. */
  record(sent: ContractRequest, received: ReceivedResponse): void {
    this.#statuses.set(sent, received.status)
    if (received.status < 200 || received.status > 299) return
    const operation = operationOf(this.#contract, sent satisfies SentRequest)
    if (operation?.method === 'delete') {
      const [deleted] = sent.url.split('?', 1)
      const others = (this.#paths.get(operation.path) ?? []).filter((path) => path !== deleted)
      this.#gone.add(plainPath(sent.url))
      this.#paths.set(operation.path, others)
    }
    for (const shape of this.#shapes.filter(({ resource }) => resource.create.id === operation?.id)) {
      const { resource } = shape
      const path = createdUrl(shape, sent, received)
      if (path === undefined) continue
      this.#gone.delete(plainPath(path))
      const others = this.#paths.get(resource.path) ?? []
      this.#paths.set(resource.path, [...others.slice(1 - maxPaths), path])
    }
  }

  /** The status that a request got, whatever else is wrong with the response; undefined without one. */
  statusOf(sent: ContractRequest): number | undefined {
    return this.#statuses.get(sent)
  }

  /** Whether what a request names, or is within, was deleted. */
  isGone({ url }: SentRequest): boolean {
    const path = plainPath(url)
    return [...this.#gone].some((gone) => path === gone || path.startsWith(`${gone}/`))
  }

  /** Keeps what a report names, for its line of curl: it is not deleted, and changed only if there is no other. */
  spare(requests: readonly SentRequest[]): void {
    for (const { url } of requests) this.#reported.add(plainPath(url))
  }

  /** Whether a request would change or delete what a report names. */
  isSpared({ method, url }: SentRequest): boolean {
    if (['GET', 'HEAD', 'POST'].includes(method.toUpperCase())) return false
    const path = plainPath(url)
    return [...this.#reported].some((reported) => reported === path || reported.startsWith(`${path}/`))
  }

  /** Sends a request to something that exists, where one is known. @param choice which one */
  directed(operation: ContractOperation, request: ContractRequest, choice: number): ContractRequest {
    const names = operation.path.split('/')
    const templates = [...this.#paths.keys()].toSorted((a, b) => b.length - a.length)
    const template = templates.find((each) => each === names.slice(0, each.split('/').length).join('/'))
    const [target = '', ...query] = request.url.split('?')
    const requests = (this.#paths.get(template ?? '') ?? []).map((path) => {
      const rest = target.split('/').slice(path.split('/').length)
      return { ...request, url: [[path, ...rest].join('/'), ...query].join('?') }
    })
    const free = requests.filter((each) => !this.isSpared(each))
    const chosen = free.length > 0 || operation.method === 'delete' ? free : requests
    return chosen[choice % Math.max(1, chosen.length)] ?? request
  }
}

/** The path of a request, whatever is percent-encoded in it. */
export function plainPath(url: string): string {
  const [path = ''] = url.split('?', 1)
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
