import { namesOf } from '../../json/pointer.ts'

/** A property of an object within a value. */
export interface PropertyPlace {
  /** A JSON Pointer to the object. */
  place: string
  name: string
}

/** The properties to leave out of a value, and of its members. */
interface Cut {
  names: Set<string>
  members: Map<string, Cut>
}

/** Copies a value without some properties. What has none of them is not copied. */
export function withoutProperties<Value>(value: Value, properties: readonly PropertyPlace[]): Value {
  const root: Cut = { names: new Set(), members: new Map() }
  for (const { place, name } of properties) {
    let cut = root
    for (const member of place === '' ? [] : namesOf(place)) {
      const next: Cut = cut.members.get(member) ?? { names: new Set(), members: new Map() }
      cut.members.set(member, next)
      cut = next
    }
    cut.names.add(name)
  }
  return cutOut(value, root)
}

function cutOut<Value>(value: Value, { names, members }: Cut): Value {
  const memberOf = ([name, member]: [string, unknown]): [string, unknown] => {
    const cut = members.get(name)
    return [name, cut === undefined ? member : cutOut(member, cut)]
  }
  const kept = Object.entries(value ?? {})
    .filter(([name]) => !names.has(name))
    .map(memberOf)
  // A copy of the same form.
  return (Array.isArray(value) ? kept.map(([, item]) => item) : Object.fromEntries(kept)) as Value
}
