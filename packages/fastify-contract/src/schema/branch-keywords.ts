import type { FuncKeywordDefinition } from 'ajv'
import type { Reading } from './reading.ts'

/** Names a schema with alternatives, and says whether this branch is the first of them. */
export interface Branch {
  of: string
  isFirst: boolean
}

/** The keyword that begins each branch of `anyOf` and `oneOf`, and follows the last one. */
export const branchKeyword: FuncKeywordDefinition = {
  keyword: 'branch',
  schemaType: 'object',
  validate(
    this: Reading,
    { of, isFirst }: Branch,
    _data: unknown,
    _parent: unknown,
    context?: { instancePath: string },
  ) {
    this.beginBranch(of + String(context?.instancePath), isFirst)
    return true
  },
}

/** The keyword that ends a branch. Ajv comes to it only where the branch is valid. */
export const endOfBranchKeyword: FuncKeywordDefinition = {
  keyword: 'endOfBranch',
  schemaType: 'string',
  validate(this: Reading, of: string, _data: unknown, _parent: unknown, context?: { instancePath: string }) {
    this.endBranch(of + String(context?.instancePath))
    return true
  },
}
