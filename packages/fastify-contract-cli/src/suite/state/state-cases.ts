import fc from 'fast-check'
import type { ContractOperation } from 'fastify-contract/document'
import type { Test, Tools } from './test-case.ts'
import { isPathOf } from '../ground/contract.ts'
import { knownAlternatives } from '../write/credentials.ts'
import { Item, allowed, isSuccess } from './item.ts'
import type { ReceivedResponse } from '../ground/exchange.ts'
import { LeftOut } from '../ground/left-out.ts'
import { ReadBack } from './read-back.ts'
import { madeRequests, requestsOf, simplerRequests, validRequest, variedParts } from '../write/requests.ts'
import type { GrowingResource } from '../ground/resources.ts'
import { createdUrl } from './known-items.ts'
import { ThingShape } from '../draw/thing-shape.ts'
import { attempt } from '../ground/no-generator.ts'

/** How many things are created. */
const runs = 20

/** Lists the tests that what is created is found, listed, deleted and gone, and hidden from another caller. */
export function stateTests(resources: readonly GrowingResource[], tools: Tools): Test[] {
  return resources.flatMap(({ list, ...resource }) => {
    // A list that wants parameters may show others.
    const isFree = list?.parameters.every(({ required, in: place }) => required !== true || place === 'path')
    const whole = { ...resource, list: isFree === true ? list : undefined }
    const needed = [whole.create, whole.list, ...Object.values(whole.operations)].filter((each) => each !== undefined)
    if (needed.some((operation) => knownAlternatives(operation, tools.schemes).length === 0)) return []
    const title = `creates ${whole.path} that can be read, changed and deleted`
    const weight = runs * (4 + 2 * Object.keys(whole.operations).length)
    return [{ title, weight, run: () => testResource(whole, tools) }]
  })
}

const isRefused = ({ status }: ReceivedResponse) => status >= 400 && status < 500

async function testResource(resource: GrowingResource, tools: Tools): Promise<void> {
  const { contract, newCaller, stranger, check, note } = tools
  const send = await newCaller()
  const { put, patch } = resource.operations
  const changes = [put, patch]
    .filter((operation) => operation !== undefined)
    .flatMap((operation) => {
      const draw = () => requestsOf(operation, contract).map((request) => ({ operation, request }))
      return attempt(operation.id, contract, draw) ?? []
    })
  const plain = (operation: ContractOperation | undefined) =>
    operation && attempt('', {}, () => validRequest(operation, contract))
  const { get, delete: remove } = resource.operations
  const requests = { get: plain(get), delete: plain(remove), list: plain(resource.list) }
  const shape = new ThingShape(resource, contract)
  const readBack = new ReadBack(contract, shape, note)
  let created = 0
  let last = ''
  const drawn = fc.record({
    creation: madeRequests(resource.create, contract, variedParts(resource.create, contract)),
    // A change that does not matter is left out of the smallest case.
    changes: fc.tuple(...changes.map((change) => fc.option(change, { freq: 9 }))),
    isDeleted: fc.oneof(fc.constant(true), fc.constant(true), fc.boolean()),
  })
  await check(drawn, runs, async ({ creation, changes: changing, isDeleted }) => {
    let { request } = creation
    let received = await send(request, allowed)
    for (const simpler of simplerRequests(resource.create, creation.parts, contract)) {
      if (!isRefused(received)) break
      request = simpler
      received = await send(request, allowed)
    }
    const url = received.status === 202 || !isSuccess(received) ? undefined : createdUrl(shape, request, received)
    last = isSuccess(received)
      ? 'its response does not name what it has created'
      : `received ${String(received.status)}`
    if (url === undefined || !isPathOf(resource.path, url) || /\/\.{1,2}$/.test(url)) return
    created++
    const item = new Item({ shape, contract, readBack, send, requests }, url, received)
    await item.assertFound({ operation: resource.create, request })
    if (stranger !== undefined) await item.assertHiddenFrom(stranger)
    for (const change of changing) if (change !== null) await item.change(change)
    if (isDeleted) await item.delete()
  })
  if (created === 0) throw new LeftOut('nothing to send', `nothing could be created: ${last}`)
}
