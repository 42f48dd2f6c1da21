/** A change of a parsed contract, in place. */
export type Edit = (contract: object) => void

/**
 * Puts a value where a JSON pointer (RFC 6901) leads.
 *
 * @throws Error when there is no place for it, or it is there already
 */
export function set(pointer: string, value: unknown): Edit {
  return (contract) => {
    const { parent, name } = find(contract, pointer)
    if (JSON.stringify(parent[name], bigIntAsText) === JSON.stringify(value, bigIntAsText))
      throw new Error(`${pointer} is that already`)
    parent[name] = structuredClone(value)
  }
}

/** Takes away what a JSON pointer leads to. @throws Error when there is nothing */
export function remove(pointer: string): Edit {
  return (contract) => {
    const { parent, name } = find(contract, pointer)
    if (!(name in parent)) throw new Error(`there is no ${pointer}`)
    if (Array.isArray(parent)) parent.splice(Number(name), 1)
    else Reflect.deleteProperty(parent, name)
  }
}

/** Gives what a JSON pointer leads to another name. @throws Error when there is nothing */
export function rename(pointer: string, name: string): Edit {
  return (contract) => {
    const place = find(contract, pointer)
    const value = place.parent[place.name]
    remove(pointer)(contract)
    place.parent[name] = value
  }
}

/** Makes several changes. */
export function all(...edits: Edit[]): Edit {
  return (contract) => {
    for (const edit of edits) edit(contract)
  }
}

function find(contract: object, pointer: string): { parent: Record<string, unknown>; name: string } {
  const names = pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
  let parent: unknown = contract
  for (const name of names.slice(0, -1))
    parent = typeof parent === 'object' && parent !== null ? (parent as Record<string, unknown>)[name] : undefined
  if (typeof parent !== 'object' || parent === null) throw new Error(`there is no ${pointer}`)
  return { parent: parent as Record<string, unknown>, name: names.at(-1) ?? '' }
}

function bigIntAsText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
