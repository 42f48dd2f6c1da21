import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Turns } from './turns.ts'

/** How long a connection is still read after its last response. */
const lingerMilliseconds = 1_000

/** A request and its response. */
interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  /** Whether it was read before the response to an earlier request. */
  hasWaited: boolean
}

/**
 * What stops Node's parser behind the headers of a request, and lets it go on. Node does not document it:
 * https://github.com/nodejs/node/blob/v24.x/lib/_http_server.js
 */
interface Parser {
  /** Receives each request. Its result is that of llhttp's `on_headers_complete`. */
  onIncoming: (request: IncomingMessage, keepAlive: boolean) => number
  resume: () => void
  execute: (bytes: Buffer) => unknown
}

/** The result with which llhttp stops. Node then emits `clientError` with this code and the bytes that are left. */
const pausedResult = 21
const pausedCode = 'HPE_PAUSED'

/** An error of Node's parser (nodejs.org/api/http.html#event-clienterror). */
export interface ParserError extends NodeJS.ErrnoException {
  bytesParsed?: number
  rawPacket?: Buffer
}

/**
 * An open connection. One request at a time is served. The parser stops behind the headers of the next one, so a
 * connection holds two requests and the bytes of two reads, however many requests the client pipelines.
 */
export class OpenConnection {
  readonly socket: Socket
  /** The newest request; undefined before the first. */
  newest: Exchange | undefined
  /** The newest request whose turn has come, and its response; undefined before the first. */
  exchange: Exchange | undefined
  /** Whether every request is answered. */
  isIdle = true
  /** Whether the last response was sent. */
  isClosing = false
  /** Whether the parser has stopped behind the headers of the next request. */
  isStopped = false
  readonly #connections: OpenConnections
  readonly #parser: Parser
  /** Runs when the response closes. */
  #next: (() => void) | undefined
  /** The memory of the bytes at which the parser stopped. */
  #heldBytes = 0
  #isPausable = false

  constructor(socket: Socket, connections: OpenConnections) {
    this.socket = socket
    this.#connections = connections
    // Node's own listener, which runs first, has set it.
    this.#parser = (socket as Socket & { parser: Parser }).parser
    const { onIncoming } = this.#parser
    this.#parser.onIncoming = (request, keepAlive) => {
      const result = onIncoming(request, keepAlive)
      return result === 0 && this.#next !== undefined ? pausedResult : result
    }
  }

  /** Serves a request in its turn, when the one before is answered. */
  serve(request: IncomingMessage, response: ServerResponse, listener: RequestListener): void {
    const exchange = { request, response, hasWaited: !this.isIdle }
    this.newest = exchange
    const start = () => {
      // A connection that has been refused or closed meanwhile can send no further response.
      if (!this.socket.writable) return
      response.on('close', this.#onResponse)
      listener(request, response)
      // Otherwise the parser has stopped at the request behind it.
      if (this.newest === exchange) this.#readOn()
    }
    const { turns } = this.#connections
    this.afterResponse(() => {
      this.isIdle = false
      this.exchange = exchange
      // A connection starts one request in a turn.
      if (exchange.hasWaited) turns.runLater(start)
      else turns.run(start)
    })
  }

  /** Runs a step when every earlier request is answered. Drops it if the connection can send no further response. */
  afterResponse(step: () => void): void {
    if (this.isIdle) step()
    else {
      this.#next = step
      this.#pause()
    }
  }

  /** Receives an error of the parser. @returns whether it means that the parser stopped at the next request */
  stop({ code, rawPacket, bytesParsed }: ParserError): boolean {
    if (code !== pausedCode) return false
    // Every error of the parser has both.
    const unread = rawPacket!.subarray(bytesParsed)
    this.isStopped = true
    this.#heldBytes = unread.buffer.byteLength
    // The end of the stream comes after these bytes, too.
    if (this.#connections.hold(this.#heldBytes)) this.socket.unshift(unread)
    else {
      this.#next = () => {
        this.closeInStages()
      }
    }
    return true
  }

  /**
   * Ends this side after the last response, and drops incoming bytes until the client ends its side or a second has
   * passed. Otherwise a client that is still sending would get a reset instead of the response (RFC 9112, section 9.6).
   */
  closeInStages(): void {
    if (this.isClosing) return
    this.isClosing = true
    const { socket } = this
    socket.end()
    // Without a listener that parses, nothing that arrives costs more than its read.
    socket.on('data', ignore)
    for (const listener of socket.listeners('data')) if (listener !== ignore) socket.off('data', listener as () => void)
    socket.resume()
    const lingering = setTimeout(() => socket.destroy(), lingerMilliseconds)
    socket.once('close', () => {
      clearTimeout(lingering)
    })
  }

  /** Counts the bytes of this connection no longer. */
  release(): void {
    this.#connections.hold(-this.#heldBytes)
    this.#heldBytes = 0
  }

  readonly #onResponse = (): void => {
    this.isIdle = true
    const next = this.#next
    this.#next = undefined
    // After `Connection: close` Node has ended the socket.
    if (!this.socket.writable) return
    if (next !== undefined) next()
    // Node forgets it where the response was sent in the tick in which the client ended its side.
    else if (this.socket.readableEnded) this.closeInStages()
  }

  /** Parses on from where the parser stopped. */
  #readOn(): void {
    if (!this.isStopped) return
    this.isStopped = false
    this.release()
    this.#parser.resume()
    // Completes a request without content, for which no byte may follow.
    if (this.socket.readableLength === 0) this.#parser.execute(nothing)
    this.socket.resume()
  }

  #pause(): void {
    if (!this.#isPausable) this.#readByListener()
    this.#isPausable = true
    this.socket.pause()
  }

  /** Replaces Node's listener. Until there is a second one, the parser reads by itself. */
  #readByListener(): void {
    const { socket } = this
    const [parse] = socket.listeners('data')
    // After CONNECT there is none, because nothing is parsed any more.
    if (parse === undefined) return
    socket.on('data', (bytes: Buffer) => {
      if (this.#next === undefined && !this.isStopped) parse.call(socket, bytes)
      else {
        // Node has resumed the socket, because it has sent a response or discards a body.
        socket.pause()
        socket.unshift(bytes)
      }
    })
    socket.off('data', parse as () => void)
    // Node has stopped reading if a response filled the socket, and would not start again.
    socket._read(0)
  }
}

/** No bytes, but not a null pointer, which would mean the end of the stream. */
const nothing = Buffer.alloc(1).subarray(1)

const ignore = (): void => undefined

/** The open connections of the servers that `follow` was given. */
export class OpenConnections {
  readonly turns = new Turns()
  readonly #bySocket = new Map<Socket, OpenConnection>()
  readonly #maxUnreadBytes: number
  readonly #onTooMany: () => void
  #unreadBytes = 0

  /**
   * @param maxUnreadBytes the most bytes that wait behind unanswered requests, of all connections together
   * @param onTooMany is called when a connection is closed after its response because there are more
   */
  constructor(maxUnreadBytes: number, onTooMany: () => void) {
    this.#maxUnreadBytes = maxUnreadBytes
    this.#onTooMany = onTooMany
  }

  /**
   * Tracks the connections of a server, and passes on one request of a connection at a time. Node starts all requests
   * of a pipeline at once (RFC 9112, section 9.3.2), so one connection could use any amount of memory and time.
   *
   * @param server before it listens
   * @param listener serves a request; called when the previous response of the connection is closed
   */
  follow(server: Server, listener: RequestListener): void {
    // Node's own method, which Fastify calls too, cuts off a response that has ended but is not sent yet.
    server.closeIdleConnections = () => {
      this.closeIdle()
    }
    server.on('connection', (socket: Socket) => {
      this.turns.accept()
      const connection = new OpenConnection(socket, this)
      this.#bySocket.set(socket, connection)
      socket.once('close', () => {
        connection.release()
        this.#bySocket.delete(socket)
      })
      // Node calls this after the last response, and would close at once.
      socket.destroySoon = () => {
        connection.closeInStages()
      }
    })
    server.on('request', (request, response) => {
      // Node destroys the connection of a request with this method, even if earlier requests are not answered yet.
      if (request.method === 'PRI') request.method = 'PRI (HTTP/2)'
      const connection = this.#bySocket.get(request.socket)
      if (connection?.socket.writable === true) connection.serve(request, response, listener)
    })
  }

  /** Counts bytes that a connection holds. @returns whether there is room for them; if not, they do not count */
  hold(bytes: number): boolean {
    const hasRoom = this.#unreadBytes + bytes <= this.#maxUnreadBytes
    if (hasRoom) this.#unreadBytes += bytes
    else this.#onTooMany()
    return hasRoom
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
