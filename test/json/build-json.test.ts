import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { buildJson } from '../../src/json/build-json.ts'

describe('buildJson', () => {
  it('gives the value that was written, for any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }), fc.nat(3), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent)
        expect(JSON.stringify(buildJson(text), undefined, indent)).toBe(text)
      }),
      { numRuns: 300 },
    )
  })

  it.each(['{"a":[1,-2.5e3,true,false,null,"b"],"c":{},"d":[]}', ' [ { "a" : "," } ,\t":"\n] ', '"{[:,]}"', '54', '["\\"","\\\\","\\u0061"]', '{"a":1,"a":2}'])('reads %j as JSON.parse does', (text) => {
    expect(buildJson(text)).toEqual(JSON.parse(text))
  })

  it('makes `__proto__` a property like any other', () => {
    const value = buildJson('{"__proto__":{"a":1}}') as object
    expect(Object.getOwnPropertyDescriptor(value, '__proto__')).toMatchObject({ value: { a: 1 }, enumerable: true })
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  })

  it('reads 30000 levels and a string of a million escapes', () => {
    expect(buildJson(`${'['.repeat(30_000)}${']'.repeat(30_000)}`)).toBeInstanceOf(Array)
    expect(buildJson(`"${'\\n'.repeat(1_000_000)}"`)).toBe('\n'.repeat(1_000_000))
  })
})
