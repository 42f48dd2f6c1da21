import { describe, expect, it } from 'vitest'
import { BrokenContract } from '../src/model/yaml/findings.ts'
import { placeOf } from '../src/model/yaml/node.ts'
import { readYaml } from '../src/model/yaml/read-yaml.ts'

const readPlaced = (text: string | Uint8Array) =>
  readYaml(typeof text === 'string' ? Buffer.from(text) : text, 'openapi.yaml')

/** A clone has no places, and its lists and objects are shared where they were. */
const read = (text: string | Uint8Array) => structuredClone(readPlaced(text).document)

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

/** Each mapping merges the one before twice. */
function merged(levels: number): string {
  const line = (level: number) => `x${String(level)}: &x${String(level)} `
  const lines = Array.from({ length: levels }, (_, index) => {
    const before = `{ <<: *x${String(index)} }`
    return `${line(index + 1)}{ a: ${before}, b: ${before} }`
  })
  return [`${line(0)}{}`, ...lines].join('\n')
}

const tooMany = /aliases have expanded to more than 20000 values; refer to components by/

describe('a YAML file is refused', () => {
  it.each<[string, string | Uint8Array, RegExp]>([
    ['empty', '', /is empty; write an OpenAPI document/],
    ['that is a list', '- a\n- b\n', /is not a YAML mapping; write an OpenAPI document/],
    ...['text', '~', '[text]', '[[{ a: 1 }]]'].map((value): [string, string, RegExp] => [
      `with a merge key of ${value}`,
      `a:\n  <<: ${value}\n`,
      /^openapi\.yaml:2:7: << merges only mappings; write one, an alias of one, or a list of these$/,
    ]),
    ['with a merge key of itself', 'a: &a\n  <<: *a\n', /^openapi\.yaml:2:7: the alias \*a leads to nothing or back/],
    [
      'with a merge key twice',
      'a: { <<: { b: 1 }, <<: { c: 1 } }\n',
      /the name << is duplicated; give one of them a list/,
    ],
    ['with merge keys of merge keys, 30 levels of them', merged(30), tooMany],
    ...['!!timestamp 2026-02-28', '!!binary aGk=', '!!omap [b: 1]', '!!merge <<'].map(
      (value): [string, string, RegExp] => [
        `with ${value}`,
        `a: ${value}\n`,
        /^openapi\.yaml:1:\d+: !!\w+ is of YAML 1\.1, and has no JSON; remove it$/,
      ],
    ),
    ['with an alias of itself', 'a: &a\n  b: *a\n', /^openapi\.yaml:2:6: the alias \*a leads to nothing or back to it/],
    ['with an alias of nothing', 'a: *b\n', /^openapi\.yaml:1:4: /],
    ['with aliases of aliases, 30 levels of them', doubled(30), tooMany],
    ['with too many aliases of one value', `a: &a {}\nb:\n${'  - *a\n'.repeat(20_001)}`, tooMany],
    ['with lists 201 levels deep', `a: ${'['.repeat(200)}${']'.repeat(200)}`, /^openapi\.yaml:1:203: is nested more/],
    [
      'with lists 10,000 levels deep',
      `a: ${'['.repeat(1e4)}${']'.repeat(1e4)}`,
      /^openapi\.yaml:1:\d+: is nested more/,
    ],
    ['with a NUL byte', 'a: b\nc: d\0\n', /^openapi\.yaml:2:1: has a NUL byte; remove it$/],
    ['in UTF-16', Buffer.from('\ufeffa: b\n', 'utf16le'), /openapi\.yaml: is not UTF-8; save it as UTF-8/],
    [
      'of several documents',
      'a: b\n---\nc: d\n',
      /^openapi\.yaml:2:1: a second document begins here; keep one in a file$/,
    ],
    ['with a key twice', 'a: b\na: c\n', /the name a is duplicated; remove one/],
    [
      'of JSON with a name twice',
      '{\n "a": 1,\n "a": 2 }',
      /^openapi\.yaml:3:2: the name a is duplicated; remove one$/,
    ],
    ['of JSON with a number beyond all doubles', '{"a":[1e999]}', /^openapi\.yaml:1:7: 1e999 is not a JSON number/],
    ['with a key twice, once as a number', `200: b\n'200': c\n`, /the name 200 is duplicated; remove one/],
    ['of YAML 1.1', '%YAML 1.1\n---\na: yes\n', /only YAML 1\.2 is supported; remove the directive/],
    ['indented by a tab', 'a:\n\tb: c\n', /^openapi\.yaml:2:1: .*; correct the YAML$/],
    [
      'with a number beyond the range of a double',
      'a: 1e400\n',
      /1e400 is not a JSON number; write one in the range of a double/,
    ],
    ['with a key that is null', 'a: b\nnull: c\n', /a key must be text or a number; write it in quotes$/],
    ...['!thing b', '!!float 1', '!!int b', '!thing { b: c }'].map((value): [string, string, RegExp] => [
      `with ${value}`,
      `a: ${value}\n`,
      /^openapi\.yaml:1:4: the tag !+\w+ is unknown or does not fit the value; remove it$/,
    ]),
  ])('%s', (_kind, text, problem) => {
    expect(problemOf(text)).toMatch(problem)
  })

  it('with only the first of 222 reasons', () => {
    const lines = problemOf('a: b: c\n'.repeat(222)).split('\n')
    expect(lines.slice(0, -1).every((line) => /^openapi\.yaml:\d+:\d+: ./.test(line))).toBe(true)
    expect(lines).toHaveLength(6)
    expect(lines.at(-1)).toMatch(/openapi\.yaml: 217 more problems, which may follow from these/)
  })

  it('with quotes made printable and truncated', () => {
    const name = 'a\u001b[2J\u202eb\u2028\ufffe'
    expect(problemOf(`"${name}": 1\n"${name}": 1\n`)).toBe(
      'openapi.yaml:2:1: the name a\\u{1b}[2J\\u{202e}b\\u{2028}\\u{fffe} is duplicated; remove one',
    )
    expect(problemOf(`a: !${'x'.repeat(100_000)} b`).length).toBeLessThan(2_000)
  })
})

describe('a YAML file is read', () => {
  it.each<[string, string | Uint8Array, object]>([
    ['with a byte order mark', Buffer.from('\ufeffa: caf\u00e9\n'), { a: 'caf\u00e9' }],
    ['as JSON', '{"a":[1,"b",null,true]}', { a: [1, 'b', null, true] }],
    ['with numbers and booleans for names', '200: a\ntrue: b\n1e1: c\n', { 200: 'a', true: 'b', '1e1': 'c' }],
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

  it.each<[string, string, object]>([
    ['one mapping', '<<: *a', { one: 1, two: 1 }],
    ['a list, of which the first counts', '<<: [*b, *a]', { one: 1, two: 2 }],
    ['an alias of a list', '<<: *list', { one: 1, two: 2 }],
    ['a mapping that is no alias', '<<: { one: 3 }', { one: 3 }],
    ['fewer members than its own, before it', '{ one: 3, <<: *a }', { one: 3, two: 1 }],
    ['fewer members than its own, after it', '{ <<: *a, one: 3 }', { one: 3, two: 1 }],
    ['a mapping that merges another', '<<: *c', { one: 1, two: 1, three: 3 }],
    ['a mapping, with a tag', '!!merge <<: *a', { one: 1, two: 1 }],
    ['nothing, because it is quoted', '"<<": *a', { '<<': { one: 1, two: 1 } }],
  ])('with a merge key of %s', (_kind, text, value) => {
    const c = 'c: &c { <<: *a, three: 3 }'
    const { d } = read(`a: &a { one: 1, two: 1 }\nb: &b { two: 2 }\n${c}\nlist: &list [*b, *a]\nd:\n  ${text}\n`)
    expect(d).toEqual(value)
  })

  it('with the places of merged members', () => {
    const { document, warnings } = readPlaced('a: &a { one: 1 }\nb:\n  <<: *a\n  two: 2\n')
    const object = document['b'] as object
    expect(placeOf({ object, key: 'one' })).toEqual({ file: 'openapi.yaml', line: 1, col: 9 })
    expect(placeOf({ object, key: 'two' })).toEqual({ file: 'openapi.yaml', line: 4, col: 3 })
    expect(warnings).toMatchObject([{ at: { object, key: '<<' } }])
  })

  it('with a $ref that is data in an extension, and none where an alias of it is', () => {
    const referencesOf = (text: string) => [...readPlaced(text).references.keys()]
    expect(referencesOf('x-a: &a { $ref: a.yaml }\nx-b: { c: *a }\n')).toEqual([])
    expect(referencesOf('x-a: &a { $ref: a.yaml }\nx-b: &b { c: *a }\nd: *b\n')).toEqual(['a.yaml'])
    expect(referencesOf('x-a: &a { $ref: a.yaml }\nd: { <<: *a }\n')).toEqual(['a.yaml'])
  })

  it('with __proto__ as an ordinary name', () => {
    const { document } = readPlaced('__proto__: { a: 1 }\n')
    expect(Object.keys(document)).toEqual(['__proto__'])
    expect(Object.getPrototypeOf(document)).toBe(Object.prototype)
  })

  /** The values, the references, and the place of each member. */
  const everythingOf = (text: string) => {
    const { document, references, hasIdentifiers } = readPlaced(text)
    const placesIn = (object: object): unknown[] => [
      placeOf({ object }),
      ...Object.entries(object).flatMap(([key, value]: [string, unknown]) => [
        ...(['name', 'value'] as const).map((of) => placeOf({ object, key }, of)),
        ...(typeof value === 'object' && value !== null ? placesIn(value) : []),
      ]),
    ]
    const holders = [...references].map(([reference, object]) => [reference, placeOf({ object })])
    return { value: structuredClone(document), holders, hasIdentifiers, places: placesIn(document) }
  }
  it.each([
    '{"a":{"$ref":"#/b"},"b" : [1, {"$ref":"#/a"},\n\t"$ref"],\r\n"x-a":{"$ref":"c",  "d":[{"$ref":"e"}]}}',
    '{"a":{"$anchor":"b"},"<<":{"$ref":5},"__proto__":{"caf\u00e9":"\ud83d\ude00"}}',
    '{"a":9007199254740993,"b":[-1.50,1E3,true,null,{}],"1":"\\n\\u00e9\\ud83d\\ude00"}',
  ])('with the places that YAML has, as JSON: %s', (json) => {
    // With a comma at its end it is not JSON.
    expect(everythingOf(json)).toEqual(everythingOf(`${json.slice(0, -1)},}`))
  })
})
