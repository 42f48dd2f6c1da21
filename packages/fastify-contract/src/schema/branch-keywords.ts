import type { FuncKeywordDefinition, SchemaValidateFunction } from 'ajv'
import type { Reading } from './reading.ts'

/** Names a schema with alternatives, and says which of its branches this is. */
export interface Branch {
  of: string
  isFirst: boolean
}

/** The keyword that begins each branch of `anyOf`, `oneOf` and the like, and follows the last one. */
export const branchKeyword: FuncKeywordDefinition = {
  keyword: 'branch',
  schemaType: 'object',
  errors: false,
  compile({ of, isFirst }: Branch) {
    const validate: SchemaValidateFunction = function (this: Reading, _data: unknown, context) {
      this.beginBranch(placeOf(of, context), isFirst)
      return true
    }
    return validate
  },
}

/** The keyword that ends a branch. Ajv comes to it only where the branch is valid. */
export const endOfBranchKeyword: FuncKeywordDefinition = {
  keyword: 'endOfBranch',
  schemaType: 'string',
  errors: false,
  compile(of: string) {
    const validate: SchemaValidateFunction = function (this: Reading, _data: unknown, context) {
      this.endBranch(placeOf(of, context))
      return true
    }
    return validate
  },
}

/** The branches of one schema at one place of the value share a name. */
function placeOf(of: string, context: { instancePath: string } | undefined): string {
  // Ajv always gives the context to a keyword's function.
  return `${of} ${context?.instancePath ?? ''}`
}
