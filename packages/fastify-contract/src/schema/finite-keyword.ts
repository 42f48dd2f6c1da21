import type { FuncKeywordDefinition } from 'ajv'

/** Values that have members. */
export type Kind = 'object' | 'array'

/**
 * The Ajv keyword that `SchemaRewriter` writes where a schema leaves a value open. It refuses a number beyond the range
 * of a double, such as `1e400`: a handler would get it as infinite, and a reply would write it as `null`. Its value
 * lists the kinds whose members the schema leaves open.
 *
 * @see https://ajv.js.org/keywords.html
 */
export const finiteKeyword: FuncKeywordDefinition = {
  keyword: 'finite',
  schemaType: 'array',
  error: { message: 'must not have a number beyond the range of a double' },
  validate: (open: Kind[], data: unknown) => {
    const hasMembers = typeof data === 'object' && data !== null
    return (hasMembers && !open.includes(Array.isArray(data) ? 'array' : 'object')) || isFinite(data)
  },
}

function isFinite(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  return typeof value !== 'object' || value === null || Object.values(value).every(isFinite)
}
