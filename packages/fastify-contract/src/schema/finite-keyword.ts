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

function isFinite(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  return typeof value !== 'object' || value === null || Object.values(value).every(isFinite)
}
