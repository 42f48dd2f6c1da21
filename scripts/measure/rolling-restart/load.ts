import { Agent, request } from 'node:http'

/** What the clients of a proxy have received. */
export interface Seen {
  requests: number
  /** How many answers had each status other than 200. */
  statuses: Record<number, number>
  /** How many requests ended with each error code before the answer. */
  errors: Record<string, number>
  /** The ids of the creates whose outcome is unknown: the answer was 5xx, or there was none. */
  unclear: number[]
}

const timeoutMilliseconds = 30_000

/** Clients that alternate between a create and a list. Each waits for its answer before it asks again. */
export class Load {
  readonly seen: Seen = { requests: 0, statuses: {}, errors: {}, unclear: [] }
  readonly #port: number
  readonly #token: string
  readonly #agent = new Agent({ keepAlive: true })
  readonly #clients: Promise<void>[]
  #nextId = 1
  #isStopped = false

  constructor({ port, token, clients }: { port: number; token: string; clients: number }) {
    this.#port = port
    this.#token = token
    this.#clients = Array.from({ length: clients }, () => this.#run())
  }

  /** Waits for the last answers, then repeats each unclear create. @returns how many of these had succeeded */
  async stop(): Promise<number> {
    this.#isStopped = true
    await Promise.all(this.#clients)
    let carriedOut = 0
    for (const id of this.seen.unclear) {
      if ((await this.#create(id)) === 409) carriedOut++
    }
    this.#agent.destroy()
    return carriedOut
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      const id = this.#nextId++
      const status = await this.#count(this.#create(id))
      if (status === undefined || status >= 500) this.seen.unclear.push(id)
      await this.#count(this.#send('GET', '/plants?limit=10'))
    }
  }

  async #count(answer: Promise<number>): Promise<number | undefined> {
    this.seen.requests++
    try {
      const status = await answer
      if (status !== 200) this.seen.statuses[status] = (this.seen.statuses[status] ?? 0) + 1
      return status
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? String(error)
      this.seen.errors[code] = (this.seen.errors[code] ?? 0) + 1
      return undefined
    }
  }

  #create(id: number): Promise<number> {
    return this.#send('POST', '/plants', JSON.stringify({ id, name: 'Monstera deliciosa', tag: 'indoor' }))
  }

  /** @returns the status once the whole answer has been read */
  #send(method: string, path: string, body?: string): Promise<number> {
    const headers = {
      authorization: `Bearer ${this.#token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    }
    const target = { host: '127.0.0.1', port: this.#port, method, path, headers }
    return new Promise((resolve, reject) => {
      const sent = request({ ...target, agent: this.#agent, timeout: timeoutMilliseconds }, (response) => {
        response.once('error', reject)
        response.once('end', () => {
          // A response that a client receives has a status.
          resolve(response.statusCode!)
        })
        response.resume()
      })
      sent.once('timeout', () => sent.destroy(new Error('no answer in time')))
      sent.once('error', reject)
      sent.end(body)
    })
  }
}
