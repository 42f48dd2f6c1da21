import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  MalformedJson,
  type NumberSources,
  parseJson,
  parseJsonWithBigInts,
  stringifyJson,
} from '../../packages/fastify-contract/src/json/json.ts'

const notOneDocument = 'the body is not one JSON document'

/** How the numbers of the last text were written. */
let sources: NumberSources = new Map()

function parseText(text: string): unknown {
  const parsed = parseJson(Buffer.from(text))
  sources = parsed.sources
  return parsed.value
}

function sourceOfNumber(container: object, key: string | number): string | undefined {
  return sources.get(container)?.get(String(key))
}

/** A parsed object or array, for the tests that know that the document is one. */
function parseContainer(text: string): Record<string, object> {
  return parseText(text) as Record<string, object>
}

function refusalOf(bytes: Uint8Array): string {
  try {
    parseJson(bytes)
  } catch (error) {
    if (error instanceof MalformedJson) return error.message
    throw error
  }
  return 'accepted'
}

describe('parseJson', () => {
  it('refuses an empty body', () => {
    expect(refusalOf(Buffer.alloc(0))).toBe('the body is empty')
  })

  it.each([
    ['a byte that begins nothing', [0x22, 0xff, 0x22]],
    ['a continuation byte alone', [0x22, 0x80, 0x22]],
    ['a sequence that is cut', [0x22, 0xe2, 0x82, 0x22]],
    ['an overlong /', [0x22, 0xc0, 0xaf, 0x22]],
    ['an overlong U+0000', [0x22, 0xc0, 0x80, 0x22]],
    ['an overlong of three bytes', [0x22, 0xe0, 0x80, 0xaf, 0x22]],
    ['a surrogate (CESU-8)', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['a pair of surrogates (CESU-8)', [0x22, 0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80, 0x22]],
    ['a code point beyond U+10FFFF', [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22]],
    ['UTF-16', [0xff, 0xfe, 0x31, 0x00]],
  ])('refuses %s as not UTF-8', (_name, bytes) => {
    expect(refusalOf(Uint8Array.from(bytes))).toBe('the body is not UTF-8')
  })

  it.each([
    '\ufeff{}',
    ' ',
    '{',
    '[',
    '"',
    '{"id":54',
    '{"id":54,',
    '{"id":',
    '{"id"',
    '[1,',
    '"cut',
    '"cut\\',
    'tru',
    '-',
    '1.',
    '1e',
    '{}{}',
    '{} {}',
    '1 2',
    '[] ]',
    '{}\0',
    'null,',
    '[1,]',
    '{"a":1,}',
    '{,}',
    '{a:1}',
    "{'a':1}",
    '{"a":1 "b":2}',
    '01',
    '+1',
    '.5',
    '0x10',
    'NaN',
    'Infinity',
    'undefined',
    '"\n"',
    '"\\x"',
    '"\\u12"',
    '// c\n{}',
    '{}/**/',
  ])('refuses %j as not one JSON document', (text) => {
    expect(refusalOf(Buffer.from(text))).toBe(notOneDocument)
  })

  it('quotes nothing of a body that is not JSON', () => {
    expect(refusalOf(Buffer.from('{"password":"hunter2"'))).toBe(notOneDocument)
  })

  it('takes bytes out of the middle of a larger buffer', () => {
    expect(parseJson(Buffer.from('x[9007199254740993]x').subarray(1, -1)).value).toEqual([9007199254740993n])
  })

  it('gives the value that was written, for any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }), fc.nat(3), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent)
        expect(stringifyJson(parseText(text), indent)).toBe(text)
      }),
      { numRuns: 300 },
    )
  })

  it('reads an escaped name as what it says, whatever documents came before', () => {
    // V8 offers the name that followed before, and compares it with the escape instead of the letter
    // (nodejs/node#63785).
    parseText('{"first":1,"t\\\\u":2}')
    const value = parseContainer('{"first":1,"t\\u0061g":9007199254740993}')
    expect(value).toEqual({ first: 1, tag: 9007199254740993n })
    expect(sourceOfNumber(value, 'tag')).toBe('9007199254740993')
    expect(parseJsonWithBigInts('[{"first":1,"t\\u0061g":9007199254740993}]')).toEqual([
      { first: 1, tag: 9007199254740993n },
    ])
    expect(refusalOf(Buffer.from('{"first":1,"t\\u0061g":2,"tag":3}'))).toBe('the body names the property "tag" twice')
  })

  const structural = fc.string({
    unit: fc.constantFrom('"', '\\', '{', '}', '[', ']', ':', ',', '1', '.', 'e', ' ', 'é', '😀'),
  })

  it('does not mistake what stands inside of a string for structure', () => {
    fc.assert(
      fc.property(fc.array(structural), fc.dictionary(structural, fc.string()), (list, object) => {
        const value = parseContainer(JSON.stringify({ list, object, end: JSON.rawJSON('9007199254740993') }))
        expect(value).toEqual({ list, object, end: 9007199254740993n })
        expect(sourceOfNumber(value, 'end')).toBe('9007199254740993')
      }),
    )
  })
})

describe('a doubled name', () => {
  it.each([
    ['{"id":1,"id":1}', 'id'],
    ['{"id":1,"name":2,"id":3}', 'id'],
    ['{"a":{"b":1,"b":2}}', 'b'],
    ['[{"b":1},{"b":1,"b":2}]', 'b'],
    ['{"a":[{"b":{"c":[],"c":[]}}]}', 'c'],
    ['{"a":{"b":1},"a":{"b":2}}', 'a'],
    ['{"a":{"b":1},"a":2}', 'a'],
    ['{"a":[{"deep":1}],"a":null}', 'a'],
    ['{"":1,"":2}', ''],
    ['{"id":1,"\\u0069d":2}', 'id'],
    ['{"\\u0069\\u0064":1,"id":2}', 'id'],
    ['{"a\\/b":1,"a/b":2}', 'a/b'],
    ['{"\\ud83d\\ude00":1,"😀":2}', '😀'],
    ['{"\\\\":1,"\\u005c":2}', '\\'],
    ['{"\\"":1,"\\u0022":2}', '"'],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
    ['{"__proto__":{"a":1},"__proto__":{"a":2}}', '__proto__'],
    ['{"a":1,"__proto__":{"a":1,"a":2}}', 'a'],
    ['{ "a" \n: 1 , "a"\t\r\n:2 }', 'a'],
    ['{"constructor":1,"constructor":2}', 'constructor'],
  ])('is refused: %s', (text, name) => {
    expect(refusalOf(Buffer.from(text))).toBe(`the body names the property ${JSON.stringify(name)} twice`)
  })

  it.each([
    '{"a":{"a":{"a":1}}}',
    '[{"a":1},{"a":1}]',
    '{"a":"a","b":"a"}',
    '{"a":[1,{"a":1}],"b":{"a":"\\"a\\":"}}',
    '{"A":1,"a":2}',
    '{"é":1,"e\\u0301":2}',
    '{"toString":1,"__proto__":2}',
    '{"a":"b","b":"a:"}',
  ])('is not seen in %s', (text) => {
    expect(parseText(text)).toEqual(JSON.parse(text))
  })

  it('is refused wherever it stands in any document, however it is escaped', () => {
    const name = fc.string({ unit: 'grapheme', maxLength: 6 })
    const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value))
    fc.assert(
      fc.property(
        name,
        json,
        json,
        fc.array(json, { maxLength: 3 }),
        fc.array(fc.constantFrom('array', 'object'), { maxLength: 8 }),
        (doubled, first, second, between, layers) => {
          const members = [
            `${JSON.stringify(doubled)}:${first}`,
            ...between.map((value, index) => `"between ${String(index)} of many":${value}`),
            `${escaped(doubled)}:${second}`,
          ]
          const text = layers.reduce(
            (inner, layer) => (layer === 'array' ? `[0,${inner},"]"]` : `{"x":{},"y":${inner},"z":[]}`),
            `{${members.join(',')}}`,
          )
          expect(refusalOf(Buffer.from(text))).toBe(`the body names the property ${JSON.stringify(doubled)} twice`)
        },
      ),
      { numRuns: 500 },
    )
  })

  it('leaves the prototype of every object alone', () => {
    for (const second of ['1', '{}', '[]']) {
      const text = `{"a":{"__proto__":{"polluted":9007199254740993}},"a":${second}}`
      expect(() => parseJsonWithBigInts(text)).toThrow(MalformedJson)
      expect(() => parseText(text)).toThrow(MalformedJson)
      expect({}).not.toHaveProperty('polluted')
      expect(sourceOfNumber(Object.prototype, 'polluted')).toBeUndefined()
    }
  })
})

/** The name as a JSON string of `\u` escapes alone. */
function escaped(name: string): string {
  const unit = (index: number) => `\\u${name.charCodeAt(index).toString(16).padStart(4, '0')}`
  return `"${Array.from({ length: name.length }, (_unit, index) => unit(index)).join('')}"`
}

describe('a document that nests 30000 levels deep', () => {
  const levels = 30_000

  it('is read', () => {
    let value = parseText(`${'[{"a":'.repeat(levels / 2)}9007199254740993${'}]'.repeat(levels / 2)}`)
    for (let level = 2; level < levels; level += 2) value = (value as [{ a: unknown }])[0].a
    expect(sourceOfNumber((value as [object])[0], 'a')).toBe('9007199254740993')
  })

  it('is refused when it is cut', () => {
    expect(refusalOf(Buffer.from('['.repeat(levels)))).toBe(notOneDocument)
  })

  it('is refused for a name that is doubled at the bottom', () => {
    expect(refusalOf(Buffer.from(`${'['.repeat(levels)}{"a":1,"a":2}${']'.repeat(levels)}`))).toBe(
      'the body names the property "a" twice',
    )
  })
})

describe('the source of a number', () => {
  it.each([
    '9007199254740993',
    '-9007199254740993',
    '1000000000000000',
    '54.0',
    '1e3',
    '1E-2',
    '-0.0',
    '1e400',
    '123456789012345678901234567890',
  ])('gives %s as it was written', (source) => {
    const value = parseContainer(`{"before":[1,{"n":2.5}],"n": ${source} ,"list":["9.5",[${source}],${source}]}`)
    expect(sourceOfNumber(value, 'n')).toBe(source)
    expect(sourceOfNumber(value['list']!, 2)).toBe(source)
    expect(sourceOfNumber((value['list'] as object[])[1]!, 0)).toBe(source)
    expect(sourceOfNumber(value['list']!, 0)).toBeUndefined()
  })

  it.each(['0', '-1', '54', '999999999999999', '-999999999999999', '"9007199254740993"', 'null', 'true', '{}'])(
    'has nothing to add to %s',
    (text) => {
      expect(sourceOfNumber(parseContainer(`{"n":${text}}`), 'n')).toBeUndefined()
    },
  )

  it('finds a number under a name that is escaped, empty, or __proto__', () => {
    const value = parseContainer('{"\\u006e":1.0,"":2.0,"__proto__":3.0,"a":{"__proto__":{"b":4.0}}}')
    expect(['n', '', '__proto__'].map((name) => sourceOfNumber(value, name))).toEqual(['1.0', '2.0', '3.0'])
    expect(sourceOfNumber(Object.getOwnPropertyDescriptor(value['a'], '__proto__')!.value as object, 'b')).toBe('4.0')
  })

  it('knows the source of every number of any document', () => {
    const number = fc.oneof(
      fc.bigInt().map(String),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((double) => JSON.stringify(double)),
      fc.constantFrom('54.0', '1e3', '-0.0', '9007199254740993'),
    )
    fc.assert(
      fc.property(fc.array(number, { minLength: 1 }), fc.array(fc.string()), (numbers, strings) => {
        const members = numbers.map(
          (source, index) =>
            `"${String(index)}":[${[...strings.map((text) => JSON.stringify(text)), source].join(' ,')}]`,
        )
        const value = parseContainer(`{${members.join(',\n')}}`)
        numbers.forEach((source, index) => {
          const list = value[String(index)] as unknown[]
          const read = sourceOfNumber(list, strings.length) ?? JSON.stringify(list[strings.length])
          expect(read).toBe(source)
        })
      }),
    )
  })
})

describe('parseJsonWithBigInts', () => {
  it('gives an integer as a bigint where a double does not hold it, and otherwise as a number', () => {
    expect(
      parseJsonWithBigInts(
        '[9007199254740991, 9007199254740992, 9007199254740993, -9223372036854775808, 54, 1e300, ' +
          '9007199254740993.5, "9007199254740993", {"a": 18446744073709551616}]',
      ),
    ).toEqual([
      9007199254740991,
      9007199254740992n,
      9007199254740993n,
      -9223372036854775808n,
      54,
      1e300,
      9007199254740993.5,
      '9007199254740993',
      { a: 18446744073709551616n },
    ])
  })

  it('refuses what is not one JSON document', () => {
    expect(() => parseJsonWithBigInts('{"a":1,"a":2}')).toThrow(MalformedJson)
    expect(() => parseJsonWithBigInts('{')).toThrow(MalformedJson)
  })
})

describe('stringifyJson', () => {
  it('writes bigints as their digits, in one line or indented', () => {
    expect(stringifyJson({ id: 9007199254740993n, ids: [-9223372036854775808n, 1n], name: 'é"😀' })).toBe(
      '{"id":9007199254740993,"ids":[-9223372036854775808,1],"name":"é\\"😀"}',
    )
    expect(stringifyJson({ id: 9007199254740993n }, 2)).toBe('{\n  "id": 9007199254740993\n}')
  })

  it('writes what parseJsonWithBigInts reads back, with integers of any size', () => {
    const exact = fc.bigInt().map((integer) => (Number.isSafeInteger(Number(integer)) ? Number(integer) : integer))
    const { tree } = fc.letrec<{ tree: unknown; leaf: unknown }>((tie) => ({
      leaf: fc.oneof(exact, fc.string({ unit: 'binary' }), fc.boolean(), fc.constant(null)),
      tree: fc.oneof(
        { maxDepth: 4 },
        tie('leaf'),
        fc.array(tie('tree'), { maxLength: 5 }),
        fc.dictionary(fc.string(), tie('tree'), { maxKeys: 5 }),
      ),
    }))
    fc.assert(
      fc.property(tree, (value) => {
        // A bare integer as the whole document has no container to be noted in.
        const document = { value }
        expect(parseJsonWithBigInts(stringifyJson(document))).toEqual(document)
      }),
      { numRuns: 500 },
    )
  })
})
