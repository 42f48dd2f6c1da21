import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** How long a connection is still read after its last answer. */
const lingerMilliseconds = 1_000

/** An open connection. Its requests are served one at a time, in their order. */
export class OpenConnection {
  readonly socket: Socket
  /** The newest request, which may still be waiting; undefined before the first. */
  newest: IncomingMessage | undefined
  /** The newest request that was started, and its response; undefined before the first. */
  request: IncomingMessage | undefined
  response: ServerResponse | undefined
  /** How many requests arrived after the last answer. */
  dropped = 0
  /** Whether the last answer was sent. */
  isClosing = false
  /** Steps in order; each runs when the previous response is closed. */
  readonly #waiting: (() => void)[] = []
  #staysPaused = false

  constructor(socket: Socket) {
    this.socket = socket
  }

  /** Whether every request is answered. */
  get isIdle(): boolean {
    return this.#waiting.length === 0 && (this.response === undefined || this.response.closed)
  }

  /**
   * Runs a step when every earlier request is answered. Drops it if the connection can send no further answer.
   *
   * @returns the number of waiting steps
   */
  afterAnswers(step: () => void): number {
    if (this.isIdle) step()
    else if (this.#waiting.push(step) === 1) {
      this.#pause()
      this.response?.once('close', this.#next)
    }
    return this.#waiting.length
  }

  /** Drops the newest request if it has not been started. */
  dropNewest(): void {
    if (this.newest === this.request) return
    this.#waiting.pop()
    this.newest = this.request
  }

  /**
   * Ends this side after the last answer, and drops incoming bytes until the client ends its side or a second has
   * passed. Otherwise a client that is still sending would get a reset instead of the answer (RFC 9112, section 9.6).
   */
  closeInStages(): void {
    if (this.isClosing) return
    this.isClosing = true
    const { socket } = this
    socket.end()
    socket.resume()
    const lingering = setTimeout(() => socket.destroy(), lingerMilliseconds)
    socket.once('close', () => {
      clearTimeout(lingering)
    })
  }

  readonly #next = (): void => {
    // After `Connection: close` Node has ended the socket.
    if (this.socket.writable) this.#waiting.shift()?.()
    else this.#waiting.length = 0
    if (this.#waiting.length > 0) this.response?.once('close', this.#next)
    else this.socket.resume()
  }

  /** Stops reading while requests wait, so that at most the requests of one read wait. */
  #pause(): void {
    this.socket.pause()
    if (this.#staysPaused) return
    this.#staysPaused = true
    // Node resumes the socket when it discards an unread body.
    this.socket.on('resume', () => {
      if (this.#waiting.length > 0) this.socket.pause()
    })
  }
}

/** The open connections of the servers that `follow` was given. */
export class OpenConnections {
  readonly #bySocket = new Map<Socket, OpenConnection>()
  readonly #maxWaiting: number
  readonly #onTooMany: () => void

  /**
   * @param maxWaiting the maximum number of waiting requests of one connection, and of requests after its last answer
   * @param onTooMany is called when a connection is closed because it has more
   */
  constructor(maxWaiting: number, onTooMany: () => void) {
    this.#maxWaiting = maxWaiting
    this.#onTooMany = onTooMany
  }

  /**
   * Tracks the connections of a server, and passes on one request of a connection at a time. Node starts all requests
   * of a pipeline at once (RFC 9112, section 9.3.2), so one connection could use any amount of memory.
   *
   * @param server before it listens
   * @param listener serves a request; called when the previous response of the connection is closed
   */
  follow(server: Server, listener: RequestListener): void {
    // Node's own method, which Fastify calls too, cuts off an answer that has ended but is not sent yet.
    server.closeIdleConnections = () => {
      this.closeIdle()
    }
    server.on('connection', (socket: Socket) => {
      const connection = new OpenConnection(socket)
      this.#bySocket.set(socket, connection)
      socket.once('close', () => this.#bySocket.delete(socket))
      // Node calls this after the last answer, and would close at once.
      socket.destroySoon = () => {
        connection.closeInStages()
      }
    })
    server.on('request', (request, response) => {
      const connection = this.#bySocket.get(request.socket)
      if (connection === undefined) return
      // Node destroys the connection of a request with this method, even if earlier requests are not answered yet.
      if (request.method === 'PRI') request.method = 'PRI (HTTP/2)'
      if (!connection.socket.writable) {
        if (++connection.dropped > this.#maxWaiting) request.socket.destroy()
        return
      }
      connection.newest = request
      const waiting = connection.afterAnswers(() => {
        connection.request = request
        connection.response = response
        listener(request, response)
      })
      if (waiting <= this.#maxWaiting) return
      this.#onTooMany()
      request.socket.destroy()
    })
  }

  get(socket: Socket): OpenConnection | undefined {
    return this.#bySocket.get(socket)
  }

  get size(): number {
    return this.#bySocket.size
  }

  all(): IterableIterator<OpenConnection> {
    return this.#bySocket.values()
  }

  /** Closes the connections on which every request is answered. */
  closeIdle(): void {
    for (const { socket, isIdle } of this.all()) if (isIdle) socket.destroy()
  }

  closeAll(): void {
    for (const { socket } of this.all()) socket.destroy()
  }
}
