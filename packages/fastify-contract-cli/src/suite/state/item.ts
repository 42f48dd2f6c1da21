import type { Send } from './test-case.ts'
import { type TestedContract, responseTo } from '../ground/contract.ts'
import { canonical } from '../ground/exact-json.ts'
import { type Expectation, Fault } from '../ground/fault.ts'
import { flatten } from '../draw/flat-schema.ts'
import type { Schema } from 'fastify-contract/schema'
import type { ReadBack, SentChange } from './read-back.ts'
import type { ContractRequest } from '../ground/contract-request.ts'
import { bodyOf, idIn, idPathIn } from '../ground/resources.ts'
import { isList, isObject, replaced } from '../ground/members.ts'
import type { ThingShape } from '../draw/thing-shape.ts'
import type { ReceivedResponse } from '../ground/exchange.ts'

export const isSuccess = ({ status }: ReceivedResponse) => status >= 200 && status < 300
const isGone = ({ status }: ReceivedResponse) => status === 404 || status === 410

export const allowed: Expectation = { isAllowed: true }
/** Nothing needs be there. */
const gone: Expectation = { isAllowed: true, isGone: true }
const lost = (message: string) => new Fault('lost or shown to others', message)

/** What a thing is followed with. */
interface ItemTools {
  shape: ThingShape
  contract: TestedContract
  readBack: ReadBack
  send: Send
  /** Plain requests to the operations of the thing, and to the list, where one is known. */
  requests: Partial<Record<'get' | 'delete' | 'list', ContractRequest | undefined>>
}

/** A response, and the JSON of its body if it is a success. */
type Seen = ReceivedResponse & { body: unknown }

/** A thing that was created. */
export class Item {
  readonly #tools: ItemTools
  readonly #url: string
  readonly #collection: string
  /** The id in the response to its creation, as JSON. */
  readonly #id: string | undefined
  /** The values by which lists may name it, as JSON. */
  readonly #ids: readonly string[]
  #found: Seen | undefined
  #listed: Seen | undefined

  constructor(tools: ItemTools, url: string, created: ReceivedResponse) {
    this.#tools = tools
    this.#url = url
    const { list, collection } = tools.shape.resource
    this.#collection = url.slice(0, url.lastIndexOf('/')) + (list?.path.slice(collection.length) ?? '')
    this.#id = this.#idIn(bodyOf(created.text))
    const { path } = tools.shape.resource
    const ending = path.length - path.lastIndexOf('}') - 1
    const last = decodeURIComponent(url.slice(url.lastIndexOf('/') + 1, url.length - ending))
    this.#ids = [this.#id ?? [], JSON.stringify(last), /^-?\d+$/.test(last) ? last : []].flat()
  }

  /** @throws Fault if it is not found, is another one, is not listed, or does not show what was sent */
  async assertFound(creation: SentChange): Promise<void> {
    await this.#find()
    const id = this.#idIn(this.#found?.body)
    if (this.#id !== undefined && id !== undefined && this.#id !== id) {
      throw lost(`GET ${this.#url}: received the id ${id}, expected ${this.#id}`)
    }
    this.#assertFoundShows(creation)
    this.#listed = await this.#list(this.#tools.send)
    if (this.#listed !== undefined && this.#isMissingIn(this.#listed)) {
      throw lost(`what has the path ${this.#url} is not in the list ${this.#collection}`)
    }
    this.#assertListShows(creation)
  }

  /** Another caller may have a thing of the same name, which is not the same thing. */
  async assertHiddenFrom(stranger: Send): Promise<void> {
    const received = 'another caller received what the first has created'
    const found = this.#found
    const seen = found && (await this.#get(stranger, gone))
    if (found !== undefined && seen !== undefined && isSuccess(found) && isSuccess(seen) && seen.text === found.text) {
      throw lost(`GET ${this.#url}: ${received}`)
    }
    const others = listIn((await this.#list(stranger))?.body)
    const own = new Set(listIn(this.#listed?.body)?.items.map(canonical))
    if (others?.items.some((item) => this.#isNamedBy(item) && own.has(canonical(item))) === true) {
      throw lost(`GET ${this.#collection}: ${received}`)
    }
  }

  /** @throws Fault if it is gone, or does not show what was sent */
  async change({ operation, request }: SentChange): Promise<void> {
    const sent = at(this.#url, this.#withId(request))
    const changed = await this.#tools.send(sent, allowed)
    if (isGone(changed)) throw this.#gone(request.method, changed)
    if (!isSuccess(changed) || changed.status === 202) return
    await this.#find()
    this.#assertFoundShows({ operation, request: sent })
    this.#listed = await this.#list(this.#tools.send)
    this.#assertListShows({ operation, request: sent })
  }

  /** A change that would give the item another name would hide it. */
  #withId(request: ContractRequest): ContractRequest {
    const body = bodyOf(String(request.body ?? ''))
    if (!isObject(body)) return request
    const path = idPathIn(this.#tools.shape.resource, body)
    return path === undefined
      ? request
      : { ...request, body: canonical(replaced(body, path, JSON.rawJSON(this.#ids[0]!))) }
  }

  /** @throws Fault if it was gone before, or is not gone afterwards */
  async delete(): Promise<void> {
    const { send, requests } = this.#tools
    if (requests.delete === undefined) return
    const removed = await send(at(this.#url, requests.delete), allowed)
    if (isGone(removed)) throw this.#gone('DELETE', removed)
    if (!isSuccess(removed) || removed.status === 202) return
    const again = await this.#get(send, gone)
    if (again !== undefined && isSuccess(again)) {
      throw lost(`GET ${this.#url}: received ${String(again.status)}, though it was deleted`)
    }
    const rest = listIn((await this.#list(send))?.body)
    if (rest !== undefined && this.#isAmong(rest.items)) {
      throw lost(`what had the path ${this.#url} was deleted, and is still in the list ${this.#collection}`)
    }
  }

  /** @throws Fault if it is gone */
  async #find(): Promise<void> {
    this.#found = await this.#get(this.#tools.send, allowed)
    if (this.#found !== undefined && isGone(this.#found)) throw this.#gone('GET', this.#found)
  }

  #get(send: Send, expected: Expectation): Promise<Seen | undefined> {
    return seen(send, this.#url, this.#tools.requests.get, expected)
  }

  #list(send: Send): Promise<Seen | undefined> {
    return seen(send, this.#collection, this.#tools.requests.list, allowed)
  }

  /** Compares what was sent with what was found. The last request shows what is wrong. */
  #assertFoundShows(change: SentChange): void {
    if (this.#found === undefined) return
    const schema = this.#schemaOf(this.#url, this.#found)
    const members = this.#tools.shape.unwrapped(this.#found.body, schema)
    if (members === undefined) return
    this.#tools.readBack.compare(change, { place: `GET ${this.#url}`, members, schema })
  }

  /** Compares what was sent with what was listed. */
  #assertListShows(change: SentChange): void {
    const { name, items = [] } = listIn(this.#listed?.body) ?? {}
    const members = items.find((each) => this.#isNamedBy(each))
    if (this.#listed === undefined || !isObject(members)) return
    const { contract, readBack } = this.#tools
    const whole = flatten(this.#schemaOf(this.#collection, this.#listed) ?? {}, contract)
    const list = name === undefined ? whole : flatten(whole.properties[name] ?? {}, contract)
    readBack.compare(change, { place: `GET ${this.#collection}`, members, schema: list.assertions.items })
  }

  #schemaOf(url: string, { status }: ReceivedResponse): Schema | undefined {
    const [, declared] = responseTo(this.#tools.contract, { method: 'GET', url }, status) ?? []
    return Object.values(declared?.content ?? {})[0]?.schema
  }

  #gone(method: string, { status }: ReceivedResponse): Fault {
    return lost(`${method} ${this.#url}: received ${String(status)}, though it was created`)
  }

  /** The id in an object, as JSON. */
  #idIn(body: unknown): string | undefined {
    const id = idIn(this.#tools.shape.resource, body)
    return id === undefined ? undefined : canonical(id)
  }

  #isNamedBy(item: unknown): boolean {
    return this.#ids.includes(this.#idIn(item) ?? '')
  }

  #isAmong(items: readonly unknown[]): boolean {
    return items.some((item) => this.#ids.includes(this.#idIn(item) ?? canonical(item)))
  }

  /** Whether it should be in a list that has no pages and no filters, and whose items have names. */
  #isMissingIn({ body, headers }: Seen): boolean {
    const list = listIn(body)
    if (list === undefined || list.name !== undefined || 'link' in headers || this.#isAmong(list.items)) return false
    const mayChoose = this.#tools.shape.resource.list?.parameters.some(({ in: place }) => place === 'query') === true
    return !mayChoose && list.items.every((item) => this.#idIn(item) !== undefined)
  }
}

/** Sends a request to a path, if one is known. */
async function seen(
  send: Send,
  path: string,
  request: ContractRequest | undefined,
  expected: Expectation,
): Promise<Seen | undefined> {
  if (request === undefined) return undefined
  const response = await send(at(path, request), expected)
  return { ...response, body: isSuccess(response) ? bodyOf(response.text) : undefined }
}

/** A request with another path. */
function at(path: string, request: ContractRequest): ContractRequest {
  const [, query] = request.url.split('?')
  return { ...request, url: query === undefined ? path : `${path}?${query}` }
}

/** The items of a list, or of the only list in an object with its name. */
function listIn(body: unknown): { name?: string; items: readonly unknown[] } | undefined {
  if (isList(body)) return { items: body }
  const lists = Object.entries(isObject(body) ? body : {}).flatMap(([name, items]) =>
    isList(items) ? [{ name, items }] : [],
  )
  return lists.length === 1 ? lists[0] : undefined
}
