import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isExact, readDecimal, readJsonInteger } from '../../src/json/integers.ts'

describe.each([
  ['readDecimal', readDecimal],
  ['readJsonInteger', readJsonInteger],
])('%s', (_name, read) => {
  it('refuses too many digits', () => {
    expect(read('-9223372036854775808')).toBe(-9223372036854775808n)
    expect(read(`-${'9'.repeat(1_000_000)}`)).toBeUndefined()
  })
})

describe('readDecimal', () => {
  it('accepts only the canonical form of a bigint', () => {
    const nearlyInteger = fc.string({ unit: fc.constantFrom(...Array.from('0123456789-+.eExX _,n٣')), maxLength: 22 })
    fc.assert(
      fc.property(fc.oneof(nearlyInteger, fc.string()), (text) => {
        const read = readDecimal(text)
        expect(read === undefined || String(read) === text).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('readJsonInteger', () => {
  it.each<[integer: bigint, sources: string[]]>([
    [54n, ['54.0', '54.000', '5.4e1', '5.4E+1', '540e-1', '540.0e-1', '0.54e2', '0.0054e4']],
    [0n, ['0', '-0', '0.0', '-0.0', '0e999999999999', '0e-999999999999', '0.000e5']],
    [1n, [`1${'0'.repeat(1_000_000)}e-1000000`, `0.${'0'.repeat(1_000_000)}1e1000001`]],
    [-54n, ['-54.0', '-540e-1']],
    [1000n, ['1E+03', '1e3']],
    [9000000000000000n, ['9e15']],
    [9007199254740992n, ['9007199254740992.0', '9007199254740992e0', '9.007199254740992e15']],
    [-9007199254740992n, ['-9007199254740992.0']],
    [10n ** 21n, ['1e21', '1000000000000000000000', '1000000000000000000000.0']],
  ])('reads %d in each of its forms', (integer, sources) => {
    expect(sources.map(readJsonInteger)).toEqual(sources.map(() => integer))
  })

  it('agrees with exact arithmetic on any form with a point or an exponent', () => {
    const digits = fc.string({ unit: fc.constantFrom(...Array.from('0000123456789')), minLength: 1, maxLength: 20 })
    const whole = digits.map((text) => text.replace(/^0+(?=.)/, ''))
    const fraction = fc.oneof(fc.constant(''), digits)
    fc.assert(
      fc.property(fc.constantFrom('', '-'), whole, fraction, fc.integer({ min: -25, max: 25 }), (...parts) => {
        const [sign, before, after, exponent] = parts
        const source = `${sign}${before}${after === '' ? '' : `.${after}`}e${String(exponent)}`
        expect(readJsonInteger(source)).toBe(exactInteger(sign, before, after, exponent))
      }),
      { numRuns: 3000 },
    )
  })
})

it.each<[source: string, isKnown: boolean]>([
  ['9007199254740993', true],
  ['-9007199254740993', true],
  ['9007199254740992.0', true],
  ['-9007199254740992e0', true],
  ['9007199254740993.0', false],
  ['-9007199254740994e0', false],
  ['1e16', false],
])('the form %s is exact: %s', (source, isKnown) => {
  expect(isExact(source, readJsonInteger(source)!)).toBe(isKnown)
})

/** The integer of a number with a point or an exponent; undefined for a fraction. */
function exactInteger(sign: string, before: string, after: string, exponent: number): bigint | undefined {
  const digits = BigInt(before + after)
  const power = exponent - after.length
  const scale = 10n ** BigInt(Math.abs(power))
  if (power < 0 && digits % scale !== 0n) return undefined
  const magnitude = power < 0 ? digits / scale : digits * scale
  return sign === '-' ? -magnitude : magnitude
}
