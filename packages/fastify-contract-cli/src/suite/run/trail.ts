import { type Exchange, type WireRequest, sizeOf } from '../ground/exchange.ts'

/** How many requests are kept of one run of a case. */
const maxRequests = 20
/** How many different notes are kept of one case. */
const maxNotes = 20

/** What is neither right nor a fault. */
export interface Note {
  text: string
  /** The smallest that got such a response, where the contract allows it. */
  request?: WireRequest
}

/** What happens while a case runs. */
export class Trail {
  /** How many requests have been sent, of all cases. */
  count = 0
  /** The last requests. */
  requests: WireRequest[] = []
  /** Whether a response was no 429: a server that has had enough says nothing of a request. */
  isAnswered = false
  /** By their texts. */
  notes = new Map<string, Note>()

  startCase(): void {
    this.requests = []
    this.isAnswered = false
    this.notes = new Map()
  }

  readonly note = (text: string): void => {
    if (this.notes.size < maxNotes && !this.notes.has(text)) this.notes.set(text, { text })
  }

  /** Notes what came of the last request, which the contract allows. */
  noteRequest(text: string): void {
    this.note(text)
    const [note, request] = [this.notes.get(text), this.requests.at(-1)]
    if (note === undefined || request === undefined) return
    if (note.request === undefined || sizeOf(request) < sizeOf(note.request)) note.request = request
  }

  /** Runs what is no part of what a report shows, unless it fails: then nothing else is. */
  readonly aside = async (run: () => Promise<void>): Promise<void> => {
    const before = this.requests
    this.requests = []
    await run()
    this.requests = before
  }

  /** Sends requests and keeps them. */
  through(exchange: Exchange): Exchange {
    return (request) => {
      this.count++
      this.requests = [...this.requests.slice(1 - maxRequests), request]
      return exchange(request)
    }
  }
}
