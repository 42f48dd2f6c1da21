import { Readable } from 'node:stream'
import { inspect } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { operationsOf } from '../../src/document/document.ts'
import { type AnyReply, createReplyValidators } from '../../src/engine/reply-validation.ts'
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
const text = { contentType: 'text/csv; charset=utf-8', isJson: false }
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
  [{ status: 203, contentType: 'text/csv', body: 'a,b' }, text],
  [{ status: 203, contentType: 'text/csv', body: stream() }, text],
  [{ status: 203, contentType: 'image/png', body: new Uint8Array(1) }, png],
  [{ status: 203, contentType: 'image/png', body: stream() }, png],
  [{ status: 409, body: 'a' }, text],
  [{ status: 204 }, undefined],
  [{ status: 503, headers: { 'Retry-After': 1 } }, undefined],
  [{ status: 206, contentType: 'image/png', body: stream() }, png],
  [{ status: 206, contentType: 'application/pdf', body: new Uint8Array(1) }, { contentType: 'application/pdf' }],
  [{ status: 206, contentType: 'application/json', body: { id: 1n } }, json],
  [
    { status: 206, body: [] },
    { contentType: 'application/json; v=2', isJson: true },
  ],
  [{ status: 226, body: { id: 1n } }, json],
  [{ status: 218, body: { id: 1n } }, json],
  [{ status: 226, contentType: 'text/csv', body: 'a' }, text],
  [
    { status: 206, contentType: 'application/json; v=2', body: [] },
    { contentType: 'application/json; v=2', isJson: true },
  ],
  // It is sent in UTF-8, and its schema does not apply.
  [
    { status: 206, contentType: 'text/plain;charset=latin1', body: 'ä' },
    { contentType: 'text/plain; charset=utf-8', isJson: false },
  ],
  [{ status: 207, contentType: 'text/csv', body: 'a,b,c' }, text],
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

test('an inherited property is neither sent nor valid as one that is required', () => {
  class Row {
    part = { size: 1 }
    get id() {
      return 1n
    }
  }
  expect(() => validate({ status: 200, body: [new Row()] })).toThrow('body/0/id is required')
  const body = [Object.assign(Object.create({ extra: 1 }) as object, { id: 1n })]
  expect(validate({ status: 200, body })).toMatchObject({ body, undeclared: undefined })
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
  [{ status: 203, contentType: 'image/png', body: new Encoded('a') }, notBytes],
  [{ status: 200, body: stream() }, 'the body is a stream; return its value or an Encoded stream of JSON'],
  [{ status: 503 }, 'header/Retry-After is required'],
  [{ status: 503, headers: { 'Retry-After': 1, 'X-Secret': 1 } }, 'header/X-Secret is not a header of this response'],
  [{ status: 204, headers: { 'X-Secret': 1 } }, 'header/X-Secret is not a header of this response'],
  [
    { status: 503, headers: { 'Retry-After': 1, 'X-Note': 'a\nb' } },
    'the header X-Note has a character that HTTP does not allow',
  ],
  [{ status: 200, body: {} }, 'body must be an array'],
  [{ status: 200, body: [{}] }, 'body/0/id is required'],
  [{ status: 206, body: new Uint8Array(1) }, 'body must be an array'],
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
