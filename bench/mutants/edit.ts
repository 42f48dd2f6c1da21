/** Changes a parsed contract in place. */
export type Edit = (contract: object) => void

/**
 * Sets the value at a JSON pointer (RFC 6901).
 *
 * @throws Error when its parent does not exist, or it has this value already
 */
export function set(pointer: string, value: unknown): Edit {
  return (contract) => {
    const { parent, name } = find(contract, pointer)
    if (JSON.stringify(parent[name], bigIntAsText) === JSON.stringify(value, bigIntAsText))
      throw new Error(`${pointer} is that already`)
    parent[name] = structuredClone(value)
  }
}

/** Removes the value at a JSON pointer. @throws Error when there is none */
export function remove(pointer: string): Edit {
  return (contract) => {
    const { parent, name } = find(contract, pointer)
    if (!(name in parent)) throw new Error(`there is no ${pointer}`)
    if (Array.isArray(parent)) parent.splice(Number(name), 1)
    else Reflect.deleteProperty(parent, name)
  }
}

/** Renames the member at a JSON pointer. @throws Error when there is none */
export function rename(pointer: string, name: string): Edit {
  return (contract) => {
    const place = find(contract, pointer)
    const value = place.parent[place.name]
    remove(pointer)(contract)
    place.parent[name] = value
  }
}

/** Combines several changes. */
export function all(...edits: Edit[]): Edit {
  return (contract) => {
    for (const edit of edits) edit(contract)
  }
}

function find(contract: object, pointer: string): { parent: Record<string, unknown>; name: string } {
  const names = pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
  const name = names.pop() ?? ''
  // An object has string keys, and an array's indices are strings, too.
  const parent = names.reduce<unknown>((node, each) => (node as Record<string, unknown> | undefined)?.[each], contract)
  if (typeof parent !== 'object' || parent === null) throw new Error(`there is no ${pointer}`)
  return { parent: parent as Record<string, unknown>, name }
}

function bigIntAsText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
