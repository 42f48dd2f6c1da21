import {
  type GoldenRequest,
  type Parts,
  create,
  ended,
  message,
  raw,
  remove,
  shown,
  together,
  tokens,
} from './request.ts'

const bearer = `Authorization: Bearer ${tokens.own}\r\n`
const fields = `Host: a\r\n${bearer}Connection: close\r\n`
const after = `GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`

/** Bytes that are no request, or the beginning of one. */
const notRequests: readonly (readonly [string, string])[] = [
  ['nothing', ''],
  ['a line end', '\r\n'],
  ['two line ends', '\r\n\r\n'],
  ['many line ends', '\r\n'.repeat(100)],
  ['LF alone', '\n'],
  ['CR alone', '\r'],
  ['U+0000', '\0'],
  ['spaces', '     '],
  ['the beginning of TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ['the beginning of SSL 2', '\x80\x2e\x01\x00\x02'],
  ['SSH', 'SSH-2.0-OpenSSH_9.6\r\n'],
  ['SMTP', 'EHLO plants.example\r\n'],
  ['Redis', '*1\r\n$4\r\nPING\r\n'],
  ['random bytes', '\xff\xfe\x00\xde\xad\r\n\r\n'],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['a response', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'],
  ['a PROXY line', `PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\n${after}`],
  ['a byte order mark', `\xef\xbb\xbf${after}`],
  ['half a method', 'GE'],
  ['a method', 'GET'],
  ['a method and a space', 'GET '],
  ['half a target', 'GET /pla'],
  ['half a version', 'GET /plants HTT'],
  ['a request line', 'GET /plants HTTP/1.1\r\n'],
  ['half a field', 'GET /plants HTTP/1.1\r\nHos'],
  ['a field without the end', 'GET /plants HTTP/1.1\r\nHost: a\r\n'],
  ['fields without the last LF', 'GET /plants HTTP/1.1\r\nHost: a\r\n\r'],
  ['HTTP/0.9', 'GET /plants\r\n'],
  ['HTTP/0.9 and an empty line', 'GET /plants\r\n\r\n'],
]

const requestLines = [
  ...[
    'GET /plants HTTP/0.8',
    'GET /plants HTTP/0.9',
    'GET /plants HTTP/1.0',
    'GET /plants HTTP/1.1',
    'GET /plants HTTP/1.2',
  ],
  ...[
    'GET /plants HTTP/1.9',
    'GET /plants HTTP/2.0',
    'GET /plants HTTP/2',
    'GET /plants HTTP/3.0',
    'GET /plants HTTP/1',
  ],
  ...['GET /plants HTTP/1.', 'GET /plants HTTP/.1', 'GET /plants HTTP/', 'GET /plants HTTP', 'GET /plants http/1.1'],
  ...[
    'GET /plants HTTP/1.10',
    'GET /plants HTTP/01.1',
    'GET /plants HTTP/11',
    'GET /plants HTTP/1.1.1',
    'GET /plants HTTP/-1.1',
  ],
  ...[
    'GET /plants HTTPS/1.1',
    'GET /plants XHTTP/1.1',
    'GET /plants HTTP /1.1',
    'GET /plants HTTP/ 1.1',
    'GET /plants HTTP/1. 1',
  ],
  ...[
    'GET /plants HTTP/1.1 ',
    'GET /plants HTTP/1.1 x',
    'GET /plants HTTP/1.1\t',
    'GET /plants HTTP/a.b',
    'GET /plants HTTP/1,1',
  ],
  ...[
    'GET  /plants HTTP/1.1',
    'GET /plants  HTTP/1.1',
    'GET\t/plants HTTP/1.1',
    'GET /plants\tHTTP/1.1',
    ' GET /plants HTTP/1.1',
  ],
  ...[
    '\tGET /plants HTTP/1.1',
    '\r\nGET /plants HTTP/1.1',
    '\nGET /plants HTTP/1.1',
    '\rGET /plants HTTP/1.1',
    '\0GET /plants HTTP/1.1',
  ],
  ...[
    'GET /pla nts HTTP/1.1',
    'GET /plants\x01 HTTP/1.1',
    'GET /plants\x7f HTTP/1.1',
    'GET /plants\x80 HTTP/1.1',
    'GET /plants\0 HTTP/1.1',
  ],
  ...[
    'GET/plants HTTP/1.1',
    'GET /plantsHTTP/1.1',
    'GET',
    'GET HTTP/1.1',
    '/plants HTTP/1.1',
    'GET /plants HTTP/1.1\0',
    ':',
    'a: b',
  ],
]

/** Each with the line end that is meant, and other ones. */
const lineEnds: readonly (readonly [string, string])[] = [
  ['LF alone', `GET /plants HTTP/1.1\nHost: a\n${bearer.replace('\r\n', '\n')}\n`],
  ['LF behind the request line', `GET /plants HTTP/1.1\n${fields}\r\n`],
  ['LF behind a field', `GET /plants HTTP/1.1\r\nX-A: b\n${fields}\r\n`],
  ['LF as the last line end', `GET /plants HTTP/1.1\r\n${fields}\n`],
  ['CR behind the request line', `GET /plants HTTP/1.1\r${fields}\r\n`],
  ['CR behind a field', `GET /plants HTTP/1.1\r\nX-A: b\r${fields}\r\n`],
  ['CR within a value', `GET /plants HTTP/1.1\r\nX-A: b\rc\r\n${fields}\r\n`],
  ['CR CR LF', `GET /plants HTTP/1.1\r\r\n${fields}\r\n`],
  ['CR CR LF behind a field', `GET /plants HTTP/1.1\r\nX-A: b\r\r\n${fields}\r\n`],
  ['LF CR', `GET /plants HTTP/1.1\n\r${fields}\r\n`],
]

const fieldLines = [
  ...[
    'no-colon',
    ': b',
    ':',
    ' X-A: b',
    '\tX-A: b',
    'X-A : b',
    'X-A\t: b',
    'X A: b',
    'X-A:',
    'X-A: ',
    'X-A:b',
    'X-A:\tb',
    'X-A: b ',
  ],
  ...[
    'X-A: b\r\n c',
    'X-A: b\r\n\tc',
    'X-A:\r\n b',
    'X-A: b\r\n \r\n c',
    'X-A: b\r\n ',
    'X(A: b',
    'X"A: b',
    'X/A: b',
    'X@A: b',
    'X[A: b',
  ],
  ...[
    'X{A: b',
    'X\\A: b',
    'X,A: b',
    'X;A: b',
    'X=A: b',
    'X?A: b',
    'X\xe4: b',
    'X\0: b',
    'X\x7f: b',
    "!#$%&'*+-.^_`|~: b",
    '1: b',
    '-: b',
  ],
  ...[
    'X-A: \0',
    'X-A: b\0c',
    'X-A: b\x01c',
    'X-A: b\x08c',
    'X-A: b\tc',
    'X-A: b\x1fc',
    'X-A: b\x7fc',
    'X-A: \x80',
    'X-A: \xe4\xb8\x8a',
    'X-A: \xff',
  ],
  ...[
    'X-A: b\r\nX-A: c',
    'x-a: b\r\nX-A: c',
    'Cookie: a=b\r\nCookie: c=d',
    '__proto__: a',
    'constructor: a',
    'toString: a',
    'prototype: a',
  ],
  ...[
    'Expect: 100-continue',
    'Expect: 100-Continue',
    'Expect: something',
    'Expect:',
    'Expect: 100-continue, x',
    'Expect: 100-continue\r\nExpect: x',
  ],
  ...[
    'Upgrade: websocket',
    'Upgrade: h2c',
    'Upgrade:',
    'Connection: Upgrade\r\nUpgrade: websocket',
    'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c',
  ],
  ...[
    'Connection: close',
    'Connection: keep-alive',
    'Connection: keep-alive, close',
    'Connection: x, Close',
    'Connection:',
    'Connection: authorization',
  ],
  ...[
    'Keep-Alive: timeout=5',
    'TE: trailers',
    'Trailer: X-A',
    'Via: 1.1 a',
    'Forwarded: for=1.2.3.4',
    'X-Forwarded-For: 1.2.3.4',
    'X-Forwarded-Host: b',
  ],
  ...[
    'X-HTTP-Method-Override: DELETE',
    'X-Original-URL: /docs',
    'X-Rewrite-URL: /docs',
    'Max-Forwards: 0',
    'From: a@b',
    'Date: x',
    'Warning: x',
  ],
  ...[
    'Cache-Control: only-if-cached',
    'Pragma: no-cache',
    'If-Match: *',
    'If-None-Match: *',
    'Range: bytes=0-0',
    'Accept-Encoding: gzip',
  ],
  ...[
    'Referer: http://a/',
    'User-Agent:',
    'User-Agent: \xff',
    'Origin: null',
    'Sec-Fetch-Site: cross-site',
    'DNT: 1',
    'Content-Type: x',
    'Content-Encoding: x',
  ],
]

const hosts = [
  ...[
    '',
    'a',
    'A',
    'a.example',
    'a.example:80',
    'a:',
    'a:0',
    'a:65536',
    'a:99999999',
    '127.0.0.1',
    '127.0.0.1:3000',
    '[::1]',
    '[::1]:3000',
  ],
  ...[
    '[::ffff:1.2.3.4]',
    'a_b',
    '%61',
    'a~!$&',
    "a'()*+,;=",
    '-',
    '.',
    '..',
    'a.',
    '0',
    'xn--e1afmkfd',
    'a b',
    'a\tb',
    'a/b',
    'a?b',
    'a#b',
    'a@b',
  ],
  ...[
    'u:p@a',
    'a:b',
    'a:80:80',
    'a:-1',
    'a:+1',
    'a: 80',
    'http://a',
    '[::1',
    '::1',
    '[]',
    '[a]',
    '[g::1]',
    '[::1]a',
    '[::1%25eth0]',
    'a\\b',
    'a"b',
  ],
  ...['a<b', 'a^b', 'a|b', 'a{b}', '%', '%6', '%zz', '\xe9', 'a,b', 'a, b', 'a\0', 'a'.repeat(300)],
]

const sized: readonly GoldenRequest[] = [
  16_000, 16_200, 16_300, 16_383, 16_384, 16_385, 16_500, 20_000, 70_000,
].flatMap((size) => {
  const [line, end] = [`GET /livez HTTP/1.1\r\nHost: a\r\n`, 'Connection: close\r\n\r\n']
  const left = size - line.length - end.length
  return [
    together(`header size: ${String(size)} bytes in one field`, `${line}X-A: ${'a'.repeat(left - 7)}\r\n${end}`),
    together(`header size: ${String(size)} bytes in many fields`, line, 'a: b\r\n'.repeat(Math.floor(left / 6)), end),
    together(
      `header size: ${String(size)} bytes in the target`,
      `GET /livez?${'a'.repeat(left)} HTTP/1.1\r\nHost: a\r\n${end}`,
    ),
    together(
      `header size: ${String(size)} bytes in the path`,
      `GET /${'a'.repeat(left)} HTTP/1.1\r\nHost: a\r\n${end}`,
    ),
    together(`header size: ${String(size)} bytes in a name`, `${line}${'a'.repeat(left - 5)}: b\r\n${end}`),
  ]
})

const counted: readonly GoldenRequest[] = [100, 1_000, 2_000, 2_001, 2_700].map((count) =>
  together(
    `fields: ${String(count)}`,
    `GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n`,
    'a:b\r\n'.repeat(count),
    '\r\n',
  ),
)

const plant = '{"id":1,"name":"a"}'

/** The same fields where there is content, and where the version is older. */
const placed: readonly (readonly [string, (field: string) => GoldenRequest])[] = [
  ['list', (field) => ended(`field of a list: ${shown(field)}`, message({ fields: [field] }), after)],
  [
    'create',
    (field) =>
      ended(
        `field of a create: ${shown(field)}`,
        create(plant, { fields: [field], isLast: false }),
        message({ isLast: false }),
        remove('1'),
      ),
  ],
]

const versions: readonly (readonly [string, Parts])[] = [
  ['no Host', { host: null }],
  ['a Host', {}],
  ['Connection: keep-alive', { fields: ['Connection: keep-alive'], isLast: false }],
  ['Connection: close', { isLast: true }],
  ['no Connection', { isLast: false }],
  ['Expect', { fields: ['Expect: 100-continue'] }],
  ['Upgrade', { fields: ['Upgrade: websocket', 'Connection: Upgrade'], isLast: false }],
  ['Transfer-Encoding', { fields: ['Transfer-Encoding: chunked'], length: null }],
]

const byVersion: readonly GoldenRequest[] = ['HTTP/1.0', 'HTTP/1.1'].flatMap((version) =>
  versions.flatMap(([title, parts]) => [
    ended(`${version}: list with ${title}`, message({ version, ...parts }), after),
    ended(`${version}: create with ${title}`, create(plant, { version, ...parts }), remove('1')),
    ended(`${version}: refused, with ${title}`, message({ version, authorization: null, ...parts }), after),
  ]),
)

/** Request lines, fields, Host, sizes and versions: RFC 9112, sections 2, 3 and 5. */
export const messages: readonly GoldenRequest[] = [
  ...notRequests.map(([title, bytes]) => ended(`bytes: ${title}`, bytes)),
  ...requestLines.map((line) => ended(`request line: ${shown(line)}`, `${line}\r\n${fields}\r\n`)),
  ...lineEnds.map(([title, bytes]) => ended(`line ends: ${title}`, bytes)),
  ...fieldLines.flatMap((field) => placed.map(([, place]) => place(field))),
  ...hosts.flatMap((host) => [
    ended(`Host: ${shown(host)}`, message({ host })),
    ended(`Host: ${shown(host)} where there is no path`, message({ host, target: '/nowhere', authorization: null })),
  ]),
  ended('Host: none', message({ host: null })),
  ended('Host: twice the same', message({ fields: ['Host: a'] })),
  ended('Host: two', message({ fields: ['host: b'] })),
  ended('Host: of another server in the absolute form', message({ target: 'http://b/plants', host: 'c' })),
  ended('Host: none in the absolute form', message({ target: 'http://b/plants', host: null })),
  ...sized,
  ...counted,
  ...byVersion,
  ended('a list with everything that a browser sends', browserRequest()),
]

function browserRequest(): Buffer {
  return raw(
    [
      'GET /plants HTTP/1.1',
      'Host: 127.0.0.1:3000',
      'User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
      'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
      'Accept-Language: en-US,en;q=0.5',
      'Accept-Encoding: gzip, deflate, br, zstd',
      'DNT: 1',
      'Connection: close',
      'Upgrade-Insecure-Requests: 1',
      'Sec-Fetch-Dest: document',
      'Sec-Fetch-Mode: navigate',
      'Sec-Fetch-Site: none',
      `Authorization: Bearer ${tokens.own}`,
      'Priority: u=0, i',
      '',
      '',
    ].join('\r\n'),
  )
}
