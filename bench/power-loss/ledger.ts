/** What a database holds: the names of plants by `plant ID`, and `issued` by `token PREFIX`. */
export type Content = Map<string, string>

/** A change that was asked for. Until it is acknowledged it may have happened or not. */
export interface Change {
  /** Undefined where something is removed. */
  value: string | undefined
  asked: number
  acknowledged: number | undefined
}

/** What was asked of a database, and what was acknowledged. One asks for changes of one key one after the other. */
export class Ledger {
  readonly #changes = new Map<string, Change[]>()

  /** @param content what there is at the instant 0 */
  constructor(content: Content = new Map()) {
    for (const [key, value] of content) this.#changes.set(key, [{ value, asked: 0, acknowledged: 0 }])
  }

  /** @returns the change, whose `acknowledged` is to be set when it is */
  ask(key: string, value: string | undefined, instant: number): Change {
    const change: Change = { value, asked: instant, acknowledged: undefined }
    this.#changes.set(key, [...(this.#changes.get(key) ?? []), change])
    return change
  }

  /** How many changes were acknowledged until an instant, without those of the beginning. */
  acknowledged(instant: number): number {
    const changes = [...this.#changes.values()].flat()
    return changes.filter((change) => change.asked > 0 && isDone(change, instant)).length
  }

  /** What is wrong with a content after a loss of power at an instant. */
  faults(content: Content, instant: number): string[] {
    const keys = new Set([...this.#changes.keys(), ...content.keys()])
    return [...keys].flatMap((key) => {
      const allowed = this.#allowed(key, instant)
      const value = content.get(key)
      if (allowed.includes(value)) return []
      return `${key} is ${value ?? 'not there'} instead of ${allowed.map((each) => each ?? 'not there').join(' or ')}`
    })
  }

  #allowed(key: string, instant: number): (string | undefined)[] {
    const changes = (this.#changes.get(key) ?? []).filter(({ asked }) => asked <= instant)
    const last = changes.findLastIndex((change) => isDone(change, instant))
    const values = changes.slice(Math.max(last, 0)).map(({ value }) => value)
    return last === -1 ? [undefined, ...values] : values
  }
}

function isDone({ acknowledged }: Change, instant: number): boolean {
  return acknowledged !== undefined && acknowledged <= instant
}

/** What a database file was asked to hold, one after the other: a restore replaces all of it at once. */
export class History {
  readonly #parts: { ledger: Ledger; replaces: Change }[]

  constructor(ledger: Ledger) {
    this.#parts = [{ ledger, replaces: { value: undefined, asked: 0, acknowledged: 0 } }]
  }

  /** The ledger of now. */
  get ledger(): Ledger {
    return this.#parts.at(-1)!.ledger
  }

  /** @returns the change, whose `acknowledged` is to be set when it is */
  replace(content: Content, instant: number): Change {
    const replaces: Change = { value: undefined, asked: instant, acknowledged: undefined }
    this.#parts.push({ ledger: new Ledger(content), replaces })
    return replaces
  }

  acknowledged(instant: number): number {
    return this.#parts.reduce((sum, { ledger }) => sum + ledger.acknowledged(instant), 0)
  }

  /** What is wrong with a content: the old and the new one are right until the new one is acknowledged. */
  faults(content: Content, instant: number): string[] {
    const asked = this.#parts.filter(({ replaces }) => replaces.asked <= instant)
    const last = asked.findLastIndex(({ replaces }) => isDone(replaces, instant))
    const faults = asked.slice(last).map(({ ledger }) => ledger.faults(content, instant))
    return faults.toSorted((one, other) => one.length - other.length)[0]!
  }
}
