import type { Result } from '../suite/suite.ts'

/** What has come of a run. It keeps numbers and names, and no results. */
export class Summary {
  readonly #verdicts = new Map<Result['verdict'], number>()
  readonly #kinds = new Map<string, number>()
  readonly notImplemented = new Set<string>()

  add(result: Result): void {
    this.#verdicts.set(result.verdict, this.count(result.verdict) + 1)
    if (result.verdict === 'fault') this.#kinds.set(result.kind, (this.#kinds.get(result.kind) ?? 0) + 1)
    if (result.verdict === 'not implemented') this.notImplemented.add(result.route ?? result.title)
  }

  count(verdict: Result['verdict']): number {
    return this.#verdicts.get(verdict) ?? 0
  }

  /** Such as `2 failed (1 undeclared status, 1 no response)`. */
  get failed(): string {
    const kinds = [...this.#kinds].map(([kind, count]) => `${String(count)} ${kind}`).join(', ')
    return `${String(this.count('fault'))} failed${kinds === '' ? '' : ` (${kinds})`}`
  }
}
