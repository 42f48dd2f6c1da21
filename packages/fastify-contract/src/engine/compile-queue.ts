import { setImmediate as nextTurn } from 'node:timers/promises'

/** The compilation of validators, in steps of one schema. */
export type CompileSteps = Generator<undefined, void>

/** Validators that are compiled before their first use. */
export interface Preparation {
  readonly isDone: boolean
  /** Compiles them, once. It shares the turns of the event loop with other preparations. */
  run: () => Promise<void>
}

/** Compiles validators, one step in each turn of the event loop, so that no client waits for more than one. */
export class CompileQueue {
  #last: Promise<unknown> = Promise.resolve()

  prepare(steps: () => CompileSteps): Preparation {
    let running: Promise<void> | undefined
    const preparation = {
      isDone: false,
      run: () => (running ??= this.#run(steps()).then(() => void (preparation.isDone = true))),
    }
    return preparation
  }

  async #run(steps: CompileSteps): Promise<void> {
    while (!(await this.#step(steps)));
  }

  /** @returns whether it was the last step */
  #step(steps: CompileSteps): Promise<boolean> {
    const step = this.#last.then(() => nextTurn()).then(() => steps.next().done === true)
    this.#last = step.catch(() => undefined)
    return step
  }
}
