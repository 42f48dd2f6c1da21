import { Readable } from 'node:stream'
import { inspect } from 'node:util'
import { runInNewContext } from 'node:vm'
import { beforeAll, expect, test } from 'vitest'
import { operationsOf } from '../../src/document/document.ts'
import { type AnyReply, createReplyValidators } from '../../src/engine/reply-validation.ts'
import { parseJsonWithBigInts, stringifyReply } from '../../src/json/json.ts'
import { Encoded } from '../../src/types/encoded.ts'
import { contractOf, int64 } from '../support/contracts.ts'

const part = {
  type: 'object',
  properties: {
    size: { type: 'number' },
    either: { oneOf: [{ type: 'string' }, int64] },
    byName: {
      type: 'object',
      propertyNames: { maxLength: 2 },
      additionalProperties: { type: 'string', pattern: '^x' },
    },
  },
}
const item = { type: 'object', required: ['id'], properties: { id: int64, part, secret: { writeOnly: true } } }
const text = { type: 'string' }
const ofKind = (kind: string, properties: object) => {
  return { type: 'object', required: ['kind'], properties: { kind: { const: kind }, ...properties } }
}
const least = { type: 'object', minProperties: 1, properties: { b: text } }
const plant = {
  type: 'object',
  required: ['id'],
  properties: {
    ...{ id: int64, name: text, message: text, any: {}, free: { type: 'object' }, constructor: text },
    byName: { type: 'object', additionalProperties: text },
    list: { type: 'array', items: text },
    open: { type: 'object', properties: { a: text }, additionalProperties: true },
    part: { oneOf: [ofKind('a', { a: text }), ofKind('b', { b: text, least })] },
    secret: { type: 'string', writeOnly: true },
  },
}
const csv = { 'text/csv': { schema: { type: 'string', maxLength: 3 } } }
const contract = contractOf({
  responses: {
    200: { description: 'Things', content: { 'application/json': { schema: { type: 'array', items: item } } } },
    203: { description: 'A report', content: { ...csv, 'image/png': {} } },
    204: { description: 'None' },
    503: {
      description: 'Later',
      headers: {
        'Retry-After': { required: true, schema: { type: 'integer' } },
        'X-Note': { schema: { type: 'string' } },
        'X-Request-Id': { required: true, schema: { type: 'string' } },
      },
    },
    206: {
      description: 'Any',
      content: {
        'image/*': {},
        'application/*': { schema: item },
        'application/json; v=2': { schema: { type: 'array' } },
        'text/plain;charset=latin1': { schema: item },
      },
    },
    207: { description: 'Anything', content: { '*/*': { schema: item } } },
    208: { description: 'Either', content: { 'application/a+json': {}, 'application/b+json': {} } },
    218: {
      description: 'JSON',
      content: { 'application/problem+json': {}, 'application/json': { schema: item }, 'text/json': {} },
    },
    202: { description: 'Plants', content: { 'application/json': { schema: { type: 'array', items: plant } } } },
    226: { description: 'JSON or not', content: { ...csv, 'application/json': { schema: item } } },
    '3XX': { description: 'Elsewhere', content: csv },
    '4XX': { description: 'Refused', content: csv },
  },
})

const document = contract
const { compile, validate } = createReplyValidators(document)(operationsOf(document)[0]!.object)
beforeAll(() => {
  while (compile().next().done !== true);
})
const stream = () => Readable.from([Buffer.from('a')])
const frozen = Object.freeze([Object.freeze({ id: 1n, part: Object.freeze({ either: 2n }) })])
const json = { contentType: 'application/json', isJson: true }
const csvText = { contentType: 'text/csv; charset=utf-8', isJson: false }
const json2 = { contentType: 'application/json; v=2', isJson: true }
const plainText = { contentType: 'text/plain; charset=utf-8', isJson: false }
const png = { contentType: 'image/png', isJson: false }

/** Names a case by its reply. */
function titled<Case extends [unknown, ...unknown[]]>(cases: Case[]): [title: string, ...Case][] {
  return cases.map((each) => [inspect(each[0], { breakLength: Infinity, depth: 2 }).slice(0, 60), ...each])
}

const validReplies: [AnyReply, object | undefined][] = [
  [{ status: 200, body: [] }, json],
  [{ status: 200, body: [{ id: 9223372036854775807n, part: { size: 0.5 } }, { id: 1n }] }, json],
  [{ status: 200, body: frozen }, json],
  // Encoded text and streams are not read.
  [{ status: 200, body: new Encoded('[{}]') }, json],
  [{ status: 200, body: new Encoded(Buffer.from('[')) }, json],
  [{ status: 200, body: new Encoded(stream()) }, json],
  [{ status: 203, contentType: 'text/csv', body: 'a,b' }, csvText],
  [{ status: 203, contentType: 'text/csv', body: stream() }, csvText],
  [{ status: 203, contentType: 'image/png', body: new Uint8Array(1) }, png],
  [{ status: 409, body: 'a' }, csvText],
  [{ status: 204 }, undefined],
  [{ status: 503, headers: { 'Retry-After': 1 } }, undefined],
  [{ status: 206, contentType: 'image/png', body: stream() }, png],
  [{ status: 206, contentType: 'application/pdf', body: new Uint8Array(1) }, { contentType: 'application/pdf' }],
  [{ status: 206, contentType: 'application/json', body: { id: 1n } }, json],
  [{ status: 206, body: [] }, json2],
  [{ status: 218, body: { id: 1n } }, json],
  [{ status: 226, body: { id: 1n } }, json],
  [{ status: 206, contentType: 'application/json; v=2', body: [] }, json2],
  // It is sent in UTF-8, and its schema does not apply.
  [{ status: 206, contentType: 'text/plain;charset=latin1', body: 'ä' }, plainText],
  [{ status: 207, contentType: 'text/csv', body: 'a,b,c' }, csvText],
]

test.each(titled(validReplies))('the reply %s is valid', (_title, reply, media) => {
  const valid = validate(reply)
  expect(valid.media).toEqual(media === undefined ? undefined : (expect.objectContaining(media) as object))
  expect([valid.body, valid.undeclared]).toEqual([reply.body, undefined])
})

test.each<[unknown, unknown, string]>([
  [[{ id: 1n }, { id: 1n, 'a/b~c': 1 }], [{ id: 1n }, { id: 1n }], 'body/1/a~1b~0c'],
  [[{ id: 1n, part: { size: 1, x: 1 }, y: 1 }], [{ id: 1n, part: { size: 1 } }], 'body/0/part/x'],
  [[{ id: 1n, ['__proto__']: 1 }], [{ id: 1n }], 'body/0/__proto__'],
])('the body %o is copied without undeclared properties', (body, sent, place) => {
  const given = structuredClone(body)
  const valid = validate({ status: 200, body: given })
  expect(valid).toMatchObject({ body: sent, undeclared: `${place} is not declared` })
  expect(valid.body).toEqual(sent)
  expect(given).toEqual(body)
})

class Plant {
  readonly #id: bigint
  get id() {
    return this.#id
  }
  get part(): unknown {
    return new Part()
  }
  get secret() {
    return 'never sent'
  }
  water() {
    return this.#id
  }
  constructor(id: bigint) {
    this.#id = id
  }
}
class Part {
  get kind() {
    return 'b'
  }
  get b() {
    return this.kind
  }
  get least() {
    return new (class {
      readonly own = undefined
      get b() {
        return 'b'
      }
    })()
  }
}
const ofB = { kind: 'b', b: 'b', least: { b: 'b' } }
const shows = (toJSON: () => unknown) => ({ id: 'x', toJSON })
const closing = Object.assign(new Plant(3n), { owner: {} })
closing.owner = { plants: [closing] }

test.each<[string, unknown, unknown, string?]>([
  ['an Error', Object.assign(new Error('a'), { id: 1n }), { id: 1n, message: 'a', name: 'Error' }],
  ['getters of a class, also in what they return', new Plant(1n), { id: 1n, part: ofB }],
  ['what is inherited', Object.create({ id: 1n, message: 'a', extra: 1 }), { id: 1n, message: 'a' }],
  ['another realm', runInNewContext('({ id: 1n, name: "b" })'), { id: 1n, name: 'b' }],
  ['a Proxy', new Proxy({ id: 1n, name: 'a' }, {}), { id: 1n, name: 'a' }],
  ['no prototype', Object.assign(Object.create(null) as object, { id: 1n }), { id: 1n }],
  ['toJSON', shows(() => ({ id: 2n, name: 'a' })), { id: 2n, name: 'a' }],
  ['toJSON that returns a class', shows(() => new Plant(2n)), { id: 2n, part: ofB }],
  ['toJSON of a member', { id: 1n, open: { toJSON: () => ({ a: 'b', c: 1 }) } }, { id: 1n, open: { a: 'b', c: 1 } }],
  ['a Date', { id: 1n, name: new Date(0) }, { id: 1n, name: '1970-01-01T00:00:00.000Z' }],
  ['a Date in anything', { id: 1n, any: new Date(0) }, { id: 1n, any: '1970-01-01T00:00:00.000Z' }],
  ['a boxed text', { id: 1n, name: Object('a') as unknown }, { id: 1n, name: 'a' }],
  ['a Map', { id: 1n, free: new Map([['a', 1]]) }, { id: 1n, free: {} }],
  ['undefined members', { id: 1n, name: undefined, extra: undefined }, { id: 1n }],
  ['undefined members of a map', { id: 1n, byName: { a: 'x', b: undefined } }, { id: 1n, byName: { a: 'x' } }],
  ['undeclared fields of a class', Object.assign(new Plant(3n), { extra: 1 }), { id: 3n, part: ofB }, 'extra'],
  ['a class that contains itself', closing, { id: 3n, part: ofB }, 'owner'],
])('of a reply with %s, what JSON shows and what is declared is validated and sent', (_what, one, sent, extra) => {
  for (const body of [[one], [{ id: 0n }, one]]) {
    const valid = validate({ status: 202, body })
    const undeclared = extra && `body/${String(body.length - 1)}/${extra} is not declared`
    expect(valid.undeclared).toBe(undeclared)
    // As the server sends it.
    const text = stringifyReply(valid.body, valid.hasBigInts)
    expect(parseJsonWithBigInts(text)).toEqual(
      parseJsonWithBigInts(stringifyReply([...body.slice(1).map(() => ({ id: 0n })), sent], true)),
    )
  }
})

test.each<[string, unknown, string]>([
  ['toJSON', { id: 1n, toJSON: () => ({ id: 'a' }) }, 'body/0/id must be an integer from'],
  ['toJSON of a list', { id: 1n, list: Object.assign(['a'], { toJSON: () => 'a' }) }, 'body/0/list must be an array'],
  ['a Date for an object', { id: 1n, free: new Date(0) }, 'body/0/free must be an object'],
  ['a Date without a time', { id: 1n, name: new Date(NaN) }, 'body/0/name must be a string'],
  ['a class without what is required', new Part(), 'body/0/id is required'],
])('a reply with %s that breaks the contract is refused', (_what, one, problem) => {
  expect(() => validate({ status: 202, body: [one] })).toThrow(problem)
})

test('a function is no body', () => {
  expect(() => validate({ status: 218, contentType: 'text/json', body: () => 1 })).toThrow('body is not JSON')
})

test('the headers of a class are sent as they are validated', () => {
  class Later {
    'Retry-After' = 1
    note = undefined
    get 'X-Note'() {
      return 'a'
    }
  }
  const { headers } = validate({ status: 503, headers: new Later() as never })
  expect(headers).toEqual({ 'Retry-After': 1, 'X-Note': 'a' })
})

const notBytes = 'the body is neither bytes nor a stream of bytes'
const notText = 'the body is neither text nor a stream of bytes'

const brokenReplies: [AnyReply, unknown][] = [
  [{ status: 201, body: [] }, 'the status is not declared'],
  [{ status: 200 }, 'the body is missing'],
  [{ status: 304, body: 'a' }, 'HTTP allows no content with this status'],
  [{ status: 204, body: [] }, 'no body is declared'],
  [{ status: 204, body: new Encoded('[]') }, 'no body is declared'],
  [{ status: 204, contentType: 'text/csv' }, 'no body is declared'],
  [{ status: 203, body: 'a' }, 'the media type is missing; set contentType to one of text/csv, image/png'],
  [{ status: 203, contentType: 'text/html', body: 'a' }, 'the media type text/html is not declared'],
  [{ status: 203, contentType: 'text/csv', body: 'a,b,c' }, 'body must have at most 3 characters'],
  [{ status: 203, contentType: 'text/csv', body: new Encoded('a') }, notText],
  [{ status: 203, contentType: 'text/csv', body: 5 }, notText],
  [{ status: 203, contentType: 'image/png', body: 'a' }, notBytes],
  [{ status: 200, body: stream() }, 'the body is a stream; return its value or an Encoded stream of JSON'],
  [{ status: 503 }, 'header/Retry-After is required'],
  [{ status: 503, headers: { 'Retry-After': 1, 'X-Secret': 1 } }, 'header/X-Secret is not a header of this response'],
  [
    { status: 503, headers: { 'Retry-After': 1, 'X-Note': 'a\nb' } },
    'the header X-Note has a character that HTTP does not allow',
  ],
  [{ status: 200, body: {} }, 'body must be an array'],
  [{ status: 200, body: [{}] }, 'body/0/id is required'],
  [{ status: 208, body: {} }, expect.stringMatching(/^the media type is missing; set contentType/)],
  [{ status: 226, body: 'a' }, 'body must be an object'],
  [{ status: 206, contentType: 'image/*', body: new Uint8Array(1) }, 'the media type image/* is not declared'],
  [{ status: 206, contentType: 'image/png\n', body: stream() }, 'the media type image/png\n is not declared'],
  [{ status: 206, contentType: 'video/mp4', body: stream() }, 'the media type video/mp4 is not declared'],
  [{ status: 206, contentType: 'application/json', body: {} }, 'body/id is required'],
  [{ status: 206, contentType: 'application/json; v=2', body: {} }, 'body must be an array'],
  [{ status: 206, contentType: 'image/x+json', body: stream() }, expect.stringMatching(/^the body is a stream/)],
  [{ status: 207, body: {} }, 'the media type is missing; set contentType to a media type that */* includes'],
  [{ status: 207, contentType: 'a/b+json', body: {} }, 'body/id is required'],
]

test.each(titled(brokenReplies))('the reply %s is refused', (_title, reply, problem) => {
  expect(() => validate(reply)).toThrow(expect.objectContaining({ message: problem }) as Error)
})
