import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** An open connection. Its requests are served one at a time, in their order. */
export class OpenConnection {
  readonly socket: Socket
  /** The newest request that has arrived, which may still wait; undefined before the first. */
  newest: IncomingMessage | undefined
  /** The newest request that was started, and its response; undefined before the first. */
  request: IncomingMessage | undefined
  response: ServerResponse | undefined
  /** How many requests have arrived behind the last answer. */
  dropped = 0
  /** Steps that run one after the other, each when the response before it is closed. */
  readonly #waiting: (() => void)[] = []
  #staysPaused = false

  constructor(socket: Socket) {
    this.socket = socket
  }

  /** How many requests wait. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** Whether every request that has arrived is answered. */
  get isIdle(): boolean {
    return this.#waiting.length === 0 && (this.response === undefined || this.response.closed)
  }

  /** Whether a further answer could be sent. After `Connection: close` Node ends the socket (RFC 9112, section 9.6). */
  get mayAnswer(): boolean {
    return this.socket.writable
  }

  /** Runs a step when every earlier request is answered, unless no further one can be answered then. */
  afterAnswers(step: () => void): void {
    if (this.isIdle) {
      step()
      return
    }
    if (this.#waiting.push(step) > 1) return
    this.#pause()
    this.response?.once('close', this.#next)
  }

  /** Drops the newest request if it has not been started. */
  dropNewest(): void {
    if (this.newest === this.request) return
    this.#waiting.pop()
    this.newest = this.request
  }

  readonly #next = (): void => {
    if (this.mayAnswer) this.#waiting.shift()?.()
    else this.#waiting.length = 0
    if (this.#waiting.length > 0) this.response?.once('close', this.#next)
    else this.socket.resume()
  }

  /** Stops reading while requests wait, so that only those of one read can wait. */
  #pause(): void {
    this.socket.pause()
    if (this.#staysPaused) return
    this.#staysPaused = true
    // Node resumes the socket when it drops an unread body.
    this.socket.on('resume', () => {
      if (this.#waiting.length > 0) this.socket.pause()
    })
  }
}

/** The open connections of the servers that `follow` was given. */
export class OpenConnections {
  readonly #bySocket = new Map<Socket, OpenConnection>()
  readonly #servers: Server[] = []
  readonly #maxWaiting: number
  readonly #onTooMany: () => void

  /**
   * @param maxWaiting the limit of waiting requests of one connection, and of requests behind its last answer
   * @param onTooMany is called when a connection is closed because more of its requests wait
   */
  constructor(maxWaiting: number, onTooMany: () => void) {
    this.#maxWaiting = maxWaiting
    this.#onTooMany = onTooMany
  }

  /**
   * Follows the connections of a server and passes its requests on. Node starts all requests of a pipeline at once
   * (RFC 9112, section 9.3.2), so that one connection could use any amount of memory.
   *
   * @param server before it listens
   * @param listener serves a request; it is called when the response before it is closed
   */
  follow(server: Server, listener: RequestListener): void {
    this.#servers.push(server)
    server.on('connection', (socket: Socket) => {
      this.#bySocket.set(socket, new OpenConnection(socket))
      socket.once('close', () => this.#bySocket.delete(socket))
    })
    server.on('request', (request, response) => {
      const connection = this.#bySocket.get(request.socket)
      if (connection === undefined) return
      if (!connection.mayAnswer) {
        if (++connection.dropped > this.#maxWaiting) request.socket.destroy()
        return
      }
      connection.newest = request
      connection.afterAnswers(() => {
        connection.request = request
        connection.response = response
        listener(request, response)
      })
      if (connection.waiting <= this.#maxWaiting) return
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

  /** Closes the connections on which nothing has arrived since the last answer, or nothing at all. */
  closeIdle(): void {
    for (const server of this.#servers) server.closeIdleConnections()
    for (const { socket, newest } of this.all()) if (newest === undefined) socket.destroy()
  }

  closeAll(): void {
    for (const { socket } of this.all()) socket.destroy()
  }
}
