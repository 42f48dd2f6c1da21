import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Schema } from '../../../packages/fastify-contract/src/schema/schema-parts.ts'
import type { ContractOperation } from '../../../packages/fastify-contract/src/document/document.ts'
import { parseJsonWithBigInts, stringifyJson } from '../../../packages/fastify-contract/src/json/json.ts'
import type { Store } from '../../../src/store/store.ts'
import { expectedContract, expectedOperation } from '../../support/responses/expected-contract.ts'
import { type ContractClient, type Service, startService } from '../contract-client.ts'
import { canonical } from '../coverage.ts'
import { type DrawnRequest, requestOf } from '../requests/request-arbitrary.ts'
import { propertiesOf } from '../values/flat-schema.ts'
import { jsonOf } from '../values/json-arbitrary.ts'
import { type Action, type Outcome, type Plant, PlantModel } from '../plant-model.ts'
import { check, propertyTimeout } from '../run-settings.ts'

/** Makes a place for a store that holds nothing yet, and gives a function that opens it: again after it was closed. */
export type StorePlace = () => Promise<() => Promise<Store>>

const callers = ['me', 'Me', 'you']

/** Tests that the service differs in nothing from a Map, whatever several callers do, and when. */
export function testStoredPlants(newPlace: StorePlace): void {
  describe('plants in a store', () => {
    test(
      'a plant comes back as it was sent, is listed so, and is gone when it is deleted',
      { timeout: propertyTimeout },
      async () => {
        const client = await startService()
        const create = expectedOperation('createPlant')
        await check(
          fc.asyncProperty(requestOf(create), async (drawn) => {
            await expectRoundTrip(client, create, drawn)
          }),
          120,
        )
      },
    )

    test(
      'a list has as many plants as the limit allows, in the order of their ids',
      { timeout: propertyTimeout },
      async () => {
        const { send } = await startService()
        const ids = [9n, -1n, 9_007_199_254_740_993n, -9_223_372_036_854_775_808n, 9_007_199_254_740_992n]
        for (const id of ids)
          await send({ method: 'POST', url: '/plants', body: `{"id":${String(id)},"name":"${String(id)}"}` })
        const sorted = ids.toSorted((a, b) => (a < b ? -1 : 1)).map((id) => ({ name: String(id) }))
        await check(
          fc.asyncProperty(requestOf(expectedOperation('listPlants')), async ({ request, meant }) => {
            const { limit } = meant.parameters as { limit?: bigint }
            expect(JSON.parse((await send(request)).text)).toEqual(
              limit === undefined || limit > 5n ? sorted : sorted.slice(0, Number(limit)),
            )
          }),
          100,
        )
      },
    )

    test(
      'are those of a Map, for several callers, at the same time and across restarts',
      { timeout: propertyTimeout },
      async () => {
        const openStore = await newPlace()
        const real = new RestartableService(openStore)
        onTestFinished(() => real.stop())
        let run = 0
        await check(
          fc.asyncProperty(fc.commands(commands(), { maxCommands: 25, disableReplayLog: true }), async (drawn) => {
            await real.begin(run++)
            await fc.asyncModelRun(() => ({ model: new PlantModel(), real }), drawn)
          }),
          25,
          false,
        )
      },
    )
  })
}

async function expectRoundTrip(
  { send }: ContractClient,
  operation: ContractOperation,
  { request, meant }: DrawnRequest,
): Promise<void> {
  const response = await send(request)
  expect(response.status, response.text).toBe(200)
  const sent = meant.body as Record<string, unknown> & { id: bigint }
  const schema = operation.object.responses['200']?.content?.['application/json']?.schema
  const known = [...propertiesOf(schema).keys()].filter((name) => name in sent).map((name) => [name, sent[name]])
  const plant = canonical(Object.fromEntries(known))
  expect(canonical(parseJsonWithBigInts(response.text))).toBe(plant)
  expect(canonical(parseJsonWithBigInts((await send({ method: 'GET', url: '/plants' })).text))).toBe(`[${plant}]`)
  expect((await send({ method: 'DELETE', url: `/plants/${String(sent.id)}` })).status).toBe(204)
  expect((await send({ method: 'GET', url: '/plants' })).text).toBe('[]')
}

/** A service that can stop and start again on the same store. Each run has callers of its own. */
class RestartableService {
  readonly #openStore: () => Promise<Store>
  /** One promise, so that requests at the same time start one service. */
  #running: Promise<Service> | undefined
  #tokens = new Map<string, string>()

  constructor(openStore: () => Promise<Store>) {
    this.#openStore = openStore
  }

  async begin(run: number): Promise<void> {
    const { issueToken } = await this.#start()
    this.#tokens = new Map(
      await Promise.all(callers.map(async (caller) => [caller, await issueToken(`${caller} ${String(run)}`)] as const)),
    )
  }

  async act(action: Action): Promise<Outcome> {
    const { send } = await this.#start()
    const headers = { authorization: `Bearer ${this.#tokens.get(action.caller) ?? ''}` }
    const { status, text } = await send(requestFor(action, headers))
    return status === 200 ? { status, body: JSON.parse(text) as unknown } : { status }
  }

  async stop(): Promise<void> {
    const service = await this.#running
    this.#running = undefined
    await service?.app.close()
    await service?.store.close()
  }

  #start(): Promise<Service> {
    this.#running ??= this.#openStore().then((store) => startService({ store }))
    return this.#running
  }
}

function requestFor(action: Action, headers: Record<string, string>) {
  switch (action.kind) {
    case 'create':
      return { method: 'POST', url: '/plants', headers, body: stringifyJson({ id: action.id, ...action.plant }) }
    case 'delete':
      return { method: 'DELETE', url: `/plants/${String(action.id)}`, headers }
    case 'list':
      return {
        method: 'GET',
        url: action.limit === undefined ? '/plants' : `/plants?limit=${String(action.limit)}`,
        headers,
      }
  }
}

type Command = fc.AsyncCommand<PlantModel, RestartableService>

function commands(): fc.Arbitrary<Command>[] {
  const action = actions()
  return [
    action.map((one) => new Alone(one)),
    action.map((one) => new Alone(one)),
    fc.array(action, { minLength: 2, maxLength: 4 }).map((together) => new Together(together)),
    fc.constant(new Restart()),
  ]
}

/** Few ids, so that actions meet; beside each other for a double, and at both ends. */
const ids = [
  -9_223_372_036_854_775_808n,
  -1n,
  0n,
  1n,
  9_007_199_254_740_992n,
  9_007_199_254_740_993n,
  9_223_372_036_854_775_807n,
]

function actions(): fc.Arbitrary<Action> {
  const caller = fc.constantFrom(...callers)
  const id = fc.constantFrom(...ids)
  const plant = jsonOf(expectedContract.components?.schemas?.['Plant'] as Schema).map(({ value }) => value as Plant)
  return fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('create' as const), caller, id, plant }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('delete' as const), caller, id }) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('list' as const),
        caller,
        limit: fc.option(fc.nat(5), { nil: undefined }),
      }),
    },
  )
}

/** One request, answered before the next. */
class Alone implements Command {
  readonly #action: Action

  constructor(action: Action) {
    this.#action = action
  }

  check(): boolean {
    return true
  }

  async run(model: PlantModel, real: RestartableService): Promise<void> {
    expect(await real.act(this.#action), this.toString()).toEqual(model.apply(this.#action))
  }

  toString(): string {
    return stringifyJson(this.#action)
  }
}

/**
 * Requests at the same time. There is an order in which the Map gives the same outcomes, and lists the same plants
 * afterwards.
 */
class Together implements Command {
  readonly #actions: Action[]

  constructor(together: Action[]) {
    this.#actions = together
  }

  check(): boolean {
    return true
  }

  async run(model: PlantModel, real: RestartableService): Promise<void> {
    const lists = callers.map((caller): Action => ({ kind: 'list', caller, limit: undefined }))
    const outcomes = await Promise.all(this.#actions.map((action) => real.act(action)))
    const afterwards = await Promise.all(lists.map((list) => real.act(list)))
    const fitting = permutations([...this.#actions.keys()]).flatMap((order) => {
      const attempt = model.copy()
      const expected: Outcome[] = []
      for (const index of order) expected[index] = attempt.apply(this.#actions[index]!)
      const isSame =
        canonical([expected, lists.map((list) => attempt.apply(list))]) === canonical([outcomes, afterwards])
      return isSame ? [attempt] : []
    })
    expect(
      fitting.length,
      `no order of ${this.toString()} explains ${JSON.stringify({ outcomes, afterwards })}`,
    ).toBeGreaterThan(0)
    model.become(fitting[0]!)
  }

  toString(): string {
    return `together ${stringifyJson(this.#actions)}`
  }
}

/** The server stops and starts again on what the store has kept. */
class Restart implements Command {
  check(): boolean {
    return true
  }

  async run(_model: PlantModel, real: RestartableService): Promise<void> {
    await real.stop()
  }

  toString(): string {
    return 'restart'
  }
}

function permutations(items: number[]): number[][] {
  if (items.length < 2) return [items]
  return items.flatMap((item, index) => permutations(items.toSpliced(index, 1)).map((rest) => [item, ...rest]))
}
