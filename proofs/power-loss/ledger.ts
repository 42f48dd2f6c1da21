/** The content of a database: plant names by `plant ID`, and `issued` by `token PREFIX`. */
export type Content = Map<string, string>

/** A requested change. Until it is acknowledged, it may have happened or not. */
export interface Change {
  /** Undefined for a removal. */
  value: string | undefined
  asked: number
  acknowledged: number | undefined
}

/** The changes of each key, in order. */
type Changes = Map<string, Change[]>

/** The requested and the acknowledged changes of a database file. */
export class Ledger {
  /** A restore replaces everything at once, so each restore starts a new part. */
  readonly #parts: { changes: Changes; replaces: Change }[] = []

  /** @param content at the instant 0 */
  constructor(content: Content = new Map()) {
    this.replace(content, 0).acknowledged = 0
  }

  /** @returns the change; the caller sets its `acknowledged` */
  ask(key: string, value: string | undefined, asked: number): Change {
    const change: Change = { value, asked, acknowledged: undefined }
    const { changes } = this.#parts.at(-1)!
    changes.set(key, [...(changes.get(key) ?? []), change])
    return change
  }

  /** Replaces everything. @returns the change; the caller sets its `acknowledged` */
  replace(content: Content, asked: number): Change {
    const changes: Changes = new Map()
    for (const [key, value] of content) changes.set(key, [{ value, asked: 0, acknowledged: 0 }])
    const replaces: Change = { value: undefined, asked, acknowledged: undefined }
    this.#parts.push({ changes, replaces })
    return replaces
  }

  /** How many changes were acknowledged, without the initial content. */
  acknowledged(): number {
    const changes = this.#parts.flatMap((part) => [...part.changes.values()].flat())
    return changes.filter((change) => change.asked > 0 && isDone(change, Infinity)).length
  }

  /** The faults of a content after a power loss. Until a restore is acknowledged, old and new content are right. */
  faults(content: Content, instant: number): string[] {
    const asked = this.#parts.filter(({ replaces }) => replaces.asked <= instant)
    const last = asked.findLastIndex(({ replaces }) => isDone(replaces, instant))
    const faults = asked.slice(last).map(({ changes }) => faultsIn(changes, content, instant))
    return faults.toSorted((one, other) => one.length - other.length)[0]!
  }
}

function faultsIn(changes: Changes, content: Content, instant: number): string[] {
  const keys = new Set([...changes.keys(), ...content.keys()])
  return [...keys].flatMap((key) => {
    const allowed = allowedValues(changes.get(key) ?? [], instant)
    const value = content.get(key)
    if (allowed.includes(value)) return []
    return `${key} is ${value ?? 'not there'} instead of ${allowed.map((each) => each ?? 'not there').join(' or ')}`
  })
}

function allowedValues(changes: Change[], instant: number): (string | undefined)[] {
  const asked = changes.filter((change) => change.asked <= instant)
  const last = asked.findLastIndex((change) => isDone(change, instant))
  const values = asked.slice(Math.max(last, 0)).map(({ value }) => value)
  return last === -1 ? [undefined, ...values] : values
}

function isDone({ acknowledged }: Change, instant: number): boolean {
  return acknowledged !== undefined && acknowledged <= instant
}
