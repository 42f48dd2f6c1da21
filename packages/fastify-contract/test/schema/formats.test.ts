import { expect, test } from 'vitest'
import { textFormats } from '../../src/schema/patterns/formats.ts'

const raw = String.raw

/** Texts that a format allows, and texts that it does not, by the document that has its rules. */
const vectors: Record<string, { by: string; valid: string[]; invalid: string[] }> = {
  uuid: {
    by: 'RFC 9562, section 4',
    valid: [
      ...['123e4567-e89b-12d3-a456-426614174000', 'F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6'],
      ...['017F22E2-79B0-7CC3-98C4-DC0C0C07398F', '00000000-0000-0000-0000-000000000000'],
      ...['ffffffff-ffff-ffff-ffff-ffffffffffff'],
    ],
    invalid: [
      ...['urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6', '{123e4567-e89b-12d3-a456-426614174000}'],
      ...['123e4567e89b12d3a456426614174000', '123e4567-e89b-12d3-a456-42661417400'],
      ...['123e4567-e89b-12d3-a456-4266141740000', '123e4567-e89b-12d3-a4564-26614174000'],
      ...['g23e4567-e89b-12d3-a456-426614174000', '123e4567-e89b-12d3-a456-426614174000\n', ''],
    ],
  },
  email: {
    by: 'RFC 5321, section 4.1.2: Mailbox',
    valid: [
      ...['me@things.example', 'Me.And.You+tag@a-b.things.example', "!#$%&'*+/=?^_`{|}~-@a"],
      ...['"me"@things.example', '"me and you"@things.example', '""@things.example'],
      ...[raw`"a\"b\\c"@things.example`, '"a@b"@things.example', 'me@1.2.3', 'me@[192.0.2.1]'],
      ...['me@[127.000.000.001]', 'me@[IPv6:2001:db8::1]', 'me@[ipv6:::ffff:192.0.2.1]', 'a--b@c--d.example'],
    ],
    invalid: [
      ...['me', '@things.example', 'me@', 'me@@things.example', 'me@-things.example', 'me@things-.example'],
      ...['me.@things.example', 'm..e@things.example', 'm e@things.example', '"me@things.example'],
      ...['"m"e@things.example', '"m\u00e9"@things.example', '"a"b"@things.example', '"a\n"@things.example'],
      ...['m\u00e9@things.example', 'me@th\u00efngs.example', 'me@things_a.example', 'me@[192.0.2.256]'],
      ...['me@[192.0.2]', 'me@192.0.2.1]', 'me@[2001:db8::1]', 'me@[IPv6:2001:db8::g]', 'me@[x400:c]'],
    ],
  },
  date: {
    by: 'RFC 3339, section 5.6: full-date',
    valid: ['1985-04-12', '2024-02-29', '2000-02-29', '0000-02-29', '9999-12-31', '2023-04-30'],
    invalid: [
      ...['2023-02-29', '1900-02-29', '2023-04-31', '2023-13-01', '2023-00-01', '2023-01-00', '2023-1-1'],
      ...['\u0662\u0660\u0662\u0663-01-01', '2023-01-01\n', ''],
    ],
  },
  time: {
    by: 'RFC 3339, section 5.6: full-time',
    valid: [
      ...['23:20:50.52Z', '08:30:06z', '16:39:57-08:00', '12:00:27.87+00:20', '00:00:00-00:00'],
      ...['23:59:59+23:59', '23:59:60Z', '23:59:60.25z', '15:59:60-08:00', '01:29:60+01:30', '00:29:60+00:30'],
      ...['23:29:60-00:30', '12:00:59.999999999999999999Z'],
    ],
    invalid: [
      ...['24:00:00Z', '23:60:00Z', '23:59:61Z', '22:59:60Z', '23:58:60Z', '23:59:60+01:00', '00:29:60+01:30'],
      ...['12:00:00', '12:00Z', '12:00:00,5Z', '12:00:00.Z', '12:00:00+0100', '12:00:00+01', '12:00:00+24:00'],
      ...['12:00:00+01:60', '1:00:00Z', '12:00:00 Z', '120000Z', '12:00:00ZZ', '12:00:00Z\n'],
    ],
  },
  'date-time': {
    by: 'RFC 3339, section 5.6: date-time',
    valid: [
      ...['1985-04-12T23:20:50.52Z', '1996-12-19T16:39:57-08:00', '1990-12-31T23:59:60Z'],
      ...['1990-12-31T15:59:60-08:00', '1999-01-01T00:59:60+01:00', '2030-03-31T23:59:60Z'],
      ...['1937-01-01T12:00:27.87+00:20', '1985-04-12t23:20:50z', '0000-01-01T00:00:00Z'],
    ],
    invalid: [
      ...['1985-04-12 23:20:50Z', '1985-04-12T23:20:50', '1985-04-12', '1985-04-12T23:20Z'],
      ...['1985-04-12T24:00:00Z', '1985-02-30T23:20:50Z', '1990-12-31T23:59:61Z', '1990-12-31T22:59:60Z'],
      ...['1990-12-30T23:59:60Z', '1990-12-31T23:59:60+01:00', '1985-04-12T23:20:50+0100'],
      ...['1985-04-12TT23:20:50Z', '+11985-04-12T23:20:50Z'],
    ],
  },
  duration: {
    by: 'RFC 3339, appendix A',
    valid: ['P1Y2M3DT4H5M6S', 'P4W', 'PT1H', 'PT1H2M', 'PT2M3S', 'PT36S', 'P3D', 'P1Y2M', 'P1MT1M', 'P0D', 'p1dt2h'],
    invalid: [
      ...['P', 'PT', 'P1', '1D', 'P1DT', 'P1Y1D', 'PT1H1S', 'P1W1D', 'P1D1W', 'P1H', 'P1M1Y', 'PT1S1M', 'P-1D'],
      ...['-P1D', 'PT1.5S', 'P1D\n', ''],
    ],
  },
  hostname: {
    by: 'RFC 1123, section 2.1; RFC 1035, section 2.3.4',
    valid: [
      ...['a', '3com.example', 'A-B.example', 'xn--nxasmq6b.example', 'a--b', `${'a'.repeat(63)}.example`],
      ...[`${'a.'.repeat(126)}a`, '192.0.2.1'],
    ],
    invalid: [
      ...['', '.', '-a', 'a-', 'a-.example', 'a..b', '.a', 'a.', 'a_b', 'a b', `${'a'.repeat(64)}.example`],
      ...[`${'a.'.repeat(126)}ab`, 'm\u00e9.example', 'a.example:80', 'a/b'],
    ],
  },
  ipv4: {
    by: 'RFC 3986, section 3.2.2: IPv4address',
    valid: ['0.0.0.0', '127.0.0.1', '255.255.255.255', '192.0.2.10'],
    invalid: [
      ...['256.0.0.1', '127.1', '127.0.0.01', '127.0.0.1.1', '127.0.0.', '0x7f.0.0.1', '2130706433'],
      ...['127.0.0.1/8', ' 127.0.0.1', '\u0967.0.0.1', ''],
    ],
  },
  ipv6: {
    by: 'RFC 4291, section 2.2',
    valid: [
      ...['ABCD:EF01:2345:6789:ABCD:EF01:2345:6789', '2001:DB8:0:0:8:800:200C:417A'],
      ...['2001:DB8::8:800:200C:417A', 'FF01::101', '::1', '::', '1::', '1:2:3:4:5:6:7::', '::2:3:4:5:6:7:8'],
      ...['0:0:0:0:0:0:13.1.68.3', '::FFFF:129.144.52.38', '1::8.8.8.8'],
    ],
    invalid: [
      ...['', ':', ':::', '1::2::3', '1:2:3:4:5:6:7', '1:2:3:4:5:6:7:8:9', '1:2:3:4:5:6:7:8::'],
      ...['::1:2:3:4:5:6:7:8', '12345::', 'g::', ':1:2:3:4:5:6:7', '1:2:3:4:5:6:7:', '::256.0.0.1', '::1.2.3'],
      ...['1.2.3.4::', 'fe80::1%eth0', '[::1]', '::/0', '1:2:3:4:5:6:7:1.2.3.4'],
    ],
  },
  uri: {
    by: 'RFC 3986, appendix A: URI',
    valid: [
      ...['ftp://ftp.is.co.za/rfc/rfc1808.txt', 'http://www.ietf.org/rfc/rfc2396.txt'],
      ...['ldap://[2001:db8::7]/c=GB?objectClass?one', 'mailto:John.Doe@example.com'],
      ...['foo://example.com:8042/over/there?name=ferret#nose', 'http://localhost:3000', 'file:///etc/hosts'],
      ...['http://me:secret@things.example:/', 'http://[v1.fe80::a+en1]/', 'http://a/%7Eb?c=%20', 'a:', 'a:b'],
      ...['a:/b', 'HTTP://A', "x://a!$&'()*+,;=:@b/c;d=e?f/g?h#i/j?k"],
    ],
    invalid: [
      ...['', 'things', '/things', '//things.example/', '://things.example', '1a://b', 'http://a b'],
      ...['http://a/b c', 'http://a/%zz', 'http://a/%2', 'http://a/b#c#d', 'http://a/{b}', 'http://a/"b"'],
      ...['http://a/<b>', raw`http://a\b`, 'http://a|b', 'http://[::1', 'http://::1]/', 'http://[::g]/'],
      ...['http://a:b/', 'http://a@b@c/', 'http://m\u00e9.example/', 'http://a/\u00e9', 'http://a/b^c'],
    ],
  },
  'uri-reference': {
    by: 'RFC 3986, appendix A: URI-reference',
    valid: ['', 'http://a', 'g', './g', 'g/', '/g', '//g', '?y', 'g?y', '#s', 'g;x=1/../y', '../..', './a:b', 'a/b:c'],
    invalid: ['1a:b', ':b', raw`\a`, 'a b', '%', '//a b', '#a#b', '//[::1', '\u00e9', '?a^b'],
  },
  url: {
    by: 'RFC 3986, section 3.2: a URI with an authority',
    valid: [
      ...['https://things.example/', 'http://localhost:3000', 'http://10.0.0.1/', 'ws://a/b?c#d'],
      ...['file:///etc/hosts'],
    ],
    invalid: ['things', '//things.example/', 'mailto:me@things.example', 'http:/a', 'http://a b/', 'http://a/\u00e9'],
  },
  byte: {
    by: 'RFC 4648, section 4',
    valid: ['', 'Zg==', 'Zm8=', 'Zm9v', 'Zm9vYg==', 'Zm9vYmE=', 'Zm9vYmFy', '+/+/'],
    invalid: ['Z', 'Zg', 'Zg=', 'Zm8', 'Zg===', '=', 'Zm9v=', 'Zm9vYg==Zm9v', '-_-_', 'Zm9v\n', '!\nZm9v\n!', 'Zm 9v'],
  },
  decimal: { by: 'the OpenAPI format registry', valid: ['1.5', '-1e100', ''], invalid: [] },
  password: { by: 'the OpenAPI format registry', valid: ['', 'anything \u0001'], invalid: [] },
  binary: { by: 'the OpenAPI format registry', valid: ['', 'anything \u0001'], invalid: [] },
}

/** Whether a format allows a text. */
function allows(name: string, text: string): boolean {
  const format = textFormats[name]
  return format === true || (typeof format === 'function' && (format as (text: string) => boolean)(text))
}

test('every format has its vectors', () => {
  expect(Object.keys(vectors).toSorted()).toEqual(Object.keys(textFormats).toSorted())
})

test.each(Object.entries(vectors))('the format %s allows only what its rules allow', (name, table) => {
  for (const text of table.valid) expect([text, allows(name, text)], table.by).toEqual([text, true])
  for (const text of table.invalid) expect([text, allows(name, text)], table.by).toEqual([text, false])
})

/** Beginnings and parts that are repeated, and an end that no format has. */
const lengthened: [beginning: string, part: string][] = [
  ...['a', '1', '.', '/', ':', '-', '%41', 'a.', 'a-', '1:', '::', 'a:', '{a', 'a@', '"', '[', '(?:', '=', '~0'].map(
    (part): [string, string] => ['', part],
  ),
  ['http://', 'a:'],
  ['http://', 'a@'],
  ['http://a/', 'a/'],
  ['http://[', '1:'],
  ['me@', 'a-'],
  ['me@[IPv6:', '1:'],
  ['"', 'a'],
  ['"', '\\"'],
  ['{', 'a,'],
  ['{', 'a.'],
  ['P', '1Y'],
  ['00:00:00.', '0'],
  ['2020-01-01T00:00:00.', '0'],
  ['', raw`\p{L}`],
  ['[^', raw`\P{L}`],
]

test.each(Object.keys(textFormats))('the format %s is checked fast for a long text', (name) => {
  for (const [beginning, part] of lengthened) {
    for (const end of ['', '\u0001']) {
      const long = `${beginning}${part.repeat(55_000 / part.length)}${end}`
      const short = `${beginning}${part.repeat(240 / part.length)}${end}`
      const start = process.threadCpuUsage()
      allows(name, long)
      for (let count = 0; count < 100; count++) allows(name, short)
      const { user, system } = process.threadCpuUsage(start)
      expect(user + system, `${part} again and again`).toBeLessThan(1_000_000)
    }
  }
})
