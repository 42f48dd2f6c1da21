import { describe, expect, it } from 'vitest'
import { readTtl } from '../../src/auth/tokens.ts'

describe('readTtl', () => {
  it.each([
    ['1s', 1000],
    ['90s', 90_000],
    ['15m', 900_000],
    ['12h', 43_200_000],
    ['30d', 2_592_000_000],
    ['36500d', 3_153_600_000_000],
    ['3153600000s', 3_153_600_000_000],
  ])('reads %s as %d milliseconds', (text, milliseconds) => {
    expect(readTtl(text)).toBe(milliseconds)
  })

  it.each([
    '',
    '0s',
    '0d',
    '30',
    'd',
    '-1d',
    '+1d',
    '1.5h',
    '1e3s',
    '01d',
    ' 1d',
    '1 d',
    '1d ',
    '1d\n',
    '1D',
    '1w',
    '1y',
    '1ms',
    '1d12h',
    '0x1d',
    '36501d',
    '3153600001s',
    `${'9'.repeat(400)}d`,
    'NaNd',
    'forever',
  ])('refuses %j', (text) => {
    expect(readTtl(text)).toBeUndefined()
  })
})
