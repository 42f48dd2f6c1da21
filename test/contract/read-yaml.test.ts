import { describe, expect, it } from 'vitest'
import { BrokenContract } from '../../scripts/develop/contract/findings.ts'
import { Places, readYaml } from '../../scripts/develop/contract/read-yaml.ts'

const read = (text: string | Uint8Array) =>
  readYaml(typeof text === 'string' ? Buffer.from(text) : text, 'openapi.yaml', new Places())

function problemOf(text: string | Uint8Array): string {
  try {
    return JSON.stringify(read(text))
  } catch (error) {
    expect(error).toBeInstanceOf(BrokenContract)
    return (error as BrokenContract).message
  }
}

const bigEndian = Buffer.from('\ufeffa: b\n', 'utf16le').swap16()
const manyAliases = `a: &a {}\nb:\n${'  - *a\n'.repeat(1_001)}`

describe('a YAML file is refused', () => {
  it.each<[string, string | Uint8Array, RegExp]>([
    ['empty', '', /^openapi\.yaml:1:1: is empty$/],
    ['with a comment alone', '# nothing\n', /^openapi\.yaml:1:1: is no mapping of YAML; /],
    ['that is a list', '- a\n- b\n', /^openapi\.yaml:1:1: is no mapping of YAML; /],
    ['that is a text', 'openapi', /^openapi\.yaml:1:1: is no mapping of YAML; /],
    [
      'with a merge key',
      'a: &a { b: 1 }\nc:\n  <<: *a\n',
      /^openapi\.yaml:3:3: << is no word of YAML 1\.2; write the mem/,
    ],
    ['with an alias of itself', 'a: &a\n  b: *a\n', /^openapi\.yaml:2:6: the alias \*a leads to nothing or back to it/],
    ['with an alias of nothing', 'a: *b\n', /^openapi\.yaml:1:4: /],
    [
      'with too many aliases',
      manyAliases,
      /^openapi\.yaml:1003:5: has too many aliases; refer to components by \$ref$/,
    ],
    ['with a NUL byte', 'a: b\nc: d\0\n', /^openapi\.yaml:2:1: has a NUL byte; remove it$/],
    ['in UTF-16', Buffer.from('\ufeffa: b\n', 'utf16le'), /^openapi\.yaml: is not UTF-8; save it in that encoding$/],
    ['in UTF-16, big-endian', bigEndian, /^openapi\.yaml: is not UTF-8; save it in that encoding$/],
    ['in Latin-1', Buffer.from('a: caf\u00e9\n', 'latin1'), /^openapi\.yaml: is not UTF-8; save it in that encoding$/],
    ['of several documents', 'a: b\n---\nc: d\n', /^openapi\.yaml:2:1: /],
    ['with a key twice', 'a: b\na: c\n', /^openapi\.yaml:2:1: Map keys must be unique$/],
    ['of YAML 1.1', '%YAML 1.1\n---\na: yes\n', /^openapi\.yaml:1:1: only YAML 1\.2 is read; remove the directive$/],
    ['indented by a tab', 'a:\n\tb: c\n', /^openapi\.yaml:2:1: /],
    [
      'with a number beyond the range of a double',
      'a: 1e400\n',
      /^openapi\.yaml:1:4: 1e400 is no number of JSON; write/,
    ],
    ['with an infinite number', 'a: [.inf]\n', /^openapi\.yaml:1:5: \.inf is no number of JSON; write one/],
    ['with a key that is null', 'a: b\nnull: c\n', /^openapi\.yaml:2:1: a key must be a text or a number$/],
    ['with a key that is a list', '? [a]\n: b\n', /^openapi\.yaml:1:3: a key must be a text or a number$/],
    ['with a tag that is unknown', 'a: !thing b\n', /^openapi\.yaml:1:4: /],
  ])('%s', (_kind, text, problem) => {
    expect(problemOf(text)).toMatch(problem)
  })

  it('with a line for each reason', () => {
    expect(problemOf('a: &a { b: 1 }\nc: { <<: *a }\nnull: d\n').split('\n')).toHaveLength(2)
  })
})

describe('a YAML file is read', () => {
  it.each<[string, string | Uint8Array, object]>([
    ['with a byte order mark', Buffer.from('\ufeffa: caf\u00e9\n'), { a: 'caf\u00e9' }],
    ['as JSON', '{"a":[1,"b",null,true]}', { a: [1, 'b', null, true] }],
    ['with numbers and booleans for names', '200: a\ntrue: b\n1e1: c\n', { 200: 'a', true: 'b', 10: 'c' }],
    [
      'with integers beyond 2^53',
      'a: 9007199254740993\nb: 9007199254740991\nc: 5\n',
      { a: 9007199254740993n, b: 9007199254740991, c: 5 },
    ],
    [
      'with the words of YAML 1.1 as text',
      'a: yes\nb: off\nc: 2026-02-28\nd: 1:30\n',
      { a: 'yes', b: 'off', c: '2026-02-28', d: '1:30' },
    ],
    ['of version 1.2', '%YAML 1.2\n---\na: b\n', { a: 'b' }],
    ['with lines of Windows', 'a: b\r\nc:\r\n  - d\r\n', { a: 'b', c: ['d'] }],
    ['with text of several lines', 'a: |\n  b\n  c\nd: >\n  e\n  f\n', { a: 'b\nc\n', d: 'e f\n' }],
  ])('%s', (_kind, text, value) => {
    expect(read(text)).toEqual(value)
  })

  it('with aliases, each the same object', () => {
    const { a, b, c } = read('a: &a { d: 1 }\nb: *a\nc: [*a]\n')
    expect(a).toEqual({ d: 1 })
    expect(b).toBe(a)
    expect(c).toEqual([a])
  })

  it('with the name __proto__ as any other', () => {
    const document = read('__proto__: { a: 1 }\n')
    expect(Object.keys(document)).toEqual(['__proto__'])
    expect(Object.getPrototypeOf(document)).toBe(Object.prototype)
  })
})
