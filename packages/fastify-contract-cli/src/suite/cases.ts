import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { ContractOperation } from 'fastify-contract/document'
import { requestBreaksOf } from './broken-requests.ts'
import type { TestedContract } from './contract.ts'
import { schemesFor, wantsCredentials } from './credentials.ts'
import { testExamples, testLinks } from './example-cases.ts'
import { faultsOf } from './faults.ts'
import { Undrawable } from './flat-schema.ts'
import type { Expectation } from './judge.ts'
import { type ContractRequest, requestsOf } from './requests.ts'
import type { ReceivedResponse } from './response-checks.ts'

/** Sends a request as one caller, unless it says otherwise, and checks and counts the response. */
export type Send = (sent: ContractRequest) => Promise<ReceivedResponse>

/** What the cases work with. */
export interface CaseTools {
  contract: TestedContract
  isStrict: boolean
  /** The schemes of which a caller has credentials. */
  schemes: readonly string[]
  bodyLimit: number | undefined
  /** Requests that make what the examples of an operation need, by its id. */
  needs: Partial<Record<string, readonly ContractRequest[]>>
  /** Gives a sender for a new caller without data. */
  newCaller: () => Promise<Send>
  check: <Drawn>(arbitrary: fc.Arbitrary<Drawn>, runs: number, test: (drawn: Drawn) => Promise<void>) => Promise<void>
  /** Judges a response. @throws Error when it is a fault */
  judge: (response: ReceivedResponse, expected: Expectation) => void
  /** Checks that the refused requests of a caller have changed nothing. */
  assertUnchanged: (send: Send) => Promise<void>
}

/** One thing to test, by its title. */
export interface Test {
  /** The id of the operation; undefined for what concerns several. */
  operation?: string
  title: string
  /** @throws Undrawable when the suite knows no requests for it, or another Error when the server breaks the contract */
  run: (tools: CaseTools) => Promise<void>
}

/** Lists the tests of a contract, those of one operation after another. */
export function* testsOf(tools: Omit<CaseTools, 'check' | 'judge'>): Generator<Test> {
  if (tools.isStrict) {
    yield { title: 'the examples of requests are answered with the examples of the same name', run: testExamples }
    yield { title: 'the links of a response lead to a success', run: testLinks }
  }
  for (const operation of tools.contract.operations) {
    for (const { title, run } of testsOfOperation(operation, tools)) {
      yield { operation: operation.id, title: `${operation.id} ${title}`, run }
    }
  }
}

function* testsOfOperation(operation: ContractOperation, tools: Omit<CaseTools, 'check' | 'judge'>): Generator<Test> {
  const missing = operation.security.flatMap(Object.keys).filter((name) => !tools.schemes.includes(name))
  if (schemesFor(operation, tools.schemes) === undefined) {
    yield leftOut('is tried', `it needs the credentials of ${missing.join(' or ')}`)
    return
  }
  yield { title: 'takes what the contract allows', run: (all) => testAllowed(operation, all) }
  if (tools.isStrict && operation.method === 'get') {
    yield { title: 'answers HEAD as it does GET, without the content', run: (all) => testHead(operation, all) }
  }
  yield* testsOfBreaks(operation, tools)
  yield* testsOfFaults(operation, tools)
}

function leftOut(title: string, reason: string): Test {
  return { title, run: () => Promise.reject(new Undrawable(reason)) }
}

async function testAllowed(
  operation: ContractOperation,
  { contract, newCaller, check, judge }: CaseTools,
): Promise<void> {
  const drawn = fc.tuple(requestsOf(operation, contract), fc.boolean()).map(([request, isNobodys]) => {
    return isNobodys && !wantsCredentials(operation) ? { ...request, isAnonymous: true } : request
  })
  const send = await newCaller()
  await check(drawn, 100, async (request) => {
    judge(await send(request), { isAllowed: true })
  })
}

async function testHead(operation: ContractOperation, { contract, newCaller, check }: CaseTools): Promise<void> {
  const send = await newCaller()
  await check(requestsOf(operation, contract), 20, async (request) => {
    const headers = { ...request.headers, 'x-request-id': 'same' }
    const [get, head] = [await send({ ...request, headers }), await send({ ...request, headers, method: 'HEAD' })]
    const comparable = ({ headers: all, status }: ReceivedResponse) => ({ ...all, status, date: '' })
    assert.deepEqual(comparable(head), comparable(get))
  })
}

function* testsOfBreaks(
  operation: ContractOperation,
  { contract, isStrict }: Pick<CaseTools, 'contract' | 'isStrict'>,
): Generator<Test> {
  let breaks: ReturnType<typeof requestBreaksOf>
  try {
    breaks = requestBreaksOf(operation, contract, isStrict)
  } catch (error) {
    if (!(error instanceof Undrawable)) throw error
    yield leftOut('refuses what breaks a rule', error.message)
    return
  }
  for (const [place, rule, requests] of breaks) {
    const title = `refuses ${place} that breaks: ${rule}`
    if (requests === undefined) yield leftOut(title, 'no values are known that break it')
    else yield { title, run: (tools) => testBreak(place, requests, tools) }
  }
}

async function testBreak(
  place: string,
  requests: fc.Arbitrary<ContractRequest>,
  { newCaller, check, judge, assertUnchanged }: CaseTools,
): Promise<void> {
  const send = await newCaller()
  await check(requests, 30, async (request) => {
    judge(await send(request), { isAllowed: false, stage: 'contract', failure: 'invalid_request', place })
  })
  await assertUnchanged(send)
}

function* testsOfFaults(operation: ContractOperation, tools: Omit<CaseTools, 'check' | 'judge'>): Generator<Test> {
  const { contract, isStrict, bodyLimit, schemes } = tools
  const [scheme] = schemesFor(operation, schemes) ?? []
  const faults = faultsOf(operation, contract, { scheme, bodyLimit, isStrict })
  for (const { stage, title, failure, changes } of faults) {
    const expected: Expectation = { isAllowed: false, stage, failure, place: '' }
    yield {
      title: `refuses ${title}`,
      run: async ({ newCaller, check, judge, assertUnchanged }) => {
        const requests = fc.tuple(requestsOf(operation, contract), fc.constantFrom(...changes))
        const send = await newCaller()
        const changed = requests.map(([request, change]) => change(request))
        await check(changed, 2 * changes.length, async (request) => {
          judge(await send(request), expected)
        })
        await assertUnchanged(send)
      },
    }
  }
  if (!isStrict) return
  yield { title: 'reports the fault of the earliest stage', run: (all) => testStages(operation, faults, all) }
}

async function testStages(
  operation: ContractOperation,
  faults: ReturnType<typeof faultsOf>,
  { contract, newCaller, check, judge, assertUnchanged }: CaseTools,
): Promise<void> {
  const all = faults.flatMap(({ changes, ...fault }) => changes.map((change) => ({ ...fault, change })))
  const stages = [...new Set(all.map(({ stage }) => stage))].map((stage) =>
    fc.constantFrom(...all.filter((fault) => fault.stage === stage)),
  )
  const spoiled = fc
    .subarray(stages, { minLength: 2 })
    .chain((several) => fc.tuple(requestsOf(operation, contract), ...several))
    .map(([request, ...several]) => ({
      // Two were chosen at least.
      earliest: several[0]!,
      request: several.reduceRight((sent, { change }) => change(sent), request),
    }))
  const send = await newCaller()
  await check(spoiled, 80, async ({ request, earliest: { stage, failure } }) => {
    judge(await send(request), { isAllowed: false, stage, failure, place: '' })
  })
  await assertUnchanged(send)
}
