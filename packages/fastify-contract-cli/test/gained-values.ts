import { json } from './contracts.ts'

/** One contract of a pair: a schema, and the paths with it. */
interface Half {
  schema: object
  paths: object
  webhooks?: object
  /** Responses to unmatched requests. */
  unmatched?: object
}

/** Makes a half of what is named by a place, which is unique, and refers to the schema. */
type MakeHalf = (at: string) => Half

/** Values that an enum gains: what they mean for clients, and why; and what it means to lose them. */
export type GainPair = [
  what: string,
  earlier: MakeHalf,
  later: MakeHalf,
  gained: 'breaking' | 'compatible',
  why: RegExp,
  lost: 'breaking' | 'compatible',
]

const text = { type: 'string' }
const done = { 200: { description: 'Done.' } }
const to = (at: string) => ({ $ref: `#/components/schemas/${at}` })
const having = (schema: object) => ({ description: 'It.', content: json(schema) })
const get = (operationId: string, responses: object) => ({ get: { operationId, responses } })
const failing = (at: string) => ({ [`/${at}`]: get(`old_${at}`, { ...done, 404: having(to(at)) }) })
const succeeding = (at: string) => ({ [`/${at}`]: get(`old_${at}`, { 200: having(to(at)) }) })
const added = (at: string, responses: object) => ({ [`/${at}/more`]: get(`new_${at}`, responses) })
const alsoFailing = (at: string) => added(at, { ...done, 404: having(to(at)) })
const sending = (at: string) => ({
  [`/${at}/sent`]: {
    post: { operationId: `send_${at}`, requestBody: { content: json(to(at)) }, responses: { 204: done[200] } },
  },
})

const codes = (values: readonly number[], rest: object = {}) => ({
  type: 'object',
  properties: { error: { type: 'integer', enum: values, ...rest } },
})
const [one, two] = [codes([1]), codes([1, 2])]
const open = (value: unknown) => ({ 'x-extensible-enum': value })
const told = (description: string) => ({ description })

/** The same paths for both halves of a pair. */
const pair = (earlier: object, later: object, paths: (at: string) => object): [MakeHalf, MakeHalf] => [
  (at) => ({ schema: earlier, paths: paths(at) }),
  (at) => ({ schema: later, paths: paths(at) }),
]
/** A pair of which the later half has paths more. */
const withMore = (paths: (at: string) => object, more: (at: string) => object): [MakeHalf, MakeHalf] => [
  (at) => ({ schema: one, paths: paths(at) }),
  (at) => ({ schema: two, paths: { ...paths(at), ...more(at) } }),
]

const expected = /; clients must expect further values$/
const remedy =
  /; first release a contract that says that clients must expect further values, by `x-extensible-enum: true`$/
const tag = /; clients tell schemas apart by it$/
const withNew = /; the value comes with the new operation new_s\d+$/

const kinds = (values: readonly string[]) => ({
  type: 'object',
  required: ['kind'],
  properties: { kind: { ...text, enum: values, ...open(true) } },
})
const discriminator = { propertyName: 'kind' }
const toldApart = (values: readonly string[]) => ({ oneOf: [kinds(values), kinds(['z'])], discriminator })
const within = (around: (part: object) => object): [MakeHalf, MakeHalf] =>
  pair(around(codes([1], open(true))), around(codes([1, 2], open(true))), succeeding)

export const gainPairs: GainPair[] = [
  // The contract says it.
  ['x-extensible-enum', ...pair(codes([1], open(true)), two, succeeding), 'compatible', expected, 'compatible'],
  ['a list of them', ...pair(codes([1], open([1])), two, succeeding), 'compatible', expected, 'compatible'],
  ['x-extensible-enum: false', ...pair(codes([1], open(false)), two, failing), 'breaking', remedy, 'compatible'],
  [
    'a description',
    ...pair(codes([1], told('A code. Clients must\nexpect further numbers.')), two, succeeding),
    'compatible',
    expected,
    'compatible',
  ],
  ['another description', ...pair(codes([1], told('A code.')), two, failing), 'breaking', remedy, 'compatible'],
  ['said too late', ...pair(one, codes([1, 2], open(true)), failing), 'breaking', remedy, 'compatible'],
  ['in an alternative', ...within((part) => ({ oneOf: [part, text] })), 'compatible', expected, 'compatible'],
  ['in a part', ...within((part) => ({ allOf: [part, { type: 'object' }] })), 'compatible', expected, 'compatible'],
  ['in items', ...within((items) => ({ type: 'array', items })), 'compatible', expected, 'compatible'],
  [
    'in a map',
    ...within((part) => ({ type: 'object', additionalProperties: part })),
    'compatible',
    expected,
    'compatible',
  ],
  [
    'for another, which responses lose',
    ...pair(codes([1], open(true)), codes([2], open(true)), failing),
    'compatible',
    expected,
    'compatible',
  ],
  [
    'for another, which requests lose',
    ...pair(codes([1], open(true)), codes([2], open(true)), (at) => ({ ...failing(at), ...sending(at) })),
    'breaking',
    /lost values: '1'/,
    'breaking',
  ],
  [
    'beside another form',
    ...pair(
      { ...codes([1], open(true)), required: ['error'] },
      { ...codes([1, 2], open(true)), allOf: [{ required: ['error'] }] },
      succeeding,
    ),
    'compatible',
    expected,
    'compatible',
  ],
  [
    'in a webhook',
    (at) => ({ schema: codes([1], open(true)), paths: {}, webhooks: sending(at) }),
    (at) => ({ schema: two, paths: {}, webhooks: sending(at) }),
    'compatible',
    expected,
    'compatible',
  ],
  ['of a discriminator', ...pair(toldApart(['a']), toldApart(['a', 'b']), succeeding), 'breaking', tag, 'compatible'],
  [
    'of a discriminator beside it',
    ...pair({ ...kinds(['a']), discriminator }, { ...kinds(['a', 'b']), discriminator }, succeeding),
    'breaking',
    tag,
    'compatible',
  ],

  // A new operation brings it.
  ['none', ...withMore(failing, () => ({})), 'breaking', remedy, 'compatible'],
  ['a failure of a new operation', ...withMore(failing, alsoFailing), 'compatible', withNew, 'compatible'],
  [
    'a failure of a new operation, and of requests',
    ...withMore((at) => ({ ...failing(at), ...sending(at) }), alsoFailing),
    'compatible',
    withNew,
    'breaking',
  ],
  ['a new operation without it', ...withMore(failing, (at) => added(at, done)), 'breaking', remedy, 'compatible'],
  ['a new operation that gets it', ...withMore(failing, sending), 'breaking', remedy, 'compatible'],
  ['in a success of an earlier operation', ...withMore(succeeding, alsoFailing), 'breaking', remedy, 'compatible'],
  [
    '`default` beside a success',
    ...withMore((at) => ({ [`/${at}`]: get(`old_${at}`, { ...done, default: having(to(at)) }) }), alsoFailing),
    'compatible',
    withNew,
    'compatible',
  ],
  [
    '`default` that may be a success',
    ...withMore((at) => ({ [`/${at}`]: get(`old_${at}`, { default: having(to(at)) }) }), alsoFailing),
    'breaking',
    remedy,
    'compatible',
  ],
  [
    'in responses to unmatched requests, too',
    (at) => ({ schema: one, paths: failing(at), unmatched: { default: having(to(at)) } }),
    (at) => ({
      schema: two,
      paths: { ...failing(at), ...alsoFailing(at) },
      unmatched: { default: having(to(at)) },
    }),
    'compatible',
    withNew,
    'compatible',
  ],
  [
    'in an earlier operation that had no content',
    (at) => ({ schema: one, paths: { ...failing(at), ...added(at, done) } }),
    (at) => ({ schema: two, paths: { ...failing(at), ...alsoFailing(at) } }),
    'breaking',
    remedy,
    'compatible',
  ],
  [
    'in a webhook, too',
    (at) => ({ schema: one, paths: failing(at), webhooks: sending(at) }),
    (at) => ({ schema: two, paths: { ...failing(at), ...alsoFailing(at) }, webhooks: sending(at) }),
    'breaking',
    remedy,
    'compatible',
  ],
]
