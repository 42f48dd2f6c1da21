import { once } from 'node:events'
import { type Socket, connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A request and its answer, in the milliseconds of `performance.now`. */
export interface Exchange {
  /** Before the first byte was sent. */
  call: number
  /** When the answer was whole; Infinity if the connection was lost before. */
  answer: number
  status: number | undefined
  body: string
}

const answerMilliseconds = 15_000
const maxAttempts = 500
const attemptMilliseconds = 10

const keptMilliseconds = 20

/**
 * A fault for the control, as a proxy that keeps lists would have: it answers a GET with what the same GET of the same
 * token was answered up to 20 ms ago. So a list can miss an acknowledged write, and a token can pass after it was
 * revoked.
 *
 * @param kept what all clients of a server were answered
 */
export class StaleLink implements Pick<Link, 'send' | 'close'> {
  readonly #link: Link
  readonly #kept: Map<string, Promise<Exchange>>

  constructor(link: Link, kept: Map<string, Promise<Exchange>>) {
    this.#link = link
    this.#kept = kept
  }

  async send(request: string): Promise<Exchange> {
    const call = performance.now()
    const kept = this.#kept.get(request)
    const answering = kept ?? this.#link.send(request)
    if (kept === undefined && request.startsWith('GET ')) {
      this.#kept.set(request, answering)
      const forget = () => void setTimeout(() => this.#kept.delete(request), keptMilliseconds)
      answering.then(forget, forget)
    }
    const { status, body } = await answering
    // Without a network in between, whoever repeats a list would leave no time to anything else.
    if (kept !== undefined) await sleep(1)
    return { call, answer: performance.now(), status, body }
  }

  close(): Promise<void> {
    return this.#link.close()
  }
}

/** What a client sends to one server. It opens a new connection when the server has closed the last one. */
export class Link {
  readonly #port: () => Promise<number>
  readonly #waiting: ((status: number | undefined, body: string) => void)[] = []
  #socket: Promise<Socket> | undefined
  #received = ''
  #failure: Error | undefined

  /** @param port resolves to the port of 127.0.0.1 on which the server listens, when it does */
  constructor(port: () => Promise<number>) {
    this.#port = port
  }

  /**
   * Sends one request. Requests that are sent at once travel together and are answered in their order (RFC 9112,
   * section 9.3.2).
   *
   * @throws Error when the server cannot be reached, or answers nothing for 15 s
   */
  async send(request: string): Promise<Exchange> {
    const socket = await (this.#socket ??= this.#open())
    return await new Promise((resolve, reject) => {
      const call = performance.now()
      this.#waiting.push((status, body) => {
        if (this.#failure !== undefined) reject(this.#failure)
        else resolve({ call, answer: status === undefined ? Infinity : performance.now(), status, body })
      })
      socket.cork()
      socket.write(request)
      process.nextTick(() => {
        socket.uncork()
      })
    })
  }

  /** Closes the connection. What waits for an answer is rejected, and so is what is sent later. */
  async close(): Promise<void> {
    this.#failure ??= new Error('the round is over')
    const socket = await this.#socket?.catch(() => undefined)
    socket?.destroy()
  }

  async #open(): Promise<Socket> {
    for (let attempt = 0; attempt < maxAttempts && this.#failure === undefined; attempt++) {
      const socket = connect({ port: await this.#port(), host: '127.0.0.1', noDelay: true })
      try {
        await once(socket, 'connect')
        this.#watch(socket)
        return socket
      } catch {
        // The server has been killed since it told its port.
        await sleep(attemptMilliseconds)
      }
    }
    throw this.#failure ?? new Error('a server does not take connections')
  }

  #watch(socket: Socket): void {
    socket.setEncoding('latin1').on('data', (text: string) => {
      this.#received += text
      this.#read()
    })
    socket.setTimeout(answerMilliseconds, () => {
      if (this.#waiting.length === 0) return
      this.#failure = new Error(`a server answered nothing for ${String(answerMilliseconds)} ms`)
      socket.destroy()
    })
    // 'close' comes after it.
    socket.on('error', () => undefined)
    socket.once('close', () => {
      this.#socket = undefined
      this.#received = ''
      for (const settle of this.#waiting.splice(0)) settle(undefined, '')
    })
  }

  /** Takes whole answers off. Those of short lists, writes and errors have a Content-Length or no content. */
  #read(): void {
    for (;;) {
      const end = this.#received.indexOf('\r\n\r\n') + 4
      if (end < 4) return
      const head = this.#received.slice(0, end)
      const bodyEnd = end + Number(/\r\ncontent-length: *([0-9]+)/i.exec(head)?.[1] ?? 0)
      if (this.#received.length < bodyEnd) return
      const body = this.#received.slice(end, bodyEnd)
      this.#received = this.#received.slice(bodyEnd)
      this.#waiting.shift()?.(Number(head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length)), body)
    }
  }
}
