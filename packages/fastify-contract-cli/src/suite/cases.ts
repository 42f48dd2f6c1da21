import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { ContractOperation } from 'fastify-contract/document'
import { type RequestBreak, requestBreaksOf } from './broken-requests.ts'
import type { TestedContract } from './contract.ts'
import { schemesFor, wantsCredentials } from './credentials.ts'
import { testExamples, testLinks } from './example-cases.ts'
import type { Expectation } from './fault.ts'
import type { SchemaSource } from './flat-schema.ts'
import type { KnownItems } from './resources.ts'
import { type MalformedRequest, malformedRequestsOf } from './malformed-requests.ts'
import { type ContractRequest, jsonType, requestsOf } from './requests.ts'
import { type Resource, resourcesOf } from './resources.ts'
import type { ReceivedResponse } from './response-checks.ts'
import { stateTests } from './state-cases.ts'
import { Undrawable } from './undrawable.ts'

/**
 * Sends a request as one caller, unless it says otherwise, and checks, judges and counts the response.
 *
 * @throws Error when it breaks the contract, or is not the expected one
 */
export type Send = (sent: ContractRequest, expected?: Expectation) => Promise<ReceivedResponse>

/** What lists the cases, which are not run yet. */
export interface Tools {
  contract: TestedContract & SchemaSource
  isStrict: boolean
  /** The schemes of which a caller has credentials. */
  schemes: readonly string[]
  bodyLimit: number | undefined
  /** Requests that make what the examples of an operation need, by its id; without it, examples are not tested. */
  needs: Partial<Record<string, readonly ContractRequest[]>> | undefined
  /** Gives a sender for a new caller without data. */
  newCaller: () => Promise<Send>
  /** A sender for a caller other than all of those; undefined without one. */
  stranger: Send | undefined
  /** What exists, so that requests find it. */
  items: KnownItems
  /** Checks that the refused requests of a caller have changed nothing. */
  assertUnchanged: (send: Send) => Promise<void>
}

/** What the cases work with. */
export interface CaseTools extends Tools {
  check: <Drawn>(arbitrary: fc.Arbitrary<Drawn>, runs: number, test: (drawn: Drawn) => Promise<void>) => Promise<void>
}

/** One thing to test, by its title. */
export interface Test {
  title: string
  /** @throws Undrawable when the suite knows no requests for it, or another Error when the server breaks the contract */
  run: (tools: CaseTools) => Promise<void>
}

/** The tests of an operation; undefined for what concerns several. To list them takes time. */
export interface TestGroup {
  operation: ContractOperation | undefined
  tests: () => Test[]
}

/**
 * Groups the tests of some operations. Those that create what they need come first, although they are of other
 * operations.
 */
export function testsOf(tools: Tools, chosen: readonly ContractOperation[]): TestGroup[] {
  const ofExamples: Test[] = [
    { title: 'the examples of requests are answered with the examples of the same name', run: testExamples },
    { title: 'the links of a response lead to a success', run: testLinks },
  ]
  // What they leave is found by the requests of others.
  const isNeeded = ({ create, path }: Resource) =>
    chosen.includes(create) || chosen.some((operation) => operation.path.startsWith(path))
  const resources = resourcesOf(tools.contract).filter(isNeeded)
  const groups = [...new Set([...resources.map(({ create }) => create), ...chosen])].map((operation): TestGroup => {
    const own = resources.filter(({ create }) => create === operation)
    const others = () => (chosen.includes(operation) ? testsOfOperation(operation, tools) : [])
    return { operation, tests: () => [...stateTests(own, tools), ...others()] }
  })
  return tools.needs === undefined ? groups : [{ operation: undefined, tests: () => ofExamples }, ...groups]
}

function testsOfOperation(operation: ContractOperation, tools: Tools): Test[] {
  const { contract, isStrict, schemes, bodyLimit } = tools
  const usable = schemesFor(operation, schemes)
  if (usable === undefined) {
    const missing = operation.security.flatMap(Object.keys).filter((name) => !schemes.includes(name))
    return [leftOut('is tried', `it needs ${missing.join(' or ')} (--auth ${missing[0] ?? ''}=…)`)]
  }
  const malformed = malformedRequestsOf(operation, contract, { scheme: usable[0], bodyLimit, isStrict })
  const ofHead: Test = {
    title: 'answers HEAD as it does GET, without the content',
    run: (all) => testHead(operation, all),
  }
  const ofStages: Test = {
    title: 'reports the fault of the earliest stage',
    run: (all) => testStages(operation, malformed, all),
  }
  return [
    { title: 'takes what the contract allows', run: (all) => testAllowed(operation, all) },
    ...(isStrict && operation.method === 'get' ? [ofHead] : []),
    ...requestBreaksOf(operation, contract, isStrict).map((each): Test => {
      const title = `refuses ${each.place} that breaks: ${each.rule}`
      return { title, run: (all) => testBreak(operation, each, all) }
    }),
    ...malformed.map((each): Test => {
      return { title: `refuses ${each.title}`, run: (all) => testMalformed(operation, each, all) }
    }),
    ...(isStrict ? [ofStages] : []),
  ]
}

function leftOut(title: string, reason: string): Test {
  return { title, run: () => Promise.reject(new Undrawable(reason)) }
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

async function testAllowed(
  operation: ContractOperation,
  { contract, newCaller, check, items }: CaseTools,
): Promise<void> {
  const drawn = fc.tuple(requestsOf(operation, contract), fc.boolean()).map(([request, isNobodys]) => {
    return isNobodys && !wantsCredentials(operation) ? { ...request, isAnonymous: true } : request
  })
  const send = await newCaller()
  await check(directed(operation, drawn, items), 100, async (direct) => {
    await send(direct(), { isAllowed: true })
  })
}

async function testHead(operation: ContractOperation, { contract, newCaller, check }: CaseTools): Promise<void> {
  const send = await newCaller()
  await check(requestsOf(operation, contract), 20, async (request) => {
    const [get, head] = [await send(request), await send({ ...request, method: 'HEAD' })]
    // Two requests have two times and two names.
    const comparable = ({ headers, status }: ReceivedResponse) => ({ ...headers, status, date: '', 'x-request-id': '' })
    assert.deepEqual(comparable(head), comparable(get))
  })
}

async function testBreak(
  operation: ContractOperation,
  { place, draw }: RequestBreak,
  { newCaller, check, assertUnchanged, items }: CaseTools,
): Promise<void> {
  const send = await newCaller()
  // What breaks the path would be lost.
  const drawn = place.startsWith('path') ? draw().map((request) => () => request) : directed(operation, draw(), items)
  await check(drawn, 30, async (direct) => {
    await send(direct(), { isAllowed: false, stage: 'contract', failure: 'invalid_request', place })
  })
  await assertUnchanged(send)
}

async function testMalformed(
  operation: ContractOperation,
  { changes, stage, failure }: MalformedRequest,
  { contract, newCaller, check, assertUnchanged }: CaseTools,
): Promise<void> {
  const send = await newCaller()
  const changed = fc
    .tuple(requestsOf(operation, contract, jsonType(operation)), fc.constantFrom(...changes))
    .map(([request, change]) => change(request))
  await check(changed, 2 * changes.length, async (request) => {
    await send(request, { isAllowed: false, stage, failure, place: '' })
  })
  await assertUnchanged(send)
}

async function testStages(
  operation: ContractOperation,
  malformed: readonly MalformedRequest[],
  { contract, newCaller, check, assertUnchanged }: CaseTools,
): Promise<void> {
  const all = malformed.flatMap(({ changes, ...fault }) => changes.map((change) => ({ ...fault, change })))
  const stages = [...Map.groupBy(all, ({ stage }) => stage).values()].map((some) => fc.constantFrom(...some))
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
    await send(request, { isAllowed: false, stage, failure, place: '' })
  })
  await assertUnchanged(send)
}
