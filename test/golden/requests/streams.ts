import { type GoldenRequest, create, ended, message, raw, remove, together, tokens, untilAnswered } from './request.ts'

const plant = '{"id":1,"name":"a"}'
const list = message({ isLast: false })
const lastList = message()
const livez = message({ target: '/livez', authorization: null, isLast: false })
const lastLivez = message({ target: '/livez', authorization: null })
const nowhere = message({ target: '/nowhere', isLast: false })
const refused = message({ authorization: null, isLast: false })
const garbage = raw('\0garbage\r\n\r\n')

/** Several requests on one connection: RFC 9112, section 9. */
const pipelines: readonly (readonly [string, ...Buffer[]])[] = [
  ['two lists', list, lastList],
  ['ten lists', ...Array<Buffer>(9).fill(list), lastList],
  ['a hundred requests of no path', ...Array<Buffer>(100).fill(nowhere), lastList],
  ['create, list, delete, list', create(plant, { isLast: false }), list, remove('1', { isLast: false }), lastList],
  [
    'create and delete, twice',
    create(plant, { isLast: false }),
    remove('1', { isLast: false }),
    create(plant, { isLast: false }),
    remove('1'),
  ],
  ['a good request after a bad one', message({ target: '/plants?limit=x', isLast: false }), lastList],
  ['a good request after one without credentials', refused, lastList],
  ['a good request after a refused create', create(plant, { authorization: null, isLast: false }), lastList],
  ['a good request after a create of another type', create(plant, { type: 'text/plain', isLast: false }), lastList],
  ['a good request after a create that is too large', create(' '.repeat(70_000), { isLast: false }), lastList],
  [
    'a good request after one of no path with content',
    message({ method: 'POST', target: '/nowhere', body: plant, isLast: false }),
    lastList,
  ],
  [
    'a good request after one of no method with content',
    message({ method: 'PUT', body: plant, isLast: false }),
    lastList,
  ],
  ['pages between lists', list, livez, message({ target: '/docs/', isLast: false }), list, lastLivez],
  ['files between lists', list, message({ target: '/docs/static/logo.svg', isLast: false }), lastList],
  ['HEAD, GET, HEAD', message({ method: 'HEAD', isLast: false }), list, message({ method: 'HEAD' })],
  ['HEAD of what is not there', message({ method: 'HEAD', target: '/nowhere', isLast: false }), lastList],
  ['something behind Connection: close', lastList, lastLivez],
  ['garbage behind Connection: close', lastList, garbage],
  ['garbage behind a good request', list, garbage],
  ['garbage behind a refused request', refused, garbage],
  ['garbage behind two good requests', list, list, garbage],
  ['garbage behind garbage', garbage, garbage],
  ['a good request behind garbage', garbage, lastList],
  ['a request without Host behind a good one', list, message({ host: null })],
  ['a good request behind one without Host', message({ host: null, isLast: false }), lastList],
  ['a good request behind one of a bad version', raw('GET /plants HTTP/1.9\r\nHost: a\r\n\r\n'), lastList],
  [
    'headers that are too large behind a good request',
    list,
    raw(`GET / HTTP/1.1\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`),
  ],
  [
    'broken chunks behind a good request',
    list,
    create('', { length: null, fields: ['Transfer-Encoding: chunked'] }),
    raw('x\r\n'),
  ],
  ['CONNECT behind a good request', list, raw('CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n')],
  ['a good request behind CONNECT', raw('CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'), lastList],
  [
    'a good request behind an upgrade',
    message({ fields: ['Upgrade: websocket', 'Connection: Upgrade'], isLast: false }),
    lastList,
  ],
  ['line ends between requests', list, raw('\r\n\r\n'), lastList],
  ['spaces between requests', list, raw('  '), lastList],
  ['HTTP/1.0 between HTTP/1.1', list, message({ version: 'HTTP/1.0', isLast: false }), lastList],
  [
    'HTTP/1.0 that stays',
    message({ version: 'HTTP/1.0', fields: ['Connection: keep-alive'], isLast: false }),
    lastList,
  ],
  [
    'HTTP/1.0 that stays, with content',
    create(plant, { version: 'HTTP/1.0', fields: ['Connection: keep-alive'], isLast: false }),
    remove('1'),
  ],
  [
    'three callers',
    message({ authorization: `Bearer ${tokens.few}`, isLast: false }),
    list,
    message({ authorization: 'Bearer x' }),
  ],
  [
    'a list in chunks before others',
    message({ authorization: `Bearer ${tokens.many}`, isLast: false }),
    list,
    livez,
    lastList,
  ],
  ['garbage behind a list in chunks', message({ authorization: `Bearer ${tokens.many}`, isLast: false }), garbage],
  [
    'Expect twice',
    create(plant, { fields: ['Expect: 100-continue'], isLast: false }),
    remove('1', { isLast: false }),
    create(plant, { fields: ['Expect: 100-continue'], isLast: false }),
    remove('1'),
  ],
  ['half a request behind a good one', list, raw('GET /pla')],
  ['half a create behind a good request', list, create(plant).subarray(0, -5)],
  ['a create of which content is missing', create(plant).subarray(0, -5)],
  ['a create of which all content is missing', create(plant).subarray(0, -plant.length)],
]

/** What waits for an answer before it goes on. */
const dialogues: readonly GoldenRequest[] = [
  {
    name: 'dialogue: content after 100',
    pieces: [
      create(plant, { fields: ['Expect: 100-continue'], isLast: false }).subarray(0, -plant.length),
      untilAnswered,
      Buffer.concat([raw(plant), remove('1')]),
    ],
  },
  {
    name: 'dialogue: content after 100 in chunks',
    pieces: [
      create('', { length: null, fields: ['Expect: 100-continue', 'Transfer-Encoding: chunked'], isLast: false }),
      untilAnswered,
      raw(`13\r\n${plant}\r\n0\r\n\r\n`),
      untilAnswered,
      remove('1'),
    ],
  },
  {
    name: 'dialogue: content after a refusal, of credentials',
    pieces: [
      create(plant, { authorization: null, isLast: false }).subarray(0, -plant.length),
      untilAnswered,
      Buffer.concat([raw(plant), lastList]),
    ],
  },
  {
    name: 'dialogue: content after a refusal, of the token, with Expect',
    pieces: [
      create(plant, { authorization: 'Bearer x', fields: ['Expect: 100-continue'], isLast: false }).subarray(
        0,
        -plant.length,
      ),
      untilAnswered,
      Buffer.concat([raw(plant), lastList]),
    ],
  },
  {
    name: 'dialogue: no content after a refusal, with Expect',
    pieces: [create(plant, { authorization: null, fields: ['Expect: 100-continue'] }).subarray(0, -plant.length)],
  },
  {
    name: 'dialogue: content of another type after 100',
    pieces: [
      create(plant, { type: 'text/plain', fields: ['Expect: 100-continue'], isLast: false }).subarray(0, -plant.length),
      untilAnswered,
      Buffer.concat([raw(plant), lastList]),
    ],
  },
  {
    name: 'dialogue: content that is too large after 100',
    pieces: [
      create(' '.repeat(70_000), { fields: ['Expect: 100-continue'], isLast: false }).subarray(0, -70_000),
      untilAnswered,
      Buffer.concat([raw(' '.repeat(70_000)), lastList]),
    ],
  },
  {
    name: 'dialogue: three requests, each after an answer',
    pieces: [list, untilAnswered, list, untilAnswered, lastList],
  },
  { name: 'dialogue: garbage after an answer', pieces: [list, untilAnswered, garbage], ends: true },
  {
    name: 'dialogue: a request that is cut off after an answer',
    pieces: [list, untilAnswered, raw('GET /pla')],
    ends: true,
  },
  {
    name: 'dialogue: content that is cut off after 100',
    pieces: [
      create(plant, { fields: ['Expect: 100-continue'] }).subarray(0, -plant.length),
      untilAnswered,
      raw(plant.slice(0, 5)),
    ],
    ends: true,
  },
]

/** Requests whose every byte is a segment of its own. */
const slow: readonly GoldenRequest[] = [
  together('byte by byte: a list', lastList),
  together('byte by byte: create and delete', create(plant, { isLast: false }), remove('1')),
  together(
    'byte by byte: chunks',
    create('', { length: null, fields: ['Transfer-Encoding: chunked'], isLast: false }),
    `13;a=b\r\n${plant}\r\n0\r\nX-A: b\r\n\r\n`,
    remove('1'),
  ),
  together('byte by byte: two lists', list, lastList),
  ended('byte by byte: a bad version', 'GET /plants HTTP/1.9\r\nHost: a\r\n\r\n'),
  ended('byte by byte: a bad method', 'BREW /plants HTTP/1.1\r\nHost: a\r\n\r\n'),
  ended('byte by byte: a field that is folded', message({ fields: ['X-A: b\r\n c'] })),
  ended('byte by byte: a field without a colon', message({ fields: ['no-colon'] })),
  ended('byte by byte: broken chunks', create('', { length: null, fields: ['Transfer-Encoding: chunked'] }), 'xyz\r\n'),
  ended(
    'byte by byte: both lengths',
    create('', { fields: ['Transfer-Encoding: chunked'] }),
    `13\r\n${plant}\r\n0\r\n\r\n`,
  ),
  ended('byte by byte: LF alone', 'GET /plants HTTP/1.1\nHost: a\n\n'),
  ended('byte by byte: RTSP', 'DESCRIBE /plants RTSP/1.0\r\nHost: a\r\n\r\n'),
  ended('byte by byte: broken percent-encoding', message({ target: '/plants/%zz' })),
  ended('byte by byte: UTF-8', create('{"id":1,"name":"\u{1f331}"}', { isLast: false }), remove('1')),
].map((request) => ({ ...request, isSlow: true }))

/** Numbers that look random and are the same in each run: Marsaglia's xorshift of 32 bits. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % below
  }
}

/** What a change puts into a request. */
const odd = [
  '\0',
  '\t',
  '\n',
  '\r',
  '\r\n',
  ' ',
  '  ',
  '"',
  '%',
  '%zz',
  ',',
  '-',
  '/',
  '0',
  '9',
  ':',
  ';',
  '?',
  '\\',
  '{',
  '}',
  '\x7f',
  '\x80',
  '\xff',
  'A',
  'é',
  '\r\n\r\n',
]

/**
 * Makes requests that change one or two places of a good one.
 *
 * @param head stays as it is
 * @param isMeasured whether each change keeps the length
 */
function changed(
  name: string,
  count: number,
  {
    head = raw(''),
    good,
    seed,
    isMeasured = false,
  }: { head?: Buffer; good: Buffer; seed: number; isMeasured?: boolean },
): GoldenRequest[] {
  const next = numbersFrom(seed)
  return Array.from({ length: count }, (_, index) => {
    let text = good.toString('latin1')
    for (let change = next(2); change >= 0; change--) {
      const at = next(text.length)
      const by = odd[next(odd.length)]!
      const end = isMeasured ? at + by.length : at + next(3)
      const kind = isMeasured ? 0 : next(3)
      if (kind === 0) text = text.slice(0, at) + by + text.slice(end)
      else if (kind === 1) text = text.slice(0, at) + text.slice(end)
      else text = text.slice(0, end) + text.slice(at)
    }
    return ended(`changed ${name} ${String(index + 1)}`, head, isMeasured ? text.slice(0, good.length) : text)
  })
}

/** A create whose plant the rules of the contract refuse, whatever its id becomes. */
const hopeless = '{"id":54,"name":"a","tag":["a",{"b":null}],"x":"\\u00e9\\n"}'
const hopelessHead = create(hopeless, { target: '/plants?limit=1' }).subarray(0, -hopeless.length)
const chunkedHead = create('', {
  target: '/plants?limit=1',
  length: null,
  fields: ['Transfer-Encoding: chunked'],
  isLast: false,
})

/** Pipelines, dialogues, slow clients, and good requests with a few bytes changed. */
export const streams: readonly GoldenRequest[] = [
  ...pipelines.map(([title, ...requests]) => ended(`pipeline: ${title}`, ...requests)),
  ...pipelines
    .slice(0, 8)
    .map(([title, ...requests]) => together(`pipeline: ${title}, from a client that does not end`, ...requests)),
  ...dialogues,
  ...slow,
  ...changed('list', 60, { good: message({ target: '/plants?limit=0' }), seed: 1 }),
  ...changed('delete', 40, { good: remove('9007199254740993'), seed: 2 }),
  ...changed('content', 80, { head: hopelessHead, good: raw(hopeless), seed: 3, isMeasured: true }),
  ...changed('chunks', 60, {
    head: chunkedHead,
    good: raw('5;a=b\r\n{"id"\r\n4\r\n:54}\r\n0\r\nX-A: b\r\n\r\nGET /livez HTTP/1.1\r\nHost: a\r\n\r\n'),
    seed: 4,
  }),
]
