import type { FlatSchema } from './flat-schema.ts'

/** No format of a contract: that of integers that are too large for each of them. */
export const beyondFormats = 'beyond'
/** An integer without a format is one that each JSON parser takes exactly (RFC 8259, section 6). */
const bitsOf: Record<string, bigint> = { int32: 31n, int64: 63n, [beyondFormats]: 100n }

/** The smallest and the largest integer of a schema. */
export function rangeOf({ assertions }: Pick<FlatSchema, 'assertions'>): { min: bigint; max: bigint } {
  const bits = bitsOf[assertions.format ?? ''] ?? 53n
  const [lowest, highest] = [-(2n ** bits), 2n ** bits - 1n]
  const { minimum = lowest, maximum = highest, exclusiveMinimum: above, exclusiveMaximum: below } = assertions
  const [floor, ceiling] = [rounded(minimum, Math.ceil), rounded(maximum, Math.floor)]
  const lower = [lowest, floor, above === undefined ? lowest : rounded(above, Math.floor) + 1n]
  const upper = [highest, ceiling, below === undefined ? highest : rounded(below, Math.ceil) - 1n]
  return { min: lower.reduce((a, b) => (a > b ? a : b)), max: upper.reduce((a, b) => (a < b ? a : b)) }
}

function rounded(bound: number | bigint, round: (bound: number) => number): bigint {
  return typeof bound === 'bigint' ? bound : BigInt(round(bound))
}
