import type { ContractOperation } from 'fastify-contract/document'
import { type TestedContract, chosenOperation, routeOf } from '../ground/contract.ts'
import type { Coverage } from '../judge/coverage.ts'
import { givenValues, onWire, schemesFor, wantsCredentials } from '../write/credentials.ts'
import type { Credentials } from '../ground/contract-request.ts'
import { Fault, Unjudged } from '../ground/fault.ts'
import { type LeftOutCause, LeftOut } from '../ground/left-out.ts'
import { messageOf } from './property.ts'
import type { ReceivedResponse, Exchange } from '../ground/exchange.ts'
import { validRequest } from '../write/requests.ts'
import { connect } from '../send/send.ts'
import { type Case, type CaseGroup, type Result, type SuiteOptions, suiteWithin } from './suite.ts'
import { Clock, timeIsUp } from '../ground/clock.ts'
import { attempt } from '../ground/no-generator.ts'

/** What is tested, and how far. */
export interface TestOptions extends SuiteOptions {
  auth?: Credentials
  /** The id, or the method and path, of the only operation to test. */
  only?: string | undefined
  /** The time for everything, 60 by default. Slow servers get fewer requests. */
  seconds?: number
}

/** The results of a run, as they come. Iterating throws Unjudged where the server cannot be judged. */
export interface TestRun extends AsyncIterable<Result> {
  seed: number
  coverage: Coverage
  /** The operations to test. */
  operations: readonly ContractOperation[]
  /** How many requests have been sent. */
  requests: () => number
}

/** A part of the time for what is not tested, but creates what the tests need. */
const shareOfNeeds = 0.2

/** Tests a server, case by case. What requests leave out comes last. @throws Unjudged without such an operation or server */
export function test(contract: TestedContract, options: TestOptions): TestRun {
  const { only, seconds = 60 } = options
  const milliseconds = seconds * 1000
  const clock = new Clock(milliseconds, options.scale)
  const { exchange, close } = connect(contract, options, clock)
  const untilEnd = clock.until(exchange)
  const suite = suiteWithin(clock, contract, { ...options, exchange: untilEnd })
  const chosen = only === undefined ? contract.operations : [chosenOperation(contract, only)]
  const ids = new Set(chosen.map(({ id }) => id))
  const isChosen = ({ operation }: CaseGroup) => operation === undefined || ids.has(operation)
  const groups = suite.groups(chosen)

  async function* results(): AsyncGenerator<Result, void, undefined> {
    const reported = new Set<string | undefined>()
    const givenNames = (options.pathValues ?? []).map(([name]) => name)
    try {
      await assertReachable(untilEnd)
      for (const name of Object.keys(options.auth ?? {}))
        await assertAccepted(name, contract, { ...options, exchange: untilEnd })
      // The chosen operations find nothing that nobody has created.
      const needed = groups.filter((each) => !isChosen(each)).flatMap(({ cases }) => cases())
      for (const { run } of needed) await run((milliseconds * shareOfNeeds) / needed.length)
      for await (const result of runGroups(groups.filter(isChosen), clock, () => assertReachable(exchange))) {
        if (result.verdict === 'fault' || isUntested(result) || isSkipped(result)) reported.add(result.operation)
        yield result
      }
      yield* chosen
        .filter(({ id }) => !reported.has(id))
        .flatMap((each) => withoutSuccess(each, suite.coverage, givenNames) ?? [])
      for (const title of suite.skippedParts) yield leftOut({ title }, new LeftOut('nothing to send', ''))
    } finally {
      await suite.close()
      await close()
    }
  }
  return {
    seed: suite.seed,
    coverage: suite.coverage,
    operations: chosen,
    requests: suite.requests,
    [Symbol.asyncIterator]: results,
  }
}

type Named = Pick<Result, 'operation' | 'route' | 'title'>

function leftOut(named: Named, { because, message }: LeftOut): Result {
  return { ...named, notes: [], verdict: 'left out', because, reason: message }
}

/** Whether a result says that something was not tested that should have been. */
export function isUntested(result: Result): boolean {
  const harmless: LeftOutCause[] = ['skipped', 'not implemented', 'nothing to send']
  return result.verdict === 'left out' && !harmless.includes(result.because)
}

function isSkipped(result: Result): boolean {
  return result.verdict === 'left out' && result.because === 'skipped'
}

/** What no request reaches is not tested, whatever its refusals are. */
function withoutSuccess(
  operation: ContractOperation,
  coverage: Coverage,
  givenNames: readonly string[],
): Result | undefined {
  const { id, parameters, object } = operation
  const seen = coverage.statusesOf(id)
  if ([...seen.keys()].some((status) => status < 400 || status === 501)) return undefined
  const received = [...seen].map(([status, count]) => `${String(status)} (${String(count)})`).join(', ')
  const unknown = parameters.filter(({ name, in: place }) => place === 'path' && !givenNames.includes(name))
  const names = unknown.map(({ name }) => `--path ${name}=…`).join(' ')
  const isMissing = seen.has(404) || seen.has(410)
  const remedies = [
    ...(isMissing && names !== '' ? [`give values that exist (${names})`] : []),
    ...(!isMissing && object.requestBody !== undefined ? ['give its body an example that succeeds'] : []),
    '--skip it',
  ]
  const reason = `no request succeeds: received ${received === '' ? 'nothing' : received}; ${remedies.join(', or ')}`
  const named = { operation: id, route: routeOf(operation), title: `${id} succeeds` }
  return leftOut(named, new LeftOut('value', reason))
}

/** A group, and what has come of it so far. */
interface Turns {
  group: CaseGroup
  /** The cases that have not been run; undefined before they are listed. */
  left: Case[] | undefined
  results: Result[]
}

/**
 * Runs cases within a time. Groups take turns, each of which has its share of what is left: slow cases do not take the
 * time of other operations. The results of a group come together.
 */
async function* runGroups(
  groups: readonly CaseGroup[],
  clock: Clock,
  assertThere: () => Promise<void>,
): AsyncGenerator<Result, void, undefined> {
  let gone: LeftOut | undefined
  const whyToStop = () => gone ?? (clock.isOver ? timeIsUp() : undefined)

  /** Runs cases until the end of the turn, one at least. Each has its share of it. */
  async function takeTurn(turns: Turns): Promise<void> {
    const left = (turns.left ??= turns.group.cases())
    let weightLeft = left.reduce((sum, { weight }) => sum + weight, 0)
    do {
      const next = left.shift()
      if (next === undefined) return
      const { run, weight, ...named } = next
      const stop = whyToStop()
      if (stop !== undefined) {
        turns.results.push(leftOut(named, stop))
        continue
      }
      const rest = clock.leftOfTurn
      const result = await run(Math.max(1, (rest * weight) / Math.max(1, weightLeft)), Math.max(1, rest / 2))
      weightLeft -= weight
      turns.results.push(result)
      if (!isWithoutResponse(result)) continue
      try {
        await assertThere()
      } catch {
        gone = new LeftOut('no response', 'the server does not respond any more')
      }
    } while (clock.leftOfTurn > 0 || whyToStop() !== undefined)
  }

  let waiting = groups.map((group): Turns => ({ group, left: undefined, results: [] }))
  while (waiting.length > 0) {
    const unfinished: Turns[] = []
    for (const [index, turns] of waiting.entries()) {
      const { cases: _list, ...named } = turns.group
      const stop = whyToStop()
      if (stop !== undefined && turns.left === undefined) {
        const title = `${named.operation ?? 'the contract'} is tried`
        yield leftOut({ ...named, title }, stop)
        continue
      }
      clock.startTurn(waiting.length - index + unfinished.length)
      await takeTurn(turns)
      if (turns.left?.length === 0) yield* turns.results
      else unfinished.push(turns)
    }
    waiting = unfinished
  }
}

function isWithoutResponse(result: Result): boolean {
  if (result.verdict === 'fault') return result.kind === 'no response'
  return result.verdict === 'left out' && result.because === 'no response'
}

/** A wrong response is one too. @throws Unjudged */
async function assertReachable(exchange: Exchange): Promise<void> {
  try {
    await exchange({ method: 'GET', url: '/', headers: {} })
  } catch (error) {
    if (error instanceof Fault && error.kind !== 'no response') return
    if (!(error instanceof Fault || error instanceof LeftOut)) throw error
    throw new Unjudged(`the server cannot be reached: ${messageOf(error)}`, { cause: error })
  }
}

/** The status of a response; undefined for a wrong one, which the cases report. */
async function statusOf(response: Promise<ReceivedResponse>): Promise<number | undefined> {
  try {
    return (await response).status
  } catch (error) {
    if (error instanceof Fault || error instanceof LeftOut) return undefined
    throw error
  }
}

/** @throws Unjudged if no operation takes the credentials of a scheme */
async function assertAccepted(
  name: string,
  contract: TestedContract,
  { auth = {}, skip = [], exchange, ...additions }: TestOptions & { exchange: Exchange },
): Promise<void> {
  const left = new Set(skip.map((each) => chosenOperation(contract, each)))
  const takes = (operation: ContractOperation) =>
    !left.has(operation) &&
    wantsCredentials(operation) &&
    schemesFor(operation, Object.keys(auth))?.includes(name) === true
  const tried = contract.operations
    .filter(takes)
    .toSorted((a, b) => Number(b.method === 'get') - Number(a.method === 'get'))
    .slice(0, 5)
  let isRefused = false
  for (const operation of tried) {
    const request = attempt('', {}, () => validRequest(operation, { ...contract, given: givenValues(additions) }))
    if (request === undefined) continue
    if ((await statusOf(exchange(onWire(contract, request, auth, additions)))) !== 401) return
    isRefused = true
  }
  if (isRefused) {
    throw new Unjudged(`every request with the credentials of ${name} got 401; check --auth ${name}=…`)
  }
}
