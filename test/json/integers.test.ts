import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { integerRanges, readDecimal, readJsonInteger } from '../../src/json/integers.ts'

const int64 = fc.oneof(
  fc.bigInt({ min: integerRanges.int64.minimum, max: integerRanges.int64.maximum }),
  // Around the places where a double, a format or a number of digits ends.
  fc
    .tuple(
      fc.constantFrom(0n, 2n ** 31n, 2n ** 53n, 10n ** 15n, 10n ** 16n, 10n ** 18n, 2n ** 63n - 3n),
      fc.bigInt({ min: -3n, max: 2n }),
      fc.boolean(),
    )
    .map(([edge, step, negative]) => (negative ? -(edge + step) : edge + step)),
)

/** The digits times ten to the power of the exponent minus the number of digits after the point, up to 2^53. */
function exactInteger(sign: string, whole: string, fraction: string, exponent: number): bigint | undefined {
  const digits = BigInt(whole + fraction)
  const power = exponent - fraction.length
  const divisor = power < 0 ? 10n ** BigInt(-power) : 1n
  if (digits % divisor !== 0n) return undefined
  const magnitude = power < 0 ? digits / divisor : digits * 10n ** BigInt(power)
  if (magnitude > 2n ** 53n) return undefined
  return sign === '-' ? -magnitude : magnitude
}

describe('integerRanges', () => {
  it('are those of the signed formats of 32 and of 64 bits', () => {
    expect(integerRanges).toEqual({
      int32: { minimum: -2147483648n, maximum: 2147483647n },
      int64: { minimum: -9223372036854775808n, maximum: 9223372036854775807n },
    })
  })
})

describe('readDecimal', () => {
  it('reads every int64 in its canonical form', () => {
    fc.assert(
      fc.property(int64, (integer) => readDecimal(String(integer)) === integer),
      { numRuns: 1000 },
    )
  })

  it('accepts nothing but the canonical form of a bigint', () => {
    const nearlyInteger = fc.string({ unit: fc.constantFrom(...Array.from('0123456789-+.eExX _,n٣')), maxLength: 22 })
    fc.assert(
      fc.property(fc.oneof(nearlyInteger, fc.string()), (text) => {
        const read = readDecimal(text)
        expect(read === undefined || String(read) === text).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })

  it.each([
    '',
    '-',
    '+',
    '1e3',
    '1E3',
    '0x1',
    '0b1',
    '0o1',
    ' 1',
    '1 ',
    '\t1',
    '1\n',
    '+1',
    '1.0',
    '1.',
    '.1',
    '007',
    '00',
    '-0',
    '-01',
    '--1',
    '1_000',
    '1,000',
    '1n',
    'true',
    'null',
    'NaN',
    'Infinity',
    '٣',
    '１',
    '1\0',
    '−1',
  ])('refuses %j', (text) => {
    expect(readDecimal(text)).toBeUndefined()
  })

  it('reads as many digits as any format has and refuses more without converting them', () => {
    expect(readDecimal('-9223372036854775808')).toBe(-9223372036854775808n)
    expect(readDecimal('18446744073709551615')).toBe(18446744073709551615n)
    expect(readDecimal('100000000000000000000')).toBeUndefined()
    expect(readDecimal('9'.repeat(1_000_000))).toBeUndefined()
  })
})

describe('readJsonInteger', () => {
  it('reads every int64 written as digits', () => {
    fc.assert(
      fc.property(int64, (integer) => readJsonInteger(String(integer)) === integer),
      { numRuns: 1000 },
    )
  })

  it.each([
    ['54.0', 54n],
    ['54.000', 54n],
    ['-54.0', -54n],
    ['5.4e1', 54n],
    ['5.4E+1', 54n],
    ['540e-1', 54n],
    ['540.0e-1', 54n],
    ['0.54e2', 54n],
    ['0.0054e4', 54n],
    ['1e3', 1000n],
    ['1E+03', 1000n],
    ['9e15', 9000000000000000n],
    ['100e-2', 1n],
    ['0', 0n],
    ['-0', 0n],
    ['0.0', 0n],
    ['-0.0', 0n],
    ['0e999999999999', 0n],
    ['0e-999999999999', 0n],
    ['0.000e5', 0n],
    ['9007199254740993', 9007199254740993n],
    ['9007199254740992.0', 9007199254740992n],
    ['-9007199254740992.0', -9007199254740992n],
    ['9007199254740992e0', 9007199254740992n],
    ['9.007199254740992e15', 9007199254740992n],
  ])('reads %s as %d', (source, integer) => {
    expect(readJsonInteger(source)).toBe(integer)
  })

  it.each([
    '0.5',
    '54.1',
    '-1.5',
    '1e-1',
    '15e-1',
    '5.41e1',
    '0.0054e3',
    '1e-999999999999',
    '54.00000000000000000001',
    '0.1e0',
  ])('refuses the fraction %s', (source) => {
    expect(readJsonInteger(source)).toBeUndefined()
  })

  it.each([
    '9007199254740993.0',
    '9007199254740993e0',
    '-9007199254740993.0',
    '9.007199254740993e15',
    '9223372036854775807.0',
    '9223372036854775807e0',
    '1e16',
    '1e18',
    '-1e16',
    '1e400',
    '1e999999999999',
    '90071992547409920e-0',
  ])('refuses %s, a form with a point or an exponent beyond 2^53', (source) => {
    expect(readJsonInteger(source)).toBeUndefined()
  })

  it('refuses more digits than any format has', () => {
    expect(readJsonInteger('10000000000000000000')).toBeUndefined()
    expect(readJsonInteger(`-${'9'.repeat(1_000_000)}`)).toBeUndefined()
    expect(readJsonInteger(`1${'0'.repeat(1_000_000)}e-1000000`)).toBe(1n)
    expect(readJsonInteger(`0.${'0'.repeat(1_000_000)}1e1000001`)).toBe(1n)
  })

  it('agrees with exact arithmetic on every form with a point or an exponent', () => {
    const digits = fc.string({ unit: fc.constantFrom(...Array.from('0000123456789')), minLength: 1, maxLength: 20 })
    const whole = digits.map((text) => text.replace(/^0+(?=.)/, ''))
    fc.assert(
      fc.property(
        fc.constantFrom('', '-'),
        whole,
        fc.oneof(fc.constant(''), digits),
        fc.integer({ min: -25, max: 25 }),
        (sign, before, after, exponent) => {
          const source = `${sign}${before}${after === '' ? '' : `.${after}`}e${String(exponent)}`
          expect(readJsonInteger(source)).toBe(exactInteger(sign, before, after, exponent))
        },
      ),
      { numRuns: 3000 },
    )
  })
})
