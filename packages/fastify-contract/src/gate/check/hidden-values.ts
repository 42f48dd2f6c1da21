import { stringifyJson } from '../../json/json.ts'
import { isSchema } from '../../schema/schema-parts.ts'
import { heldBy } from './words/check-words.ts'
import type { Kind } from './words/verdicts.ts'

/** Stands for a value while Redocly reads a contract: it follows whatever looks like a reference, wherever it is. */
export class HiddenValue {
  readonly #value: unknown
  /** Tells two values apart where Redocly compares what has the same name. */
  readonly text: string

  constructor(value: unknown) {
    this.#value = value
    this.text = stringifyJson(value)
  }

  reveal(): unknown {
    return this.#value
  }
}

/** Where a reference leads: the value, and the file that it is in; undefined where it leads to nothing. */
export type Follow = (file: string, reference: string) => { file: string; value: unknown } | undefined

/**
 * Hides the members that hold no objects of OpenAPI, such as extensions, examples and constants, and that have what
 * looks like a reference: it is data. Other files are reached as the references of objects lead there.
 *
 * @param document a contract that need not have the right structure; it is changed
 * @param file its path
 * @returns whether there was any
 */
export function hideValues(document: object, file: string, follow: Follow): boolean {
  const met = new Map<unknown, Set<Kind>>()
  const pending: [value: unknown, kind: Kind, file: string][] = [[document, 'document', file]]
  let hasHidden = false

  /** The target of what stands in the place of an object or of a map of objects. */
  function targetOf(value: unknown, from: string): ReturnType<Follow> {
    return isSchema(value) && typeof value['$ref'] === 'string' ? follow(from, value['$ref']) : undefined
  }

  function hide(holder: object, name: string, value: unknown): void {
    if (name !== 'externalValue' && !hasReference(value)) return
    hasHidden = true
    set(holder, name, new HiddenValue(value))
  }

  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [object, kind, from] = next
    const kinds = met.get(object) ?? new Set()
    if (!isSchema(object) || kinds.has(kind)) continue
    met.set(object, kinds.add(kind))
    const target = targetOf(object, from)
    if (target !== undefined) pending.push([target.value, kind, target.file])
    for (const [word, value] of Object.entries(object)) {
      const held = heldBy(kind, word)
      if (word === '$ref') continue
      if (held === undefined) hide(object, word, value)
      else if (held.isOne) pending.push([value, held.kind, from])
      else {
        const { value: members, file: home } = targetOf(value, from) ?? { value, file: from }
        for (const member of isSchema(members) || Array.isArray(members) ? Object.values(members) : [])
          pending.push([member, held.kind, home])
      }
    }
  }
  return hasHidden
}

/** Puts the hidden values of a document back. */
export function revealValues(document: object): void {
  // A set that grows while it is walked is walked to its end.
  const met = new Set<unknown>([document])
  for (const node of met) {
    if (typeof node !== 'object' || node === null) continue
    for (const [name, member] of Object.entries(node)) {
      const value: unknown = member instanceof HiddenValue ? member.reveal() : member
      if (value !== member) set(node, name, value)
      met.add(value)
    }
  }
}

/** Whether a value has an object with a reference in it, as Redocly knows them. */
function hasReference(value: unknown): boolean {
  const met = new Set([value])
  for (const node of met) {
    if (typeof node !== 'object' || node === null || node instanceof HiddenValue) continue
    if ('$ref' in node || 'externalValue' in node) return true
    for (const member of Object.values(node) as unknown[]) met.add(member)
  }
  return false
}

/** Also where the name is `__proto__`. */
function set(holder: object, name: string, value: unknown): void {
  Object.defineProperty(holder, name, { value, writable: true, enumerable: true, configurable: true })
}
