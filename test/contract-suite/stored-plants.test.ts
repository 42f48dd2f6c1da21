import fc from 'fast-check'
import type { ContractOperation } from 'fastify-contract/document'
import { type RequestParts, canonical, flatten, operationNamed, parseExactly } from 'fastify-contract-cli/suite'
import { partsOf, written } from 'fastify-contract-cli/suite'
import { afterAll, expect } from 'vitest'
import { expectedContract } from '../support/responses/expected-contract.ts'
import { shareApp } from '../support/server/start-app.ts'
import { createPlantStoreSuite, testCase } from './plant-store-suite.ts'

/** The outcome of a request: a status, and the body of a success. */
interface Outcome {
  status: number
  body?: unknown
}

/** The model: the plants of each caller by their ids. */
type Model = Map<string, Map<bigint, object>>

/** A request of a caller. */
interface Action {
  caller: string
  operation: ContractOperation
  parts: RequestParts
  toString: () => string
}

const callers = ['me', 'Me', 'you']
const [create, remove, list] = ['createPlant', 'deletePlant', 'listPlants'].map((id) =>
  operationNamed(expectedContract, id),
)
const { properties } = flatten(expectedContract.document.components?.schemas?.['Plant'] ?? {}, expectedContract)

/** What clients send of a plant that responses show. The server sets the rest. */
const kept = Object.keys(properties).filter((name) => !flatten(properties[name]!, expectedContract).isReadOnly)

/** A number is a double, which several texts stand for. */
const isDouble = (name: string) =>
  [flatten(properties[name]!, expectedContract).assertions.type].flat().includes('number')

function keptOf(plant: object): object {
  const members = Object.entries(plant).filter(([name]) => kept.includes(name))
  return Object.fromEntries(
    members.map(([name, value]: [string, unknown]) => [
      name,
      typeof value === 'bigint' && isDouble(name) ? Number(value) : value,
    ]),
  )
}

/** What fills in what a client leaves out. */
const defaults = Object.fromEntries(
  kept.flatMap((name): [string, unknown][] => {
    const { default: filled } = flatten(properties[name]!, expectedContract)
    return filled === undefined ? [] : [[name, filled]]
  }),
)

/** Requests that the contract allows, in every spelling, most of them with one of these integers. */
function actionsOf(operation: ContractOperation, integers: fc.Arbitrary<bigint>): fc.Arbitrary<Action> {
  return fc
    .tuple(fc.constantFrom(...callers), partsOf(operation, expectedContract), fc.option(integers))
    .map(([caller, drawn, chosen]) => {
      const integersOf = (values: object = {}) => {
        const known = Object.entries(values).filter(([name]) => ['id', 'limit'].includes(name))
        return Object.fromEntries(known.map(([name, value]: [string, unknown]) => [name, chosen ?? value]))
      }
      const body = drawn.body === undefined || chosen === null ? drawn.body : { ...drawn.body, id: chosen }
      const [path, query] = [integersOf(drawn.path), integersOf(drawn.query)]
      return actionOf(caller, operation, { ...drawn, path, query, body })
    })
}

function actionOf(caller: string, operation: ContractOperation, parts: RequestParts): Action {
  return {
    caller,
    operation,
    parts,
    toString: () => `${caller}: ${JSON.stringify(written(operation, parts, expectedContract))}`,
  }
}

function listOf(caller: string): Action {
  return actionOf(caller, list!, { way: 0 })
}

/** Applies an action to the model. */
function apply(model: Model, { caller, operation, parts }: Action): Outcome {
  const plants = model.get(caller) ?? new Map<bigint, object>()
  model.set(caller, plants)
  // These requests have at most one parameter, an integer, and their only body is a plant with its id.
  const [integer] = Object.values({ ...parts.path, ...parts.query }) as bigint[]
  const { id = integer ?? 0n, ...others } = (parts.body ?? {}) as { id?: bigint }
  if (operation === remove) return { status: plants.delete(id) ? 204 : 404 }
  if (operation === list) {
    const ascending = [...plants].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, plant]) => plant)
    return { status: 200, body: ascending.slice(0, integer === undefined ? undefined : Number(integer)) }
  }
  if (plants.has(id)) return { status: 409 }
  const plant = { ...defaults, ...keptOf(others) }
  plants.set(id, plant)
  return { status: 200, body: plant }
}

/** Sends an action. */
type Act = (action: Action) => Promise<Outcome>

/**
 * Sends actions concurrently. In some order, the model must give the same outcomes and the same plants afterwards.
 *
 * @returns the model after them
 */
async function actTogether(model: Model, act: Act, together: Action[]): Promise<Model> {
  const outcomes = await Promise.all(together.map(act))
  // For a single action, its outcome is enough.
  const listed = together.length > 1 ? callers : []
  const afterwards = await Promise.all(listed.map((caller) => act(listOf(caller))))
  const seen = canonical([outcomes, afterwards])
  for (const order of permutations([...together.keys()])) {
    const attempt: Model = new Map([...model].map(([caller, plants]) => [caller, new Map(plants)]))
    const expected: Outcome[] = []
    for (const index of order) expected[index] = apply(attempt, together[index]!)
    if (canonical([expected, listed.map((caller) => apply(attempt, listOf(caller)))]) === seen) return attempt
    if (together.length === 1) expect(outcomes, String(together)).toEqual(expected)
  }
  throw new Error(`no order of ${together.join(', ')} explains the outcomes and the lists after them: ${seen}`)
}

function permutations(items: number[]): number[][] {
  if (items.length < 2) return [items]
  return items.flatMap((item, index) => permutations(items.toSpliced(index, 1)).map((rest) => [item, ...rest]))
}

// Neighbours that a double cannot tell apart, and both ends.
const ids = fc.constantFrom(-(2n ** 63n), -1n, 0n, 1n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n)
const action = fc.oneof(
  { weight: 4, arbitrary: actionsOf(create!, ids) },
  { weight: 3, arbitrary: actionsOf(remove!, ids) },
  { weight: 2, arbitrary: actionsOf(list!, fc.bigInt(0n, 5n)) },
)
const steps = fc.oneof(
  { weight: 3, arbitrary: fc.array(action, { minLength: 1, maxLength: 1 }) },
  { weight: 1, arbitrary: fc.array(action, { minLength: 2, maxLength: 4 }) },
)

const newApp = shareApp()

const suite = createPlantStoreSuite({
  url: async () => (await newApp()).app.listen({ host: '127.0.0.1', port: 0 }),
})
afterAll(() => suite.close())

async function testModel(): Promise<void> {
  const { issueToken } = await newApp()
  const send = suite.senderFor({})
  let run = 0
  await suite.check(fc.array(steps, { maxLength: 25 }), 25, async (drawn) => {
    // Each run has callers of its own.
    const names = callers.map((caller) => `${caller} ${String(run)}`)
    const tokens = await Promise.all(names.map((name) => issueToken(name)))
    run++
    const act: Act = async ({ caller, operation, parts }) => {
      const { headers, ...request } = written(operation, parts, expectedContract)
      const authorization = `Bearer ${String(tokens[callers.indexOf(caller)])}`
      const { status, text } = await send({ ...request, headers: { ...headers, authorization } })
      if (status !== 200) return { status }
      // The contract declares a plant or a list of plants.
      const body = parseExactly(text) as object | object[]
      return { status, body: Array.isArray(body) ? body.map(keptOf) : keptOf(body) }
    }
    let model: Model = new Map()
    for (const together of drawn) model = await actTogether(model, act, together)
  })
}

const title = 'plants match a Map per caller, also under concurrent requests'
testCase(suite, { title, run: () => suite.resultOf(title, testModel) })
