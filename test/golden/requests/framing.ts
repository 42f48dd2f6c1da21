import { type GoldenRequest, create, ended, message, raw, remove, shown, untilAnswered } from './request.ts'

const plant = '{"id":1,"name":"a"}'
const size = String(plant.length)
const chunked = `${plant.length.toString(16)}\r\n${plant}\r\n0\r\n\r\n`
const kept = 'GET /livez HTTP/1.1\r\nHost: a\r\n\r\n'

/** A create with these fields and this content, then requests that show where the server takes it to end. */
function framed(name: string, lines: readonly string[], content: string, isKept = true): GoldenRequest {
  return ended(
    `framing: ${name}`,
    create('', { length: null, fields: lines, isLast: false }),
    content,
    ...(isKept ? [message({ isLast: false }), remove('1')] : []),
  )
}

const lengths = [
  ...[
    size,
    `0${size}`,
    `000${size}`,
    ` ${size} `,
    `+${size}`,
    `-${size}`,
    `-1`,
    `0x13`,
    `${size}.0`,
    `1e1`,
    `1_9`,
    `1 9`,
    `${size}x`,
    `x${size}`,
  ],
  ...[
    '',
    ' ',
    'x',
    `${size},`,
    `,${size}`,
    `${size}, ${size}`,
    `${size}, 20`,
    `"${size}"`,
    '1\u00b2',
    '99999999999999999999',
    '18446744073709551616',
  ],
  ...['18446744073709551635', '0', '00', '18', '20', '1', '65536'],
]

const codings = [
  ...[
    'chunked',
    'Chunked',
    'CHUNKED',
    ' chunked',
    'chunked ',
    '\tchunked',
    'chunked,',
    ',chunked',
    'chunked;',
    'chunked;a=b',
    '"chunked"',
    "'chunked'",
  ],
  ...[
    'chunke',
    'xchunked',
    'chunkedx',
    'chunked chunked',
    'chunked, chunked',
    'chunked,chunked',
    'gzip',
    'gzip, chunked',
    'chunked, gzip',
    'deflate, chunked',
  ],
  ...[
    'identity',
    'identity, chunked',
    'chunked, identity',
    'x',
    'x, chunked',
    '',
    ' ',
    '\x0bchunked',
    'chunked\x0b',
    'chunked\0',
    'chun\u00e7ed',
    'trailers',
    'compress',
  ],
]

const combinations: readonly (readonly [string, readonly string[], string])[] = [
  ['both, Content-Length first', [`Content-Length: ${size}`, 'Transfer-Encoding: chunked'], chunked],
  ['both, Transfer-Encoding first', ['Transfer-Encoding: chunked', `Content-Length: ${size}`], chunked],
  ['both, with the content of Content-Length', [`Content-Length: ${size}`, 'Transfer-Encoding: chunked'], plant],
  ['both, Content-Length: 0', ['Content-Length: 0', 'Transfer-Encoding: chunked'], chunked],
  ['both, Transfer-Encoding: identity', [`Content-Length: ${size}`, 'Transfer-Encoding: identity'], plant],
  ['both, Transfer-Encoding that is empty', [`Content-Length: ${size}`, 'Transfer-Encoding:'], plant],
  [
    'both, Transfer-Encoding with a space before the colon',
    [`Content-Length: ${size}`, 'Transfer-Encoding : chunked'],
    plant,
  ],
  ['both, Transfer-Encoding that is folded', [`Content-Length: ${size}`, 'Transfer-Encoding:\r\n chunked'], plant],
  [
    'both, Content-Length with a space before the colon',
    [`Content-Length : ${size}`, 'Transfer-Encoding: chunked'],
    chunked,
  ],
  ['two Content-Lengths, the same', [`Content-Length: ${size}`, `Content-Length: ${size}`], plant],
  ['two Content-Lengths, different', [`Content-Length: ${size}`, 'Content-Length: 20'], plant],
  ['two Content-Lengths, the first 0', ['Content-Length: 0', `Content-Length: ${size}`], plant],
  ['two Transfer-Encodings, the same', ['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'], chunked],
  ['two Transfer-Encodings, gzip first', ['Transfer-Encoding: gzip', 'Transfer-Encoding: chunked'], chunked],
  ['two Transfer-Encodings, gzip last', ['Transfer-Encoding: chunked', 'Transfer-Encoding: gzip'], chunked],
  ['Content-Length in a name of its own', [`Content_Length: ${size}`], plant],
  ['X-Content-Length', [`X-Content-Length: ${size}`], plant],
  ['neither, with content', [], plant],
  ['neither, without content', [], ''],
  ['Content-Length with a tab', [`Content-Length:\t${size}`], plant],
  ['Content-Length that is folded', [`Content-Length:\r\n ${size}`], plant],
]

/** Content in chunks. */
const chunks: readonly (readonly [string, string])[] = [
  ['one', chunked],
  ['two', `8\r\n${plant.slice(0, 8)}\r\n${(plant.length - 8).toString(16)}\r\n${plant.slice(8)}\r\n0\r\n\r\n`],
  ['one for each byte', `${plant.replaceAll(/./g, '1\r\n$&\r\n')}0\r\n\r\n`],
  ['none', '0\r\n\r\n'],
  ['many zeros as the last', `13\r\n${plant}\r\n0000\r\n\r\n`],
  ['leading zeros', `00013\r\n${plant}\r\n0\r\n\r\n`],
  ['upper case', `13\r\n${plant}\r\nA\r\n          \r\n0\r\n\r\n`],
  ['extensions', `13;a;b=c;d="e;f"\r\n${plant}\r\n0;g\r\n\r\n`],
  ['an extension without a name', `13;\r\n${plant}\r\n0\r\n\r\n`],
  ['an extension with a space', `13 ;a\r\n${plant}\r\n0\r\n\r\n`],
  ['an extension with a space inside', `13;a b\r\n${plant}\r\n0\r\n\r\n`],
  ['an extension with an open quote', `13;a="b\r\n${plant}\r\n0\r\n\r\n`],
  ['an extension with LF', `13;a\n${plant}\r\n0\r\n\r\n`],
  ['an extension with CR', `13;a\rb\r\n${plant}\r\n0\r\n\r\n`],
  ['an extension with U+0000', `13;a\0\r\n${plant}\r\n0\r\n\r\n`],
  ['an extension beyond ASCII', `13;\xe9\r\n${plant}\r\n0\r\n\r\n`],
  ['a long extension', `13;${'a'.repeat(20_000)}\r\n${plant}\r\n0\r\n\r\n`],
  ['a space behind the size', `13 \r\n${plant}\r\n0\r\n\r\n`],
  ['a space before the size', ` 13\r\n${plant}\r\n0\r\n\r\n`],
  ['a size with 0x', `0x13\r\n${plant}\r\n0\r\n\r\n`],
  ['a size with a sign', `+13\r\n${plant}\r\n0\r\n\r\n`],
  ['a size below zero', `-13\r\n${plant}\r\n0\r\n\r\n`],
  ['a size that is no number', `xyz\r\n${plant}\r\n0\r\n\r\n`],
  ['an empty size', `\r\n${plant}\r\n0\r\n\r\n`],
  ['a size beyond 64 bits', `10000000000000013\r\n${plant}\r\n0\r\n\r\n`],
  ['a size of 64 bits', `ffffffffffffffff\r\n${plant}\r\n0\r\n\r\n`],
  ['a size beyond 53 bits', `20000000000013\r\n${plant}\r\n0\r\n\r\n`],
  ['a size with a comma', `1,3\r\n${plant}\r\n0\r\n\r\n`],
  ['a size that is too small', `12\r\n${plant}\r\n0\r\n\r\n`],
  ['a size that is too large', `14\r\n${plant}\r\n0\r\n\r\n`],
  ['LF behind the size', `13\n${plant}\r\n0\r\n\r\n`],
  ['LF behind the chunk', `13\r\n${plant}\n0\r\n\r\n`],
  ['nothing behind the chunk', `13\r\n${plant}0\r\n\r\n`],
  ['CR behind the chunk', `13\r\n${plant}\r0\r\n\r\n`],
  ['LF at the end', `13\r\n${plant}\r\n0\n\n`],
  ['no end', `13\r\n${plant}\r\n`],
  ['no last line end', `13\r\n${plant}\r\n0\r\n`],
  ['half a chunk', `13\r\n${plant.slice(0, 9)}`],
  ['half a size', '1'],
  ['a trailer', `13\r\n${plant}\r\n0\r\nX-A: b\r\n\r\n`],
  [
    'trailers that are no content of a header',
    `13\r\n${plant}\r\n0\r\nHost: b\r\nAuthorization: Bearer x\r\nContent-Length: 5\r\n\r\n`,
  ],
  ['a trailer with Transfer-Encoding', `13\r\n${plant}\r\n0\r\nTransfer-Encoding: chunked\r\n\r\n`],
  ['a trailer with X-Request-Id', `13\r\n${plant}\r\n0\r\nX-Request-Id: a\r\n\r\n`],
  ['a trailer without a colon', `13\r\n${plant}\r\n0\r\nno-colon\r\n\r\n`],
  ['a trailer with a space before the colon', `13\r\n${plant}\r\n0\r\nX-A : b\r\n\r\n`],
  ['a trailer that is folded', `13\r\n${plant}\r\n0\r\nX-A: b\r\n c\r\n\r\n`],
  ['a trailer that is too large', `13\r\n${plant}\r\n0\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`],
  ['many trailers', `13\r\n${plant}\r\n0\r\n${'a: b\r\n'.repeat(5_000)}\r\n`],
  ['too much in one', `10001\r\n${plant}${' '.repeat(65_537 - plant.length)}\r\n0\r\n\r\n`],
  ['as much as is taken', `10000\r\n${plant}${' '.repeat(65_536 - plant.length)}\r\n0\r\n\r\n`],
  ['too much in many', `${`1000\r\n${' '.repeat(4_096)}\r\n`.repeat(17)}0\r\n\r\n`],
  ['no JSON', '1\r\n{\r\n0\r\n\r\n'],
]

/** Content where the operation reads none, or where the request is refused before. */
const unread: readonly (readonly [string, Buffer])[] = [
  ['a list', message({ length: null, fields: ['Transfer-Encoding: chunked'], isLast: false })],
  ['a delete', remove('7', { length: null, fields: ['Transfer-Encoding: chunked'], isLast: false })],
  ['no path', message({ method: 'POST', target: '/nowhere', fields: ['Transfer-Encoding: chunked'], isLast: false })],
  ['no method', message({ method: 'PUT', fields: ['Transfer-Encoding: chunked'], isLast: false })],
  [
    'no credentials',
    create('', { authorization: null, length: null, fields: ['Transfer-Encoding: chunked'], isLast: false }),
  ],
  [
    'another type',
    create('', { type: 'text/plain', length: null, fields: ['Transfer-Encoding: chunked'], isLast: false }),
  ],
  ['a page', message({ target: '/docs/', authorization: null, fields: ['Transfer-Encoding: chunked'], isLast: false })],
]

/** Where the content of a request ends: RFC 9112, sections 6 and 7. */
export const framing: readonly GoldenRequest[] = [
  ...lengths.map((length) => framed(`Content-Length: ${shown(length)}`, [`Content-Length: ${length}`], plant)),
  ...lengths.map((length) =>
    framed(`Content-Length: ${shown(length)}, alone`, [`Content-Length: ${length}`], plant, false),
  ),
  ...codings.map((coding) => framed(`Transfer-Encoding: ${shown(coding)}`, [`Transfer-Encoding: ${coding}`], chunked)),
  ...codings.map((coding) =>
    framed(`Transfer-Encoding: ${shown(coding)}, alone`, [`Transfer-Encoding: ${coding}`], chunked, false),
  ),
  ...combinations.map(([title, lines, content]) => framed(title, lines, content)),
  ...chunks.map(([title, content]) => framed(`chunks: ${title}`, ['Transfer-Encoding: chunked'], content)),
  // An answer that is sent before all of the content has come does not end the connection.
  ...chunks
    .filter(([title]) => !title.startsWith('too much'))
    .map(([title, content]) => framed(`chunks: ${title}, alone`, ['Transfer-Encoding: chunked'], content, false)),
  ...unread.flatMap(([title, head]): GoldenRequest[] => [
    ended(`framing: chunks for ${title}`, head, chunked, kept),
    ended(`framing: broken chunks for ${title}`, head, raw('xyz\r\n'), kept),
    {
      name: `framing: half a chunk after the answer for ${title}`,
      pieces: [head, untilAnswered, raw('13\r\n{')],
      ends: true,
    },
    ended(`framing: chunks that are too large for ${title}`, head, `11170\r\n${' '.repeat(70_000)}\r\n0\r\n\r\n`, kept),
  ]),
]
