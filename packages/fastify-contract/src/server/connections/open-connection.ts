import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Parser, type ParserError, nothing, parserOf, pausedCode, pausedResult } from './node-parser.ts'
import type { Turns } from './turns.ts'

/** How long a connection is still read after its last response. */
const lingerMilliseconds = 1_000

/** In bytes. Chunks of no more are parsed before something reads them, so that most requests are complete. */
const shortContent = 1_024

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Whether it was read before the response to an earlier request. */
  hasWaited: boolean
  /** Whether the content has no known length. */
  readonly isChunked: boolean
}

/** What all connections share. */
export interface Shared {
  readonly turns: Turns
  /** Whether Node's parser can be stopped. If not, a connection is closed after a response behind which others wait. */
  readonly canStop: boolean
  /** Counts bytes that a connection holds. @returns whether there is room for them; if not, they do not count */
  hold: (bytes: number) => boolean
}

/**
 * An open connection. One request at a time is served. The parser stops behind the headers of the next one, so a
 * connection holds two requests and the bytes of two reads, however many requests the client pipelines.
 */
export class OpenConnection {
  readonly socket: Socket
  /** The newest request; undefined once it is read and answered. */
  newest: Exchange | undefined
  /** The newest request whose turn has come, and its response; undefined once it is read and answered. */
  exchange: Exchange | undefined
  /** Whether every request is answered. */
  isIdle = true
  /** Whether it is not read for now, so that a request may wait in the kernel. */
  isUnread = false
  /** Whether the last response was sent. */
  isClosing = false
  /** Whether what is behind the response in work is dropped. */
  isLast = false
  /** Whether the parser has stopped behind the headers of the next request. */
  isStopped = false
  readonly #server: Server
  readonly #shared: Shared
  readonly #listener: RequestListener
  readonly #parser: Parser
  /** Runs when the response closes. */
  #next: (() => void) | undefined
  /** The memory of the bytes at which the parser stopped. */
  #heldBytes = 0
  #isPausable = false
  /** Whether chunks wait for their turn, and whether they are being parsed. */
  #isWaiting = false
  #isParsing = false

  /** @param listener serves a request; called when the previous response is closed */
  constructor(socket: Socket, server: Server, shared: Shared, listener: RequestListener) {
    this.socket = socket
    this.#server = server
    this.#shared = shared
    this.#listener = listener
    this.#parser = parserOf(socket)
    if (!shared.canStop) return
    const { onIncoming } = this.#parser
    this.#parser.onIncoming = (request, keepAlive) => {
      const result = onIncoming(request, keepAlive)
      // Nothing behind CONNECT is parsed. If it were stopped, Node 26 would take its content for missing.
      if (request.method === 'CONNECT') return result
      if (this.#next === undefined && !isChunked(request)) return result
      this.#pause()
      return pausedResult
    }
  }

  /** Serves a request in its turn, when the one before is answered. */
  serve(request: IncomingMessage, response: ServerResponse): void {
    const { isIdle } = this
    if (!this.#shared.canStop && !isIdle) {
      // Node then sends `Connection: close`, if it has not sent the head.
      if (this.exchange !== undefined) this.exchange.response.shouldKeepAlive = false
      this.afterResponse(() => {
        this.closeInStages()
      })
      return
    }
    const exchange = { request, response, hasWaited: !isIdle, isChunked: isChunked(request) }
    this.newest = exchange
    if (isIdle && !exchange.isChunked) {
      this.isIdle = false
      this.exchange = exchange
      this.#shared.turns.start(this.#start)
      return
    }
    this.afterResponse(() => {
      this.isIdle = false
      this.exchange = exchange
      // A connection starts one request in a turn.
      this.#shared.turns.startLater(this.#start)
    })
  }

  /** Starts the request whose turn has come. */
  readonly #start = (): void => {
    // Set by `serve`; until the response, no other one begins.
    const exchange = this.exchange!
    if (exchange.isChunked && this.#shared.canStop && this.socket.readableLength <= shortContent) this.#parseChunks()
    // A connection that has been refused or closed meanwhile can send no further response.
    if (!this.socket.writable) return
    exchange.response.on('close', this.#onResponse)
    this.#listener(exchange.request, exchange.response)
    // Otherwise the parser has stopped at the request behind it.
    if (!this.isStopped || this.newest !== exchange || exchange.isChunked) return
    // Parses on from where it stopped.
    this.#resumeParser()
    this.socket.resume()
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
    const bytes = this.#next === undefined ? 0 : unread.buffer.byteLength
    // The end of the stream comes after these bytes, too.
    if (this.#shared.hold(bytes)) {
      this.#heldBytes = bytes
      this.socket.unshift(unread)
    } else {
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
    this.isClosing = this.isLast = true
    const { socket } = this
    socket.end()
    this.#dropRest()
    socket.resume()
    const lingering = setTimeout(() => socket.destroy(), lingerMilliseconds)
    socket.once('close', () => {
      clearTimeout(lingering)
    })
  }

  /**
   * Reads what is behind the response in work, so that the end of the client is noticed, and drops it. The connection is
   * closed behind that response; a client must send again what gets none (RFC 9112, section 9.3.2).
   */
  readBehind(): void {
    this.#next = () => {
      this.closeInStages()
    }
    this.isLast = true
    this.release()
    this.#dropRest()
    this.socket.resume()
  }

  /** Without a listener that parses, nothing that arrives costs more than its read. */
  #dropRest(): void {
    const { socket } = this
    if (readersOf(socket).includes(ignore)) return
    socket.on('data', ignore)
    for (const listener of readersOf(socket)) if (listener !== ignore) socket.off('data', listener)
  }

  /** Counts the bytes of this connection no longer. */
  release(): void {
    this.#shared.hold(-this.#heldBytes)
    this.#heldBytes = 0
  }

  readonly #onResponse = (): void => {
    const { socket, exchange } = this
    const next = this.#next
    this.#next = undefined
    this.isIdle = true
    const isRead = exchange?.request.complete === true
    // Thousands of connections would keep their last exchange from garbage collection.
    if (isRead && this.newest === exchange) this.newest = undefined
    if (isRead) this.exchange = undefined
    // After `Connection: close` Node has ended the socket.
    if (!socket.writable) return
    // To find the end of chunks, each must be parsed.
    if (!isRead && exchange?.isChunked === true) this.closeInStages()
    else if (next !== undefined) next()
    // Node forgets it where the response was sent in the tick in which the client ended its side.
    else if (socket.readableEnded) this.closeInStages()
    else if (this.#shared.turns.isCrowded) this.readLater()
  }

  /** Leaves the next request in the kernel until it can start soon. */
  readLater(): void {
    if (!this.isIdle || this.isUnread || this.isClosing) return
    this.isUnread = true
    this.socket.pause()
    this.#shared.turns.readLater(() => {
      if (!this.socket.destroyed) this.socket.resume()
      // It is read before that.
      setImmediate(() => {
        this.isUnread = false
      })
    })
  }

  #resumeParser(): void {
    const { socket } = this
    this.isStopped = false
    this.release()
    this.#parser.resume()
    if (socket.readableLength > 0) return
    // Completes a request without content, for which no byte may follow.
    this.#parser.execute(nothing)
    // While the parser was stopped, Node could not tell it the end of the stream.
    const error = socket.readableEnded ? this.#parser.finish() : undefined
    if (error instanceof Error) this.#server.emit('clientError', error, socket)
  }

  #pause(): void {
    if (!this.#shared.canStop) {
      this.#dropRest()
      return
    }
    if (!this.#isPausable) this.#readByListener()
    this.#isPausable = true
    this.socket.pause()
  }

  /** Replaces Node's listener. Until there is a second one, the parser reads by itself. */
  #readByListener(): void {
    const { socket } = this
    const [parse] = readersOf(socket)
    // After CONNECT there is none, because nothing is parsed any more.
    if (parse === undefined) return
    socket.on('data', (bytes: Buffer<ArrayBuffer>) => {
      // A destroyed socket still emits what it holds, and Node's listener would throw.
      if (socket.destroyed) return
      const { newest } = this
      const chunked = newest?.isChunked === true && !newest.request.complete ? newest : undefined
      const mustWait = this.#next !== undefined || (chunked === undefined ? this.isStopped : !this.#isParsing)
      if (!mustWait) {
        parse.call(socket, bytes)
        return
      }
      // Node has resumed the socket, because it has sent a response, or reads or discards a body.
      socket.pause()
      socket.unshift(bytes)
      // While nothing reads the content, each chunk would be kept as an object.
      if (this.#isWaiting || chunked === undefined || chunked.request.readableFlowing === null) return
      this.#isWaiting = true
      this.#shared.turns.parse(() => {
        this.#isWaiting = false
        this.#parseChunks()
      })
    })
    socket.off('data', parse)
    // Node has stopped reading if a response filled the socket, and would not start again.
    socket._read(0)
  }

  /** Parses the chunks that wait in the socket. They may be so small that this takes long. */
  #parseChunks(): void {
    const { socket } = this
    if (socket.destroyed || this.isClosing) return
    if (this.isStopped) this.#resumeParser()
    socket.resume()
    this.#isParsing = true
    // Emits `data`.
    socket.read()
    this.#isParsing = false
  }
}

/** Whether the content of a request has no known length. */
export function isChunked({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined
}

/** What hears the bytes of a socket. */
function readersOf(socket: Socket) {
  // Node types listeners as any functions.
  return socket.listeners('data') as ((bytes: Buffer) => void)[]
}

const ignore = (): void => undefined
