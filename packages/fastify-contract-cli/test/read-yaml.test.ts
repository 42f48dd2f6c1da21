import { describe, expect, it } from 'vitest'
import { BrokenContract } from '../src/model/findings.ts'
import { Places } from '../src/model/places.ts'
import { readYaml } from '../src/model/read-yaml.ts'

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

/** Each list holds the one before twice, so that the last stands for 2^levels values. */
function doubled(levels: number): string {
  const lists = Array.from({ length: levels }, (_, index) => `x${String(index + 1)}: &x${String(index + 1)} `)
  return ['x0: &x0 [a]', ...lists.map((line, index) => `${line}[*x${String(index)}, *x${String(index)}]`)].join('\n')
}

const tooMany = /aliases have expanded to more than 20000 values; refer to components by/

describe('a YAML file is refused', () => {
  it.each<[string, string | Uint8Array, RegExp]>([
    ['empty', '', /is empty; write an OpenAPI document/],
    ['that is a list', '- a\n- b\n', /is not a YAML mapping; write an OpenAPI document/],
    [
      'with a merge key',
      'a: &a { b: 1 }\nc:\n  <<: *a\n',
      /<< is not part of YAML 1\.2; write the members, or use \$ref/,
    ],
    ['with an alias of itself', 'a: &a\n  b: *a\n', /^openapi\.yaml:2:6: the alias \*a leads to nothing or back to it/],
    ['with an alias of nothing', 'a: *b\n', /^openapi\.yaml:1:4: /],
    ['with aliases of aliases, 30 levels of them', doubled(30), tooMany],
    [
      'with too many aliases of one value',
      `a: &a {}\nb:\n${'  - *a\n'.repeat(20_001)}`,
      /aliases have expanded to more than 20000 values; refer to components by/,
    ],
    ['with lists 201 levels deep', `a: ${'['.repeat(200)}${']'.repeat(200)}`, /^openapi\.yaml:1:203: is nested more/],
    [
      'with lists 10,000 levels deep',
      `a: ${'['.repeat(1e4)}${']'.repeat(1e4)}`,
      /^openapi\.yaml:1:\d+: is nested more/,
    ],
    ['with a NUL byte', 'a: b\nc: d\0\n', /^openapi\.yaml:2:1: has a NUL byte; remove it$/],
    ['in UTF-16', Buffer.from('\ufeffa: b\n', 'utf16le'), /openapi\.yaml: is not UTF-8; save it as UTF-8/],
    ['of several documents', 'a: b\n---\nc: d\n', /^openapi\.yaml:2:1: /],
    ['with a key twice', 'a: b\na: c\n', /the name a is duplicated; remove one/],
    ['with a key twice, once as a number', `200: b\n'200': c\n`, /the name 200 is duplicated; remove one/],
    ['of YAML 1.1', '%YAML 1.1\n---\na: yes\n', /only YAML 1\.2 is supported; remove the directive/],
    ['indented by a tab', 'a:\n\tb: c\n', /^openapi\.yaml:2:1: /],
    [
      'with a number beyond the range of a double',
      'a: 1e400\n',
      /1e400 is not a JSON number; write one in the range of a double/,
    ],
    ['with a key that is null', 'a: b\nnull: c\n', /a key must be text or a number/],
    ['with a tag that is unknown', 'a: !thing b\n', /^openapi\.yaml:1:4: /],
  ])('%s', (_kind, text, problem) => {
    expect(problemOf(text)).toMatch(problem)
  })

  it.each([['a word too many in each of 222 lines', 'a: b: c\n'.repeat(222)]])(
    'with only the first reasons: %s',
    (_kind, text) => {
      const lines = problemOf(text).split('\n')
      expect(lines.slice(0, -1).every((line) => /^openapi\.yaml:\d+:\d+: ./.test(line))).toBe(true)
      expect(lines).toHaveLength(6)
      expect(lines.at(-1)).toMatch(/openapi\.yaml: 217 more problems, which may follow from these/)
    },
  )

  it('with quotes made printable and truncated', () => {
    const name = 'a\u001b[2J\u202eb\u2028'
    expect(problemOf(`"${name}": 1\n"${name}": 1\n`)).toBe(
      'openapi.yaml:2:1: the name a\\u{1b}[2J\\u{202e}b\\u{2028} is duplicated; remove one',
    )
    expect(problemOf(`a: !${'x'.repeat(100_000)} b`).length).toBeLessThan(2_000)
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
  ])('%s', (_kind, text, value) => {
    expect(read(text)).toEqual(value)
  })

  it('with aliases as the same object', () => {
    const { a, b, c } = read('a: &a { d: 1 }\nb: *a\nc: [*a]\n')
    expect(a).toEqual({ d: 1 })
    expect(b).toBe(a)
    expect(c).toEqual([a])
  })

  it('with __proto__ as an ordinary name', () => {
    const document = read('__proto__: { a: 1 }\n')
    expect(Object.keys(document)).toEqual(['__proto__'])
    expect(Object.getPrototypeOf(document)).toBe(Object.prototype)
  })
})
