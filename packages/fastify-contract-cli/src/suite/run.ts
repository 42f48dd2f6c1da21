import type { ContractOperation } from 'fastify-contract/document'
import { type TestedContract, routeOf } from './contract.ts'
import type { Coverage } from './coverage.ts'
import { type Credentials, onWire, schemesFor, wantsCredentials } from './credentials.ts'
import { Unjudged } from './fault.ts'
import { messageOf } from './property.ts'
import { validRequest } from './requests.ts'
import { type Exchange, connect } from './send.ts'
import { type CaseGroup, type Result, type SuiteOptions, createContractSuite } from './suite.ts'
import { Undrawable, attempt } from './undrawable.ts'

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
  /** How many operations are tested. */
  operations: number
  /** How many requests have been sent. */
  requests: () => number
}

/** Tests a server, case by case. What requests leave out comes last. @throws Unjudged without such an operation or server */
export function test(contract: TestedContract, options: TestOptions): TestRun {
  const { only, seconds = 60 } = options
  const deadline = performance.now() + seconds * 1000
  const { exchange, close } = connect(contract, options, Math.max(0.5, Math.min(10, seconds / 12)) * 1000)
  const suite = createContractSuite(contract, { ...options, exchange: until(deadline, exchange) })
  const chosen = contract.operations.filter((operation) => [undefined, operation.id, routeOf(operation)].includes(only))
  if (chosen.length === 0) throw new Unjudged(`the contract has no operation ${String(only)}`)
  const ids = new Set(chosen.map(({ id }) => id))
  const isChosen = ({ operation }: CaseGroup) => operation === undefined || ids.has(operation)
  const groups = suite.groups(chosen)

  async function* results(): AsyncGenerator<Result, void, undefined> {
    try {
      await assertReachable(exchange)
      for (const name of Object.keys(options.auth ?? {})) await assertAccepted(name, contract, { ...options, exchange })
      // The chosen operations find nothing that nobody has created.
      for (const group of groups.filter((each) => !isChosen(each))) {
        for (const { run } of group.cases()) await run(seconds * 100)
      }
      yield* runGroups(groups.filter(isChosen), deadline, () => assertReachable(exchange))
      for (const line of suite.leftOut) yield { title: line, notes: [], verdict: 'left out', reason: '' }
    } finally {
      await close()
    }
  }
  return {
    seed: suite.seed,
    coverage: suite.coverage,
    operations: chosen.length,
    requests: suite.requests,
    [Symbol.asyncIterator]: results,
  }
}

const timeIsUp = 'the time is up; give more with --seconds'

/** Gives up at the end of a run, when what is tried says nothing any more. */
function until(deadline: number, exchange: Exchange): Exchange {
  return async (request) => {
    const { promise, reject } = Promise.withResolvers<never>()
    const giveUp = () => {
      reject(new Undrawable(timeIsUp))
    }
    const timer = setTimeout(giveUp, Math.max(0, deadline - performance.now()))
    try {
      return await Promise.race([exchange(request), promise])
    } finally {
      clearTimeout(timer)
    }
  }
}

/** Runs cases within a time. Each operation gets its share of what is left, and each case its share of that. */
async function* runGroups(
  groups: readonly CaseGroup[],
  deadline: number,
  assertThere: () => Promise<void>,
): AsyncGenerator<Result, void, undefined> {
  let gone: string | undefined
  const reasonToStop = () => gone ?? (performance.now() >= deadline ? timeIsUp : undefined)
  for (const [index, { cases, ...named }] of groups.entries()) {
    const reason = reasonToStop()
    if (reason !== undefined) {
      yield { ...named, title: `${named.operation ?? 'the contract'} is tried`, notes: [], verdict: 'left out', reason }
      continue
    }
    const end = performance.now() + (deadline - performance.now()) / (groups.length - index)
    const own = cases()
    for (const [at, { run, ...each }] of own.entries()) {
      const stop = reasonToStop()
      const share = (Math.min(end, deadline) - performance.now()) / (own.length - at)
      const result: Result =
        stop === undefined ? await run(Math.max(1, share)) : { ...each, notes: [], verdict: 'left out', reason: stop }
      yield result
      if (result.verdict !== 'fault' || result.kind !== 'no response') continue
      try {
        await assertThere()
      } catch {
        gone = 'the server does not respond any more'
      }
    }
  }
}

/** @throws Unjudged */
async function assertReachable(exchange: Exchange): Promise<void> {
  try {
    await exchange({ method: 'GET', url: '/', headers: {} })
  } catch (error) {
    throw new Unjudged(`the server cannot be reached: ${messageOf(error)}`, { cause: error })
  }
}

/** @throws Unjudged if no operation takes the credentials of a scheme */
async function assertAccepted(
  name: string,
  contract: TestedContract,
  { auth = {}, exchange, ...additions }: TestOptions & { exchange: Exchange },
): Promise<void> {
  const takes = (operation: ContractOperation) =>
    wantsCredentials(operation) && schemesFor(operation, Object.keys(auth))?.includes(name) === true
  const tried = contract.operations
    .filter(takes)
    .toSorted((a, b) => Number(b.method === 'get') - Number(a.method === 'get'))
    .slice(0, 5)
  const statuses: number[] = []
  for (const operation of tried) {
    const request = attempt('', {}, () => validRequest(operation, contract))
    if (request !== undefined) statuses.push((await exchange(onWire(contract, request, auth, additions))).status)
  }
  if (statuses.length > 0 && statuses.every((status) => status === 401)) {
    throw new Unjudged(`the server refuses the credentials of ${name} everywhere (401); check --auth ${name}=…`)
  }
}
