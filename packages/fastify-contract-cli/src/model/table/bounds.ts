import type { Schema } from 'fastify-contract/schema'

/** The problem of a bound that is above the other one, so that nothing is valid. */
export function emptyRange(least: unknown, upper: Schema, isExclusive = false): string | undefined {
  const [[name, most] = ['']] = Object.entries(upper)
  if (!isNumber(least) || !isNumber(most) || (isExclusive ? least < most : least <= most)) return undefined
  return `is ${isExclusive ? 'not below' : 'above'} ${name}, so that nothing is valid; correct one of them`
}

/** The problem of bounds of an integer that have no integer between them. */
export function noInteger({ type, multipleOf, ...bounds }: Schema): string | undefined {
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum } = bounds
  if (type !== 'integer') return undefined
  const divisor = Number.isSafeInteger(multipleOf) && Number(multipleOf) > 0 ? BigInt(Number(multipleOf)) : 1n
  const least = [rounded(minimum, Math.ceil), rounded(exclusiveMinimum, Math.floor, 1n)].filter(isBigInt)
  const most = [rounded(maximum, Math.floor), rounded(exclusiveMaximum, Math.ceil, -1n)].filter(isBigInt)
  const isEmpty = least.some((low) => most.some((high) => floorOf(high, divisor) < -floorOf(-low, divisor)))
  if (!isEmpty) return undefined
  const name = divisor === 1n ? 'integer' : `multiple of ${String(divisor)}`
  return `no ${name} is within the bounds, so that nothing is valid; correct one of them`
}

/** The integer next to a bound; undefined without one. */
function rounded(bound: unknown, round: (value: number) => number, step = 0n): bigint | undefined {
  if (typeof bound === 'bigint') return bound + step
  return typeof bound === 'number' && Number.isFinite(bound) ? BigInt(round(bound)) + step : undefined
}

/** The greatest multiple of a divisor that is not above an integer. */
function floorOf(integer: bigint, divisor: bigint): bigint {
  const rest = integer % divisor
  return integer - (rest < 0n ? rest + divisor : rest)
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}

function isBigInt(value: unknown): value is bigint {
  return typeof value === 'bigint'
}
