import type { ValidateFunction } from 'ajv'
import type { SchemaCompiler } from './compile-flat.ts'
import type { Validation } from './validation.ts'

/** Compile schemas that apply to the same value or to its parts, and branches, whose first error is enough. */
export type Compilers = Pick<SchemaCompiler, 'compile' | 'compileBranch'>

/** Where a value is. */
export type Context = Parameters<ValidateFunction>[1]

/** The place of a member. */
export function contextOf(context: Context, container: object, key: string | number, name: string): Context {
  return {
    ...context,
    instancePath: `${context?.instancePath ?? ''}/${name}`,
    parentData: container,
    parentDataProperty: key,
    rootData: context?.rootData ?? {},
    dynamicAnchors: {},
  }
}

/** Applies a schema that may not match. @param isKept whether the notes of a valid branch are kept */
export function isBranchValid(
  state: Validation,
  branch: ValidateFunction,
  data: unknown,
  context: Context,
  isKept: boolean,
) {
  state.work.count(1)
  // Not destructured: V8 would make an array, in the hottest function of a validation.
  const coercions = state.coercions.length
  const objects = state.objects.length
  const { hasOthers } = state
  state.branches++
  const isValid = branch.call(state, data, context)
  state.branches--
  if (!isValid || !isKept) {
    state.coercions.length = coercions
    state.objects.length = objects
    state.hasOthers = hasOthers
  }
  return isValid
}
