import type { ContractOperation } from 'fastify-contract/document'
import { testsOf } from './cases.ts'
import type { Check, Send, Tools } from '../state/test-case.ts'
import type { SentRequest, TestedContract } from '../ground/contract.ts'
import type { Coverage } from '../judge/coverage.ts'
import { type Additions, givenValues, onWire, schemesOf } from '../write/credentials.ts'
import type { Credentials } from '../ground/contract-request.ts'
import { HandlerErrors } from '../send/handler-errors.ts'
import { KnownItems } from '../state/known-items.ts'
import { type Case, type CaseGroup, CaseRunner } from './case-runner.ts'
import { type Expectations, Observer } from './observer.ts'
import type { Result } from './result.ts'
import { type Choice, avoiding, skippedOperations } from './skipped.ts'
import { Trail } from './trail.ts'
import type { ReceivedResponse, Exchange } from '../ground/exchange.ts'
import { type Server, connect } from '../send/send.ts'
import { Clock } from '../ground/clock.ts'

/** What is tested, and how far. */
export interface SuiteOptions extends Additions, Server, Expectations, Omit<Choice, 'only'> {
  /** The credentials of a caller by the names of their schemes; a function gives those of a new caller without data. */
  auth?: Readonly<Record<string, string | (() => Promise<string>)>> | undefined
  /** Those of another caller, to whom nothing is shown of what the first creates. */
  otherAuth?: Credentials | undefined
  /** The length, in bytes, beyond which the server refuses a body. */
  bodyLimit?: number
  /**
   * Requests that make what the examples of an operation need and no other example makes, by its id. With them, each
   * example of a request must be answered with the example of the same name.
   */
  needs?: Tools['needs']
  /** Checks that the refused requests of a caller have changed nothing. */
  assertUnchanged?: (send: Send) => Promise<void>
  /** What every property starts from; another one for each suite by default. */
  seed?: number | undefined
  /** How many times as many runs each property gets as by default. */
  scale?: number
  /** The one case of a property that is repeated, as a result names it. */
  path?: string | undefined
}

/** A suite, with what own tests need: they send, draw and count as its cases do. */
export interface ContractSuite {
  seed: number
  /** How long one case may take, in milliseconds. */
  timeout: number
  coverage: Coverage
  /** What requests leave out, and why. It grows while they are made. */
  skippedParts: ReadonlySet<string>
  /** How many requests have been sent. */
  requests: () => number
  /** All cases. */
  cases: () => Case[]
  /** @param chosen the operations to test; those that create what they need come first */
  groups: (chosen: readonly ContractOperation[]) => CaseGroup[]
  /** Gives what came of a test of one's own. */
  resultOf: (title: string, test: () => Promise<void>) => Promise<Result>
  check: Check
  /** Makes a sender for a caller; its requests go to the server of the suite unless `exchange` sends them elsewhere. */
  senderFor: (credentials: Credentials, exchange?: Exchange) => Send
  /** Counts and checks a response. @throws Error when it breaks the contract, Unjudged where two validators differ */
  observe: (sent: SentRequest, received: ReceivedResponse) => Promise<ReceivedResponse>
  /** Closes the connections to the server. */
  close: () => Promise<void>
}

/**
 * Prepares the cases of a contract. Nothing is sent before one is run.
 *
 * @throws Unjudged without a server, or without an operation to skip
 */
export function createContractSuite(given: TestedContract, options: SuiteOptions): ContractSuite {
  return suiteWithin(new Clock(Infinity, options.scale), given, options)
}

/** As `createContractSuite`, within the time of a run. */
export function suiteWithin(clock: Clock, given: TestedContract, options: SuiteOptions & Choice): ContractSuite {
  const { auth = {}, otherAuth, isStrict = false, bodyLimit, needs, path } = options
  const { seed = Math.floor(Math.random() * 2 ** 31), scale = 1, assertUnchanged = () => Promise.resolve() } = options
  const contract = { ...given, skippedParts: new Set<string>(), time: clock, given: givenValues(options) }
  const items = new KnownItems(contract)
  const trail = new Trail()
  const observer = new Observer(contract, options, items, trail)
  const connections = connect(contract, options, clock)
  const errors = new HandlerErrors()
  const skipped = skippedOperations(contract, options)
  const toServer = avoiding(contract, skipped, trail.through(errors.through(connections.exchange)))
  const senderFor: ContractSuite['senderFor'] =
    (credentials, exchange = toServer) =>
    async (sent, expected) => {
      clock.assertLeft()
      const received = await exchange(onWire(contract, sent, credentials, options))
      items.record(sent, received)
      return observer.observe(sent, received, expected)
    }
  const runner = new CaseRunner({ clock, trail, items, isStrict, seed, scale, path })
  const tools: Tools = {
    contract,
    isStrict,
    schemes: schemesOf(contract, auth, options),
    skipped,
    bodyLimit,
    needs,
    items,
    assertUnchanged,
    newCaller: async () => senderFor(await credentialsFrom(auth)),
    stranger: otherAuth && senderFor(otherAuth),
    aside: trail.aside,
    note: trail.note,
    check: runner.check,
  }
  const groups: ContractSuite['groups'] = (chosen) => testsOf(tools, chosen).map((group) => runner.groupOf(group))
  return {
    seed,
    timeout: clock.caseTime,
    coverage: observer.coverage,
    skippedParts: contract.skippedParts,
    requests: () => trail.count,
    cases: () => groups(contract.operations).flatMap(({ cases }) => cases()),
    groups,
    resultOf: (title, run) => runner.resultOf({ title }, run),
    check: runner.check,
    senderFor,
    observe: (sent, received) => observer.observe(sent, received),
    close: () => {
      errors.close()
      return connections.close()
    },
  }
}

/** Gives the credentials of a caller; those of a function are new ones. */
async function credentialsFrom(auth: NonNullable<SuiteOptions['auth']>): Promise<Credentials> {
  const credentials = Object.entries(auth).map(async ([name, given]): Promise<[string, string]> => {
    return [name, typeof given === 'string' ? given : await given()]
  })
  return Object.fromEntries(await Promise.all(credentials))
}
