import { type Operation, type Verdict, checkHistory, checkPlants } from './check-history.ts'
import { ids } from './requests.ts'
import { type RoundHistory, validToken } from './round.ts'

/** What the rounds have shown. */
export class Findings {
  /** The verdicts on the plants of each round and on each token. */
  readonly plants: Verdict[] = []
  readonly tokens: Verdict[] = []
  readonly #statuses: Record<string, number> = {}
  #killed = 0
  #revoked = 0

  add({ plants, tokens, statuses }: RoundHistory, isKilled: boolean): void {
    if (isKilled) this.#killed++
    for (const [status, count] of Object.entries(statuses))
      this.#statuses[status] = (this.#statuses[status] ?? 0) + count
    this.#revoked += tokens.flat().filter(({ kind, answer }) => kind === 'delete' && answer < Infinity).length
    this.plants.push(checkPlants(plants, ids))
    this.tokens.push(...tokens.map((history) => checkHistory(history, [validToken])))
  }

  /** What was not found linearizable, described. */
  faults(): string[] {
    return [
      ...this.plants.flatMap((verdict) => describe('the plants of a round', verdict)),
      ...this.tokens.flatMap((verdict) => describe('a token', verdict)),
    ]
  }

  summary(): string {
    const requests = Object.values(this.#statuses).reduce((sum, count) => sum + count, 0)
    const statuses = Object.entries(this.#statuses).map(([status, count]) => `${status}: ${String(count)}`)
    const rounds = `${String(this.plants.length)} rounds, ${String(this.#killed)} with SIGKILL`
    return `${rounds}; ${String(requests)} requests (${statuses.join(', ')}); ${String(this.#revoked)} tokens revoked`
  }
}

/** @returns nothing of what is linearizable */
function describe(what: string, verdict: Verdict): string[] {
  switch (verdict.outcome) {
    case 'linearizable':
      return []
    case 'undecided':
      return [`${what}: not decided, because the search takes too long; fewer clients in round.ts make it shorter`]
    case 'violated': {
      const next = verdict.next.map((operation) => `\n  ${describeOperation(operation)}`).join('')
      return [`${what}: not linearizable; no order leads beyond ${JSON.stringify(verdict.state)}, before${next}`]
    }
  }
}

function describeOperation({ call, answer, ...what }: Operation): string {
  return `${call.toFixed(3)}–${answer.toFixed(3)} ms ${JSON.stringify(what)}`
}
