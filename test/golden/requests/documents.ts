import {
  type GoldenRequest,
  type Parts,
  create,
  message,
  raw,
  remove,
  shown,
  storing,
  together,
  tokens,
} from './request.ts'

const good = '{"id":1,"name":"a"}'

/** Bodies that are no single JSON document, or one that is no plant. */
const bodies = [
  ...['', ' ', '\n', '{', '}', '[', ']', '{}', '[]', 'null', 'true', '0', '"a"', '""', '"', "{'id':1,'name':'a'}"],
  ...[
    '{"id":1,"name":"a"',
    '{"id":1,"name":"a"}}',
    '{"id":1,"name":"a"}]',
    '{"id":1,"name":"a",}',
    '{,"id":1,"name":"a"}',
  ],
  ...['{"id":1 "name":"a"}', '{"id":1,,"name":"a"}', '{"id"1,"name":"a"}', '{"id":,"name":"a"}', '{"id":1,"name"}'],
  ...[
    '{id:1,"name":"a"}',
    '{"id":1,name:"a"}',
    '{1:1}',
    '{"id":1,"name":a}',
    '{"id":1,"name":\'a\'}',
    '{"id":1;"name":"a"}',
  ],
  ...[
    '{"id":1,"name":"a"} {}',
    '{"id":1,"name":"a"}{"id":2,"name":"b"}',
    '{"id":1,"name":"a"}x',
    '{"id":1,"name":"a"}\0',
  ],
  ...[
    '\ufeff{"id":1,"name":"a"}',
    '\u00a0{"id":1,"name":"a"}',
    '\u2028{"id":1,"name":"a"}',
    '\u000b{"id":1,"name":"a"}',
  ],
  ...[
    ' \t\r\n{"id":1,"name":"a"} \t\r\n',
    '{ "id" : 1 , "name" : "a" }',
    '{"id":1,"name":"a"}\n\n',
    '{"name":"a","id":1}',
  ],
  ...['/**/{"id":1,"name":"a"}', '{"id":1,/*a*/"name":"a"}', '{"id":1,"name":"a"}// a', '# a\n{"id":1,"name":"a"}'],
  ...['{"id":1,"name":"a\nb"}', '{"id":1,"name":"a\tb"}', '{"id":1,"name":"a\0b"}', '{"id":1,"name":"a\u007fb"}'],
  ...[
    '[{"id":1,"name":"a"}]',
    '"{\\"id\\":1,\\"name\\":\\"a\\"}"',
    'id=1&name=a',
    'undefined',
    'nul',
    'nulll',
    'True',
    'tru',
  ],
  ...['{"id":1}', '{"name":"a"}', '{"tag":"a"}', '{"id":1,"tag":"a"}', '{"name":"a","tag":"b"}', '{"ID":1,"Name":"a"}'],
  ...[
    '{"id":"1","name":2,"tag":3}',
    '{"id":null,"name":null,"tag":null}',
    '{"id":1,"name":"","tag":""}',
    '{"id":1.5,"name":""}',
  ],
  ...[
    '{"":1}',
    '{"id":1,"":2,"name":"a"}',
    '{"id ":1,"name":"a"}',
    '{"\\u0069d":1,"n\\u0061me":"a"}',
    '{"i\\u0064":1,"name":1}',
  ],
]

/** Objects that name a property twice. */
const doubled = [
  ...['{"id":1,"name":"a","name":"a"}', '{"id":1,"id":1,"name":"a"}', '{"id":1,"id":2,"name":"a"}', '{"a":1,"a":2}'],
  ...[
    '{"id":1,"name":"a","x":1,"x":2}',
    '{"id":1,"name":"a","x":{"y":1,"y":2}}',
    '{"id":1,"name":"a","x":[{"y":1,"y":2}]}',
  ],
  ...[
    '{"id":1,"name":"a","n\\u0061me":"b"}',
    '{"id":1,"name":"a","":1,"":2}',
    '{"id":1,"name":"a","__proto__":1,"__proto__":2}',
  ],
  ...[
    '{"id":1,"name":"a","name":"a"',
    '{"id":1,"name":"a","name":"a"}x',
    '{"id":1,"name":"a","x":1,"y":2,"y":3,"x":4}',
  ],
  ...[
    '{"id":1,"name":"a","Name":"b"}',
    '{"id":1,"name":"a","x":{"id":1},"y":{"id":1}}',
    '{"id":1,"name":"a","\\ud800":1}',
  ],
  ...[
    '{"id":1,"name":"a","\\ud800":1,"\\ud800":2}',
    '{"id":1,"id":"\\ud800","name":"a"}',
    `{"${'a'.repeat(300)}":1,"${'a'.repeat(300)}":2}`,
  ],
  ...[
    '{"a\\"b":1,"a\\"b":2}',
    '{"a\\nb":1,"a\\nb":2}',
    '{"\\u0000":1,"\\u0000":2}',
    '{"\u00e9":1,"\\u00e9":2}',
    '{"toString":1,"toString":2}',
  ],
]

/** Properties that the contract does not know: neither stored nor echoed. */
const unknown = [
  ...['"x":1', '"x":null', '"x":[]', '"x":{}', '"x":"a"', '"x":1.5', '"x":1e400', '"x":-0', '"x":12345678901234567890'],
  ...[
    '"x":{"y":{"z":[1,2,{"a":null}]}}',
    '"__proto__":{"tag":"a"}',
    '"__proto__":null',
    '"constructor":{"prototype":1}',
  ],
  ...[
    '"toString":1',
    '"hasOwnProperty":1',
    '"valueOf":null',
    '"error":1',
    '"message":"a"',
    '"owner":"me"',
    '"caller":"other"',
  ],
  ...[
    '"Tag":"a"',
    '"tags":["a"]',
    '"tag ":"a"',
    '"x":"\\ud800"',
    '"x":["\\udc00"]',
    '"x":{"y":"\\ud800"}',
    '"x":{"\\ud800":1}',
  ],
  ...[
    '"\\u0000":1',
    '"a/b":"\\ud800"',
    '"a~b":"\\ud800"',
    '"x":[[["\\ud800"]]]',
    '"id2":2',
    '"$ref":"#/"',
    '"x":"\\u0000"',
  ],
]

/** Bytes that are no UTF-8 within a name. */
const notUtf8 = [
  ...[
    '80',
    'bf',
    'c0',
    'c1',
    'c080',
    'c0af',
    'c1bf',
    'c3',
    'c328',
    'e0',
    'e080af',
    'e09fbf',
    'e282',
    'e28228',
    'eda080',
  ],
  ...['edafbf', 'edb080', 'edbfbf', 'eda080edb080', 'f0', 'f0808080', 'f08fbfbf', 'f0288cbc', 'f09f8c', 'f4908080'],
  ...['f5808080', 'f8888080', 'fc8080808080', 'fe', 'ff', 'fffe', 'feff', 'e9', '61cc'],
]

const utf8Edges = ['7f', 'c280', 'dfbf', 'e0a080', 'ed9fbf', 'ee8080', 'efbfbf', 'efbbbf', 'f0908080', 'f48fbfbf']

function aroundHex(hex: string): Buffer {
  return Buffer.concat([raw('{"id":1,"name":"'), Buffer.from(hex, 'hex'), raw('"}')])
}

const nested = (open: string, close: string, depth: number) =>
  `{"id":1,"name":"a","x":${open.repeat(depth)}${close.repeat(depth)}}`

const deep: readonly GoldenRequest[] = [1, 2, 10, 100, 1_000, 5_000, 20_000].flatMap((depth) => [
  storing(`depth: ${String(depth)} arrays in an unknown property`, { body: nested('[', ']', depth) }),
  ...(depth > 10_000
    ? []
    : [
        storing(`depth: ${String(depth)} objects in an unknown property`, {
          body: `{"id":1,"name":"a","x":${'{"x":'.repeat(depth)}1${'}'.repeat(depth)}}`,
        }),
      ]),
  storing(`depth: ${String(depth)} arrays around the plant`, {
    body: `${'['.repeat(depth)}${good}${']'.repeat(depth)}`,
  }),
  storing(`depth: ${String(depth)} arrays that do not end`, { body: '['.repeat(depth) }),
])

const json: readonly GoldenRequest[] = [
  ...bodies.map((body) => storing(`document: ${shown(body)}`, { body })),
  ...doubled.map((body) => storing(`a name twice: ${shown(body)}`, { body })),
  ...unknown.map((property) =>
    storing(`unknown property: ${shown(property)}`, { body: `{"id":1,${property},"name":"a"}` }),
  ),
  ...notUtf8.map((hex) => storing(`no UTF-8: ${hex}`, { body: aroundHex(hex) })),
  ...utf8Edges.map((hex) => storing(`UTF-8: ${hex}`, { body: aroundHex(hex) })),
  ...(['utf16le', 'latin1'] as const).map((encoding) =>
    storing(`encoding: ${encoding}`, { body: Buffer.from('{"id":1,"name":"\u00e9"}', encoding) }),
  ),
  storing('encoding: UTF-16 with a byte order mark', { body: Buffer.from(`\ufeff${good}`, 'utf16le') }),
  ...deep,
]

const types = [
  ...[
    'application/json',
    'Application/JSON',
    'APPLICATION/JSON',
    'application/json;',
    'application/json; charset=utf-8',
  ],
  ...['application/json;charset=utf-8', 'application/json;charset=UTF-8', 'application/json ; charset=utf-8'],
  ...['application/json; charset="utf-8"', 'application/json; Charset=Utf-8', 'application/json; charset=utf8'],
  ...['application/json; charset=us-ascii', 'application/json; charset=iso-8859-1', 'application/json; charset=utf-16'],
  ...[
    'application/json; charset=utf-16le',
    'application/json; charset=utf-32',
    'application/json; charset=',
    'application/json; charset',
  ],
  ...['application/json; charset=x', 'application/json; charset=utf-8; charset=utf-16', 'application/json; charset="'],
  ...[
    'application/json; charset=utf-8; profile="x"',
    'application/json; a=b',
    'application/json; a="b;c"',
    'application/json; a',
  ],
  ...['application/json;a=b;charset=latin1', 'application/json; =b', 'application/json;;', 'application/json,'],
  ...['application/json, application/json', 'application/json, text/plain', 'text/plain, application/json'],
  ...['text/plain', 'text/plain; charset=utf-8', 'text/json', 'text/html', 'application/x-www-form-urlencoded'],
  ...[
    'multipart/form-data; boundary=x',
    'application/octet-stream',
    'application/xml',
    'application/jsonp',
    'application/json5',
  ],
  ...['application/json-patch+json', 'application/problem+json', 'application/vnd.api+json', 'application/x-json'],
  ...[
    'application/ld+json',
    'application/json+xml',
    'xapplication/json',
    'application/*',
    '*/*',
    'application',
    'application/',
  ],
  ...[
    '/json',
    'json',
    'application json',
    'application / json',
    'application/ json',
    'application/js\u00f6n',
    '"application/json"',
  ],
  ...['text/plain; application/json', 'nonsense', '', ';', 'a'.repeat(300)],
]

const encodings = [
  'gzip',
  'br',
  'deflate',
  'zstd',
  'identity',
  '',
  'x',
  'GZIP',
  'gzip, br',
  ' ',
  'chunked',
  'identity, identity',
]

const doubledTypes: readonly (readonly [string, string])[] = [
  ['application/json', 'application/json'],
  ['application/json', 'text/plain'],
  ['text/plain', 'application/json'],
  ['application/json', ''],
  ['', 'application/json'],
]

const accepts = [
  'application/json',
  'text/html',
  '*/*',
  'application/json;q=0',
  'application/xml',
  '',
  'nonsense',
  '*/*;q=0',
]

const size = (bytes: number): string => good.replace('"a"', `"a"${' '.repeat(bytes - good.length)}`)

const content: readonly GoldenRequest[] = [
  ...types.map((type) => storing(`media type: ${shown(type)}`, { body: good, type })),
  storing('media type: none', { body: good, type: null }),
  ...doubledTypes.map(([one, other]) =>
    storing(`media type: two fields, ${shown(one)} and ${shown(other)}`, {
      body: good,
      type: one,
      fields: [`Content-Type: ${other}`],
    }),
  ),
  ...types
    .filter((_, index) => index % 7 === 0)
    .map((type) => storing(`media type: ${shown(type)}, without a body`, { type })),
  ...encodings.map((coding) =>
    storing(`Content-Encoding: ${shown(coding)}`, { body: good, fields: [`Content-Encoding: ${coding}`] }),
  ),
  storing('Content-Encoding: gzip of what is gzip', {
    body: Buffer.from('1f8b0800000000000003', 'hex'),
    fields: ['Content-Encoding: gzip'],
  }),
  storing('Content-Encoding: twice', { body: good, fields: ['Content-Encoding: identity', 'Content-Encoding: gzip'] }),
  ...accepts.flatMap((accept) => [
    storing(`Accept: ${shown(accept)}, create`, { body: good, fields: [`Accept: ${accept}`] }),
    together(`Accept: ${shown(accept)}, list`, message({ fields: [`Accept: ${accept}`] })),
  ]),
  storing('Accept: nothing of the charset, language and encoding', {
    body: good,
    fields: ['Accept-Charset: latin1', 'Accept-Language: tlh', 'Accept-Encoding: gzip, br;q=1, identity;q=0'],
  }),
  ...[65_535, 65_536, 65_537, 70_000, 131_072, 1_000_000].map((bytes) =>
    storing(`size: ${String(bytes)} bytes`, { body: size(bytes) }),
  ),
  ...[65_536, 65_537, 131_072].flatMap((bytes) => [
    storing(`size: ${String(bytes)} bytes that are no JSON`, { body: '['.repeat(bytes) }),
    storing(`size: ${String(bytes)} bytes of another type`, { body: size(bytes), type: 'text/plain' }),
    storing(`size: ${String(bytes)} bytes without credentials`, { body: size(bytes), authorization: null }),
  ]),
  ...['GET', 'DELETE'].flatMap((method) => {
    const target = method === 'GET' ? '/plants' : '/plants/1'
    const variants: [string, Parts][] = [
      ['a JSON body', { body: good }],
      ['a body that is no JSON', { body: '{' }],
      ['a body of another type', { body: good, type: 'text/plain' }],
      ['a body of no type', { body: good, type: null }],
      ['a coded body', { body: good, fields: ['Content-Encoding: gzip'] }],
      ['a type and no body', { type: 'application/json' }],
      ['a type and Content-Length: 0', { type: 'application/json', length: '0' }],
      ['a large body', { body: size(70_000) }],
      ['a body of a broken type', { body: good, type: 'application/json, text/plain;' }],
      ['Expect and a body', { body: good, fields: ['Expect: 100-continue'] }],
    ]
    return variants.map(([title, parts]) =>
      together(
        `content of ${method}: ${title}`,
        message({ method, target, ...parts, isLast: false }),
        message({ isLast: true }),
      ),
    )
  }),
]

/** What can be wrong with a create of what exists, in the order in which it is checked. */
const faults: readonly [string, (parts: Parts) => Parts][] = [
  ['Host', (parts) => ({ ...parts, host: 'a b' })],
  ['path', (parts) => ({ ...parts, target: `/nowhere${parts.target ?? '/plants'}` })],
  ['encoding of the path', (parts) => ({ ...parts, target: `${parts.target ?? '/plants'}/%zz` })],
  ['method', (parts) => ({ ...parts, method: 'PUT' })],
  ['no credentials', (parts) => ({ ...parts, authorization: null })],
  ['token', (parts) => ({ ...parts, authorization: 'Bearer x' })],
  ['coding', (parts) => ({ ...parts, fields: ['Content-Encoding: gzip'] })],
  ['media type', (parts) => ({ ...parts, type: 'text/plain' })],
  ['size', (parts) => ({ ...parts, body: `${String(parts.body)}${' '.repeat(70_000)}` })],
  ['JSON', (parts) => ({ ...parts, body: `${String(parts.body)}}` })],
  ['query', (parts) => ({ ...parts, target: `${parts.target ?? '/plants'}?limt=1` })],
  ['body', (parts) => ({ ...parts, body: String(parts.body).replace('"a"', '1') })],
]

function faulty(names: readonly string[], parts: Parts): GoldenRequest {
  return together(
    `order: ${names.join(', ')}`,
    create('{"id":54,"name":"a"}', { isLast: false }),
    create('{"id":54,"name":"a"}', { ...parts, isLast: false }),
    remove('54', { isLast: true }),
  )
}

const start: Parts = { body: '{"id":54,"name":"a"}' }

const order: readonly GoldenRequest[] = faults.flatMap(([name, spoil], index) => {
  const later = faults.slice(index + 1)
  return [
    faulty([name], spoil(start)),
    ...later.map(([other, spoilToo]) => faulty([name, other], spoil(spoilToo(start)))),
    ...later.slice(1).map(([other, spoilToo], at) => {
      const [between, spoilBetween] = later[at]!
      return faulty([name, between, other], spoil(spoilBetween(spoilToo(start))))
    }),
  ]
})

const others: readonly GoldenRequest[] = [
  together(
    'order: every fault of a delete',
    remove('x?a=1', { authorization: 'Bearer x', body: '{', type: 'text/plain' }),
  ),
  together('order: path and query of a delete', remove('x?a=1')),
  together('order: query of a delete of nothing', remove('1?a=1')),
  together('order: credentials of a delete of no id', remove('x', { authorization: null })),
  together('order: credentials and query of a list', message({ target: '/plants?limit=x', authorization: null })),
  together('order: token and query of a list', message({ target: '/plants?limit=x', authorization: 'Bearer x' })),
  together(
    'order: an expired token and a bad query',
    message({ target: '/plants?a', authorization: `Bearer ${tokens.expired}` }),
  ),
  together('order: two faults of a body', create('{"id":"x","name":"","tag":null}')),
  together(
    'order: a fault of the query and three of the body',
    create('{"id":"x","name":"","tag":null}', { target: '/plants?a' }),
  ),
  together('order: a doubled name and a lone surrogate', create('{"id":1,"name":"\\ud800","name":"a"}')),
  together('order: a lone surrogate and a bad id', create('{"id":"x","name":"\\ud800"}')),
  together('order: a lone surrogate and a bad query', create('{"id":1,"name":"\\ud800"}', { target: '/plants?a' })),
]

/** JSON documents and other content, their media types and sizes, and several faults at once. */
export const documents: readonly GoldenRequest[] = [...json, ...content, ...order, ...others]
