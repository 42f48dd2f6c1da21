/** The most turns in a row that accept a connection and run no step. */
const maxAccepting = 64

/** In bytes. Content that is longer takes so much time that others do not wait for it. */
export const shortContent = 4_096

/** The time of a turn for long content while connections are not read, in milliseconds. */
const crowdedMilliseconds = 2

/** How many requests are read before their turn, without those of long content. */
const maxReadAhead = 128

/** Steps of one kind. */
interface Lane {
  waiting: (() => void)[]
  /** When a turn leaves the rest to the next one, in milliseconds after its beginning. */
  readonly until: number
}

/**
 * Spreads the work of all connections over the turns of the event loop. A turn runs steps until its time is over; the rest
 * wait in the order of their arrival. Otherwise libuv would serve busy connections for seconds before it runs a timer: it
 * polls up to 48 times in a turn while a thousand sockets are readable.
 *
 * Only a turn in which a step waits, or that began late, ends with its iteration of the event loop. Otherwise each lone
 * request would pay for a callback.
 *
 * Of each kind, a turn runs at least one step: the content of requests that have started, new requests, and long content or
 * chunks. So a request waits for few others that take long.
 *
 * While `maxReadAhead` requests wait, no connection is read that has none: what waits in the kernel takes no memory here.
 *
 * While clients connect, up to `maxAccepting` turns run no step. Node accepts one connection in a turn
 * (github.com/libuv/libuv/pull/3696), so a thousand new clients would wait for a thousand full turns.
 */
export class Turns {
  readonly #content: Lane = { waiting: [], until: 8 }
  readonly #starts: Lane = { waiting: [], until: 10 }
  readonly #longContent: Lane = { waiting: [], until: 15 }
  readonly #lanes = [this.#content, this.#starts, this.#longContent]
  /** Read connections, or have requests wait that are read already: those behind another one of their connection. */
  readonly #unread: (() => void)[] = []
  readonly #onCrowded: () => void
  /** When this turn began, in milliseconds. */
  #begin = 0
  #accepting = 0
  #hasAccepted = false
  #isScheduled = false

  /** @param onCrowded calls `readLater` for each connection without a request */
  constructor(onCrowded: () => void) {
    this.#onCrowded = onCrowded
  }

  /** Starts a request in this turn, or in a later one if this turn is full. */
  start(step: () => void): void {
    if (this.#isFull(this.#starts)) this.#wait(this.#starts, step)
    else step()
  }

  /** Starts a request in a later turn. */
  startLater(step: () => void): void {
    this.#schedule()
    this.#holdOthers()
    const wait = () => void this.#starts.waiting.push(step)
    // Behind the connections that are not read yet, so that clients that pipeline do not keep them out.
    if (this.isCrowded) this.#unread.push(wait)
    else wait()
  }

  #holdOthers(): void {
    if (this.isCrowded && this.#unread.length === 0) this.#onCrowded()
  }

  /** Works on so many bytes of content, in this turn or in a later one. */
  readonly work = (bytes: number, step: () => void): void => {
    const lane = bytes > shortContent ? this.#longContent : this.#content
    if (this.#isFull(lane)) this.#wait(lane, step)
    else step()
  }

  /** Parses chunks, in this turn or in a later one. They may never end, so no new request waits for them. */
  parse(step: () => void): void {
    this.work(Infinity, step)
  }

  /** Whether so many requests wait that no further ones should be read. */
  get isCrowded(): boolean {
    return this.#isScheduled && (this.#unread.length > 0 || this.#room === 0)
  }

  /** Reads a connection when few requests wait. */
  readLater(read: () => void): void {
    this.#schedule()
    this.#unread.push(read)
  }

  /** Call this when a connection was accepted. */
  accept(): void {
    this.#hasAccepted = true
    this.#schedule()
  }

  /** Whether a step waits for a later turn. */
  #isFull({ waiting, until }: Lane): boolean {
    if (waiting.length > 0 || this.#accepting > 0) return true
    const now = performance.now()
    if (now - this.#begin <= until) return false
    if (this.#isScheduled) return true
    // Nothing has waited since the last turn began, so nothing has ended it.
    this.#begin = now
    this.#schedule()
    return false
  }

  #wait({ waiting }: Lane, step: () => void): void {
    waiting.push(step)
    this.#schedule()
    this.#holdOthers()
  }

  /** Ends the turn with this iteration of the event loop, which then does not wait for events. */
  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(this.#next)
  }

  readonly #next = (): void => {
    this.#begin = performance.now()
    this.#isScheduled = false
    this.#accepting = this.#hasAccepted ? (this.#accepting + 1) % maxAccepting : 0
    this.#hasAccepted = false
    // Before the steps, so that what they schedule runs after the steps of the next turn.
    if (this.#accepting > 0 || this.#isWaiting) this.#schedule()
    if (this.#accepting > 0) return
    for (const lane of this.#lanes) {
      const { waiting } = lane
      const isShort = lane === this.#longContent && this.#unread.length > 0
      const end = isShort ? performance.now() + crowdedMilliseconds : this.#begin + lane.until
      let count = 0
      while (count < waiting.length && (count === 0 || performance.now() < end)) waiting[count++]!()
      waiting.splice(0, count)
    }
    for (const read of this.#unread.splice(0, this.#room)) read()
  }

  /** How many further requests may be read. */
  get #room(): number {
    return Math.max(0, maxReadAhead - this.#starts.waiting.length - this.#content.waiting.length)
  }

  get #isWaiting(): boolean {
    return this.#unread.length > 0 || this.#lanes.some(({ waiting }) => waiting.length > 0)
  }
}
