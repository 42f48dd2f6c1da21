import type { ContractOperation } from 'fastify-contract/document'
import { type CaseTools, type Send, type Test, type Tools, testsOf } from './cases.ts'
import { type SentRequest, type TestedContract, declaredResponse, routeOf } from './contract.ts'
import { Coverage } from './coverage.ts'
import { type Additions, type Credentials, onWire } from './credentials.ts'
import { type FaultKind, type Judge, NotImplemented, judgeAny, judgeStrictly } from './fault.ts'
import { KnownItems } from './resources.ts'
import { BrokenProperty, type Counterexample, Trail, checkProperty, kindOf, messageOf } from './property.ts'
import { type ReceivedResponse, type ResponseRules, assertKeepsContract } from './response-checks.ts'
import { type Exchange, type Server, type WireRequest, connect } from './send.ts'
import { Undrawable } from './undrawable.ts'

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
} & ({ verdict: 'ok' } | { verdict: 'left out'; reason: string } | { verdict: 'not implemented' } | BrokenResult)

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
  /** @param limit the time in milliseconds after which what has been tried is enough */
  run: (limit?: number) => Promise<Result>
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
  leftOut: ReadonlySet<string>
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
  /** Counts and checks a response. @throws Error when it breaks the contract */
  observe: (sent: SentRequest, received: ReceivedResponse) => ReceivedResponse
  /** Closes the connections to the server. */
  close: () => Promise<void>
}

/** How many different notes are kept of one case. */
const mostNotes = 20

/** Prepares the cases of a contract. Nothing is sent before one is run. @throws Unjudged without a server */
export function createContractSuite(given: TestedContract, options: SuiteOptions): ContractSuite {
  const { auth = {}, otherAuth, isStrict = false, bodyLimit, rules = {}, needs, path } = options
  const { seed = Math.floor(Math.random() * 2 ** 31), scale = 1, judge = isStrict ? judgeStrictly : judgeAny } = options
  const { assertUnchanged = () => Promise.resolve() } = options
  const contract = { ...given, leftOut: new Set<string>() }
  const coverage = new Coverage(contract)
  const timeout = 60_000 * Math.max(1, scale)
  const trail = new Trail()
  const items = new KnownItems(contract)
  const { exchange: exchangeHere, close } = connect(contract, options)
  const kept = trail.through(exchangeHere)
  let notes = new Set<string>()

  const observe: (...given: [...Parameters<ContractSuite['observe']>, Parameters<Send>[1]?]) => ReceivedResponse = (
    sent,
    received,
    expected,
  ) => {
    coverage.record(sent, received)
    if (received.status === 501 && declaredResponse(contract, sent, 501)?.[0] !== '501') {
      throw new NotImplemented(`${sent.method} ${sent.url} is not implemented`)
    }
    const isBroken = expected?.isAllowed === false
    // That a broken request is taken says more than what is wrong with the response to it.
    if (isBroken && received.status < 300) judge(received, expected)
    const isGone = (expected?.isAllowed === true && expected.isGone === true) || items.isGone(sent)
    const isOpen = !isStrict && (isBroken || isGone)
    const kept = assertKeepsContract(contract, sent, received, rules, isOpen)
    const judged = expected === undefined ? undefined : judge(received, expected)
    for (const note of [kept ?? judged ?? []].flat()) if (notes.size < mostNotes) notes.add(note)
    return received
  }
  const senderFor: ContractSuite['senderFor'] =
    (credentials, exchange = kept) =>
    async (sent, expected) => {
      const received = await exchange(onWire(contract, sent, credentials, options))
      items.record(sent, received)
      return observe(sent, received, expected)
    }
  const checkWithin =
    (limit?: number): CaseTools['check'] =>
    (arbitrary, runs, testOne) => {
      const numRuns = Math.ceil(runs * scale)
      // The search for a smaller counterexample ends before the case does.
      const time = { isWhole: limit === undefined, limit: limit ?? timeout / 2 }
      return checkProperty(arbitrary, testOne, { seed, numRuns, path, trail, ...time })
    }
  const tools: Tools = {
    contract,
    isStrict,
    schemes: Object.keys(auth),
    bodyLimit,
    needs,
    items,
    assertUnchanged,
    newCaller: async () => senderFor(await credentialsFrom(auth)),
    stranger: otherAuth && senderFor(otherAuth),
  }
  const resultOf = async (named: Named, run: () => Promise<void>): Promise<Result> => {
    trail.requests = []
    notes = new Set()
    const outcome = await outcomeOf(run, trail)
    return { ...named, notes: [...notes], ...outcome }
  }

  const groups: ContractSuite['groups'] = (chosen) =>
    testsOf(tools, chosen).map(({ operation, tests }) => {
      const of = operation === undefined ? {} : { operation: operation.id, route: routeOf(operation) }
      const caseOf = ({ title, run }: Test): Case => {
        const named = { ...of, title: operation === undefined ? title : `${operation.id} ${title}` }
        return { ...named, run: (limit) => resultOf(named, () => run({ ...tools, check: checkWithin(limit) })) }
      }
      return { ...of, cases: () => tests().map(caseOf) }
    })

  return {
    seed,
    timeout,
    coverage,
    leftOut: contract.leftOut,
    requests: () => trail.count,
    check: checkWithin(),
    senderFor,
    observe: (sent, received) => observe(sent, received),
    close,
    resultOf: (title, run) => resultOf({ title }, run),
    groups,
    cases: () => groups(contract.operations).flatMap(({ cases }) => cases()),
  }
}

/** Gives the credentials of a caller; those of a function are new ones. */
async function credentialsFrom(auth: NonNullable<SuiteOptions['auth']>): Promise<Credentials> {
  const known = Object.entries(auth).map(async ([name, given]): Promise<[string, string]> => {
    return [name, typeof given === 'string' ? given : await given()]
  })
  return Object.fromEntries(await Promise.all(known))
}

type Named = Pick<Result, 'operation' | 'route' | 'title'>
/** What is left of each member of a union without what a case is named by. */
type Outcome<Whole = Result> = Whole extends Result ? Omit<Whole, keyof Named | 'notes'> : never

async function outcomeOf(test: () => Promise<void>, trail: Trail): Promise<Outcome> {
  try {
    await test()
    return { verdict: 'ok' }
  } catch (error) {
    if (error instanceof Undrawable) return { verdict: 'left out', reason: error.message }
    if (error instanceof NotImplemented) return { verdict: 'not implemented' }
    const cause = error instanceof BrokenProperty ? error.cause : error
    // The suite itself is at fault.
    if (cause instanceof TypeError || cause instanceof ReferenceError) throw error
    const fault = { verdict: 'fault', kind: kindOf(error), problem: messageOf(error) } as const
    return error instanceof BrokenProperty
      ? { ...fault, requests: error.requests, counterexample: error.found }
      : { ...fault, requests: trail.requests }
  }
}
