import { type SentRequest, type TestedContract, operationOf, responseTo, routeOf } from '../ground/contract.ts'
import type { ReceivedResponse } from '../ground/exchange.ts'
import { type Expectation, Unjudged, shortened } from '../ground/fault.ts'
import { LeftOut } from '../ground/left-out.ts'
import { Coverage } from '../judge/coverage.ts'
import { type Judge, judgeAny, judgeStrictly } from '../judge/judge.ts'
import { type ResponseRules, assertKeepsContract, valuesOfResponse } from '../judge/response-checks.ts'
import { SecondReader } from '../judge/second-reader.ts'
import type { KnownItems } from '../state/known-items.ts'
import { messageOf } from './message-of.ts'
import type { Trail } from './trail.ts'

/** What is expected of every response. */
export interface Expectations {
  /**
   * Whether the server promises what fastify-contract does beyond OpenAPI: unknown and repeated parameters are refused,
   * the earliest stage reports its fault, HEAD is GET.
   */
  isStrict?: boolean
  rules?: ResponseRules
  judge?: Judge
}

/** Counts, checks and judges the responses to what a suite sends. */
export class Observer {
  readonly coverage: Coverage
  readonly #contract: TestedContract
  readonly #expectations: Expectations
  readonly #items: KnownItems
  readonly #trail: Trail
  readonly #secondReader: SecondReader

  constructor(contract: TestedContract, expectations: Expectations, items: KnownItems, trail: Trail) {
    this.coverage = new Coverage(contract)
    this.#contract = contract
    this.#expectations = expectations
    this.#items = items
    this.#trail = trail
    this.#secondReader = new SecondReader(contract.schemas)
  }

  /** @throws Error when a response breaks the contract, Unjudged where two validators differ */
  async observe(sent: SentRequest, received: ReceivedResponse, expected?: Expectation): Promise<ReceivedResponse> {
    const { isStrict = false, rules, judge = isStrict ? judgeStrictly : judgeAny } = this.#expectations
    this.coverage.record(sent, received)
    if (received.status !== 429) this.#trail.isAnswered = true
    this.#assertImplemented(sent, received)
    const isBroken = expected?.isAllowed === false
    // That a broken request is taken says more than what is wrong with the response to it.
    if (isBroken && received.status < 300) judge(received, expected)
    const isGone = (expected?.isAllowed === true && expected.isGone === true) || this.#items.isGone(sent)
    await this.#assertAgreed(sent, received)
    const undeclared = assertKeepsContract(this.#contract, sent, received, rules, {
      mayBeRefused: !isStrict && (isBroken || isGone),
      isAllowed: expected?.isAllowed === true,
    })
    const unexpected = expected === undefined ? undefined : judge(received, expected)
    const note = undeclared ?? unexpected
    if (note === undefined) return received
    if (expected?.isAllowed === true) this.#trail.noteRequest(note)
    else this.#trail.note(note)
    return received
  }

  /** @throws LeftOut for 501, unless the operation declares it */
  #assertImplemented(sent: SentRequest, { status }: ReceivedResponse): void {
    if (status !== 501 || responseTo(this.#contract, sent, 501)?.[0] === '501') return
    const operation = operationOf(this.#contract, sent)
    throw new LeftOut('not implemented', operation === undefined ? `${sent.method} ${sent.url}` : routeOf(operation))
  }

  /** @throws Unjudged where two validators differ */
  async #assertAgreed(sent: SentRequest, received: ReceivedResponse): Promise<void> {
    for (const each of valuesOfResponse(this.#contract, sent, received)) {
      const difference = await this.#secondReader
        .difference(each, this.#contract.problemsOf(each.value, each.schema, 'response'))
        .catch((error: unknown) => {
          this.#trail.note(`only one validator has read ${each.place}; the second fails: ${messageOf(error)}`)
        })
      if (difference !== undefined) throw new Unjudged(`${difference}; received ${shortened(received.text, 300)}`)
    }
  }
}
