/**
 * What the compiler makes of the keywords of openapi.yaml in this folder. `types.test.ts` copies this file to the types
 * of that contract and compiles it there. A directive `@ts-expect-error` is itself an error where the line below it
 * compiles, and the twin beside each shows that it is the named fault that is refused and nothing else of the line.
 */
import type * as contract from 'fastify-contract'
import type { components, operations } from './generated/openapi.ts'

type OperationId = keyof operations
type Schemas = contract.Schemas<components>
type Input<Id extends OperationId> = contract.Input<operations[Id]>
type Reply<Id extends OperationId> = contract.Reply<operations[Id]>
type Handler<Id extends OperationId, Context> = contract.Handler<operations[Id], Context>

type Holds<Statement extends true> = Statement
type Same<A, B> = [A, B] extends [B, A] ? true : false

declare const item: Schemas['Item']
declare const input: {
  create: Input<'create-item'>
  list: Input<'items.list'>
  report: Input<'toString'>
  upload: Input<'upload'>
}
declare const stream: AsyncIterable<Uint8Array>
declare const node: Schemas['Node']

// Methods of OpenAPI 3.2.
export type queried = Holds<Same<Input<'find-items'>['body'], Input<'create-item'>['body']>>
export type searched = Holds<Same<Input<'search'>['query']['page'], number | undefined>>
export type whole = Holds<Same<Input<'copy-items'>, { querystring: { page: number; id?: bigint } }>>
export type wholeText = Holds<Same<Input<'move-items'>, { querystring?: string }>>
export const found: Handler<'find-items', object> = () => ({ status: 204 })
// @ts-expect-error -- the status is not declared
export const lost: Handler<'find-items', object> = () => ({ status: 200 })

// int64: nullable, in maps, with values that it may have.
export type nullable = Holds<Same<typeof item.count, bigint | null | undefined>>
export type inMap = Holds<Same<typeof item.totals, Record<string, bigint> | undefined>>
export type listed = Holds<Same<typeof item.level, bigint | undefined>>
export type listedOrNull = Holds<Same<typeof item.grade, bigint | null | undefined>>
export type constant = Holds<Same<typeof item.seven, bigint | undefined>>
export const level: typeof item.level = -2n
// @ts-expect-error -- a double is no int64
export const doubleLevel: typeof item.level = 1
export const noCount: typeof item.count = null
// @ts-expect-error -- only count is nullable
export const noLevel: typeof item.level = null
// A discriminator changes nothing: the alternatives have the values that they declare.
export type kinds = Holds<Same<NonNullable<typeof item.pet>['kind'], 'cat' | 'dog' | 'puppy'>>
export type nothing = Holds<Same<typeof item.nothing, null | undefined>>

// Properties beside others, whose index is of the types of all.
export const labels: typeof item.labels = { n: 'a', other: 1n }
// @ts-expect-error -- a property that is declared has its own type
export const wrongLabels: typeof item.labels = { n: 1n }
// @ts-expect-error -- no property has this type
export const wrongOther: typeof item.labels = { n: 'a', other: Symbol.iterator }

// Properties beside those of a pattern or a condition, and beside what openapi-typescript takes alone.
export type pair = Holds<Same<typeof item.pair, [string, bigint?] | undefined>>
export type absent = Holds<Same<typeof input.create.body.absent, undefined>>
export type patterned = Holds<Same<typeof item.patterned, { [name: string]: unknown; a?: number } | undefined>>
export type patternedOnly = Holds<
  Same<typeof item.patternedOnly, { [name: string]: number | string; a?: number } | undefined>
>
export const inPattern: typeof item.patternedOnly = { a: 1, 'x-a': 'a' }
// @ts-expect-error -- no pattern has this type
export const wrongInPattern: typeof item.patternedOnly = { a: 1, 'x-a': true }
export type more = Holds<Same<typeof item.more, { [name: string]: unknown; a?: number } | undefined>>
export type conditional = Holds<Same<typeof item.conditional, { a?: number; b?: unknown; c?: unknown } | undefined>>
export type beside = Holds<Same<typeof item.beside, { kind: 'cat'; lives: number } | undefined>>
export type either = Holds<
  Same<typeof input.create.body.either, { a: number; b: number } | { a: number; c: string } | undefined>
>
export type eitherRequired = Holds<
  Same<typeof input.create.body.eitherRequired, { a?: number; b?: number } | undefined>
>
export type spelled = Holds<Same<typeof item.spelled, 'a' | 'b' | undefined>>

// An object without properties holds anything.
export const free: typeof item.free = { any: ['value'] }

// default: applied to what a handler receives, and optional everywhere else.
export type appliedToBody = Holds<Same<typeof input.create.body.size, number>>
export type appliedThroughReference = Holds<Same<typeof input.create.body.shade, string>>
export type appliedThroughAllOf = Holds<Same<typeof input.create.body.hue, string>>
export type appliedToParameter = Holds<Same<typeof input.list.query.page, number>>
export type notAppliedToReply = Holds<Same<Schemas['Item']['size'], number | undefined>>
export const size: number = input.create.body.size
// @ts-expect-error -- a schema without a default
export const totals: Record<string, bigint> = input.create.body.totals
export type nested = Holds<Same<NonNullable<typeof input.create.body.parts>[number]['size'], number>>
export const inChoice = (choice: NonNullable<typeof input.create.body.choice>): number | undefined =>
  'a' in choice ? choice.b : 0
export const requiredInChoice = (choice: NonNullable<typeof input.create.body.choice>): number =>
  // @ts-expect-error -- the default of a `oneOf` is not applied
  'a' in choice ? choice.b : 0

// readOnly: in responses alone; required there.
export type idInReply = Holds<Same<typeof item.id, bigint>>
// @ts-expect-error -- a request has no id
export const idInInput: unknown = input.create.body.id
// @ts-expect-error -- nor a stamp, whose schema says so behind allOf
export const stampInInput: unknown = input.create.body.stamp
// @ts-expect-error -- a nested item of a request has no id
export const idInPart: unknown = input.create.body.parts?.[0]?.id
export const nameInPart: unknown = input.create.body.parts?.[0]?.name
export const reply: Schemas['Item'] = { name: 'a', id: 1n }
// @ts-expect-error -- a reply has an id
export const noIdInReply: Schemas['Item'] = { name: 'a' }

// writeOnly: in requests alone; required there; the mark is behind a reference.
export type secretInInput = Holds<Same<typeof input.create.body.secret, string>>
// @ts-expect-error -- nor has it a hint, one of whose schemas is the secret's
export const hintInReply: Schemas['Item'] = { name: 'a', id: 1n, hint: 'b' }
// @ts-expect-error -- a reply has no secret
export const secretInReply: Schemas['Item'] = { name: 'a', id: 1n, secret: 'b' }
declare const stored: { name: string; secret: string; id: bigint }
export const { secret: _secret, ...storedWithoutSecret } = stored
export const replyOfStored: Schemas['Item'] = storedWithoutSecret
// @ts-expect-error -- a reply has no secret, whatever it is made of
export const secretInReplyOfStored: Schemas['Item'] = stored

// Items of a stream.
declare const items: AsyncIterable<Schemas['Item']>
declare const things: AsyncIterable<{ id: number }>
export const watched = (): Reply<'watch'> => ({ status: 200, body: items })
export type watchedItems = Holds<Same<Reply<'watch'>['body'], AsyncIterable<Schemas['Item']>>>
// @ts-expect-error -- the items have other types
export const watchedThings = (): Reply<'watch'> => ({ status: 200, body: things })
// @ts-expect-error -- a list is not asynchronous
export const watchedList = (): Reply<'watch'> => ({ status: 200, body: [item] })
// @ts-expect-error -- bytes are no items
export const watchedBytes = (): Reply<'watch'> => ({ status: 200, body: stream })

// Ranges and `default`.
export const exact = (): Reply<'create-item'> => ({ status: 404, body: 'gone' })
// @ts-expect-error -- 404 has a response of its own
export const exactAsRange = (): Reply<'create-item'> => ({ status: 404, body: { refused: 'a' } })
export const range = (): Reply<'create-item'> => ({ status: 409, body: { refused: 'a' } })
// @ts-expect-error -- 4XX has a body of its own
export const rangeAsDefault = (): Reply<'create-item'> => ({ status: 409, body: { failed: 'a' } })
export const fallback = (): Reply<'create-item'> => ({ status: 503, body: { failed: 'a' } })
// @ts-expect-error -- `default` is not for 4XX
export const fallbackAsRange = (): Reply<'create-item'> => ({ status: 503, body: { refused: 'a' } })
// @ts-expect-error -- 499 is no registered status
export const unregistered = (): Reply<'create-item'> => ({ status: 499, body: { refused: 'a' } })
// @ts-expect-error -- 304 has no content in HTTP, and `default` has some
export const contentless = (): Reply<'create-item'> => ({ status: 304, body: { failed: 'a' } })

// Media types.
declare const report: Schemas['Report']
export const json = (): Reply<'toString'> => ({ status: 200, contentType: 'application/json', body: report })
export const csv = (): Reply<'toString'> => ({ status: 200, contentType: 'text/csv', body: 'a,b' })
export const csvStream = (): Reply<'toString'> => ({ status: 200, contentType: 'text/csv', body: stream })
export const pdf = (): Reply<'toString'> => ({ status: 200, contentType: 'application/pdf', body: new Uint8Array() })
export const pdfStream = (): Reply<'toString'> => ({ status: 200, contentType: 'application/pdf', body: stream })
export const onlyJson = (): Reply<'toString'> => ({ status: 200, body: report })
// @ts-expect-error -- several media types, of which JSON is the default
export const unselected = (): Reply<'toString'> => ({ status: 200, body: 'a,b' })
// @ts-expect-error -- text is no report
export const csvAsJson = (): Reply<'toString'> => ({ status: 200, contentType: 'application/json', body: 'a,b' })
// @ts-expect-error -- a report is no text
export const jsonAsCsv = (): Reply<'toString'> => ({ status: 200, contentType: 'text/csv', body: report })
// @ts-expect-error -- bytes are no string
export const textAsPdf = (): Reply<'toString'> => ({ status: 200, contentType: 'application/pdf', body: 'a' })
// @ts-expect-error -- the response has no such media type
export const html = (): Reply<'toString'> => ({ status: 200, contentType: 'text/html', body: 'a' })
export const only = (): Reply<'create-item'> => ({ status: 201, body: reply })
export const named = (): Reply<'create-item'> => ({ status: 201, contentType: 'application/json', body: reply })
// @ts-expect-error -- the response has another media type
export const misnamed = (): Reply<'create-item'> => ({ status: 201, contentType: 'text/plain', body: reply })

// The media type that the client prefers, where a success has several.
export type preferred = Holds<Same<typeof input.report.accept, 'application/json' | 'text/csv' | 'application/pdf'>>
// @ts-expect-error -- a success of items.list has one media type
export const accept: unknown = input.list.accept

// Recursive schemas.
export type depth = Holds<Same<NonNullable<typeof node.next>['weight'], bigint | undefined>>
export const deep: bigint | undefined = node.next?.next?.next?.weight

// The operations are those of paths.
export type operationIds = Holds<
  Same<
    OperationId,
    | 'items.list'
    | 'create-item'
    | 'find-items'
    | 'search'
    | 'copy-items'
    | 'move-items'
    | 'toString'
    | 'upload'
    | 'watch'
  >
>
export const handler: Handler<'create-item', object> = ({ body }) => ({ status: 404, body: body.name })

// Files are `File` in a form, and text in JSON. A parameter with content is its JSON.
interface UploadOf<Binary> {
  id: bigint
  file: Binary
  more?: Binary[]
  kind: string
}
const { upload } = input
export type filter = Holds<Same<typeof upload.query.filter, { id?: bigint } | undefined>>
export function uploaded(): unknown {
  return upload.contentType === 'multipart/form-data'
    ? (upload.body satisfies UploadOf<File>)
    : (upload.body satisfies UploadOf<string>)
}
// @ts-expect-error -- only the body of a form has files
export const fileInJson: UploadOf<File> = upload.body
