import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JsonParser, MalformedJson, RefusedJson } from '../../packages/fastify-contract/src/json/parser.ts'

function parse(text: string): unknown {
  return new JsonParser(text, (_container, _key, source) => Number(source)).parse()
}

describe('JsonParser', () => {
  it('gives the value that was written, for any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }), fc.nat(3), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent)
        expect(JSON.stringify(parse(text), undefined, indent)).toBe(text)
      }),
      { numRuns: 300 },
    )
  })

  it.each([
    '{"a":[1,-2.5e3,true,false,null,"b"],"c":{},"d":[]}',
    ' [ { "a" : "," } ,\t":"\n] ',
    '"{[:,]}"',
    '54',
    '["\\"","\\\\","\\u0061"]',
  ])('reads %j as JSON.parse does', (text) => {
    expect(parse(text)).toEqual(JSON.parse(text))
  })

  it('refuses the last of two names, where JSON.parse takes it', () => {
    expect(() => parse('{"a":1,"a":2}')).toThrow('the body names the property "a" twice')
  })

  it('reads a long text of 64 KiB, and says of one that is cut or doubled before its fault what the fault is', () => {
    const long = 'x'.repeat(65_536)
    expect(parse(`{"a":"${long}"}`)).toEqual({ a: long })
    expect(() => parse(`{"a":"${long}`)).toThrow('the body is not one JSON document')
    expect(() => parse('{"a":1,"a":2')).toThrow('the body is not one JSON document')
  })

  it.each([
    '{"a"}',
    '{"a":}',
    '{"a" 1}',
    '{1:2}',
    '[1 2]',
    '[}',
    '{]',
    '[1}',
    '{"a":1]',
    ']',
    '',
    '-',
    '1e',
    '1.',
    '01',
    '"\\u00"',
    '"\\u0000',
    'nul',
    'truee',
    '1 ,',
  ])('refuses %j, as JSON.parse does', (text) => {
    expect(() => JSON.parse(text) as unknown).toThrow()
    expect(() => parse(text)).toThrow('the body is not one JSON document')
  })

  it.each([
    [String.raw`"\ud800"`, 'body must not have a lone surrogate'],
    [String.raw`{"name":"a\udfffb"}`, 'body/name must not have a lone surrogate'],
    [String.raw`{"name":"\udc00\ud800"}`, 'body/name must not have a lone surrogate'],
    [String.raw`{"name":"\ud83c\ud83c\udf31"}`, 'body/name must not have a lone surrogate'],
    [String.raw`{"__proto__":["a",{"b":["\udbff"]}]}`, 'body/__proto__/1/b/0 must not have a lone surrogate'],
    [String.raw`{"~a/b":"\ud800"}`, 'body/~0a~1b must not have a lone surrogate'],
    [String.raw`{"\udc00":1}`, 'body must not have a property whose name has a lone surrogate'],
    [
      String.raw`{"more":[{"\ud800":{"a":"\ud800"}}]}`,
      'body/more/0 must not have a property whose name has a lone surrogate',
    ],
  ])('refuses the lone surrogate of %s, and says where it is', (text, message) => {
    expect(() => parse(text)).toThrow(new RefusedJson(message))
  })

  it('reads pairs of surrogates that are escaped, wholly or in part, and U+FFFD', () => {
    expect(parse(String.raw`{"\ud83c\udf31":["\ud83c\udf31","\ufffd"]}`)).toEqual({
      '\u{1f331}': ['\u{1f331}', '\ufffd'],
    })
  })

  it('refuses a document that is not JSON, or names a property twice, for that, not for a lone surrogate', () => {
    expect(() => parse(String.raw`{"a":"\ud800"`)).toThrow(new MalformedJson('the body is not one JSON document'))
    expect(() => parse(String.raw`{"a":"\ud800","a":1}`)).toThrow(
      new MalformedJson('the body names the property "a" twice'),
    )
  })

  it('finds a lone surrogate below 100 levels', () => {
    const text = String.raw`${'['.repeat(100)}"\ud800"${']'.repeat(100)}`
    expect(() => parse(text)).toThrow(`body${'/0'.repeat(100)} must not have a lone surrogate`)
  })

  it('makes `__proto__` a property like any other', () => {
    const value = parse('{"__proto__":{"a":1}}') as object
    expect(Object.getOwnPropertyDescriptor(value, '__proto__')).toMatchObject({ value: { a: 1 }, enumerable: true })
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  })

  it('reads 30000 levels and a string of a million escapes', () => {
    expect(parse(`${'['.repeat(30_000)}${']'.repeat(30_000)}`)).toBeInstanceOf(Array)
    expect(parse(`"${'\\n'.repeat(1_000_000)}"`)).toBe('\n'.repeat(1_000_000))
  })
})
