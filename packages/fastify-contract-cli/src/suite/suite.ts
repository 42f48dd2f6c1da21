import fc from 'fast-check'
import { type CaseTools, type Send, testsOf } from './cases.ts'
import type { SentRequest, TestedContract } from './contract.ts'
import { Coverage } from './coverage.ts'
import { type Credentials, withCredentials } from './credentials.ts'
import { Undrawable } from './flat-schema.ts'
import { type Judge, judgeAny } from './judge.ts'
import type { ContractRequest } from './requests.ts'
import { type ReceivedResponse, type ResponseRules, assertKeepsContract } from './response-checks.ts'
import { type Connections, type Exchange, connectTo } from './send.ts'

/** What is tested, and how far. */
export interface SuiteOptions {
  contract: TestedContract
  /** Where the server is, such as `http://127.0.0.1:3000`, or how a request is sent. */
  server: string | (() => Promise<string>) | { exchange: Exchange }
  /** The credentials of a caller by the names of their schemes; a function gives those of a new caller without data. */
  auth?: Record<string, string | (() => Promise<string>)>
  /**
   * Whether the server promises what fastify-contract does beyond OpenAPI: unknown and repeated parameters are refused,
   * the earliest stage reports its fault, HEAD is GET, an example's response is the example of its name.
   */
  isStrict?: boolean
  /** The length, in bytes, beyond which the server refuses a body. */
  bodyLimit?: number
  rules?: ResponseRules
  judge?: Judge
  /** Requests that make what the examples of an operation need and no other example makes, by its id. */
  needs?: CaseTools['needs']
  /** Checks that the refused requests of a caller have changed nothing. */
  assertUnchanged?: (send: Send) => Promise<void>
  /** What every property starts from; another one for each suite by default. */
  seed?: number
  /** How many times as many runs each property gets as by default. */
  scale?: number
  /** The one case of a property that is repeated, as a result names it. */
  path?: string | undefined
}

/** What came of a case. Notes are what is neither right nor a fault. */
export type Result = { operation?: string; title: string; notes: string[] } & (
  | { verdict: 'ok' }
  | { verdict: 'left out'; reason: string }
  /** With the smallest request that shows the fault, and the path that repeats it. */
  | { verdict: 'fault'; problem: string; counterexample?: { shown: string; path: string } }
)

/** A case, which is not tried before it is run. */
export interface Case {
  operation?: string
  title: string
  run: () => Promise<Result>
}

/** A suite, with what own tests need: they send, draw and count as its cases do. */
export interface ContractSuite {
  seed: number
  /** How long one case may take, in milliseconds. */
  timeout: number
  coverage: Coverage
  cases: () => Generator<Case>
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

/** Tests a server, case by case. What requests leave out comes last. */
export async function* test(
  contract: TestedContract,
  options: Omit<SuiteOptions, 'contract'>,
): AsyncGenerator<Result, void, undefined> {
  const suite = createContractSuite({ ...options, contract })
  try {
    for (const { run } of suite.cases()) yield await run()
    for (const line of contract.leftOut) yield { title: line, notes: [], verdict: 'left out', reason: 'not known' }
  } finally {
    await suite.close()
  }
}

/** Prepares the cases of a contract. Nothing is sent before one is run. */
export function createContractSuite(options: SuiteOptions): ContractSuite {
  const { contract, auth = {}, isStrict = false, bodyLimit, rules = {}, needs = {}, judge = judgeAny } = options
  const { assertUnchanged = () => Promise.resolve(), seed = Math.floor(Math.random() * 2 ** 31), scale = 1 } = options
  const coverage = new Coverage(contract)
  const timeout = 60_000 * Math.max(1, scale)
  const [exchangeHere, close] = connectionsOf(options.server)

  const observe: ContractSuite['observe'] = (sent, received) => {
    coverage.record(sent, received)
    assertKeepsContract(contract, sent, received, rules)
    return received
  }
  const senderFor: ContractSuite['senderFor'] =
    (credentials, exchange = exchangeHere) =>
    async (sent) =>
      observe(sent, await exchange(onWire(withCredentials(contract, sent, credentials))))
  const newCaller = async () => {
    const known = Object.entries(auth).map(async ([name, given]): Promise<[string, string]> => {
      return [name, typeof given === 'string' ? given : await given()]
    })
    return senderFor(Object.fromEntries(await Promise.all(known)))
  }
  const check: CaseTools['check'] = (arbitrary, runs, testOne) =>
    checkProperty(arbitrary, testOne, { seed, numRuns: Math.ceil(runs * scale), path: options.path, timeout })
  const tools = { contract, isStrict, schemes: Object.keys(auth), bodyLimit, needs, newCaller, assertUnchanged, check }

  return {
    seed,
    timeout,
    coverage,
    check,
    senderFor,
    observe,
    close,
    resultOf: (title, test) => resultOf({ title }, test, new Set()),
    *cases() {
      for (const { run, ...named } of testsOf(tools)) {
        const notes = new Set<string>()
        const noting: CaseTools['judge'] = (response, expected) => {
          const note = judge(response, expected)
          if (note !== undefined) notes.add(note)
        }
        yield { ...named, run: () => resultOf(named, () => run({ ...tools, judge: noting }), notes) }
      }
    },
  }
}

/** Connects when the first request is sent. */
function connectionsOf(server: SuiteOptions['server']): [Exchange, close: () => Promise<void>] {
  if (typeof server === 'object') return [server.exchange, () => Promise.resolve()]
  let opened: Promise<Connections> | undefined
  const open = async () => connectTo(typeof server === 'string' ? server : await server())
  return [
    async (request) => (await (opened ??= open())).exchange(request),
    async () => {
      ;(await opened)?.close()
    },
  ]
}

function onWire({ method, url, headers, body }: ContractRequest): Parameters<Exchange>[0] {
  const content =
    body === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }
  const fields = Object.entries<string | undefined>({ ...content, ...headers }).filter(
    (field): field is [string, string] => field[1] !== undefined,
  )
  return { method, url, headers: Object.fromEntries(fields), ...(body === undefined ? {} : { body }) }
}

/** A property does not hold. The message is that of the smallest case that was found. */
class Counterexample extends Error {
  readonly found: { shown: string; path: string }

  constructor(cause: unknown, drawn: unknown, path: string) {
    super(messageOf(cause), { cause })
    const shown = fc.stringify(drawn)
    this.found = { shown: shown.length > 2_000 ? `${shown.slice(0, 2_000)}…` : shown, path }
  }
}

interface PropertyOptions {
  seed: number
  numRuns: number
  path: string | undefined
  timeout: number
}

/** @throws Counterexample, or Undrawable where no value is found */
async function checkProperty<Drawn>(
  arbitrary: fc.Arbitrary<Drawn>,
  testOne: (drawn: Drawn) => Promise<void>,
  { seed, numRuns, path, timeout }: PropertyOptions,
): Promise<void> {
  const { failed, errorInstance, counterexample, counterexamplePath } = await fc.check(
    fc.asyncProperty(arbitrary, testOne),
    {
      seed,
      numRuns,
      ...(path === undefined ? {} : { path, endOnFailure: true }),
      // The search for a smaller counterexample ends before the case does.
      plugins: [fc.interruptAfterTimeLimit(timeout / 2, { failOnInterrupt: true })],
    },
  )
  if (failed) throw new Counterexample(errorInstance, counterexample, String(counterexamplePath))
}

async function resultOf(
  named: { operation?: string; title: string },
  test: () => Promise<void>,
  notes: ReadonlySet<string>,
): Promise<Result> {
  try {
    await test()
    return { ...named, notes: [...notes], verdict: 'ok' }
  } catch (error) {
    if (error instanceof Undrawable) return { ...named, notes: [...notes], verdict: 'left out', reason: error.message }
    const counterexample = error instanceof Counterexample ? { counterexample: error.found } : {}
    return { ...named, notes: [...notes], verdict: 'fault', problem: messageOf(error), ...counterexample }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
