import type { Exchange, WireRequest } from '../ground/exchange.ts'

/** How many requests are kept of one run of a case. */
const maxRequests = 20
/** How many different notes are kept of one case. */
const maxNotes = 20

/** What happens while a case runs. */
export class Trail {
  /** How many requests have been sent, of all cases. */
  count = 0
  /** The last requests. */
  requests: WireRequest[] = []
  /** Whether a response was no 429: a server that has had enough says nothing of a request. */
  isAnswered = false
  /** What is neither right nor a fault. */
  notes = new Set<string>()

  startCase(): void {
    this.requests = []
    this.isAnswered = false
    this.notes = new Set()
  }

  readonly note = (text: string): void => {
    if (this.notes.size < maxNotes) this.notes.add(text)
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
