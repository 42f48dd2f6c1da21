import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Exchange } from '../ground/exchange.ts'

/** What Fastify publishes where a handler throws ("Diagnostics Channel Hooks" in its reference of hooks). */
interface Published {
  request: { raw: { method?: string; url?: string } }
  error?: unknown
}

const channel = 'tracing:fastify.request.handler:error'
/** How many errors are remembered: several requests may be under way. */
const maxErrors = 20

/** Hears why handlers of Fastify in this process fail. */
export class HandlerErrors {
  #errors: { method: string; url: string; reason: string }[] = []

  readonly #hear = (message: unknown) => {
    // It is what the channel publishes.
    const { request, error } = message as Published
    const { method = '', url = '' } = request.raw
    this.#errors = [...this.#errors.slice(1 - maxErrors), { method, url, reason: reasonOf(error) }]
  }

  constructor() {
    subscribe(channel, this.#hear)
  }

  /** Gives each response of 5xx its reason, where the server runs in this process. */
  through(exchange: Exchange): Exchange {
    return async (request) => {
      const response = await exchange(request)
      if (response.status < 500) return response
      const isIts = ({ method, url }: { method: string; url: string }) =>
        method === request.method && url.endsWith(request.url)
      const index = this.#errors.findLastIndex(isIts)
      return index === -1 ? response : { ...response, reason: this.#errors.splice(index, 1)[0]!.reason }
    }
  }

  close(): void {
    unsubscribe(channel, this.#hear)
  }
}

/** With the line of the code that has thrown it. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const [line = ''] = /(?<=\n\s*at ).*/.exec(error.stack ?? '') ?? []
  return line === '' ? String(error) : `${String(error)} (at ${line})`
}
