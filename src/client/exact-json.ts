declare global {
  interface JSON {
    /** TC39 JSON.parse source text access: `source` is the text of a number as it was written. */
    parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown
  }
}

/** Writes a request body; bigints as digits. */
export function writeBody(body: unknown): string {
  const replacer = (_key: string, member: unknown) =>
    typeof member === 'bigint' ? JSON.rawJSON(String(member)) : member
  return JSON.stringify(body, replacer)
}

/**
 * Reads a response body.
 *
 * @param int64Places the places of bigints, as property names from the outside in; `*` means each item of an array
 * @throws SyntaxError when the text is not JSON
 */
export function readBody(text: string, int64Places: string[][]): unknown {
  const body = JSON.parse(text, (_key, value, { source = '' }) => {
    const isInexact = typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source)
    return isInexact ? BigInt(source) : value
  })
  const holder = { body }
  for (const place of int64Places) toBigInts(holder, ['body', ...place])
  return holder.body
}

function toBigInts(container: unknown, [name, ...rest]: string[]): void {
  if (typeof container !== 'object' || container === null || name === undefined) return
  const members = container as Record<string, unknown>
  for (const key of name === '*' ? Object.keys(members) : [name]) {
    const value = members[key]
    if (rest.length > 0) toBigInts(value, rest)
    else if (typeof value === 'number') members[key] = BigInt(value)
  }
}
