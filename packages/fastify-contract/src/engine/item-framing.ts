import type { Framing } from '../document/media-type.ts'
import { stringifyReply } from '../json/json.ts'

/** An item as it is sent, or why it cannot be. */
export type Framed = { text: string; problem?: undefined } | { problem: string }

/** Writes a valid item of a stream. @param hasBigInts whether it has bigints; undefined if that is not known */
export type Frame = (item: unknown, hasBigInts: boolean | undefined) => Framed

/**
 * Makes the function that writes the items of a media type.
 *
 * @param isJsonData whether the `data` of every event is JSON; otherwise a text is sent as it is
 */
export function createFrame(framing: Framing, isJsonData: boolean): Frame {
  switch (framing) {
    case 'events':
      // A valid one, of a schema that `generate` takes for events.
      return (item, hasBigInts) => frameEvent(item as ServerSentEvent, isJsonData, hasBigInts)
    case 'lines':
      return (item, hasBigInts) => frameJson('', item, hasBigInts)
    case 'records':
      // RFC 7464, section 2.2.
      return (item, hasBigInts) => frameJson('\u001e', item, hasBigInts)
  }
}

/** What keeps a quiet connection open: proxies close one that carries nothing. Of JSON, nothing can be sent between items. */
export function idleText(framing: Framing): string | undefined {
  return framing === 'events' ? ':\n\n' : undefined
}

function frameJson(before: string, item: unknown, hasBigInts: boolean | undefined): Framed {
  // Its type omits that a symbol has no JSON.
  const json = stringifyReply(item, hasBigInts) as string | undefined
  return json === undefined ? { problem: 'item is not JSON' } : { text: `${before}${json}\n` }
}

/** An event, as far as its stream can carry it. */
interface ServerSentEvent {
  event?: string | null
  id?: string | null
  retry?: number | bigint | null
  data?: unknown
}

/** Writes the fields of an event (HTML standard, section 9.2.6). A client reads each line break in text as a line feed. */
function frameEvent(
  { event, id, retry, data }: ServerSentEvent,
  isJsonData: boolean,
  hasBigInts: boolean | undefined,
): Framed {
  let text = ''
  // A field that is null is not sent: a client would read the text "null".
  if (event !== undefined && event !== null) {
    if (lineBreak.test(event)) return { problem: 'item/event has a line break, which no client could read' }
    text += `event: ${event}\n`
  }
  if (id !== undefined && id !== null) {
    // A client ignores an id with U+0000.
    if (unfitForId.test(id)) return { problem: 'item/id has a line break or U+0000, which no client could read' }
    text += `id: ${id}\n`
  }
  if (retry !== undefined && retry !== null) {
    if (!/^\d+$/.test(String(retry))) return { problem: 'item/retry is not a number of milliseconds' }
    text += `retry: ${String(retry)}\n`
  }
  if (data !== undefined && (data !== null || isJsonData)) {
    const isText = typeof data === 'string' && !isJsonData
    // JSON has no line break.
    text += isText
      ? `data: ${data.replaceAll(/\r\n|\r|\n/g, '\ndata: ')}\n`
      : `data: ${stringifyReply(data, hasBigInts)}\n`
  }
  return text === '' ? { problem: 'item has no event, id, retry or data' } : { text: `${text}\n` }
}

const lineBreak = /[\r\n]/
const unfitForId = /[\r\n\0]/
