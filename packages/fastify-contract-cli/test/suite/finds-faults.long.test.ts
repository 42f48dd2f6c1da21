import { expect, test } from 'vitest'
import { type Result, type TestOptions, test as testServer } from '../../src/suite.ts'
import { petsContract } from './pets-contract.ts'
import { type Faults, type Reply, servePets } from './pets-server.ts'

async function resultsOf(faults: Faults, options: TestOptions = {}): Promise<Result[]> {
  const url = await servePets(faults)
  const callers = { auth: { key: 'k' }, otherAuth: { key: 'other' } }
  const results: Result[] = []
  for await (const result of testServer(petsContract, { url, ...callers, seed: 1, scale: 0.2, ...options }))
    results.push(result)
  return results
}

const faultsIn = (results: Result[]) =>
  results.flatMap((result) =>
    result.verdict === 'fault' ? result.faults.map(({ kind, problem }) => `${result.title}: ${kind}: ${problem}`) : [],
  )

const changed = (change: (reply: Reply) => Reply) => (reply: Reply, request: { path: string; method: string }) =>
  request.path.startsWith('/pets/') && request.method === 'GET' && reply.status === 200 ? change(reply) : reply
const withBody = (change: (body: Record<string, unknown>) => object) =>
  changed((reply) => ({ ...reply, body: change(reply.body as Record<string, unknown>) }))

const rounded = (integer: bigint) => BigInt.asIntN(64, BigInt(Number(integer)))
const withRounded = withBody((body) => ({ ...body, weight: rounded(body['weight'] as bigint) }))

/** Faults that the tests of a collection find. Those of one response are in ../suite.test.ts. */
const ofState: [name: string, faults: Faults, problem: RegExp][] = [
  ['an integer is rounded', { reply: withRounded }, /lost or shown to others: .* the weight -?\d+, expected -?\d+/],
  [
    'an id is another one',
    { reply: withBody(({ id, ...body }) => ({ ...body, id: (id as bigint) + 1n })) },
    /lost or shown to others: .*the id/,
  ],
  ['what was deleted is still there', { keepsDeleted: true }, /received 200, though it was deleted/],
  ["another caller's things are seen", { showsAll: true }, /another caller received/],
  [
    'what was created is not found',
    { reply: changed(() => ({ status: 404, body: { title: 'no such pet' } })) },
    /received 404, though it was created/,
  ],
  ['what was deleted is still listed', { listsDeleted: true }, /was deleted, and is still in the list/],
]

test.each(ofState)('the suite finds that %s', async (_name, faults, problem) => {
  const results = await resultsOf(faults, { only: 'POST /pets', scale: 0.5 })
  expect(faultsIn(results)).toContainEqual(expect.stringMatching(problem))
  expect(results.filter(({ verdict }) => verdict === 'not judged')).toEqual([])
})

test('the suite finds a refusal with another status only with strict stages', async () => {
  const reply = (right: Reply): Reply => (right.status === 401 ? { ...right, status: 400 } : right)
  expect(faultsIn(await resultsOf({ reply }, { only: 'GET /pets' }))).toEqual([])
  expect(faultsIn(await resultsOf({ reply }, { isStrict: true, only: 'GET /pets' }))).toContainEqual(
    expect.stringMatching(/no credentials: refused in another way: received 400, expected 401/),
  )
})

test('the suite finds no fault in a server that keeps its contract, in the long run', async () => {
  for (let seed = 1; seed <= 4; seed++) {
    const results = await resultsOf({}, { seed, scale: 0.5 })
    expect(faultsIn(results), String(seed)).toEqual([])
    expect(results.flatMap((result) => (result.verdict === 'left out' ? [result] : []))).toEqual([])
  }
})

test('the report of what is still there has the requests that show it, and no other', async () => {
  const results = await resultsOf({ keepsDeleted: true }, { only: 'POST /pets', scale: 1 })
  const requests = results.flatMap((result) =>
    result.verdict === 'fault' ? result.faults.flatMap((fault) => fault.requests) : [],
  )
  const changing = requests.map(({ method }) => method).filter((method) => method !== 'GET')
  expect(changing).toEqual(['POST', 'DELETE'])
})
