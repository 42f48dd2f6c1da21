/**
 * Parses JSON. Integers that no double holds exactly are bigints.
 *
 * @throws SyntaxError also where an object names a property twice
 */
export function parseExactly(text: string): unknown {
  const strings = [...text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)]
  // The holder of the whole value is an object, too.
  let unseen = 1 + strings.filter(([, colon]) => colon !== undefined).length
  function revive(this: unknown, _name: string, value: unknown, context?: { source?: string }): unknown {
    if (!Array.isArray(this)) unseen--
    const isInteger = typeof value === 'number' && /^-?\d+$/.test(context?.source ?? '')
    return isInteger && !Number.isSafeInteger(value) ? BigInt(context?.source ?? '') : value
  }
  const value: unknown = JSON.parse(text, revive)
  if (unseen > 0) throw new SyntaxError('an object names a property twice')
  return value
}

/** JSON in which the order of properties does not count. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => {
    if (typeof member === 'bigint') return JSON.rawJSON(String(member))
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}
