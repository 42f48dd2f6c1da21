import { describe, expect, it } from 'vitest'
import { isLoopback } from '../../src/config/variables.ts'
import { welcome } from '../../src/process/welcome.ts'

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

describe('welcome', () => {
  const origin = 'http://127.0.0.1:3000'

  it('names the base URL, the docs and the way to a token', () => {
    expect(welcome(origin, undefined).split('\n')).toEqual([
      'Plant Store  http://127.0.0.1:3000',
      'Docs         http://127.0.0.1:3000/docs',
      'Token        npm run token -- issue CALLER',
    ])
  })

  it('shows a token that was just issued, with curl lines that carry it', () => {
    const text = welcome(origin, 'plst_secret')
    expect(text).toContain('Token        plst_secret\n')
    const [create, list] = text.split('\n').flatMap((line) => /curl .*$/.exec(line) ?? [])
    expect(create).toBe(
      `curl -H 'Authorization: Bearer plst_secret' -H 'Content-Type: application/json' -d ` +
        `'{"id":54,"name":"Monstera deliciosa","tag":"indoor"}' http://127.0.0.1:3000/plants`,
    )
    expect(list).toBe(`curl -H 'Authorization: Bearer plst_secret' http://127.0.0.1:3000/plants`)
  })
})
