import { type GoldenRequest, create, message, remove, storing, together, tokens } from './request.ts'

/** Where int32, int64, doubles, and the readers of one or the other end. */
const edges = [
  ...['0', '1', '-1', '9', '10', '54', '99', '100', '127', '128', '255', '256', '32767', '32768', '65535', '65536'],
  ...['2147483646', '2147483647', '2147483648', '-2147483648', '-2147483649', '4294967295', '4294967296'],
  ...['999999999999999', '1000000000000000', '9007199254740991', '9007199254740992', '9007199254740993'],
  ...['9007199254740994', '-9007199254740991', '-9007199254740992', '-9007199254740993', '9223372036854774784'],
  ...['9223372036854775295', '9223372036854775806', '9223372036854775807', '9223372036854775808'],
  ...['9223372036854775809', '-9223372036854775807', '-9223372036854775808', '-9223372036854775809'],
  ...['9999999999999999999', '10000000000000000000', '18446744073709551615', '18446744073709551616'],
  ...['99999999999999999999', '-99999999999999999999', '100000000000000000000', '9'.repeat(40), '-' + '9'.repeat(400)],
]

/** JSON numbers with a point or an exponent, at the edge of what they may be. */
const jsonForms = [
  ...['-0', '0.0', '-0.0', '0e0', '0E+0', '0e-0', '0e999999', '-0e-999999', '54.0', '54.00', '54.000000000000000000'],
  ...['5.4e1', '5.4E1', '5.4e+1', '5.4E+01', '540e-1', '540.0e-1', '0.54e2', '0.054e3', '54e0', '54e-0', '54E00'],
  ...['1e0', '1e1', '1e2', '1e15', '1e16', '1e17', '1e18', '1e19', '1e20', '1e308', '1e309', '1e400', '1e-1', '1e-400'],
  ...['9007199254740991.0', '9007199254740992.0', '9007199254740993.0', '9007199254740992e0', '9.007199254740992e15'],
  ...[
    '9.007199254740993e15',
    '9007199254740993e0',
    '90071992547409920e-1',
    '90071992547409930e-1',
    '-9007199254740992.0',
  ],
  ...['-9007199254740993.0', '9223372036854775807.0', '9.223372036854775807e18', '-9223372036854775808.0'],
  ...[
    '54.5',
    '54.1',
    '0.1',
    '-0.5',
    '1.0000000000000001',
    '54.00000000000000000000000001',
    '5.45e1',
    '545e-1',
    '1e-15',
  ],
  ...['0.' + '0'.repeat(400) + '1', '1' + '0'.repeat(15) + '.0', '5'.repeat(16) + '.0', '54.' + '0'.repeat(1_000)],
  ...['54' + '0'.repeat(300) + 'e-300', '1e99999999999999999999', '1e-99999999999999999999'],
]

/** What is no JSON number, or no number at all. */
const notNumbers = [
  ...[
    '00',
    '007',
    '-01',
    '+1',
    '1.',
    '.5',
    '-.5',
    '-',
    '1e',
    '1e+',
    '1E-',
    '1.e1',
    '0x36',
    '0X36',
    '0b1',
    '0o7',
    '54n',
  ],
  ...[
    '1_000',
    '1,000',
    '1 000',
    '\u0665\u0664',
    '\uff15',
    'NaN',
    'Infinity',
    '-Infinity',
    '--1',
    '1-',
    '1e1.5',
    '1..0',
  ],
  ...['"54"', '""', '"1e1"', 'null', 'true', 'false', '[]', '[54]', '{}', '{"id":54}', 'undefined', "'54'", '5.4e 1'],
]

/** The decimal form of a JSON number, or 0 where it is none: what could have been stored. */
function decimalOf(spelling: string): string {
  if (/^-?\d{1,400}$/.test(spelling)) return BigInt(spelling).toString()
  const number = Number(spelling)
  return Number.isSafeInteger(number) || Math.abs(number) === 2 ** 53 ? String(number + 0) : '0'
}

const inBodies: readonly GoldenRequest[] = [...edges, ...jsonForms, ...notNumbers].map((spelling) =>
  storing(
    `id in a body: ${spelling.length > 50 ? `${spelling.slice(0, 50)}… (${String(spelling.length)})` : spelling}`,
    { body: `{"id":${spelling},"name":"a"}` },
    decimalOf(spelling),
  ),
)

/** Spellings of an integer in a target, before percent-decoding. */
const targetForms = [
  ...['-0', '00', '007', '-007', '054', '+54', '%2B54', '%2b54', '%35%34', '5%34', '%2D54', '%2d54', '--54', '54-'],
  ...['54.0', '54.', '.54', '5.4e1', '54e0', '1e3', '1E3', '0x36', '0X36', '0b1', '0o66', '54n', '5_4', '5,4', '5%2C4'],
  ...['%2054', '54%20', '%0954', '54%0A', '54%0D%0A', '54%00', '%0054', '+', '-', '%2D', '%20', '%00', 'x', 'NaN'],
  ...['Infinity', 'null', 'true', 'undefined', '%D9%A5%D9%A4', '%EF%BC%95', '%E2%88%9254', '54%C2%A0', '%EF%BB%BF54'],
  ...["'54'", '%2254%22', '[54]', '54;a=1', '54:', '54*', '(54)', '54!', '~54', '54@a', '54%2F', '54%2f55', '54%5C'],
  ...['%', '%5', '%zz', '%ff', '%c3', '%C3%28', '%ed%a0%80', '%f4%90%80%80', '%e2%82', '54%', '54%2', '%25', '%2535'],
]

const inPaths: readonly GoldenRequest[] = [
  ...edges.map((id) =>
    together(
      `id in a path: ${id.length > 50 ? `${id.slice(0, 50)}… (${String(id.length)})` : id}`,
      create(`{"id":${id},"name":"a"}`, { isLast: false }),
      remove(id, { isLast: false }),
      message({ isLast: false }),
      remove(id),
    ),
  ),
  ...targetForms.map((spelling) =>
    together(
      `id in a path: ${spelling}, where there is 54`,
      create('{"id":54,"name":"a"}', { isLast: false }),
      remove(spelling, { isLast: false }),
      message({ isLast: false }),
      remove('54'),
    ),
  ),
]

const queries = [
  ...[...edges.filter((edge) => edge.length < 30), ...targetForms].map((spelling) => `limit=${spelling}`),
  ...['limit', 'limit=', '=', '=1', '&', '&&', '', 'limit=1&', '&limit=1', 'limit=1&&', '?limit=1', 'limit=1?'],
  ...[
    'limit=1&limit=1',
    'limit=1&limit=2',
    'limit=2&limit=1',
    'limit=1&limit=',
    'limit&limit',
    'limit=1,2',
    'limit=1%2C2',
  ],
  ...[
    'limit=1;limit=2',
    'limit=1;',
    'limit[]=1',
    'limit%5B%5D=1',
    'limit[0]=1',
    'limit[a]=1',
    'limit.a=1',
    'limit=[1]',
  ],
  ...[
    'Limit=1',
    'LIMIT=1',
    'limt=1',
    'limi=1',
    'limits=1',
    ' limit=1',
    '%20limit=1',
    'limit%20=1',
    'limit+=1',
    '+limit=1',
  ],
  ...[
    'l%69mit=1',
    '%6C%69%6D%69%74=1',
    '%6cimit=1',
    'limit%3D1',
    'limit%3d1=',
    'limit==1',
    'limit=1=',
    'limit=1%26a=b',
  ],
  ...['limit=1#a', 'limit=1%23', '%zz=1', 'limit=1&%zz', 'limit=1&a=%zz', '%ff=1', 'a=%ff', '%00=1', 'limit=1&%00'],
  ...['a', 'a=', 'a=1', 'a=1&b=2', 'limit=1&a=2', 'a=2&limit=1', 'limit=x&a=2', 'limit=x&limt=1', 'limit=-1&a=1&b=2'],
  ...[
    '__proto__=1',
    'constructor=1',
    'toString=1',
    'hasOwnProperty=1',
    'limit.__proto__=1',
    'access_token=x',
    'token=x',
  ],
  ...[
    'id=1',
    'body=1',
    'query=1',
    'offset=1',
    'limit=1&offset=0',
    'a%26b=1',
    'a%5B=1',
    '%E2%82%AC=1',
    '\u00e9=1',
    '%F0%9F%8C%B1=1',
  ],
  ...['a'.repeat(200), `limit=${'0'.repeat(200)}`, `limit=1${'&a'.repeat(50)}`, Array(20).fill('limit=1').join('&')],
]

const inQueries: readonly GoldenRequest[] = queries.map((query) =>
  together(
    `query: ${query.length > 80 ? `${query.slice(0, 80)}… (${String(query.length)})` : query}`,
    message({ target: `/plants?${query}`, authorization: `Bearer ${tokens.few}` }),
  ),
)

const elsewhere: readonly GoldenRequest[] = ['a=1', 'limit=1', 'a', '', '&', '%zz', 'id=1', '__proto__=1'].flatMap(
  (query) => [
    together(
      `query of a create: ${query}`,
      create('{"id":1,"name":"a"}', { target: `/plants?${query}`, isLast: false }),
      remove('1'),
    ),
    together(
      `query of a delete: ${query}`,
      create('{"id":1,"name":"a"}', { isLast: false }),
      remove(`1?${query}`, { isLast: false }),
      remove('1'),
    ),
  ],
)

/** Integers in all spellings, in bodies, paths and queries, and the other forms of a query. */
export const integers: readonly GoldenRequest[] = [...inBodies, ...inPaths, ...inQueries, ...elsewhere]
