import type { ContractOperation } from 'fastify-contract/document'
import { Clock } from '../ground/clock.ts'
import type { Credentials } from '../ground/contract-request.ts'
import { type TestedContract, chosenOperation, routeOf } from '../ground/contract.ts'
import { LeftOut } from '../ground/left-out.ts'
import type { Coverage } from '../judge/coverage.ts'
import { connect } from '../send/send.ts'
import type { CaseGroup } from './case-runner.ts'
import { assertAccepted, assertReachable } from './reachable.ts'
import { type Result, isUntested, leftOut } from './result.ts'
import { type SuiteOptions, suiteWithin } from './suite.ts'
import type { Choice } from './skipped.ts'
import { takeTurns } from './turns.ts'

/** What is tested, and how far. */
export interface TestOptions extends SuiteOptions, Choice {
  auth?: Credentials
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
      await assertAccepted(contract, untilEnd, options)
      // The chosen operations find nothing that nobody has created.
      const needed = groups.filter((each) => !isChosen(each)).flatMap(({ cases }) => cases())
      for (const { run } of needed) await run((milliseconds * shareOfNeeds) / needed.length)
      for await (const result of takeTurns(groups.filter(isChosen), clock, () => assertReachable(exchange))) {
        const isSkipped = result.verdict === 'left out' && result.because === 'skipped'
        const isRefused = result.verdict === 'left out' && result.because === 'no success'
        if (result.verdict === 'fault' || (isUntested(result) && !isRefused) || isSkipped)
          reported.add(result.operation)
        yield result
      }
      yield* chosen
        .filter(({ id }) => !reported.has(id))
        .flatMap((each) => withoutSuccess(each, suite.coverage, givenNames) ?? [])
      for (const title of suite.skippedParts) yield { title, notes: [], ...leftOut(new LeftOut('nothing to send', '')) }
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
  return { ...named, notes: [], ...leftOut(new LeftOut('value', reason)) }
}
