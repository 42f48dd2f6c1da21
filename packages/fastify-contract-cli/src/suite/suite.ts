import type { ContractOperation } from 'fastify-contract/document'
import { type Additions, Trail, credentialsFrom, onWire } from './callers.ts'
import { type CaseTools, type Send, testsOf } from './cases.ts'
import {
  type SentRequest,
  type TestedContract,
  addressOf,
  declaredResponse,
  operationNamed,
  routeOf,
} from './contract.ts'
import { Coverage } from './coverage.ts'
import type { Credentials } from './credentials.ts'
import { type FaultKind, NotImplemented } from './fault.ts'
import { type Judge, judgeAny, judgeStrictly } from './judge.ts'
import { KnownItems } from './known-items.ts'
import { BrokenProperty, type Counterexample, checkProperty, kindOf, messageOf } from './property.ts'
import { type ReceivedResponse, type ResponseRules, assertKeepsContract } from './response-checks.ts'
import { type Connections, type Exchange, type WireRequest, connectTo } from './send.ts'
import { type LeftOut, Undrawable } from './undrawable.ts'

/** What is tested, and how far. */
export interface SuiteOptions extends Additions {
  contract: TestedContract
  /**
   * Where the server is, such as `http://127.0.0.1:3000`, or how a request is sent. A path in the URL takes the place of
   * the contract's base path.
   */
  server: string | (() => Promise<string>) | { exchange: Exchange }
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
  needs?: CaseTools['needs']
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
export interface Case {
  operation?: string
  route?: string
  title: string
  /** @param limit the time in milliseconds after which what has been tried is enough */
  run: (limit?: number) => Promise<Result>
}

/** A suite, with what own tests need: they send, draw and count as its cases do. */
export interface ContractSuite {
  seed: number
  /** How long one case may take, in milliseconds. */
  timeout: number
  coverage: Coverage
  /** What requests leave out, and why. It grows while they are made. */
  leftOut: LeftOut
  /** How many requests have been sent. */
  requests: () => number
  /** @param chosen the operations to test; all by default */
  cases: (chosen?: readonly ContractOperation[]) => Generator<Case>
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

/** Prepares the cases of a contract. Nothing is sent before one is run. */
export function createContractSuite(options: SuiteOptions): ContractSuite {
  const { auth = {}, otherAuth, isStrict = false, bodyLimit, rules = {}, needs } = options
  const { seed = Math.floor(Math.random() * 2 ** 31), scale = 1, judge = isStrict ? judgeStrictly : judgeAny } = options
  const { assertUnchanged = () => Promise.resolve() } = options
  const leftOut: LeftOut = new Set()
  const contract = { ...options.contract, leftOut }
  const coverage = new Coverage(contract)
  const timeout = 60_000 * Math.max(1, scale)
  const trail = new Trail()
  const items = new KnownItems(contract)
  const [exchangeHere, close] = connectionsOf(options)
  const kept = trail.through(exchangeHere)

  const observe: ContractSuite['observe'] = (sent, received) => {
    coverage.record(sent, received)
    if (received.status === 501 && declaredResponse(contract, sent, 501)?.[0] !== '501') {
      throw new NotImplemented(`${sent.method} ${sent.url} is not implemented`)
    }
    assertKeepsContract(contract, sent, received, rules)
    return received
  }
  const senderFor: ContractSuite['senderFor'] =
    (credentials, exchange = kept) =>
    async (sent) => {
      const received = await exchange(onWire(contract, sent, credentials, options))
      items.record(sent, received)
      return observe(sent, received)
    }
  const checkFor =
    (limit?: number): CaseTools['check'] =>
    (arbitrary, runs, testOne) => {
      const property = {
        seed,
        numRuns: Math.ceil(runs * scale),
        path: options.path,
        isWhole: limit === undefined,
        trail,
      }
      // The search for a smaller counterexample ends before the case does.
      return checkProperty(arbitrary, testOne, { ...property, limit: limit ?? timeout / 2 })
    }
  const tools = {
    contract,
    isStrict,
    schemes: Object.keys(auth),
    bodyLimit,
    needs,
    items,
    assertUnchanged,
    newCaller: async () => senderFor(await credentialsFrom(auth)),
    newStranger: () => Promise.resolve(otherAuth && senderFor(otherAuth)),
  }
  const nameOf = (id?: string) =>
    id === undefined ? {} : { operation: id, route: routeOf(operationNamed(contract, id)) }

  return {
    seed,
    timeout,
    coverage,
    leftOut,
    requests: () => trail.count,
    check: checkFor(),
    senderFor,
    observe,
    close,
    resultOf: (title, test) => resultOf({ title }, test, { notes: new Set(), trail }),
    *cases(chosen = contract.operations) {
      for (const { run, title, operation } of testsOf(tools, chosen)) {
        const named = { ...nameOf(operation), title }
        const notes = new Set<string>()
        const noting: CaseTools['judge'] = (response, expected) => {
          const note = judge(response, expected)
          if (note !== undefined) notes.add(note)
        }
        const runWithin = (limit?: number) => run({ ...tools, judge: noting, check: checkFor(limit) })
        yield { ...named, run: (limit) => resultOf(named, () => runWithin(limit), { notes, trail }) }
      }
    },
  }
}

/** Connects when the first request is sent. */
function connectionsOf({ contract, server }: SuiteOptions): [Exchange, close: () => Promise<void>] {
  if (typeof server === 'object') return [server.exchange, () => Promise.resolve()]
  let opened: Promise<Connections> | undefined
  const open = async () => connectTo(addressOf(contract, typeof server === 'string' ? server : await server()))
  return [
    async (request) => (await (opened ??= open())).exchange(request),
    async () => {
      ;(await opened)?.close()
    },
  ]
}

type Named = Pick<Result, 'operation' | 'route' | 'title'>

async function resultOf(
  named: Named,
  test: () => Promise<void>,
  { notes: noted, trail }: { notes: ReadonlySet<string>; trail: Trail },
): Promise<Result> {
  trail.requests = []
  const notes = () => [...noted].slice(0, 20)
  try {
    await test()
    return { ...named, notes: notes(), verdict: 'ok' }
  } catch (error) {
    if (error instanceof Undrawable) return { ...named, notes: notes(), verdict: 'left out', reason: error.message }
    if (error instanceof NotImplemented) return { ...named, notes: notes(), verdict: 'not implemented' }
    const counterexample = error instanceof BrokenProperty ? { counterexample: error.found } : {}
    const requests = error instanceof BrokenProperty ? error.requests : trail.requests
    return {
      ...named,
      notes: notes(),
      verdict: 'fault',
      kind: kindOf(error),
      problem: messageOf(error),
      requests,
      ...counterexample,
    }
  }
}
