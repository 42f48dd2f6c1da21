import type { FuncKeywordDefinition } from 'ajv'

/**
 * The Ajv keyword that `SchemaRewriter` writes where a schema leaves a value open. It refuses a number beyond the range
 * of a double, such as `1e400`: a handler would get it as infinite, and a reply would write it as `null`.
 *
 * @see https://ajv.js.org/keywords.html
 */
export const finiteKeyword: FuncKeywordDefinition = {
  keyword: 'finite',
  schemaType: 'boolean',
  error: { message: 'must not have a number beyond the range of a double' },
  validate: (_schema: boolean, data: unknown) => isFinite(data),
}

/** Walks with a list of its own, because a body may nest deeper than the call stack reaches. */
function isFinite(value: unknown): boolean {
  const unread = [value]
  for (const next of unread) {
    if (typeof next === 'number' && !Number.isFinite(next)) return false
    if (typeof next !== 'object' || next === null) continue
    for (const member of Object.values(next) as unknown[]) unread.push(member)
  }
  return true
}
