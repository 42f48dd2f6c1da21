import { isUntested } from '../../suite/run/run.ts'
import type { Result } from '../../suite/run/suite.ts'

/** Counts results. */
export class Tally {
  readonly #counts = new Map<string, number>()

  add(result: Result): void {
    this.#count(result.verdict)
    if (isUntested(result)) this.#count('untested')
    if (result.verdict === 'fault') this.#count(`fault ${result.kind}`)
  }

  #count(what: string): void {
    this.#counts.set(what, this.#of(what) + 1)
  }

  #of(what: string): number {
    return this.#counts.get(what) ?? 0
  }

  /** 0 for a server that keeps its contract, 1 for one that breaks it, 2 where something was not tested, or not judged. */
  get exitCode(): 0 | 1 | 2 {
    if (this.#of('fault') > 0) return 1
    return this.#of('ok') === 0 || this.#of('untested') + this.#of('not judged') > 0 ? 2 : 0
  }

  get text(): string {
    const kinds = [...this.#counts].filter(([what]) => what.startsWith('fault '))
    const kindCounts = kinds.map(([kind, count]) => `${String(count)} ${kind.slice('fault '.length)}`).join(', ')
    const more = ['not judged', 'untested'].filter((what) => this.#of(what) > 0)
    return [
      `${String(this.#of('ok'))} ok`,
      `${String(this.#of('fault'))} failed${kindCounts === '' ? '' : ` (${kindCounts})`}`,
      ...more.map((what) => `${String(this.#of(what))} ${what === 'untested' ? 'not tested' : what}`),
    ].join(', ')
  }
}
