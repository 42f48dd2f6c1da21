import fc from 'fast-check'
import type { ContractOperation } from 'fastify-contract/document'
import { type BrokenRequest, type RequestBreak, requestBreaksOf } from '../break/broken-requests.ts'
import { alternativesOf, knownAlternatives } from '../write/credentials.ts'
import { testExamples, testLinks } from './example-cases.ts'
import { type Expectation, Fault, Unjudged } from '../ground/fault.ts'
import { type LeftOutCause, LeftOut } from '../ground/left-out.ts'
import { type GrowingResource, resourcesOf } from '../ground/resources.ts'
import type { KnownItems } from '../state/known-items.ts'
import { type MalformedRequest, malformedRequestsOf } from '../break/malformed-requests.ts'
import { type RefusalName, type Stage, statusesOfRefusal } from '../ground/refusals.ts'
import { type BodyLimit, bodyLimitsOf } from '../write/body-limits.ts'
import { contentTypeOf, jsonType } from '../write/bodies.ts'
import { likelyParts, madeRequests, requestsOf, validRequest, variedParts } from '../write/requests.ts'
import type { ContractRequest } from '../ground/contract-request.ts'
import { stateTests } from '../state/state-cases.ts'
import type { Send, Test, Tools } from '../state/test-case.ts'
import { NoGenerator, UnknownPart } from '../ground/no-generator.ts'
import { allowed } from '../state/item.ts'
import { causeOfError, faultOf, hasCause } from './report-key.ts'
import { titleOfValid } from './result.ts'
import { ValidRequests } from './valid-requests.ts'

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
  const isNeeded = ({ create, path }: GrowingResource) =>
    chosen.includes(create) || chosen.some((operation) => operation.path.startsWith(path))
  const resources = resourcesOf(contract, skipped).filter(isNeeded)
  // The others find what only PUT makes, and what DELETE has not removed yet.
  const turnOf = ({ method, path }: ContractOperation) => {
    const makes = method === 'put' && resources.every((each) => each.path !== path)
    return makes ? -1 : Number(method === 'delete')
  }
  const inTurn = chosen.toSorted((a, b) => turnOf(a) - turnOf(b))
  const ordered = [...new Set([...resources.map(({ create }) => create), ...inTurn])]
  const valid = new ValidRequests()
  const groups = ordered.map((operation): TestGroup => {
    const own = resources.filter(({ create }) => create === operation)
    const others = () => (chosen.includes(operation) ? testsOfOperation(operation, { ...tools, valid }) : [])
    return { operation, tests: () => [...stateTests(own, tools), ...others()] }
  })
  return needs === undefined ? groups : [{ operation: undefined, tests: () => exampleTests }, ...groups]
}

/** How often each property is tried; a malformed request for each of its ways. */
const runs = { allowed: 100, alternative: 5, head: 20, broken: 30, malformed: 2, stages: 80 }

/** What the tests of one operation work with. */
interface OperationTools extends Tools {
  valid: ValidRequests
}

function testsOfOperation(operation: ContractOperation, tools: OperationTools): Test[] {
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
  const testOf = (each: MalformedRequest): Test => {
    const weight = runs.malformed * each.changes.length
    return { title: `refuses ${each.title}`, weight, run: () => testMalformed(operation, each, tools) }
  }
  // Once everything is deleted, or created, nothing is refused for its credentials.
  const isFirst = ({ stage }: MalformedRequest) =>
    ['delete', 'post'].includes(operation.method) && stage === 'credentials'
  return [
    ...malformed.filter(isFirst).map(testOf),
    { title: titleOfValid, weight: runs.allowed, run: () => testAllowed(operation, tools) },
    ...bodyLimitsOf(operation, contract)
      .filter(({ limit }) => limit > 0)
      .map((each): Test => {
        const title = `accepts a body of ${each.type} of maxLength`
        return { title, weight: 1, run: () => testLongest(operation, each, tools) }
      }),
    ...(alternatives.length > 1 ? alternatives : []).map((names): Test => {
      const title = `accepts ${credentialsOf(names)}`
      return { title, weight: runs.alternative, run: () => testAlternative(operation, names, tools) }
    }),
    ...(isStrict && operation.method === 'get' && !hasHead ? [headTest] : []),
    ...requestBreaksOf(operation, contract, isStrict).map((each): Test => {
      const { place, rule } = each
      const title = `refuses ${place} that breaks: ${rule}`
      return { title, weight: runs.broken, broken: { place, rule }, run: () => testBreak(operation, each, tools) }
    }),
    ...malformed.filter((each) => !isFirst(each)).map(testOf),
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
  const request = { ...validRequest(operation, contract), schemes: names }
  const send = await newCaller()
  const statuses = new Set<number>()
  await check(directing(operation, items), runs.alternative, async (direct) => {
    statuses.add((await send(direct(request), allowed)).status)
  })
  if ([...statuses].some((status) => status !== 401 && status !== 403)) return
  const remedy = names.length === 0 ? '' : '; check them'
  throw new LeftOut(
    'credentials',
    `every request with ${credentialsOf(names)} got ${[...statuses].join(' or ')}${remedy}`,
  )
}

/** Sends a request to something that exists, in so many of a hundred cases and where one is known. */
type Direct = (request: ContractRequest) => ContractRequest

function directing(operation: ContractOperation, items: KnownItems, percent = 66): fc.Arbitrary<Direct> {
  return fc.nat(99).map((choice) => {
    const direct: Direct = (request) =>
      choice < percent || items.isSpared(request) ? items.directed(operation, request, choice) : request
    return Object.assign(direct, { [fc.toStringMethod]: () => `item ${String(choice)}` })
  })
}

async function testAllowed(operation: ContractOperation, tools: OperationTools): Promise<void> {
  const { contract, schemes, newCaller, check, items, valid } = tools
  const known = knownAlternatives(operation, schemes)
  // Who has credentials sends some where none are needed, too.
  const callers = known.flat().length > 0 ? known : [undefined, ...known]
  const requests = madeRequests(operation, contract, variedParts(operation, contract))
  const send = await newCaller()
  const drawn = fc.tuple(requests, fc.constantFrom(...callers), directing(operation, items))
  await check(drawn, runs.allowed, async ([{ parts, request: made }, names, direct]) => {
    const request = { ...direct(made), ...(names === undefined ? {} : { schemes: names }) }
    try {
      await send(request, allowed)
    } finally {
      const status = items.statusOf(request)
      if (status !== undefined) valid.record(operation, { parts, request }, status)
    }
  })
}

/** Tests that a body may be as long as its limit. */
async function testLongest(
  operation: ContractOperation,
  { type, limit }: BodyLimit,
  tools: OperationTools,
): Promise<void> {
  const send = await tools.newCaller()
  const body = Buffer.alloc(limit, ' ')
  const drawn = fc.tuple(soundRequests(operation, tools), directing(operation, tools.items))
  await tools.check(drawn, 1, async ([request, direct]) => {
    const headers = { ...request.headers, 'content-type': contentTypeOf(type) }
    await send({ ...direct(request), headers, body }, allowed)
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

type Refusal = Extract<Expectation, { isAllowed: false }>

function refusalOf(operation: ContractOperation, stage: Stage, failure: RefusalName, place = ''): Refusal {
  return { isAllowed: false, stage, failure, statuses: statusesOfRefusal(operation, failure), place }
}

/** A broken request with what it should get, and the same one without the break. */
interface Refused extends BrokenRequest {
  refusal: Refusal
}

/**
 * Tests that requests are refused and change nothing.
 *
 * @param type the media type of their bodies; undefined for each
 * @returns the statuses of the refusals
 */
async function testRefused<Drawn>(
  operation: ContractOperation,
  type: string | undefined,
  { newCaller, check, assertUnchanged, items, valid, aside }: OperationTools,
  drawn: fc.Arbitrary<Drawn>,
  times: number,
  refused: (drawn: Drawn) => Refused,
): Promise<ReadonlySet<number>> {
  const send = await newCaller()
  const refusals = new Set<number>()
  await check(drawn, times, async (each) => {
    const { request, base, refusal } = refused(each)
    try {
      await send(request, refusal)
    } catch (error) {
      await aside(() => assertBlamed(error, base, send))
      throw error
    }
    const status = items.statusOf(request)
    // Whether its target exists does not depend on valid requests.
    const isRefused = (own: number) => refusal.stage === 'target' || valid.isOfBroken(operation, type, own)
    if (status !== undefined && isRefused(status)) refusals.add(status)
  })
  if (refusals.size === 0)
    throw new LeftOut('no success', 'valid requests get the same response, so that a refusal says nothing')
  await assertUnchanged(send)
  return refusals
}

/** @throws Fault of a valid request, if all that is wrong with it is wrong with its broken one */
async function assertBlamed(error: unknown, base: ContractRequest, send: Send): Promise<void> {
  if (error instanceof LeftOut || error instanceof Unjudged) return
  if (faultOf(error).kind === 'accepted what the contract refuses') return
  try {
    await send(base, allowed)
  } catch (own) {
    if (own instanceof LeftOut || own instanceof Unjudged) throw own
    const { kind, problem } = faultOf(own)
    if (hasCause(causeOfError(error), causeOfError(own)))
      throw new Fault(kind, problem, { isOfValid: true, cause: own })
  }
}

async function testBreak(
  operation: ContractOperation,
  { place, rule, type, draw }: RequestBreak,
  tools: OperationTools,
): Promise<void> {
  const refusal = refusalOf(operation, 'contract', 'invalid_request', place)
  // What breaks the path would be lost.
  const direction = place.startsWith('path')
    ? fc.constant<Direct>((request) => request)
    : directing(operation, tools.items)
  try {
    const drawn = fc.tuple(draw(tools.valid.acceptedOf(operation)), direction)
    await testRefused(operation, type, tools, drawn, runs.broken, ([{ request, base }, direct]) => {
      return { request: direct(request), base: direct(base), refusal }
    })
  } catch (error) {
    if (!(error instanceof NoGenerator)) throw error
    // Where no request at all is known, the test of allowed requests says so.
    const reason = error instanceof UnknownPart ? error.message : `cannot break ${rule} of ${place}: ${error.message}`
    throw new LeftOut('nothing to send', reason)
  }
}

/** What malformed requests are made of. */
function soundRequests(operation: ContractOperation, { contract, valid }: OperationTools) {
  const parts = likelyParts(operation, contract, valid.acceptedOf(operation), jsonType(operation))
  return madeRequests(operation, contract, parts).map(({ request }) => request)
}

async function testMalformed(
  operation: ContractOperation,
  { changes, stage, failure }: MalformedRequest,
  tools: OperationTools,
): Promise<void> {
  const { contract, items } = tools
  const isOfCredentials = stage === 'credentials'
  // A server may refuse odd values, or what is not there, before it reads credentials.
  const base = isOfCredentials ? fc.constant(validRequest(operation, contract)) : soundRequests(operation, tools)
  const direction = directing(operation, items, isOfCredentials ? 100 : undefined)
  const drawn = fc.tuple(base, direction, fc.constantFrom(...changes))
  const refusal = refusalOf(operation, stage, failure)
  const times = runs.malformed * changes.length
  const statuses = await testRefused(operation, jsonType(operation), tools, drawn, times, (each) => {
    const [request, direct, change] = each
    const base = direct(request)
    return { request: change(base), base, refusal }
  })
  if (!isOfCredentials) return
  if ([...statuses].every((status) => status === 404 || status === 410))
    throw new LeftOut('nothing to send', 'nothing is there that a request without the right credentials could reach')
  if (statuses.has(409))
    throw new LeftOut('nothing to send', 'what a request without the right credentials could create is there already')
}

async function testStages(
  operation: ContractOperation,
  malformed: readonly MalformedRequest[],
  tools: OperationTools,
): Promise<void> {
  const all = malformed.flatMap(({ changes, ...fault }) => changes.map((change) => ({ ...fault, change })))
  const stages = [...Map.groupBy(all, ({ stage }) => stage).values()].map((some) => fc.constantFrom(...some))
  const spoiled = fc
    .subarray(stages, { minLength: 2 })
    .chain((several) => fc.tuple(soundRequests(operation, tools), ...several))
  await testRefused(operation, jsonType(operation), tools, spoiled, runs.stages, ([base, ...several]) => {
    // Two were chosen at least.
    const { stage, failure } = several[0]!
    const request = several.reduceRight((sent, { change }) => change(sent), base)
    return { request, base, refusal: refusalOf(operation, stage, failure) }
  })
}
