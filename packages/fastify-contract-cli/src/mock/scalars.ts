import fc from 'fast-check'
import type { FlatSchema } from '../suite/flat-schema.ts'

/** No value of a schema is known. */
export class NoValue extends Error {}

type Assertions = FlatSchema['assertions']

/** A value of each format of texts. */
const ofFormat: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
  time: '12:00:00Z',
  duration: 'P1D',
  uuid: '3fa85f64-5717-4562-b3fc-2c963f66afa6',
  email: 'name@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  'uri-reference': '/path',
  byte: 'dGV4dA==',
}

/** The last part of the UUID above. */
const firstNode = 0x2c963f66afa6

/** The text of a schema. @param index selects another text where the schema allows it @throws NoValue */
export function textOf(
  { minLength = 0, maxLength = Infinity, pattern, format = '' }: Assertions,
  index: number,
): string {
  const known = ofFormat[format]
  const isFitting = (text: string) => isBetween(Array.from(text).length, minLength, maxLength)
  if (format === 'uuid') return `${known!.slice(0, -12)}${(firstNode + index).toString(16)}`
  if (known !== undefined && pattern === undefined) return known
  const expression = expressionOf(pattern)
  const suffix = index === 0 ? '' : String(index)
  const plain = known ?? `text${suffix}`.padEnd(minLength, 'text').slice(0, maxLength)
  if (isFitting(plain) && expression.test(plain)) return plain
  const drawn = drawTexts(expression, pattern).filter(isFitting)
  const text = drawn.filter((each) => /^[ -~]*$/.test(each))[index] ?? drawn[0]
  if (text === undefined) throw new NoValue('no text of the length has the pattern')
  return text
}

function isBetween(length: number, least: number, most: number): boolean {
  return length >= least && length <= most
}

/** @throws NoValue */
function expressionOf(pattern = ''): RegExp {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(pattern, flags)
    } catch {
      // The pattern of another dialect.
    }
  }
  throw new NoValue(`no text of the pattern ${pattern} is known`)
}

function drawTexts(expression: RegExp, pattern = ''): string[] {
  try {
    return [...new Set(fc.sample(fc.stringMatching(expression), { seed: 1, numRuns: 200 }))]
  } catch (error) {
    throw new NoValue(`no text of the pattern ${pattern} is known`, { cause: error })
  }
}

const bits: Readonly<Record<string, bigint>> = { int32: 31n }

/** An integer of a schema: 1 if it is one; a bigint beyond 2^53. @throws NoValue */
export function integerOf(assertions: Assertions, index: number): number | bigint {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf = 1, format = '' } = assertions
  const half = 2n ** (bits[format] ?? 63n)
  const lower = largest(
    -half,
    ceiling(minimum),
    exclusiveMinimum === undefined ? undefined : floor(exclusiveMinimum)! + 1n,
  )
  const upper = smallest(
    half - 1n,
    floor(maximum),
    exclusiveMaximum === undefined ? undefined : ceiling(exclusiveMaximum)! - 1n,
  )
  const factor = Number.isInteger(Number(multipleOf)) && Number(multipleOf) > 0 ? BigInt(multipleOf) : 1n
  const start = lower > 1n ? lower : upper < 1n ? upper - BigInt(index) * factor : 1n
  const multiple = ((start + (start > 0n ? factor - 1n : 0n)) / factor) * factor
  const wanted = start === 1n || lower > 1n ? multiple + BigInt(index) * factor : multiple
  const integer = [wanted, multiple, 0n].find((each) => each >= lower && each <= upper)
  if (integer === undefined) throw new NoValue('no integer is within the bounds')
  return Number.isSafeInteger(Number(integer)) ? Number(integer) : integer
}

type Bound = number | bigint | undefined

function floor(bound: Bound): bigint | undefined {
  return typeof bound === 'number' ? BigInt(Math.floor(bound)) : bound
}

function ceiling(bound: Bound): bigint | undefined {
  return typeof bound === 'number' ? BigInt(Math.ceil(bound)) : bound
}

function largest(first: bigint, ...others: Bound[]): bigint {
  return others.reduce<bigint>((most, each) => (each !== undefined && each > most ? BigInt(each) : most), first)
}

function smallest(first: bigint, ...others: Bound[]): bigint {
  return others.reduce<bigint>((least, each) => (each !== undefined && each < least ? BigInt(each) : least), first)
}

/** A number of a schema. @throws NoValue */
export function numberOf(assertions: Assertions, index: number): number {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = assertions
  const [lower, upper] = [
    Number(minimum ?? exclusiveMinimum ?? -Infinity),
    Number(maximum ?? exclusiveMaximum ?? Infinity),
  ]
  const factor = Number(multipleOf ?? 0)
  const bounds = [lower, upper].filter(Number.isFinite)
  const middle = bounds.length === 2 ? (lower + upper) / 2 : (bounds[0] ?? 0) + (bounds[0] === upper ? -1 : 1)
  const multiples = [factor, Math.ceil(lower / factor) * factor, (Math.floor(lower / factor) + 1) * factor, 0]
  const candidates = factor > 0 ? multiples : [1.5 + index, 1.5, ...bounds, middle, 0]
  const isWithin = (each: number) =>
    (minimum === undefined || each >= Number(minimum)) &&
    (maximum === undefined || each <= Number(maximum)) &&
    (exclusiveMinimum === undefined || each > Number(exclusiveMinimum)) &&
    (exclusiveMaximum === undefined || each < Number(exclusiveMaximum))
  const found = candidates.map((each) => Number(each.toPrecision(12))).find(isWithin)
  if (found === undefined) throw new NoValue('no number is within the bounds')
  return found
}
