import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { ContractOperation } from 'fastify-contract/document'
import { requestBreaksOf } from './broken-requests.ts'
import type { TestedContract } from './contract.ts'
import type { SchemaSource } from './flat-schema.ts'
import { schemesFor, wantsCredentials } from './credentials.ts'
import { testExamples, testLinks } from './example-cases.ts'
import { Fault } from './fault.ts'
import { faultsOf } from './faults.ts'
import type { Expectation } from './judge.ts'
import type { KnownItems } from './known-items.ts'
import { type ContractRequest, jsonType, requestsOf } from './requests.ts'
import { type Resource, resourcesOf } from './resources.ts'
import type { ReceivedResponse } from './response-checks.ts'
import { stateTests } from './state-cases.ts'
import { Undrawable } from './undrawable.ts'

/** Sends a request as one caller, unless it says otherwise, and checks and counts the response. */
export type Send = (sent: ContractRequest) => Promise<ReceivedResponse>

/** What the cases work with. */
export interface CaseTools {
  contract: TestedContract & SchemaSource
  isStrict: boolean
  /** The schemes of which a caller has credentials. */
  schemes: readonly string[]
  bodyLimit: number | undefined
  /** Requests that make what the examples of an operation need, by its id; without it, examples are not tested. */
  needs: Partial<Record<string, readonly ContractRequest[]>> | undefined
  /** Gives a sender for a new caller without data. */
  newCaller: () => Promise<Send>
  /** Gives a sender for a caller other than all of those; undefined without one. */
  newStranger: () => Promise<Send | undefined>
  /** What exists, so that requests find it. */
  items: KnownItems
  check: <Drawn>(arbitrary: fc.Arbitrary<Drawn>, runs: number, test: (drawn: Drawn) => Promise<void>) => Promise<void>
  /** Judges a response. @throws Error when it is a fault */
  judge: (response: ReceivedResponse, expected: Expectation) => void
  /** Checks that the refused requests of a caller have changed nothing. */
  assertUnchanged: (send: Send) => Promise<void>
}

/** What lists the cases, which are not run yet. */
type Preparation = Omit<CaseTools, 'check' | 'judge'>

/** One thing to test, by its title. */
export interface Test {
  /** The id of the operation; undefined for what concerns several. */
  operation?: string
  title: string
  /** @throws Undrawable when the suite knows no requests for it, or another Error when the server breaks the contract */
  run: (tools: CaseTools) => Promise<void>
}

/**
 * Lists the tests of some operations, one after another. Those that create what they need come first, although they are
 * of other operations.
 */
export function* testsOf(tools: Preparation, chosen: readonly ContractOperation[]): Generator<Test> {
  if (tools.needs !== undefined) {
    yield { title: 'the examples of requests are answered with the examples of the same name', run: testExamples }
    yield { title: 'the links of a response lead to a success', run: testLinks }
  }
  // What they leave is found by the requests of others.
  const isNeeded = ({ create, path }: Resource) =>
    chosen.includes(create) || chosen.some((operation) => operation.path.startsWith(path))
  const resources = resourcesOf(tools.contract).filter(isNeeded)
  for (const operation of new Set([...resources.map(({ create }) => create), ...chosen])) {
    const ofState = stateTests(
      resources.filter(({ create }) => create === operation),
      tools,
    )
    const others = chosen.includes(operation) ? testsOfOperation(operation, tools) : []
    for (const { title, run } of [...ofState, ...others]) {
      yield { operation: operation.id, title: `${operation.id} ${title}`, run }
    }
  }
}

/** Requests of which two in three go to something that exists, where one is known. */
function directed(
  operation: ContractOperation,
  requests: fc.Arbitrary<ContractRequest>,
  items: KnownItems,
): fc.Arbitrary<() => ContractRequest> {
  return fc.tuple(requests, fc.nat(99)).map(([request, choice]) => {
    const direct = () => (choice < 66 ? items.directed(operation, request, choice) : request)
    return Object.assign(direct, { [fc.toStringMethod]: () => fc.stringify(request) })
  })
}

function* testsOfOperation(operation: ContractOperation, tools: Preparation): Generator<Test> {
  const missing = operation.security.flatMap(Object.keys).filter((name) => !tools.schemes.includes(name))
  if (schemesFor(operation, tools.schemes) === undefined) {
    yield leftOut('is tried', `it needs ${missing.join(' or ')} (--auth ${missing[0] ?? ''}=…)`)
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
  { contract, newCaller, check, judge, items }: CaseTools,
): Promise<void> {
  const drawn = fc.tuple(requestsOf(operation, contract), fc.boolean()).map(([request, isNobodys]) => {
    return isNobodys && !wantsCredentials(operation) ? { ...request, isAnonymous: true } : request
  })
  const send = await newCaller()
  await check(directed(operation, drawn, items), 100, async (direct) => {
    judge(await send(direct()), { isAllowed: true })
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
    else yield { title, run: (tools) => testBreak(operation, place, requests, tools) }
  }
}

async function testBreak(
  operation: ContractOperation,
  place: string,
  requests: fc.Arbitrary<ContractRequest>,
  { newCaller, check, judge, assertUnchanged, items }: CaseTools,
): Promise<void> {
  const send = await newCaller()
  // What breaks the path would be lost.
  const drawn = place.startsWith('path')
    ? requests.map((request) => () => request)
    : directed(operation, requests, items)
  await check(drawn, 30, async (direct) => {
    await judged(send, direct(), { isAllowed: false, stage: 'contract', failure: 'invalid_request', place }, judge)
  })
  await assertUnchanged(send)
}

/** That a broken request is taken says more than what is wrong with the response to it. */
async function judged(
  send: Send,
  request: ContractRequest,
  expected: Expectation,
  judge: CaseTools['judge'],
): Promise<void> {
  try {
    judge(await send(request), expected)
  } catch (error) {
    if (error instanceof Fault && error.response !== undefined && error.response.status < 300) {
      judge(error.response, expected)
    }
    throw error
  }
}

function* testsOfFaults(operation: ContractOperation, tools: Preparation): Generator<Test> {
  const { contract, isStrict, bodyLimit, schemes } = tools
  const [scheme] = schemesFor(operation, schemes) ?? []
  const faults = faultsOf(operation, contract, { scheme, bodyLimit, isStrict })
  for (const { stage, title, failure, changes } of faults) {
    const expected: Expectation = { isAllowed: false, stage, failure, place: '' }
    yield {
      title: `refuses ${title}`,
      run: async ({ newCaller, check, judge, assertUnchanged }) => {
        const requests = fc.tuple(requestsOf(operation, contract, jsonType(operation)), fc.constantFrom(...changes))
        const send = await newCaller()
        const changed = requests.map(([request, change]) => change(request))
        await check(changed, 2 * changes.length, async (request) => {
          await judged(send, request, expected, judge)
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
    .chain((several) => fc.tuple(requestsOf(operation, contract, jsonType(operation)), ...several))
    .map(([request, ...several]) => ({
      // Two were chosen at least.
      earliest: several[0]!,
      request: several.reduceRight((sent, { change }) => change(sent), request),
    }))
  const send = await newCaller()
  await check(spoiled, 80, async ({ request, earliest: { stage, failure } }) => {
    await judged(send, request, { isAllowed: false, stage, failure, place: '' }, judge)
  })
  await assertUnchanged(send)
}
