import fc from 'fast-check'
import type { ContractOperation } from 'fastify-contract/document'
import { type RequestBreak, requestBreaksOf } from '../break/broken-requests.ts'
import { alternativesOf, knownAlternatives } from '../write/credentials.ts'
import { testExamples, testLinks } from './example-cases.ts'
import { type Expectation, Fault } from '../ground/fault.ts'
import { type LeftOutCause, LeftOut } from '../ground/left-out.ts'
import { type Resource, resourcesOf } from '../ground/resources.ts'
import type { KnownItems } from '../state/known-items.ts'
import { type MalformedRequest, malformedRequestsOf } from '../break/malformed-requests.ts'
import { type RefusalName, type Stage, statusesOfRefusal } from '../ground/refusals.ts'
import { jsonType } from '../write/bodies.ts'
import { requestsOf, validRequest } from '../write/requests.ts'
import type { ContractRequest } from '../ground/contract-request.ts'
import { stateTests } from '../state/state-cases.ts'
import type { Test, Tools } from '../state/test-case.ts'
import { NoGenerator } from '../ground/no-generator.ts'

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
  const { contract, skipped, needs } = tools
  const exampleTests: Test[] = [
    {
      title: 'the examples of requests are answered with the examples of the same name',
      weight: 20,
      run: () => testExamples(tools),
    },
    { title: 'the links of a response lead to a success', weight: 20, run: () => testLinks(tools) },
  ]
  // What they leave is found by the requests of others.
  const isNeeded = ({ create, path }: Resource) =>
    chosen.includes(create) || chosen.some((operation) => operation.path.startsWith(path))
  const resources = resourcesOf(contract, skipped).filter(isNeeded)
  // The others find what only PUT makes, and what DELETE has not removed yet.
  const turnOf = ({ method, path }: ContractOperation) => {
    const makes = method === 'put' && resources.every((each) => each.path !== path)
    return makes ? -1 : Number(method === 'delete')
  }
  const inTurn = chosen.toSorted((a, b) => turnOf(a) - turnOf(b))
  const ordered = [...new Set([...resources.map(({ create }) => create), ...inTurn])]
  const groups = ordered.map((operation): TestGroup => {
    const own = resources.filter(({ create }) => create === operation)
    const others = () => (chosen.includes(operation) ? testsOfOperation(operation, tools) : [])
    return { operation, tests: () => [...stateTests(own, tools), ...others()] }
  })
  return needs === undefined ? groups : [{ operation: undefined, tests: () => exampleTests }, ...groups]
}

/** How often each property is tried; a malformed request for each of its ways. */
const runs = { allowed: 100, alternative: 5, head: 20, broken: 30, malformed: 2, stages: 80 }

function testsOfOperation(operation: ContractOperation, tools: Tools): Test[] {
  const { contract, isStrict, schemes, bodyLimit, skipped } = tools
  const whySkipped = skipped.get(operation)
  if (whySkipped !== undefined) return [skippedTest('skipped', whySkipped)]
  const alternatives = alternativesOf(operation)
  const isKnown = (name: string) => schemes.includes(name)
  if (!alternatives.some((names) => names.every(isKnown))) {
    const missing = [...new Set(alternatives.flat())].filter((name) => !isKnown(name))
    return [skippedTest('credentials', `it needs ${missing.join(' or ')} (--auth ${missing[0] ?? ''}=…)`)]
  }
  const malformed = malformedRequestsOf(operation, contract, { schemes, bodyLimit, isStrict })
  const headTest: Test = {
    title: 'answers HEAD as it does GET, without the content',
    weight: 2 * runs.head,
    run: () => testHead(operation, tools),
  }
  const hasHead = contract.operations.some(({ method, path }) => method === 'head' && path === operation.path)
  const stagesTest: Test = {
    title: 'reports the fault of the earliest stage',
    weight: runs.stages,
    run: () => testStages(operation, malformed, tools),
  }
  return [
    { title: 'accepts valid requests', weight: runs.allowed, run: () => testAllowed(operation, tools) },
    ...(alternatives.length > 1 ? alternatives : []).map((names): Test => {
      const title = `accepts ${credentialsOf(names)} alone`
      return { title, weight: runs.alternative, run: () => testAlternative(operation, names, tools) }
    }),
    ...(isStrict && operation.method === 'get' && !hasHead ? [headTest] : []),
    ...requestBreaksOf(operation, contract, isStrict).map((each): Test => {
      const { place, rule } = each
      const title = `refuses ${place} that breaks: ${rule}`
      return { title, weight: runs.broken, broken: { place, rule }, run: () => testBreak(operation, each, tools) }
    }),
    ...malformed.map((each): Test => {
      const weight = runs.malformed * each.changes.length
      return { title: `refuses ${each.title}`, weight, run: () => testMalformed(operation, each, tools) }
    }),
    ...(isStrict ? [stagesTest] : []),
  ]
}

function skippedTest(because: LeftOutCause, reason: string): Test {
  return { title: 'is tried', weight: 0, run: () => Promise.reject(new LeftOut(because, reason)) }
}

/** What the credentials of an alternative are called. */
function credentialsOf(names: readonly string[]): string {
  return names.length === 0 ? 'no credentials' : `the credentials of ${names.join(' and ')}`
}

/** Tests that an alternative is enough. */
async function testAlternative(operation: ContractOperation, names: readonly string[], tools: Tools): Promise<void> {
  const { contract, schemes, newCaller, check, items } = tools
  const unknown = names.filter((name) => !schemes.includes(name))
  if (unknown.length > 0) {
    const options = unknown.map((name) => `--auth ${name}=…`).join(' ')
    throw new LeftOut('nothing to send', `not tried with ${credentialsOf(names)} (${options})`)
  }
  const drawn = fc.constant({ ...validRequest(operation, contract), schemes: names })
  const send = await newCaller()
  const statuses = new Set<number>()
  await check(directed(operation, drawn, items), runs.alternative, async (direct) => {
    statuses.add((await send(direct(), { isAllowed: true })).status)
  })
  if ([...statuses].some((status) => status !== 401 && status !== 403)) return
  const remedy = names.length === 0 ? '' : '; check them'
  throw new LeftOut(
    'credentials',
    `every request with ${credentialsOf(names)} got ${[...statuses].join(' or ')}${remedy}`,
  )
}

/** Requests of which two in three go to something that exists, where one is known. */
function directed(
  operation: ContractOperation,
  requests: fc.Arbitrary<ContractRequest>,
  items: KnownItems,
): fc.Arbitrary<() => ContractRequest> {
  return fc.tuple(requests, fc.nat(99)).map(([request, choice]) => {
    const direct = () => (choice < 66 || items.isSpared(request) ? items.directed(operation, request, choice) : request)
    return Object.assign(direct, { [fc.toStringMethod]: () => fc.stringify(request) })
  })
}

async function testAllowed(operation: ContractOperation, tools: Tools): Promise<void> {
  const { contract, schemes, newCaller, check, items } = tools
  const known = knownAlternatives(operation, schemes)
  // Who has credentials sends some where none are needed, too.
  const callers = known.flat().length > 0 ? known : [undefined, ...known]
  const drawn = fc.tuple(requestsOf(operation, contract), fc.constantFrom(...callers)).map(([request, names]) => {
    return names === undefined ? request : { ...request, schemes: names }
  })
  const send = await newCaller()
  await check(directed(operation, drawn, items), runs.allowed, async (direct) => {
    await send(direct(), { isAllowed: true })
  })
}

/** Two requests have two times and two names, and no content has no coding (RFC 9110, section 9.3.2). */
const ownHeaders = ['date', 'x-request-id', 'transfer-encoding']

async function testHead(operation: ContractOperation, { contract, newCaller, check }: Tools): Promise<void> {
  const send = await newCaller()
  await check(requestsOf(operation, contract), runs.head, async (request) => {
    const [get, head] = [await send(request), await send({ ...request, method: 'HEAD' })]
    if (get.status !== head.status) {
      throw new Fault('broken response', `HEAD: received ${String(head.status)}, and ${String(get.status)} to GET`)
    }
    const names = Object.keys({ ...get.headers, ...head.headers }).filter((name) => !ownHeaders.includes(name))
    const problems = names.flatMap((name) => {
      const [one, other] = [head, get].map(({ headers }) => JSON.stringify(headers[name] ?? null))
      return one === other ? [] : [`the header ${name} is ${String(one)}, and ${String(other)} to GET`]
    })
    if (problems.length > 0) throw new Fault('broken response', `HEAD: ${problems.join('; ')}`)
  })
}

function refusalOf(operation: ContractOperation, stage: Stage, failure: RefusalName, place = ''): Expectation {
  return { isAllowed: false, stage, failure, statuses: statusesOfRefusal(operation, failure), place }
}

/** Tests that requests are refused and change nothing. */
async function testRefused<Drawn>(
  { newCaller, check, assertUnchanged }: Tools,
  drawn: fc.Arbitrary<Drawn>,
  times: number,
  refused: (drawn: Drawn) => [ContractRequest, Expectation],
): Promise<void> {
  const send = await newCaller()
  await check(drawn, times, async (each) => {
    await send(...refused(each))
  })
  await assertUnchanged(send)
}

async function testBreak(operation: ContractOperation, { place, draw }: RequestBreak, tools: Tools): Promise<void> {
  const refusal = refusalOf(operation, 'contract', 'invalid_request', place)
  try {
    // What breaks the path would be lost.
    const isLost = place.startsWith('path')
    const drawn = isLost ? draw().map((request) => () => request) : directed(operation, draw(), tools.items)
    await testRefused(tools, drawn, runs.broken, (direct) => [direct(), refusal])
  } catch (error) {
    // Where no request at all is known, the test of allowed requests says so.
    throw error instanceof NoGenerator ? new LeftOut('nothing to send', error.message) : error
  }
}

async function testMalformed(
  operation: ContractOperation,
  { changes, stage, failure }: MalformedRequest,
  tools: Tools,
): Promise<void> {
  const { contract, items } = tools
  // A server may refuse odd values, or what is not there, before it reads credentials.
  const base =
    stage === 'credentials'
      ? fc.constant(validRequest(operation, contract))
      : requestsOf(operation, contract, jsonType(operation))
  const drawn = fc.tuple(directed(operation, base, items), fc.constantFrom(...changes))
  const refusal = refusalOf(operation, stage, failure)
  await testRefused(tools, drawn, runs.malformed * changes.length, ([direct, change]) => [change(direct()), refusal])
}

async function testStages(
  operation: ContractOperation,
  malformed: readonly MalformedRequest[],
  tools: Tools,
): Promise<void> {
  const all = malformed.flatMap(({ changes, ...fault }) => changes.map((change) => ({ ...fault, change })))
  const stages = [...Map.groupBy(all, ({ stage }) => stage).values()].map((some) => fc.constantFrom(...some))
  const spoiled = fc
    .subarray(stages, { minLength: 2 })
    .chain((several) => fc.tuple(requestsOf(operation, tools.contract, jsonType(operation)), ...several))
    .map(([request, ...several]) => ({
      // Two were chosen at least.
      earliest: several[0]!,
      request: several.reduceRight((sent, { change }) => change(sent), request),
    }))
  await testRefused(tools, spoiled, runs.stages, ({ request, earliest: { stage, failure } }) => {
    return [request, refusalOf(operation, stage, failure)]
  })
}
