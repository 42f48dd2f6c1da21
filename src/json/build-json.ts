const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g

/**
 * Builds the value of a JSON document one string, number or literal at a time.
 *
 * V8's JSON.parse can take a name that is written with an escape for another one that an earlier document had:
 * after `{"id":1,"t\\u":2}` it reads `{"id":1,"t\u0061g":2}` as if it were the same (nodejs/node#63785, seen in 24.21).
 *
 * @param text a document that JSON.parse accepts; of a name that is doubled the last value counts
 */
export function buildJson(text: string): unknown {
  const root: unknown[] = []
  const parents: object[] = []
  let container: object = root
  let name = ''
  const found = text.match(tokens) ?? []
  for (const [index, token] of found.entries()) {
    if (token === ',' || token === ':') continue
    if (token === '}' || token === ']') {
      // The text is balanced, so there is a parent.
      container = parents.pop()!
    } else if (found[index + 1] === ':') {
      // Before a colon stands a string.
      name = JSON.parse(token) as string
    } else {
      const value: unknown = token === '{' ? {} : token === '[' ? [] : JSON.parse(token)
      if (Array.isArray(container)) container.push(value)
      // An assignment to `__proto__` would not make a property.
      else Object.defineProperty(container, name, { value, writable: true, enumerable: true, configurable: true })
      if (typeof value !== 'object' || value === null) continue
      parents.push(container)
      container = value
    }
  }
  return root[0]
}
