import type { ContractOperation } from 'fastify-contract/document'
import { testsOf } from './cases.ts'
import type { CaseTools, Send, Test, Tools } from '../state/test-case.ts'
import {
  type SentRequest,
  type TestedContract,
  chosenOperation,
  responseTo,
  operationOf,
  routeOf,
} from '../ground/contract.ts'
import { Coverage } from '../judge/coverage.ts'
import { type Additions, givenValues, onWire } from '../write/credentials.ts'
import type { Credentials } from '../ground/contract-request.ts'
import { type Expectation, type FaultKind, Unjudged } from '../ground/fault.ts'
import { type Judge, judgeAny, judgeStrictly } from '../judge/judge.ts'
import { HandlerErrors } from '../send/handler-errors.ts'
import { type LeftOutCause, LeftOut } from '../ground/left-out.ts'
import { reportKey } from './report-key.ts'
import { KnownItems } from '../state/known-items.ts'
import {
  type PropertyOptions,
  type Counterexample,
  BrokenProperty,
  Trail,
  checkProperty,
  faultKindOf,
  messageOf,
} from './property.ts'
import { type ResponseRules, assertKeepsContract, shortened, valuesOfResponse } from '../judge/response-checks.ts'
import type { ReceivedResponse, Exchange, WireRequest } from '../ground/exchange.ts'
import { SecondReader } from '../judge/second-reader.ts'
import { type Server, connect } from '../send/send.ts'
import { Clock } from '../ground/clock.ts'

/** What is tested, and how far. */
export interface SuiteOptions extends Additions, Server {
  /** The credentials of a caller by the names of their schemes; a function gives those of a new caller without data. */
  auth?: Readonly<Record<string, string | (() => Promise<string>)>> | undefined
  /** Those of another caller, to whom nothing is shown of what the first creates. */
  otherAuth?: Credentials | undefined
  /**
   * Whether the server promises what fastify-contract does beyond OpenAPI: unknown and repeated parameters are refused,
   * the earliest stage reports its fault, HEAD is GET.
   */
  isStrict?: boolean
  /** The length, in bytes, beyond which the server refuses a body. */
  bodyLimit?: number
  rules?: ResponseRules
  judge?: Judge
  /**
   * Requests that make what the examples of an operation need and no other example makes, by its id. With them, each
   * example of a request must be answered with the example of the same name.
   */
  needs?: Tools['needs']
  /** Checks that the refused requests of a caller have changed nothing. */
  assertUnchanged?: (send: Send) => Promise<void>
  /** The ids, or the methods and paths, of operations to which nothing is sent. */
  skip?: readonly string[]
  /** What every property starts from; another one for each suite by default. */
  seed?: number | undefined
  /** How many times as many runs each property gets as by default. */
  scale?: number
  /** The one case of a property that is repeated, as a result names it. */
  path?: string | undefined
}

/** What came of a case. Notes are what is neither right nor a fault. */
export type Result = {
  /** The id of an operation, and its method and path; undefined for what concerns several. */
  operation?: string
  route?: string
  title: string
  notes: string[]
} & (
  | {
      verdict: 'ok'
      /** How many requests were sent: one at least. */
      requests: number
    }
  | {
      verdict: 'left out'
      because: LeftOutCause
      /** With the remedy, where there is one. */
      reason: string
    }
  | {
      /** Neither right nor wrong can be said. */
      verdict: 'not judged'
      reason: string
    }
  | BrokenResult
)

/** With the smallest case that shows the fault, and the requests of that case, the last of which shows it. */
interface BrokenResult {
  verdict: 'fault'
  kind: FaultKind
  problem: string
  requests: WireRequest[]
  counterexample?: Counterexample
}

/** A case, which is not tried before it is run. */
export interface Case extends Named {
  /** About how many requests it sends where there is time for all. */
  weight: number
  /**
   * @param limit the time in milliseconds after which what has been tried is enough
   * @param shrinkTime the time to make the first request small that shows a fault; `limit` by default
   */
  run: (limit?: number, shrinkTime?: number) => Promise<Result>
}

/** The cases of an operation, or of several. To list them takes time. */
export interface CaseGroup extends Omit<Named, 'title'> {
  cases: () => Case[]
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
  check: CaseTools['check']
  /** Makes a sender for a caller; its requests go to the server of the suite unless `exchange` sends them elsewhere. */
  senderFor: (credentials: Credentials, exchange?: Exchange) => Send
  /** Counts and checks a response. @throws Error when it breaks the contract, Unjudged where two validators differ */
  observe: (sent: SentRequest, received: ReceivedResponse) => Promise<ReceivedResponse>
  /** Closes the connections to the server. */
  close: () => Promise<void>
}

const limited = 'every request got 429; test a server without a limit of requests'

/** How many different notes are kept of one case. */
const maxNotes = 20

/** Prepares the cases of a contract. Nothing is sent before one is run. @throws Unjudged without a server, or without
 * an operation to skip */
export function createContractSuite(given: TestedContract, options: SuiteOptions): ContractSuite {
  return suiteWithin(new Clock(Infinity, options.scale), given, options)
}

/** As `createContractSuite`, within the time of a run. */
export function suiteWithin(clock: Clock, given: TestedContract, options: SuiteOptions): ContractSuite {
  const { auth = {}, otherAuth, isStrict = false, bodyLimit, rules = {}, needs, path, skip = [] } = options
  const { seed = Math.floor(Math.random() * 2 ** 31), scale = 1, judge = isStrict ? judgeStrictly : judgeAny } = options
  const { assertUnchanged = () => Promise.resolve() } = options
  const contract = { ...given, skippedParts: new Set<string>(), time: clock, given: givenValues(options) }
  const coverage = new Coverage(contract)
  const trail = new Trail()
  const items = new KnownItems(contract)
  const connections = connect(contract, options, clock)
  const errors = new HandlerErrors()
  const kept = trail.through(errors.through(connections.exchange))
  let notes = new Set<string>()
  const note = (text: string) => {
    if (notes.size < maxNotes) notes.add(text)
  }

  const secondReader = new SecondReader(contract.schemas)
  /** @throws Unjudged where two validators differ */
  const assertAgreed = async (sent: SentRequest, received: ReceivedResponse) => {
    for (const each of valuesOfResponse(contract, sent, received)) {
      const difference = await secondReader
        .difference(each, contract.problemsOf(each.value, each.schema, 'response'))
        .catch((error: unknown) => {
          note(`only one validator has read ${each.place}; the second fails: ${messageOf(error)}`)
        })
      if (difference !== undefined) throw new Unjudged(`${difference}; received ${shortened(received.text)}`)
    }
  }
  // A server that has had enough says nothing of a request.
  let answered = 0
  const observe = async (sent: SentRequest, received: ReceivedResponse, expected?: Expectation) => {
    coverage.record(sent, received)
    if (received.status !== 429) answered++
    if (received.status === 501 && responseTo(contract, sent, 501)?.[0] !== '501') {
      const operation = operationOf(contract, sent)
      throw new LeftOut('not implemented', operation === undefined ? `${sent.method} ${sent.url}` : routeOf(operation))
    }
    const isBroken = expected?.isAllowed === false
    // That a broken request is taken says more than what is wrong with the response to it.
    if (isBroken && received.status < 300) judge(received, expected)
    const isGone = (expected?.isAllowed === true && expected.isGone === true) || items.isGone(sent)
    const isOpen = !isStrict && (isBroken || isGone)
    await assertAgreed(sent, received)
    const kept = assertKeepsContract(contract, sent, received, rules, isOpen)
    const judged = expected === undefined ? undefined : judge(received, expected)
    for (const each of [kept ?? judged ?? []].flat()) note(each)
    return received
  }
  const senderFor: ContractSuite['senderFor'] =
    (credentials, exchange = kept) =>
    async (sent, expected) => {
      clock.assertLeft()
      const received = await exchange(onWire(contract, sent, credentials, options))
      items.record(sent, received)
      return observe(sent, received, expected)
    }
  const checkWith =
    (of: Pick<PropertyOptions, 'isWhole' | 'onFailure'>): CaseTools['check'] =>
    (arbitrary, runs, testOne) =>
      checkProperty(arbitrary, testOne, { seed, numRuns: Math.ceil(runs * scale), path, trail, clock, ...of })
  const tools: Tools = {
    contract,
    isStrict,
    schemes: Object.keys(auth),
    skipped: new Set(skip.map((name) => chosenOperation(contract, name))),
    bodyLimit,
    needs,
    items,
    assertUnchanged,
    newCaller: async () => senderFor(await credentialsFrom(auth)),
    stranger: otherAuth && senderFor(otherAuth),
  }
  const resultOf = async (named: Named, run: () => Promise<void>, ...times: CaseTimes): Promise<Result> => {
    trail.requests = []
    notes = new Set()
    clock.startCase(...times)
    answered = 0
    const outcome = await outcomeOf(async () => {
      await run()
      if (!isStrict && trail.requests.length > 0 && answered === 0) throw new LeftOut('value', limited)
    }, trail)
    clock.endCase()
    if (outcome.verdict === 'fault') items.spare(outcome.requests)
    return { ...named, notes: [...notes], ...outcome }
  }

  const groups: ContractSuite['groups'] = (chosen) =>
    testsOf(tools, chosen).map(({ operation, tests }) => {
      const of = operation === undefined ? {} : { operation: operation.id, route: routeOf(operation) }
      const reported = new Set<string>()
      // One small request for each cause is enough, and gets more of the time.
      const checkFor = (title: string) => {
        const onFailure = (error: unknown) => {
          const key = reportKey({ title, kind: faultKindOf(error), problem: messageOf(error) })
          const isNew = !reported.has(key)
          if (isNew) clock.extendCase()
          reported.add(key)
          return isNew
        }
        return checkWith({ isWhole: false, onFailure })
      }
      const caseOf = ({ title, weight, run }: Test): Case => {
        const named = { ...of, title: operation === undefined ? title : `${operation.id} ${title}` }
        return {
          ...named,
          weight,
          run: (limit, shrinkTime = limit) => {
            const check = limit === undefined ? checkWith({ isWhole: true }) : checkFor(named.title)
            return resultOf(named, () => run({ ...tools, note, check }), limit, shrinkTime)
          },
        }
      }
      return { ...of, cases: () => tests().map(caseOf) }
    })

  return {
    seed,
    timeout: clock.caseTime,
    coverage,
    skippedParts: contract.skippedParts,
    requests: () => trail.count,
    check: checkWith({ isWhole: true }),
    senderFor,
    observe: (sent, received) => observe(sent, received),
    close: () => {
      errors.close()
      return connections.close()
    },
    resultOf: (title, run) => resultOf({ title }, run),
    groups,
    cases: () => groups(contract.operations).flatMap(({ cases }) => cases()),
  }
}

/** Gives the credentials of a caller; those of a function are new ones. */
async function credentialsFrom(auth: NonNullable<SuiteOptions['auth']>): Promise<Credentials> {
  const credentials = Object.entries(auth).map(async ([name, given]): Promise<[string, string]> => {
    return [name, typeof given === 'string' ? given : await given()]
  })
  return Object.fromEntries(await Promise.all(credentials))
}

type CaseTimes = Parameters<Clock['startCase']>
type Named = Pick<Result, 'operation' | 'route' | 'title'>
/** What is left of each member of a union without what a case is named by. */
type Outcome<Whole = Result> = Whole extends Result ? Omit<Whole, keyof Named | 'notes'> : never

async function outcomeOf(test: () => Promise<void>, trail: Trail): Promise<Outcome> {
  const before = trail.count
  try {
    await test()
    const requests = trail.count - before
    if (requests > 0) return { verdict: 'ok', requests }
    return { verdict: 'left out', because: 'nothing to send', reason: 'it sends no request' }
  } catch (error) {
    if (error instanceof LeftOut) return { verdict: 'left out', because: error.because, reason: error.message }
    if (error instanceof Unjudged) return { verdict: 'not judged', reason: error.message }
    const cause = error instanceof BrokenProperty ? error.cause : error
    // The suite itself is at fault.
    if (cause instanceof TypeError || cause instanceof ReferenceError) throw error
    if (cause instanceof RangeError)
      return { verdict: 'not judged', reason: `too much for the suite: ${cause.message}` }
    const fault = { verdict: 'fault', kind: faultKindOf(error), problem: messageOf(error) } as const
    return error instanceof BrokenProperty
      ? { ...fault, requests: error.requests, counterexample: error.found }
      : { ...fault, requests: trail.requests }
  }
}
