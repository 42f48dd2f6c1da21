import type { FuncKeywordDefinition } from 'ajv'

/**
 * The Ajv keyword that `SchemaRewriter` writes for the properties of an object that have a `default`, by their names:
 * it puts in those that are left out. Ajv's `useDefaults` takes what every object inherits, such as `valueOf`, for
 * given. Like that, a schema with defaults that applies in some cases only does not compile.
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
  compile: (defaults: Record<string, unknown>, _schema, { compositeRule }) => {
    if (compositeRule === true)
      throw new Error('a property here has a default, which applies only where the schema always does; move it out')
    return (object: Record<string, unknown>) => {
      for (const [name, value] of Object.entries(defaults)) {
        if (!Object.hasOwn(object, name)) object[name] = structuredClone(value)
      }
      return true
    }
  },
}
