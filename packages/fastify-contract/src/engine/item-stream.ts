import type { Framing } from '../document/media-type.ts'
import { OwnedIterable } from './body-stream.ts'
import { type Frame, idleText } from './item-framing.ts'
import type { Check, Checked } from './reply-checks.ts'
import { streamTurns } from './stream-turns.ts'

/** How the items of a media type are checked and written. */
export interface ItemMedia {
  framing: Framing
  check: Check
  frame: Frame
}

/** What becomes of items that break the contract. */
export interface ItemReports {
  violation: (problem: string) => Error
  /** Makes the text of an undeclared property, which is not sent. */
  dropped: (undeclared: string) => string
}

/** In characters. What is ready is sent in batches, because each write of a response costs as much as several small items. */
const batchLength = 16_384

/** How long the first item may take before the client gets the headers, so that it knows that the stream is open. */
const openMilliseconds = 50

/** How long a connection is quiet, in milliseconds (HTML standard, section 9.2.7). */
const idleMilliseconds = 15_000

/**
 * The bytes of a stream of items, which validates each. It draws items when a batch is asked for, as many as are ready, up to
 * the length of a batch: a client that does not read stops the source.
 */
export class ItemStream implements AsyncIterable<Buffer>, AsyncIterator<Buffer, undefined> {
  /** Receives what the first item had that the contract does not declare. */
  onUndeclared: (text: string) => void = ignore
  /** Is called when no item is ready after a moment. */
  onQuiet: () => void = ignore
  /** Is called when a batch is there, and when the next one is asked for. */
  onHeld: (isHeld: boolean) => void = ignore

  readonly #source: OwnedIterable<unknown>
  readonly #media: ItemMedia
  readonly #reports: ItemReports
  /** What waits for a batch. */
  #asked: PromiseWithResolvers<IteratorResult<Buffer, undefined>> | undefined
  /** The items that are drawn and not sent. */
  #text = ''
  #count = 0
  #isDrawing = false
  #isFlushing = false
  #isReported = false
  /** What is left when the items are sent: the end, or an error. */
  #end: { error?: unknown } | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(items: AsyncIterable<unknown>, media: ItemMedia, reports: ItemReports) {
    this.#source = new OwnedIterable(items)
    this.#media = media
    this.#reports = reports
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<IteratorResult<Buffer, undefined>> {
    this.onHeld(false)
    this.#timer ??= setTimeout(this.#open, openMilliseconds).unref()
    this.#asked = Promise.withResolvers()
    streamTurns.take(this.#takeTurn)
    return this.#asked.promise
  }

  async return(): Promise<IteratorResult<Buffer, undefined>> {
    clearTimeout(this.#timer)
    this.#asked = undefined
    this.#end = {}
    this.onHeld(false)
    await this.#source.close()
    return { done: true, value: undefined }
  }

  readonly #takeTurn = (): void => {
    if (this.#end === undefined && !this.#isDrawing) this.#draw()
    if (this.#text !== '' || this.#end !== undefined) this.#flush()
  }

  #draw(): void {
    this.#isDrawing = true
    try {
      Promise.resolve(this.#source.iterate().next()).then(this.#take, this.#fail)
    } catch (error) {
      this.#fail(error)
    }
  }

  readonly #take = (result: IteratorResult<unknown>): void => {
    this.#isDrawing = false
    if (this.#end !== undefined) return
    try {
      if (result.done === true) this.#end = {}
      else this.#add(result.value)
    } catch (error) {
      // Such as that of a getter, or of an item that contains itself.
      this.#end = { error }
    }
    if (this.#asked === undefined) return
    if (this.#end === undefined && this.#text.length < batchLength && streamTurns.hasTime) {
      this.#flushSoon()
      this.#draw()
    } else this.#flush()
  }

  readonly #fail = (error: unknown): void => {
    this.#isDrawing = false
    this.#end ??= { error }
    this.#flush()
  }

  #add(item: unknown): void {
    this.#count++
    const { check, frame } = this.#media
    const { problem, undeclared, value, hasBigInts } = item === undefined ? noItem : check(item)
    const framed = problem === undefined ? frame(value, hasBigInts) : { problem }
    if (framed.problem !== undefined) {
      this.#end = { error: this.#reports.violation(`item ${String(this.#count)}: ${framed.problem}`) }
      return
    }
    this.#text += framed.text
    if (undeclared === undefined || this.#isReported) return
    this.#isReported = true
    this.onUndeclared(this.#reports.dropped(`item ${String(this.#count)}: ${undeclared}`))
  }

  /** Sends what is ready when no further item is. */
  #flushSoon(): void {
    if (this.#isFlushing) return
    this.#isFlushing = true
    process.nextTick(() => {
      this.#isFlushing = false
      this.#flush()
    })
  }

  #flush(): void {
    if (this.#asked === undefined) return
    if (this.#text !== '') {
      this.#give(this.#text)
      this.#text = ''
    } else if (this.#end !== undefined) {
      clearTimeout(this.#timer)
      if ('error' in this.#end) this.#asked.reject(this.#end.error)
      else this.#asked.resolve({ done: true, value: undefined })
      this.#asked = undefined
    }
  }

  #give(text: string): void {
    this.#asked?.resolve({ done: false, value: Buffer.from(text) })
    this.#asked = undefined
    this.#timer?.refresh()
    this.onHeld(true)
  }

  readonly #open = (): void => {
    this.onQuiet()
    const idle = idleText(this.#media.framing)
    if (idle === undefined) return
    this.#timer = setInterval(() => {
      if (this.#asked !== undefined) this.#give(idle)
    }, idleMilliseconds).unref()
  }
}

const noItem: Checked = { problem: 'item is undefined', value: undefined }

function ignore(): void {
  // Nobody has asked for it.
}
