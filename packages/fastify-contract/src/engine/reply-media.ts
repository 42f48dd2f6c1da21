import type { ContractResponse, MediaType } from '../document/document.ts'
import { type ContentKind, contentTypeOf, createMatcher, isJson, isRange, kindOf } from '../document/media-type.ts'
import { framingOf, parseMediaType } from '../document/media-type.ts'
import { typesOf } from '../schema/read/meaning.ts'
import type { NamedSchemas, Schema } from '../schema/read/schema.ts'
import { Encoded, isStream } from '../types/encoded.ts'
import { createFrame } from './item-framing.ts'
import type { ItemMedia } from './item-stream.ts'
import type { Check, Checked, ReplyChecks } from './reply-checks.ts'

/** A media type of a response. */
export interface Media {
  contentType: string
  isJson: boolean
  items?: ItemMedia | undefined
}

/** A media type of a response, with the check of its bodies. */
export type CheckedMedia = Media & { check: Check }

/** Makes the check of a part of the replies of one response. */
export type CheckOf = (...part: Parameters<ReplyChecks['of']>) => Check

/** The header values that Node can send (RFC 9110, section 5.5). It throws on others, too late for an error response. */
export const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/

/** Makes the function that finds the declared media type of a body; undefined if it is not declared. */
export function createMediaFinder(
  content: NonNullable<ContractResponse['content']>,
  checkOf: CheckOf,
  schemas: NamedSchemas,
): (type: string) => CheckedMedia | undefined {
  const types = Object.keys(content)
  const declared = Object.entries(content).map(([type, media]) => {
    const items = itemsOf(type, media, checkOf)
    return { items, checkOfKind: items === undefined && createBodyCheck(type, media.schema, checkOf, schemas) }
  })
  const mediaOf = (type: string, index: number): CheckedMedia => {
    // There is one for each media type.
    const { items, checkOfKind } = declared[index]!
    const check = checkOfKind === false ? checkItems : checkOfKind(kindOf(type))
    return { contentType: contentTypeOf(type), isJson: isJson(type), items, check }
  }
  const all = types.map((type, index) => [type, mediaOf(type, index)] as const)
  const single = new Map(all.filter(([type]) => !isRange(type)))
  const ranges = types.filter(isRange)
  const rangeOf = createMatcher(ranges)
  return (type) => {
    const media = single.get(type)
    if (media !== undefined || ranges.length === 0) return media
    const parsed = fieldValue.test(type) ? parseMediaType(type) : undefined
    const range = ranges[parsed === undefined ? -1 : rangeOf(parsed)]
    return range === undefined ? undefined : mediaOf(type, types.indexOf(range))
  }
}

/** How the items of a stream are checked and written; undefined for a media type that declares none. */
function itemsOf(type: string, media: MediaType, checkOf: CheckOf): ItemMedia | undefined {
  const framing = framingOf(type)
  if (media.itemSchema === undefined || framing === undefined) return undefined
  const frame = createFrame(framing, media['x-event-data'] === 'json')
  return { framing, frame, check: checkOf('item', media.itemSchema) }
}

function checkItems<Body>(body: Body): Checked<Body> {
  return isStream(body) ? accept(body) : { problem: notItems, value: body }
}

/**
 * Makes the checks of bodies of a declared media type.
 *
 * @param declared may be a range, of which a reply chooses a media type of any kind
 */
function createBodyCheck(
  declared: string,
  schema: Schema | undefined,
  checkOf: CheckOf,
  schemas: NamedSchemas,
): (kind: ContentKind) => Check {
  const mayBe = (kind: ContentKind) => kindOf(declared) === kind || isRange(declared)
  // A text that is declared as something else is not validated.
  const isOfText = mayBe('text') && typesOf(schema, schemas).has('string')
  const check = mayBe('json') || isOfText ? checkOf('body', schema) : accept
  return (kind) => {
    switch (kind) {
      case 'json':
        return (body) => {
          if (isStream(body)) return { problem: notEncoded, value: body }
          return body instanceof Encoded ? { value: body } : check(body)
        }
      case 'text':
        return (body) => {
          if (typeof body === 'string') return isOfText ? check(body) : accept(body)
          return isStream(body) ? accept(body) : { problem: notText, value: body }
        }
      case 'form':
      case 'multipart':
      case 'bytes':
        return (body) =>
          body instanceof Uint8Array || isStream(body) ? accept(body) : { problem: notBytes, value: body }
    }
  }
}

function accept<Value>(value: Value): Checked<Value> {
  return { value }
}

const notEncoded = 'the body is a stream; return its value or an Encoded stream of JSON'
const notItems = 'the body is not an async iterable of items'
const notText = 'the body is neither text nor a stream of bytes'
const notBytes = 'the body is neither bytes nor a stream of bytes'
