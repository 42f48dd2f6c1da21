import { lookUp } from '../json/pointer.ts'

/**
 * What makes a JSON value of another one: the value alone in a list; nothing in a list, for a member that is gone; a
 * pointer to the value in the whole document before all changes; or the changes of the members that differ.
 */
export type Change = readonly [] | readonly [unknown] | string | { readonly [member: string]: Change }

/** Applies changes to a JSON document. @returns a copy, which shares what does not differ with the document */
export function applyChange(document: unknown, change: Change): unknown {
  function changed(value: unknown, by: Change): unknown {
    if (typeof by === 'string') return lookUp(document, by)
    if (isList(by)) return by[0]
    const members = new Map(Object.entries(Object(value) as object))
    for (const [name, each] of Object.entries(by)) {
      if (isList(each) && each.length === 0) members.delete(name)
      else members.set(name, changed(members.get(name), each))
    }
    return Array.isArray(value) ? [...members.values()] : Object.fromEntries(members)
  }
  return changed(document, change)
}

// The compiler takes Array.isArray as a test for lists that can be changed.
function isList(change: Change): change is readonly [] | readonly [unknown] {
  return Array.isArray(change)
}
