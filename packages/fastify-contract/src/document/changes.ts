import { isObject } from '../json/json.ts'
import { lookUp } from '../json/pointer.ts'

/**
 * What makes a JSON value of another one: the value alone in a list; nothing in a list, for a member that is gone; a
 * pointer to the value in the whole document before all changes; or the changes of the members that differ.
 */
export type Change = readonly [] | readonly [unknown] | string | { readonly [member: string]: Change }

/**
 * Applies changes to a JSON document.
 *
 * @param change a parsed `Change`
 * @returns a copy, which shares what does not differ with the document
 */
export function applyChange(document: unknown, change: unknown): unknown {
  function changed(value: unknown, by: unknown): unknown {
    if (typeof by === 'string') return lookUp(document, by)
    if (Array.isArray(by)) return by[0]
    const members = new Map<string, unknown>(Object.entries(value ?? {}))
    for (const [name, each] of Object.entries(isObject(by) ? by : {})) {
      if (Array.isArray(each) && each.length === 0) members.delete(name)
      else members.set(name, changed(members.get(name), each))
    }
    return Array.isArray(value) ? [...members.values()] : Object.fromEntries(members)
  }
  return changed(document, change)
}
