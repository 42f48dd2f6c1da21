import type { FuncKeywordDefinition, SchemaValidateFunction } from 'ajv'
import type { Declaration, Reading } from './reading.ts'
import { linearPatterns } from './text/linear-pattern.ts'

/** What `SchemaRewriter` writes of the properties that a schema declares. */
export interface DeclaredProperties {
  names: string[]
  patterns: string[]
  isOpen: boolean
  isClosed: boolean
  isStrict: boolean
}

/**
 * The Ajv keyword that notes which properties a schema declares of an object. It is the last keyword of objects, so
 * that a schema which does not hold declares nothing.
 *
 * `unevaluatedProperties` would not do: it sees one schema, and several may describe the same object, as where two
 * schemas of an `allOf` each describe some of the properties of `a`.
 *
 * @see https://ajv.js.org/keywords.html
 */
export const declaredKeyword: FuncKeywordDefinition = {
  keyword: 'declared',
  type: 'object',
  schemaType: 'object',
  errors: false,
  compile({ names, patterns, ...rest }: DeclaredProperties) {
    const declaration: Declaration = {
      names: Object.fromEntries(names.map((name) => [name, true])),
      patterns: patterns.map((pattern) => linearPatterns(pattern)),
      ...rest,
    }
    const validate: SchemaValidateFunction = function (this: Reading, data: object, context) {
      this.declare(context?.instancePath ?? '', data, declaration)
      return true
    }
    return validate
  },
}
