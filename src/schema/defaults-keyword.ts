import type { FuncKeywordDefinition } from 'ajv'

/**
 * The Ajv keyword that `SchemaRewriter` writes for the properties of an object that have a `default`, by their names:
 * it puts in those that are left out. Ajv's `useDefaults` takes what every object inherits, such as `valueOf`, for
 * given.
 *
 * @see https://ajv.js.org/guide/modifying-data.html https://ajv.js.org/keywords.html
 */
export const defaultsKeyword: FuncKeywordDefinition = {
  keyword: 'defaults',
  type: 'object',
  schemaType: 'object',
  // The first keyword of objects: the others find the object with its defaults.
  before: 'maxProperties',
  modifying: true,
  errors: false,
  validate: (defaults: Record<string, unknown>, data: Record<string, unknown>) => {
    for (const [name, value] of Object.entries(defaults)) {
      if (!Object.hasOwn(data, name)) data[name] = structuredClone(value)
    }
    return true
  },
}
