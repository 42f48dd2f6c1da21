import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  MalformedJson,
  RefusedJson,
  parseJson,
  parseJsonWithBigInts,
  stringifyJson,
  stringifyReply,
} from '../../src/json/json.ts'

const notOneDocument = 'the body is not one JSON document'
const tooEarly = `${notOneDocument}: it ends too early`

function parse(text: string): unknown {
  return parseJson(Buffer.from(text)).value
}

function refusalOf(body: string | Uint8Array): string {
  try {
    parseJson(typeof body === 'string' ? Buffer.from(body) : body)
  } catch (error) {
    if (error instanceof MalformedJson) return error.message
    throw error
  }
  return 'accepted'
}

describe('parseJson', () => {
  it('refuses an empty body', () => {
    for (const body of ['', '\ufeff']) expect(refusalOf(body)).toBe('the body is empty')
  })

  it('ignores a byte order mark before the document, and none within', () => {
    expect(parse('\ufeff{"a":"\ufeff"}')).toEqual({ a: '\ufeff' })
    expect(parse('\ufeff9007199254740993')).toBe(9007199254740993n)
  })

  it.each([
    ['an overlong /', [0x22, 0xc0, 0xaf, 0x22]],
    ['a surrogate (CESU-8)', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['UTF-16', [0xff, 0xfe, 0x31, 0x00]],
  ])('refuses %s as not UTF-8', (_name, bytes) => {
    expect(refusalOf(Uint8Array.from(bytes))).toBe('the body is not UTF-8')
  })

  it.each([
    ...['\ufeff\ufeff{}', ' ', '{', '[', '"', '{"id":54', '{"id":54,', '{"id":', '{"id"', '[1,', '"cut\\', 'tru'],
    ...['-', '1.', '1e', '{} {}', '1 2', '[] ]', '{}\0', 'null,', '[1,]', '{"a":1,}', '{,}', '{a:1}', '01', '{1:2}'],
    ...["{'a':1}", '{"a":1 "b":2}', '+1', '.5', '0x10', 'NaN', 'Infinity', 'undefined', '"\n"', '"\\x"', '"\\u12"'],
    ...[
      '// c\n{}',
      '{}/**/',
      '{"a"}',
      '{"a":}',
      '{"a" 1}',
      '[1 2]',
      '[}',
      '{]',
      ']',
      ',',
      '1+2',
      '--1',
      '[1.]',
      '[1e+]',
    ],
    ...['{"a":1,"a":2', '{"password":"hunter2"', String.raw`{"a":"\ud800"`],
  ])('refuses %j as malformed without quoting it', (text) => {
    expect(() => JSON.parse(text) as unknown).toThrow()
    const place = refusalOf(text).replace(`${notOneDocument}: `, '')
    expect(place).toMatch(/^(?:it ends too early|the fault is at character \d+)$/)
  })

  it.each([
    ['\ufeff\ufeff{}', 1],
    ['{"a":1,}', 8],
    ['{"a":01}', 7],
    ['{"a" 1}', 6],
    ['[1}', 3],
    ['{} {}', 4],
    ['["🌱", tru]', 7],
    ['"a\tb"', 3],
    [String.raw`["\\\n","\u12"]`, 10],
    [String.raw`{"a":1,"\x":1}`, 9],
  ])('reports the character at which %j breaks', (text, character) => {
    expect(refusalOf(text)).toBe(`${notOneDocument}: the fault is at character ${String(character)}`)
  })

  it.each(['{', '[1,', '"cut', '"cut\\', ' '])('reports that %j ends too early', (text) => {
    expect(refusalOf(text)).toBe(tooEarly)
  })

  it('reads a body in the middle of a larger buffer', () => {
    expect(parseJson(Buffer.from('x[9007199254740993]x').subarray(1, -1)).value).toEqual([9007199254740993n])
  })

  it('reads an escaped name right, whatever documents came before', () => {
    // V8 expects the name that followed before, and compares it with the escape instead of the letter
    // (nodejs/node#63785).
    parse('{"first":1,"t\\\\u":2}')
    expect(parse('{"first":1,"t\\u0061g":9007199254740993}')).toEqual({ first: 1, tag: 9007199254740993n })
    expect(refusalOf('{"first":1,"t\\u0061g":2,"tag":3}')).toBe('the body names the property "tag" twice')
  })

  it('makes `__proto__` an ordinary property and changes no prototype', () => {
    const value = parse('{"__proto__":{"polluted":1}}') as object
    expect(Object.getOwnPropertyDescriptor(value, '__proto__')).toMatchObject({
      value: { polluted: 1 },
      enumerable: true,
    })
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect({}).not.toHaveProperty('polluted')
  })

  it('reads 30000 levels and a string of a million escapes', () => {
    let value = parse(`${'[{"a":'.repeat(15_000)}9007199254740993${'}]'.repeat(15_000)}`)
    for (let level = 0; level < 15_000; level++) value = (value as [{ a: unknown }])[0].a
    expect(value).toBe(9007199254740993n)
    expect(refusalOf('['.repeat(30_000))).toBe(tooEarly)
    expect(parse(`"${'\\n'.repeat(1_000_000)}"`)).toBe('\n'.repeat(1_000_000))
  })

  it('refuses too many levels and names the place', () => {
    const read = (text: string) => parseJson(Buffer.from(text), 3).value
    expect(read('{"a":[{}],"b":[[]]}')).toEqual({ a: [{}], b: [[]] })
    expect(() => read('{"a~/":[1,[{}],{}],"b":[[[]]]}')).toThrow(
      new RefusedJson('body/a~0~1/1/0 nests deeper than 3 levels'),
    )
    expect(() => read('[[[[]]]')).toThrow(new MalformedJson(tooEarly))
  })
})

describe('an integer of more than 1,000 digits', () => {
  const digits = '9'.repeat(65_000)

  it('is infinite, with its source text', () => {
    const { value, sources } = parseJson(Buffer.from(`{"a":-${digits}}`))
    expect(value).toEqual({ a: -Infinity })
    expect(sources.get(value as object)?.get('a')).toBe(`-${digits}`)
    expect(parse('9'.repeat(1_000))).toBe(BigInt('9'.repeat(1_000)))
  })

  it('is parsed as fast as other numbers of its size', () => {
    const timeOf = (text: string) => {
      const times = Array.from({ length: 10 }, () => {
        const start = performance.now()
        parse(text)
        return performance.now() - start
      })
      return Math.min(...times)
    }
    expect(timeOf(digits)).toBeLessThan(timeOf(`[${'9,'.repeat(32_000)}9]`))
  })
})

describe('text that V8 would write in the same way', () => {
  it.each([
    ['9007199254740992', 9007199254740992n],
    ['{"a":[12345678901234567000]}', { a: [12345678901234567000n] }],
    ['{"a":9007199254740991,"b":0.1}', { a: 9007199254740991, b: 0.1 }],
  ])('keeps each integer exact: %s', (text, value) => {
    expect(parse(text)).toEqual(value)
  })

  it('keeps the source of a number that a double may round', () => {
    const source = '1e+21'
    expect(parseJson(Buffer.from(source)).source).toBe(source)
  })

  it('is refused where it nests too deep', () => {
    expect(parseJson(Buffer.from('{"a":[[1]]}'), 3).value).toEqual({ a: [[1]] })
    expect(() => parseJson(Buffer.from('{"a":[[[1]]]}'), 3)).toThrow('body/a/0/0 nests deeper than 3 levels')
  })
})

describe('stringifyReply', () => {
  it('writes the digits of each bigint, and all else as stringifyJson does', () => {
    const shared = { id: -(2n ** 63n) }
    const value = [
      { id: 1n, ['__proto__']: 2n, none: undefined, date: new Date(0) },
      [shared, shared, [5], null],
      Object.create({ inherited: 3n }) as unknown,
      { toJSON: () => ({ id: 4n }) },
    ]
    expect(stringifyReply(value, true)).toBe(stringifyJson(value))
    expect(stringifyReply(2n ** 63n, true)).toBe('9223372036854775808')
  })
})

describe('a duplicate name', () => {
  it.each([
    ['{"id":1,"\\u0069d":2}', 'id'],
    ['{"\\ud83d\\ude00":1,"😀":2}', '😀'],
    ['{"__proto__":{"a":1},"__proto__":{"a":2}}', '__proto__'],
    ['{"a":1,"__proto__":{"a":1,"a":2}}', 'a'],
    [String.raw`{"a":"\ud800","a":1}`, 'a'],
    [`${'['.repeat(200)}{"a":1,"a":2}${']'.repeat(200)}`, 'a'],
  ])('is refused: %.50s', (text, name) => {
    expect(refusalOf(text)).toBe(`the body names the property ${JSON.stringify(name)} twice`)
  })
})

describe('a lone surrogate', () => {
  it.each([
    [String.raw`"\ud800"`, 'body must not have a lone surrogate'],
    [String.raw`{"name":"\ud83c\ud83c\udf31"}`, 'body/name must not have a lone surrogate'],
    [String.raw`{"__proto__":["a",{"b":["\udbff"]}]}`, 'body/__proto__/1/b/0 must not have a lone surrogate'],
    [String.raw`{"\udc00":1}`, 'body must not have a property whose name has a lone surrogate'],
    [String.raw`{"more":[{"\ud800":1}]}`, 'body/more/0 must not have a property whose name has a lone surrogate'],
    [`${'['.repeat(100)}"\\ud800"${']'.repeat(100)}`, `body${'/0'.repeat(100)} must not have a lone surrogate`],
  ])('is refused with its place: %.50s', (text, message) => {
    expect(() => parse(text)).toThrow(new RefusedJson(message))
  })

  it('is not found in an escaped surrogate pair', () => {
    expect(parse(String.raw`{"\ud83c\udf31":["\ud83c\udf31","\ufffd"]}`)).toEqual({
      '\u{1f331}': ['\u{1f331}', '\ufffd'],
    })
  })
})

describe('parseJsonWithBigInts', () => {
  it('returns integers beyond 2^53 as bigints, and other numbers as numbers', () => {
    const text =
      '[9007199254740991, 9007199254740992, 9007199254740993, -9223372036854775808, 54, 1e300, ' +
      '9007199254740993.5, "9007199254740993", {"a": 18446744073709551616}]'
    expect(parseJsonWithBigInts(text)).toEqual([
      ...[9007199254740991, 9007199254740992n, 9007199254740993n, -9223372036854775808n, 54, 1e300],
      ...[9007199254740993.5, '9007199254740993', { a: 18446744073709551616n }],
    ])
  })

  it('reads back what stringifyJson writes', () => {
    const exact = fc.bigInt().map((integer) => (Number.isSafeInteger(Number(integer)) ? Number(integer) : integer))
    // The unit `binary` of fast-check takes a second to make.
    const character = fc.integer({ min: 0, max: 0x10ffff }).map((codePoint) => String.fromCodePoint(codePoint))
    const anyText = fc.string({ unit: character.filter((text) => text.isWellFormed()) })
    const { tree } = fc.letrec<{ tree: unknown; leaf: unknown }>((tie) => ({
      leaf: fc.oneof(exact, anyText, fc.boolean(), fc.constant(null)),
      tree: fc.oneof(
        { maxDepth: 4 },
        tie('leaf'),
        fc.array(tie('tree'), { maxLength: 5 }),
        fc.dictionary(fc.string(), tie('tree'), { maxKeys: 5 }),
      ),
    }))
    fc.assert(
      fc.property(tree, (value) => {
        expect(parseJsonWithBigInts(stringifyJson(value))).toEqual(value)
      }),
      { numRuns: 200 },
    )
  })
})
