import { integerRanges, isOfBigInts } from 'fastify-contract/json'
import type { Schema } from 'fastify-contract/schema'
import { type Rule, referenceIn, reject } from './keyword.ts'

/** Of a constant. */
export const exact: Rule = (value, schema) => reject(inexactConstant(value, schema))

/** The problem of a constant whose number a double may have rounded. */
function inexactConstant(value: unknown, { type, format }: Schema): string | undefined {
  const constants: unknown[] = [value].flat()
  const rounded = [type].flat().every((member) => member === 'integer') ? constants.find(isRounded) : undefined
  if (rounded !== undefined) return `${String(rounded)} is not exact; write out its digits`
  // Others are read as numbers.
  const isTaken = (member: unknown) => typeof member === 'bigint' && (isOfBigInts(format) || isBeyond(member))
  const beyond = inexactInteger(constants.filter((member) => !isTaken(member)))
  if (beyond === undefined) return referenceIn(value)
  const wider = beyond > integerRanges.int64.maximum ? 'uint64' : 'int64'
  return `${String(beyond)} is not exact; add type: integer and format: ${wider}`
}

function isBeyond(integer: bigint): boolean {
  return integer < integerRanges.int64.minimum || integer > integerRanges.uint64.maximum
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
