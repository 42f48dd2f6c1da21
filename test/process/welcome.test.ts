import { describe, expect, it } from 'vitest'
import { isLoopback } from '../../src/config/variables.ts'

describe('isLoopback', () => {
  it.each(['127.0.0.1', '127.0.0.2', '127.255.255.254', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1', 'localhost'])(
    'holds for %s',
    (host) => {
      expect(isLoopback(host)).toBe(true)
    },
  )

  it.each([
    '0.0.0.0',
    '::',
    '128.0.0.1',
    '126.255.255.255',
    '10.0.0.1',
    '192.168.1.1',
    '::2',
    'fe80::1',
    '::ffff:10.0.0.1',
    'plants.example',
    'localhost.example',
    '127.0.0.1.example',
    '',
  ])('does not hold for %j', (host) => {
    expect(isLoopback(host)).toBe(false)
  })
})
