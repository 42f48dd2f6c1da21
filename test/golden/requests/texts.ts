import { type GoldenRequest, create, remove, shown, storing, together, tokens, message } from './request.ts'

/** The edges of Unicode and of UTF-8, and what software likes to change. */
const codePoints = [
  0x00, 0x01, 0x08, 0x09, 0x0a, 0x0d, 0x1f, 0x20, 0x22, 0x27, 0x2f, 0x5c, 0x7e, 0x7f, 0x80, 0x85, 0x9f, 0xa0, 0xad,
  0xff, 0x100, 0x301, 0x378, 0x7ff, 0x800, 0xfff, 0x1000, 0x2028, 0x2029, 0x202e, 0x3000, 0xd7ff, 0xe000, 0xfdd0,
  0xfeff, 0xfffd, 0xfffe, 0xffff, 0x1_0000, 0x1_f331, 0x1_ffff, 0x2_0000, 0xe_0001, 0xf_ffff, 0x10_0000, 0x10_ffff,
]

const texts: readonly [string, string][] = [
  ['white space at both ends', ' \t\r\n\u00a0 a \u3000'],
  ['white space alone', ' \t '],
  ['every ASCII character but U+0000', String.fromCodePoint(...Array.from({ length: 127 }, (_, index) => index + 1))],
  ['C1 controls', String.fromCodePoint(...Array.from({ length: 32 }, (_, index) => index + 0x80))],
  ['a byte order mark first', '\ufeffMonstera'],
  ['a byte order mark last', 'Monstera\ufeff'],
  ['a letter and its combining mark', 'e\u0301'],
  ['compatibility characters', '\ufb01\u2126\u212b\uff21'],
  ['a joined emoji', '\u{1f469}\u{1f3fd}\u200d\u{1f33e}'],
  ['directional marks', '\u202eabc\u202c\u2066def\u2069'],
  ['JSON inside', '{"name":"x","tag":null}'],
  ['quotes and backslashes', String.raw`"\"\\u0041\n'`],
  ['SQL inside', `'); DROP TABLE plants; --`],
  ['SQL wildcards', '%_\\%'],
  ['null', 'null'],
  ['undefined', 'undefined'],
  ['digits', '007'],
  ['a large number', '9007199254740993'],
  ['a date', '2026-02-30T25:61:00Z'],
  ['__proto__', '__proto__'],
  ['HTML', '<script>alert(1)</script>&amp;'],
  ['a template', '${1+1}{{1+1}}%s%d'],
  ['a path', '../../etc/passwd'],
]

const units = ['a', '\u00e9', '\u4e0a', '\u{1f331}', '\u0001', '"', '\\', 'e\u0301']
const lengths = [1, 2, 127, 128, 254, 255, 256, 257]

/** JSON of values that are no valid name and no valid tag. */
const wrongValues = [
  ...['null', 'true', 'false', '0', '1', '-1', '1.5', '1e3', '12345678901234567890', '[]', '["a"]', '[[["a"]]]'],
  ...['{}', '{"name":"a"}', '{"a":{"b":[1,{"c":null}]}}', '""'],
]

/** JSON strings with surrogates that have no partner, or one the wrong way round. */
const surrogates = [
  ...[String.raw`"\ud800"`, String.raw`"\udbff"`, String.raw`"\udc00"`, String.raw`"\udfff"`],
  ...[String.raw`"a\ud800b"`, String.raw`"a\udfffb"`, String.raw`"\udc00\ud800"`, String.raw`"\uD83C\uD83C\uDF31"`],
  ...[String.raw`"\ud83c\n\udf31"`, String.raw`"\ud83c\u0000\udf31"`, String.raw`"\ud83c\ud83c"`],
  ...[String.raw`"\ud83c\udf31\udf31"`, String.raw`"\\ud800"`, String.raw`"\\\ud800"`, String.raw`"\ud83c\udf31"`],
]

const escapes = [
  ...[String.raw`"\""`, String.raw`"\\"`, String.raw`"\/"`, String.raw`"\b\f\n\r\t"`, String.raw`"\u0041"`],
  ...[String.raw`"\u00e9"`, String.raw`"\u00E9"`, String.raw`"\u0000"`, String.raw`"a\u0000b"`, String.raw`"\u2028"`],
  ...[String.raw`"\x41"`, String.raw`"\u41"`, String.raw`"\u{41}"`, String.raw`"\U0041"`, String.raw`"\a"`],
  ...[String.raw`"\'"`, String.raw`"\0"`, String.raw`"\ "`, String.raw`"\u004"`, String.raw`"\u00g1"`, '"\\'],
]

/** Every UTF-16 code unit as an escape. */
function escaped(text: string): string {
  const units16 = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index))
  return `"${units16.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`
}

function bodyWith(property: 'name' | 'tag', json: string): string {
  return property === 'name' ? `{"id":1,"name":${json}}` : `{"id":1,"name":"a","tag":${json}}`
}

/** Names and tags: the forms that are taken, those at the edge, and those that are refused. */
export const names: readonly GoldenRequest[] = (['name', 'tag'] as const).flatMap((property) => {
  // The rules of a tag are those of a name.
  const some = <Member>(all: readonly Member[]) => all.filter((_, index) => property === 'name' || index % 3 === 0)
  return [
    ...some(codePoints).flatMap((codePoint) => {
      const text = String.fromCodePoint(codePoint)
      const name = `${property}: U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`
      return [
        storing(`${name} as UTF-8`, { body: bodyWith(property, `"${text === '"' ? '\\"' : text}"`) }),
        storing(`${name} as an escape`, { body: bodyWith(property, escaped(text)) }),
      ]
    }),
    ...some(texts).flatMap(([title, text]) => [
      storing(`${property}: ${title}`, { body: bodyWith(property, JSON.stringify(text)) }),
      storing(`${property}: ${title}, all escaped`, { body: bodyWith(property, escaped(text)) }),
    ]),
    ...some(units).flatMap((unit) =>
      lengths.map((length) =>
        storing(`${property}: ${String(length)} times ${shown(unit)}`, {
          body: bodyWith(property, JSON.stringify(unit.repeat(length))),
        }),
      ),
    ),
    ...wrongValues.map((json) => storing(`${property}: is ${json}`, { body: bodyWith(property, json) })),
    ...some([...surrogates, ...escapes]).map((json) =>
      storing(`${property}: is ${json}`, { body: bodyWith(property, json) }),
    ),
  ]
})

const plant = '{"id":54,"name":"Monstera deliciosa","tag":"indoor"}'

/** What the caller sees of the plants that there are. */
export const storedPlants: readonly GoldenRequest[] = [
  together(
    'stored: twice the same plant, then without it',
    create(plant, { isLast: false }),
    create(plant, { isLast: false }),
    create('{"id":54,"name":"b"}', { isLast: false }),
    message({ isLast: false }),
    remove('54', { isLast: false }),
    remove('54', { isLast: false }),
    message(),
  ),
  together(
    'stored: the order of ids',
    ...['5', '-5', '0', '9223372036854775807', '-9223372036854775808', '40', '9007199254740993'].map((id) =>
      create(`{"id":${id},"name":"${id}"}`, { isLast: false }),
    ),
    message({ isLast: false }),
    ...['0', '1', '2', '6', '7', '8', '2147483647'].map((limit) =>
      message({ target: `/plants?limit=${limit}`, isLast: false }),
    ),
    ...['5', '-5', '0', '9223372036854775807', '-9223372036854775808', '40', '9007199254740993'].map((id) =>
      remove(id, { isLast: false }),
    ),
    message(),
  ),
  together(
    'stored: three ids that a double makes one',
    ...['2', '3', '4'].map((digit) => create(`{"id":900719925474099${digit},"name":"${digit}"}`, { isLast: false })),
    remove('9007199254740993', { isLast: false }),
    message({ isLast: false }),
    remove('9007199254740992', { isLast: false }),
    remove('9007199254740994'),
  ),
  together(
    "stored: another caller's ids",
    create('{"id":-5,"name":"own"}', { isLast: false }),
    create('{"id":-5,"name":"few"}', { authorization: `Bearer ${tokens.few}`, isLast: false }),
    message({ authorization: `Bearer ${tokens.few}`, isLast: false }),
    message({ isLast: false }),
    remove('-5', { isLast: false }),
    remove('9007199254740993', { isLast: false }),
    message({ authorization: `Bearer ${tokens.few}` }),
  ),
  together('stored: a list in chunks', message({ authorization: `Bearer ${tokens.many}` })),
  together(
    'stored: two lists in chunks on one connection',
    message({ authorization: `Bearer ${tokens.many}`, isLast: false }),
    message({ authorization: `Bearer ${tokens.many}`, target: '/plants?limit=600', isLast: false }),
    message(),
  ),
  together(
    'stored: a list in chunks for HTTP/1.0',
    message({ authorization: `Bearer ${tokens.many}`, version: 'HTTP/1.0' }),
  ),
  together('stored: HEAD of a list in chunks', message({ authorization: `Bearer ${tokens.many}`, method: 'HEAD' })),
  ...['1', '127', '128', '129', '699', '700', '701'].map((limit) =>
    together(
      `stored: ${limit} of a long list`,
      message({ authorization: `Bearer ${tokens.many}`, target: `/plants?limit=${limit}` }),
    ),
  ),
  together('stored: HEAD of a list', message({ authorization: `Bearer ${tokens.few}`, method: 'HEAD' })),
  together('stored: the three plants of a caller', message({ authorization: `Bearer ${tokens.few}` })),
]
