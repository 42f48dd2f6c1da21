import { setTimeout as delay } from 'node:timers/promises'
import { type Framing, type MediaType, framingOf } from 'fastify-contract/document'
import type { TestedContract } from '../ground/contract.ts'
import { parseExactly } from '../ground/exact-json.ts'
import type { ReceivedResponse } from '../ground/exchange.ts'

/** How many items of a stream are read, and how long they may take, in milliseconds: it may have no end. */
const maxItems = 3
const maxMilliseconds = 500

/**
 * Reads the first items of a stream, or what comes in a moment.
 *
 * @returns whether the stream had not ended
 */
export async function readItems(
  chunks: AsyncIterable<Uint8Array>,
  framing: Framing,
): Promise<{ bytes: Buffer; isCut: boolean }> {
  const iterator = chunks[Symbol.asyncIterator]()
  const timeUp = delay(maxMilliseconds, undefined, { ref: false })
  let bytes = Buffer.alloc(0)
  for (;;) {
    const next = await Promise.race([iterator.next(), timeUp])
    if (next?.done === true) return { bytes, isCut: false }
    if (next !== undefined) bytes = Buffer.concat([bytes, next.value])
    if (next === undefined || itemTexts(framing, bytes.toString(), true).length >= maxItems) {
      // It may wait for the next item.
      void iterator.return?.()
      return { bytes, isCut: true }
    }
  }
}

const separator = '\u001e'

/** The texts of the items of a stream. The last one may be cut off. */
function itemTexts(framing: Framing, text: string, isCut: boolean): string[] {
  switch (framing) {
    case 'lines': {
      const lines = text.split('\n')
      // The last item may have no line feed.
      if (isCut || lines.at(-1) === '') lines.pop()
      return lines
    }
    case 'records': {
      // RFC 7464, section 2.1: several separators in a row are one.
      const records = text.split(separator).filter((record) => record !== '')
      if (isCut && records.at(-1)?.endsWith('\n') !== true) records.pop()
      return records
    }
    case 'events':
      // HTML standard, section 9.2.6: an event without an empty line behind it is discarded.
      return text
        .replaceAll(/\r\n|\r/g, '\n')
        .split('\n\n')
        .slice(0, -1)
        .filter((event) => /^(?:event|data|id|retry)(?::|$)/m.test(event))
  }
}

/**
 * Reads the items of a response.
 *
 * @returns undefined for a media type without items
 * @throws SyntaxError if one is not JSON
 */
export function itemsOf(
  { problemsOf }: Pick<TestedContract, 'problemsOf'>,
  media: MediaType,
  { headers, text, isCut }: Pick<ReceivedResponse, 'headers' | 'text' | 'isCut'>,
): unknown[] | undefined {
  const framing = framingOf(String(headers['content-type']))
  const { itemSchema } = media
  if (itemSchema === undefined || framing === undefined) return undefined
  if (framing === 'records' && text !== '' && !text.startsWith(separator))
    throw new SyntaxError('it does not begin with the byte 0x1E')
  const texts = itemTexts(framing, text, isCut === true)
  if (framing !== 'events') return texts.map(parseExactly)
  return texts.map((each) => {
    const event = readEvent(each)
    if (typeof event.data !== 'string') return event
    const withParsedData = (data: string) => ({ ...event, data: parseExactly(data) })
    if (media['x-event-data'] === 'json') return withParsedData(event.data)
    // The data of some events is JSON of an object.
    const isText = problemsOf(event, itemSchema, 'response').length === 0
    return isText || !event.data.startsWith('{') ? event : withParsedData(event.data)
  })
}

/** The fields of an event. */
interface ReceivedEvent {
  event?: string
  data?: unknown
  id?: string
  retry?: number
}

/** HTML standard, section 9.2.6. */
function readEvent(text: string): ReceivedEvent {
  const event: ReceivedEvent = {}
  const data: string[] = []
  for (const line of text.split('\n')) {
    const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
    if (name === 'data') data.push(value)
    if (name === 'event' || (name === 'id' && !value.includes('\0'))) event[name] = value
    if (name === 'retry' && /^\d+$/.test(value)) event.retry = Number(value)
  }
  return data.length === 0 ? event : { ...event, data: data.join('\n') }
}
