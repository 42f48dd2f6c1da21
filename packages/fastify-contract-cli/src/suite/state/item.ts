import type { Send } from './test-case.ts'
import type { TestedContract } from '../ground/contract.ts'
import { canonical } from '../ground/exact-json.ts'
import { type Expectation, Fault } from '../ground/fault.ts'
import { flatten } from '../draw/flat-schema.ts'
import { type ReadBack, type SentChange, schemaOfResponse } from './read-back.ts'
import type { ContractRequest } from '../ground/contract-request.ts'
import { type Resource, bodyOf, idKey, unwrapped } from '../ground/resources.ts'
import { isObject } from '../ground/members.ts'
import type { ReceivedResponse } from '../ground/exchange.ts'

export const isSuccess = ({ status }: ReceivedResponse) => status >= 200 && status < 300
const isGone = ({ status }: ReceivedResponse) => status === 404 || status === 410

export const allowed: Expectation = { isAllowed: true }
/** Nothing needs be there. */
const gone: Expectation = { isAllowed: true, isGone: true }
const lost = (message: string) => new Fault('lost or shown to others', message)

/** What a thing is followed with. */
interface ItemTools {
  resource: Resource
  contract: TestedContract
  readBack: ReadBack
  send: Send
  /** Plain requests to the operations of the thing, and to the list, where one is known. */
  requests: Partial<Record<'get' | 'delete' | 'list', ContractRequest | undefined>>
}

/** A thing that was created. */
export class Item {
  readonly #resource: Resource
  readonly #requests: ItemTools['requests']
  readonly #contract: TestedContract
  readonly #readBack: ReadBack
  readonly #url: string
  /** The response to its creation. */
  readonly #created: ReceivedResponse
  readonly #send: Send
  /** The values by which lists may name it, as JSON. */
  readonly #ids: string[]
  #found: ReceivedResponse | undefined
  #listed: ReceivedResponse | undefined

  constructor({ resource, contract, readBack, send, requests }: ItemTools, url: string, created: ReceivedResponse) {
    this.#resource = resource
    this.#requests = requests
    this.#contract = contract
    this.#readBack = readBack
    this.#url = url
    this.#created = created
    this.#send = send
    const last = decodeURIComponent(url.split('/').at(-1) ?? '')
    const own = this.#idIn(bodyOf(created.text))
    this.#ids = [own ?? [], JSON.stringify(last), /^-?\d+$/.test(last) ? last : []].flat()
  }

  /** @throws Fault if it is not found, is another one, is not listed, or does not show what was sent */
  async assertFound(creation: SentChange): Promise<void> {
    this.#found = await this.#get(this.#send)
    if (this.#found !== undefined) {
      if (isGone(this.#found)) throw this.#gone('GET', this.#found)
      const [one, other] = [this.#created, this.#found].map(({ text }) => this.#idIn(bodyOf(text)))
      if (isSuccess(this.#found) && one !== undefined && other !== undefined && one !== other) {
        throw lost(`GET ${this.#url}: received the id ${other}, expected ${one}`)
      }
      this.#assertFoundShows(creation)
    }
    this.#listed = await this.#list(this.#send)
    if (this.#listed !== undefined && this.#isMissingIn(this.#listed)) {
      throw lost(`what has the path ${this.#url} is not in the list ${this.#collection}`)
    }
    this.#assertListShows(creation)
  }

  /** Compares what was sent with what was found. The last request shows what is wrong. */
  #assertFoundShows(change: SentChange): void {
    const found = this.#found !== undefined && isSuccess(this.#found) ? this.#found : undefined
    const members = found && unwrapped(bodyOf(found.text), this.#resource.parameter)
    if (found === undefined || members === undefined) return
    const schema = schemaOfResponse(this.#contract, { method: 'GET', url: this.#url }, found)
    this.#readBack.compare(change, { place: `GET ${this.#url}`, members, schema })
  }

  /** Compares what was sent with what was listed. */
  #assertListShows(change: SentChange): void {
    const listed = this.#listed !== undefined && isSuccess(this.#listed) ? this.#listed : undefined
    const item = listed && (itemsOf(listed) ?? []).find((each) => this.#ids.includes(this.#idIn(each) ?? ''))
    if (listed === undefined || !isObject(item)) return
    const whole = flatten(
      schemaOfResponse(this.#contract, { method: 'GET', url: this.#collection }, listed) ?? {},
      this.#contract,
    )
    const body = bodyOf(listed.text)
    const name = isObject(body) ? Object.keys(body).find((each) => Array.isArray(body[each])) : undefined
    const list = name === undefined ? whole : flatten(whole.properties[name] ?? {}, this.#contract)
    this.#readBack.compare(change, { place: `GET ${this.#collection}`, members: item, schema: list.assertions.items })
  }

  /** Another caller may have a thing of the same name, which is not the same thing. */
  async assertHiddenFrom(stranger: Send): Promise<void> {
    const found = this.#found
    const seen = found === undefined ? undefined : await this.#get(stranger, gone)
    if (found !== undefined && seen !== undefined && isSuccess(found) && isSuccess(seen) && seen.text === found.text) {
      throw lost(`GET ${this.#url}: another caller received what the first has created`)
    }
    const others = await this.#list(stranger)
    if (others === undefined || this.#listed === undefined) return
    const own = new Set((itemsOf(this.#listed) ?? []).map(canonical))
    const isSame = (item: unknown) => this.#ids.includes(this.#idIn(item) ?? '') && own.has(canonical(item))
    if (isSuccess(others) && (itemsOf(others) ?? []).some(isSame)) {
      throw lost(`GET ${this.#collection}: another caller received what the first has created`)
    }
  }

  /** @throws Fault if it is gone, or does not show what was sent */
  async change({ operation, request }: SentChange): Promise<void> {
    const sent = at(this.#url, this.#withId(request))
    const changed = await this.#send(sent, allowed)
    if (isGone(changed)) throw this.#gone(request.method, changed)
    if (!isSuccess(changed) || changed.status === 202) return
    this.#found = await this.#get(this.#send)
    if (this.#found !== undefined && isGone(this.#found)) throw this.#gone('GET', this.#found)
    this.#assertFoundShows({ operation, request: sent })
    this.#listed = await this.#list(this.#send)
    this.#assertListShows({ operation, request: sent })
  }

  /** A change that would give the item another name would hide it. */
  #withId(request: ContractRequest): ContractRequest {
    const body = bodyOf(String(request.body ?? ''))
    const key = isObject(body) ? idKey(this.#resource.parameter, Object.keys(body)) : undefined
    if (key === undefined) return request
    return { ...request, body: canonical({ ...(body as object), [key]: JSON.rawJSON(this.#ids[0]!) }) }
  }

  /** @throws Fault if it was gone before, or is not gone afterwards */
  async delete(): Promise<void> {
    const remove = this.#requests.delete
    if (remove === undefined) return
    const removed = await this.#send(at(this.#url, remove), allowed)
    if (isGone(removed)) throw this.#gone('DELETE', removed)
    if (!isSuccess(removed) || removed.status === 202) return
    const again = await this.#get(this.#send, gone)
    if (again !== undefined && isSuccess(again)) {
      throw lost(`GET ${this.#url}: received ${String(again.status)}, though it was deleted`)
    }
    const rest = await this.#list(this.#send)
    if (rest !== undefined && this.#isIn(rest)) {
      throw lost(`what had the path ${this.#url} was deleted, and is still in the list ${this.#collection}`)
    }
  }

  #gone(method: string, { status }: ReceivedResponse): Fault {
    return lost(`${method} ${this.#url}: received ${String(status)}, though it was created`)
  }

  get #collection(): string {
    return this.#url.split('/').slice(0, -1).join('/')
  }

  async #get(send: Send, expected = allowed): Promise<ReceivedResponse | undefined> {
    const { get } = this.#requests
    return get === undefined ? undefined : send(at(this.#url, get), expected)
  }

  async #list(send: Send): Promise<ReceivedResponse | undefined> {
    const { list } = this.#requests
    return list === undefined ? undefined : send(at(this.#collection, list), allowed)
  }

  /** The id in an object, as JSON. */
  #idIn(body: unknown): string | undefined {
    const key = isObject(body) ? idKey(this.#resource.parameter, Object.keys(body)) : undefined
    return key === undefined ? undefined : canonical((body as Record<string, unknown>)[key])
  }

  #isIn(listed: ReceivedResponse): boolean {
    const items = isSuccess(listed) ? (itemsOf(listed) ?? []) : []
    return items.some((item) => this.#ids.includes(this.#idIn(item) ?? canonical(item)))
  }

  /** Whether it should be in a list that has no pages and no filters, and whose items have names. */
  #isMissingIn(listed: ReceivedResponse): boolean {
    const items = itemsOf(listed)
    if (!isSuccess(listed) || items === undefined || this.#isIn(listed)) return false
    const mayChoose = this.#resource.list?.parameters.some(({ in: place }) => place === 'query') === true
    const isWhole = Array.isArray(bodyOf(listed.text)) && !mayChoose && !('link' in listed.headers)
    return isWhole && items.every((item) => this.#idIn(item) !== undefined)
  }
}

/** A request with another path. */
function at(path: string, request: ContractRequest): ContractRequest {
  const [, query] = request.url.split('?')
  return { ...request, url: query === undefined ? path : `${path}?${query}` }
}

/** The items of a response: a list, or the only list in an object. */
function itemsOf({ text }: ReceivedResponse): unknown[] | undefined {
  const body = bodyOf(text)
  if (Array.isArray(body)) return body as unknown[]
  const lists: unknown[][] = isObject(body) ? Object.values(body).filter(Array.isArray) : []
  return lists.length === 1 ? lists[0] : undefined
}
