import fc from 'fast-check'
import { isPathOf } from './contract.ts'
import type { CaseTools, Send, Test } from './cases.ts'
import { schemesFor } from './credentials.ts'
import { canonical } from './exact-json.ts'
import { Fault } from './fault.ts'
import { type ContractRequest, requestsOf } from './requests.ts'
import { type Resource, bodyOf, createdUrl, idKey } from './resources.ts'
import type { ReceivedResponse } from './response-checks.ts'
import { Undrawable, attempt } from './undrawable.ts'

const isSuccess = ({ status }: ReceivedResponse) => status >= 200 && status < 300
const isGone = ({ status }: ReceivedResponse) => status === 404 || status === 410

/** Lists the tests that what is created is found, listed, deleted and gone, and hidden from another caller. */
export function* stateTests(resources: readonly Resource[], { schemes }: Pick<CaseTools, 'schemes'>): Generator<Test> {
  for (const resource of resources) {
    const { create, operations, list } = resource
    const needed = [create, list, ...Object.values(operations)].flatMap((operation) => operation ?? [])
    if (needed.some((operation) => schemesFor(operation, schemes) === undefined)) continue
    const title = `creates what ${resource.path} finds, changes and deletes`
    yield { title, run: (tools) => testResource(resource, tools) }
  }
}

async function testResource(resource: Resource, tools: CaseTools): Promise<void> {
  const { contract, newCaller, newStranger, check } = tools
  const send = await newCaller()
  const stranger = await newStranger()
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
    if (url === undefined || !isValidUrl(resource, url)) return
    created++
    await testItem({ resource, url, request, received, send, stranger, changing, isDeleted })
  })
  if (created === 0) throw new Undrawable(`nothing could be created: ${last}`)
}

function isValidUrl({ path }: Resource, url: string): boolean {
  return isPathOf(path, url) && !/\/\.{1,2}$/.test(url)
}

interface Item {
  resource: Resource
  /** The path of the item. */
  url: string
  /** What created it, and the response. */
  request: ContractRequest
  received: ReceivedResponse
  send: Send
  stranger: Send | undefined
  changing: ContractRequest[]
  isDeleted: boolean
}

async function testItem({
  resource,
  url,
  request: creation,
  received,
  send,
  stranger,
  changing,
  isDeleted,
}: Item): Promise<void> {
  const { get, delete: remove } = resource.operations
  const collection = url.split('/').slice(0, -1).join('/')
  const list = resource.list === undefined ? undefined : { method: 'GET', url: collection }
  const found = get === undefined ? undefined : await send({ method: 'GET', url })
  if (found !== undefined) {
    assertFound(resource, url, received, found)
    assertExact(url, creation, found)
  }
  const listed = list === undefined ? undefined : await send(list)
  const id = idOf(resource, url, received)
  if (listed !== undefined && isMissing(resource, id, listed))
    throw lost(`what has the path ${url} is not in the list ${collection}`)
  if (stranger !== undefined) await assertHidden({ url, found, list, listed, id, resource, stranger })
  for (const request of changing) {
    const [, query] = request.url.split('?')
    const named = withId(request, resource, id[0])
    const changed = await send({ ...named, url: query === undefined ? url : `${url}?${query}` })
    if (isGone(changed))
      throw lost(`${request.method} ${url}: received ${String(changed.status)}, though it was created`)
  }
  if (
    !isDeleted ||
    remove === undefined ||
    remove.parameters.some(({ required, in: at }) => required === true && at !== 'path')
  )
    return
  const removed = await send({ method: 'DELETE', url })
  if (isGone(removed)) throw lost(`DELETE ${url}: received ${String(removed.status)}, though it was created`)
  if (!isSuccess(removed) || removed.status === 202) return
  const again = get === undefined ? undefined : await send({ method: 'GET', url })
  if (again !== undefined && isSuccess(again))
    throw lost(`GET ${url}: received ${String(again.status)}, though it was deleted`)
  const rest = list === undefined ? undefined : await send(list)
  if (rest !== undefined && isListed(resource, id, rest))
    throw lost(`what had the path ${url} was deleted, and is still in the list ${collection}`)
}

/** A change that would give the item another name would hide it. */
function withId(request: ContractRequest, { parameter }: Resource, id: string | undefined): ContractRequest {
  const body = bodyOf(String(request.body ?? ''))
  const key = idKey(parameter, body)
  if (key === undefined || id === undefined) return request
  return { ...request, body: canonical({ ...(body as object), [key]: JSON.rawJSON(id) }) }
}

const lost = (message: string) => new Fault('lost or shown to others', message)

function assertFound({ parameter }: Resource, url: string, created: ReceivedResponse, found: ReceivedResponse): void {
  if (isGone(found)) throw lost(`GET ${url}: received ${String(found.status)}, though it was created`)
  const [first, second] = [created, found].map(({ text }) => bodyOf(text))
  const [one, other] = [first, second].map((body) => valueOfId(parameter, body))
  if (isSuccess(found) && one !== undefined && other !== undefined && one !== other) {
    throw lost(`GET ${url}: received the ${String(idKey(parameter, second))} ${other}, expected ${one}`)
  }
}

/** An integer that comes back as its neighbour has been a double on its way. */
function assertExact(url: string, { body = '' }: ContractRequest, { text }: ReceivedResponse): void {
  const [sent, received] = [bodyOf(String(body)), bodyOf(text)]
  if (!isObject(sent) || !isObject(received)) return
  for (const [name, value] of Object.entries(sent)) {
    const other = received[name]
    if (typeof value !== 'bigint' || !['bigint', 'number'].includes(typeof other)) continue
    if (value !== other && Number(value) === Number(other)) {
      throw lost(`GET ${url}: received the ${name} ${String(other)}, expected ${String(value)}`)
    }
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function valueOfId(parameter: string, body: unknown): string | undefined {
  const key = idKey(parameter, body)
  return key === undefined ? undefined : canonical((body as Record<string, unknown>)[key])
}

/** The value by which lists name an item, as JSON; undefined where it is not known. */
function idOf({ parameter }: Resource, url: string, { text }: ReceivedResponse): string[] {
  const last = decodeURIComponent(url.split('/').at(-1) ?? '')
  return [valueOfId(parameter, bodyOf(text)) ?? [], JSON.stringify(last), /^-?\d+$/.test(last) ? last : []].flat()
}

/** The items of a response: a list, or the only list in an object. */
function itemsOf({ text }: ReceivedResponse): unknown[] | undefined {
  const body = bodyOf(text)
  if (Array.isArray(body)) return body as unknown[]
  const lists: unknown[][] = typeof body === 'object' && body !== null ? Object.values(body).filter(Array.isArray) : []
  return lists.length === 1 ? lists[0] : undefined
}

function isListed({ parameter }: Resource, ids: string[], listed: ReceivedResponse): boolean {
  const items = isSuccess(listed) ? (itemsOf(listed) ?? []) : []
  return items.some((item) => ids.includes(valueOfId(parameter, item) ?? canonical(item)))
}

/** Whether an item should be in a list that has no pages and no filters, and whose items have names. */
function isMissing(resource: Resource, ids: string[], listed: ReceivedResponse): boolean {
  const items = itemsOf(listed)
  if (!isSuccess(listed) || items === undefined || isListed(resource, ids, listed)) return false
  const mayChoose = resource.list?.parameters.some(({ in: place }) => place === 'query') === true
  const isWhole = Array.isArray(bodyOf(listed.text)) && !mayChoose && !('link' in listed.headers)
  return isWhole && items.every((item) => idKey(resource.parameter, item) !== undefined)
}

interface Hidden {
  resource: Resource
  url: string
  found: ReceivedResponse | undefined
  list: ContractRequest | undefined
  listed: ReceivedResponse | undefined
  id: string[]
  stranger: Send
}

/** Another caller may have a thing of the same name, which is not the same thing. */
async function assertHidden({ resource, url, found, list, listed, id, stranger }: Hidden): Promise<void> {
  const seen = found === undefined ? undefined : await stranger({ method: 'GET', url })
  if (seen !== undefined && found !== undefined && isSuccess(found) && isSuccess(seen) && seen.text === found.text) {
    throw lost(`GET ${url}: another caller received what the first has created`)
  }
  const others = list === undefined ? undefined : await stranger(list)
  if (others === undefined || listed === undefined || !isListed(resource, id, others)) return
  const own = new Set((itemsOf(listed) ?? []).map(canonical))
  const isSame = (itemsOf(others) ?? []).some(
    (item) => id.includes(valueOfId(resource.parameter, item) ?? '') && own.has(canonical(item)),
  )
  if (isSame) throw lost(`GET ${list?.url ?? ''}: another caller received what the first has created`)
}
