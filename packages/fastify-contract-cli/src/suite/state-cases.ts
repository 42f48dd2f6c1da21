import fc from 'fast-check'
import type { CaseTools, Send, Test, Tools } from './cases.ts'
import { isPathOf } from './contract.ts'
import { schemesFor } from './credentials.ts'
import { canonical } from './exact-json.ts'
import { type Expectation, Fault } from './fault.ts'
import { type ContractRequest, requestsOf } from './requests.ts'
import { type Resource, bodyOf, createdUrl, idKey, isObject } from './resources.ts'
import type { ReceivedResponse } from './response-checks.ts'
import { Undrawable, attempt } from './undrawable.ts'

const isSuccess = ({ status }: ReceivedResponse) => status >= 200 && status < 300
const isGone = ({ status }: ReceivedResponse) => status === 404 || status === 410

/** Lists the tests that what is created is found, listed, deleted and gone, and hidden from another caller. */
export function stateTests(resources: readonly Resource[], { schemes }: Pick<Tools, 'schemes'>): Test[] {
  return resources.flatMap(({ list, ...resource }) => {
    // A list that wants parameters may show others.
    const isFree = list?.parameters.every(({ required, in: place }) => required !== true || place === 'path')
    const whole = { ...resource, list: isFree === true ? list : undefined }
    const needed = [whole.create, whole.list, ...Object.values(whole.operations)].filter((each) => each !== undefined)
    if (needed.some((operation) => schemesFor(operation, schemes) === undefined)) return []
    const title = `creates what ${whole.path} finds, changes and deletes`
    return [{ title, run: (tools: CaseTools) => testResource(whole, tools) }]
  })
}

async function testResource(resource: Resource, tools: CaseTools): Promise<void> {
  const { contract, newCaller, stranger, check } = tools
  const send = await newCaller()
  const { put, patch } = resource.operations
  const changes = [put, patch].flatMap((operation) => {
    const draw = () => requestsOf(operation!, contract)
    return operation === undefined ? [] : [attempt(operation.id, contract, draw) ?? []].flat()
  })
  let created = 0
  let last = ''
  const drawn = fc.record({
    request: requestsOf(resource.create, contract),
    changes: fc.tuple(...changes),
    isDeleted: fc.oneof(fc.constant(true), fc.constant(true), fc.boolean()),
  })
  await check(drawn, 20, async ({ request, changes: changing, isDeleted }) => {
    const received = await send(request)
    const url = received.status === 202 || !isSuccess(received) ? undefined : createdUrl(resource, request, received)
    last = isSuccess(received)
      ? 'its response does not name what it has created'
      : `received ${String(received.status)}`
    if (url === undefined || !isPathOf(resource.path, url) || /\/\.{1,2}$/.test(url)) return
    created++
    const item = new Item(resource, url, received, send)
    await item.assertFound(request)
    if (stranger !== undefined) await item.assertHiddenFrom(stranger)
    for (const change of changing) await item.change(change)
    if (isDeleted) await item.delete()
  })
  if (created === 0) throw new Undrawable(`nothing could be created: ${last}`)
}

/** Nothing needs be there. */
const gone: Expectation = { isAllowed: true, isGone: true }
const lost = (message: string) => new Fault('lost or shown to others', message)

/** A thing that was created. */
class Item {
  readonly #resource: Resource
  readonly #url: string
  /** The response to its creation. */
  readonly #created: ReceivedResponse
  readonly #send: Send
  /** The values by which lists may name it, as JSON. */
  readonly #ids: string[]
  #found: ReceivedResponse | undefined
  #listed: ReceivedResponse | undefined

  constructor(resource: Resource, url: string, created: ReceivedResponse, send: Send) {
    this.#resource = resource
    this.#url = url
    this.#created = created
    this.#send = send
    const last = decodeURIComponent(url.split('/').at(-1) ?? '')
    const own = this.#idIn(bodyOf(created.text))
    this.#ids = [own ?? [], JSON.stringify(last), /^-?\d+$/.test(last) ? last : []].flat()
  }

  /** @throws Fault if it is not found, is another one, or is not listed */
  async assertFound(creation: ContractRequest): Promise<void> {
    this.#found = await this.#get(this.#send)
    if (this.#found !== undefined) {
      if (isGone(this.#found)) throw this.#gone('GET', this.#found)
      const [one, other] = [this.#created, this.#found].map(({ text }) => this.#idIn(bodyOf(text)))
      if (isSuccess(this.#found) && one !== undefined && other !== undefined && one !== other) {
        throw lost(`GET ${this.#url}: received the id ${other}, expected ${one}`)
      }
      this.#assertExact(creation, this.#found)
    }
    this.#listed = await this.#list(this.#send)
    if (this.#listed !== undefined && this.#isMissingIn(this.#listed)) {
      throw lost(`what has the path ${this.#url} is not in the list ${this.#collection}`)
    }
  }

  /** An integer that comes back as its neighbour has been a double on its way. */
  #assertExact({ body = '' }: ContractRequest, { text }: ReceivedResponse): void {
    const [sent, received] = [bodyOf(String(body)), bodyOf(text)]
    if (!isObject(sent) || !isObject(received)) return
    for (const [name, value] of Object.entries(sent)) {
      const other = received[name]
      if (typeof value !== 'bigint' || !['bigint', 'number'].includes(typeof other)) continue
      if (value !== other && Number(value) === Number(other)) {
        throw lost(`GET ${this.#url}: received the ${name} ${String(other)}, expected ${String(value)}`)
      }
    }
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

  /** @throws Fault if it is gone */
  async change(request: ContractRequest): Promise<void> {
    const [, query] = request.url.split('?')
    const url = query === undefined ? this.#url : `${this.#url}?${query}`
    const changed = await this.#send({ ...this.#withId(request), url })
    if (isGone(changed)) throw this.#gone(request.method, changed)
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
    const remove = this.#resource.operations['delete']
    if (remove?.parameters.every(({ required, in: at }) => required !== true || at === 'path') !== true) return
    const removed = await this.#send({ method: 'DELETE', url: this.#url })
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

  async #get(send: Send, expected?: Expectation): Promise<ReceivedResponse | undefined> {
    return this.#resource.operations['get'] === undefined
      ? undefined
      : send({ method: 'GET', url: this.#url }, expected)
  }

  async #list(send: Send): Promise<ReceivedResponse | undefined> {
    return this.#resource.list === undefined ? undefined : send({ method: 'GET', url: this.#collection })
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

/** The items of a response: a list, or the only list in an object. */
function itemsOf({ text }: ReceivedResponse): unknown[] | undefined {
  const body = bodyOf(text)
  if (Array.isArray(body)) return body as unknown[]
  const lists: unknown[][] = isObject(body) ? Object.values(body).filter(Array.isArray) : []
  return lists.length === 1 ? lists[0] : undefined
}
