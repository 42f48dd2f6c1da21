import { type Schema, typesOf } from 'fastify-contract/schema'
import { referenceIn } from './keyword.ts'

/** The problem of constants none of which has the type beside them, so that nothing is valid. */
export function misfit(constants: unknown, { type }: Schema): string | undefined {
  const values = Array.isArray(constants) ? constants.filter((value) => value !== null) : []
  const isMisfit = type !== undefined && values.length > 0
  return isMisfit && typesOf({ enum: values }, {}).isDisjointFrom(typesOf({ type }, {}))
    ? 'no value has the type beside it, so that nothing is valid; correct one of them'
    : undefined
}

/** The problem of a constant whose number a double may have rounded. */
export function inexactConstant(value: unknown, { type, format }: Schema): string | undefined {
  const constants: unknown[] = [value].flat()
  const rounded = [type].flat().every((member) => member === 'integer') ? constants.find(isRounded) : undefined
  if (rounded !== undefined) return `${String(rounded)} is not exact; add format: int64, and write out its digits`
  const inexact = format === 'int64' ? [value].flat().filter((member) => typeof member !== 'bigint') : value
  const beyond = inexactInteger(inexact)
  return beyond === undefined
    ? referenceIn(value)
    : `${String(beyond)} is not exact; add type: integer and format: int64`
}

/** Whether a number is an integer that a double may have rounded. */
function isRounded(value: unknown): value is number {
  return Number.isInteger(value) && !Number.isSafeInteger(value)
}

/** An integer within a value that does not fit a double. */
export function inexactInteger(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value
  if (typeof value !== 'object' || value === null) return undefined
  return Object.values(value)
    .map(inexactInteger)
    .find((integer) => integer !== undefined)
}
