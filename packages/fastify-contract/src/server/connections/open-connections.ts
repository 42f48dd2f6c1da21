import type { RequestListener, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { cutOff } from '../cut-off.ts'
import { canStopParser } from './node-parser.ts'
import { OpenConnection, type Shared } from './open-connection.ts'
import { Turns } from './turns.ts'

/** The open connections of the servers that `follow` was given. */
export class OpenConnections implements Shared {
  readonly turns = new Turns(() => {
    for (const connection of this.all()) connection.readLater()
  })
  readonly canStop = canStopParser()
  readonly #bySocket = new Map<Duplex, OpenConnection>()
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
      const connection = new OpenConnection(socket, server, this, listener)
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
      if (connection?.socket.writable === true) connection.serve(request, response)
    })
  }

  hold(bytes: number): boolean {
    const hasRoom = this.#unreadBytes + bytes <= this.#maxUnreadBytes
    if (hasRoom) this.#unreadBytes += bytes
    else this.#onTooMany()
    return hasRoom
  }

  get(socket: Duplex): OpenConnection | undefined {
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
    for (const { socket, isIdle, isUnread } of this.all()) if (isIdle && !isUnread) socket.destroy()
  }

  /** Reads and drops what waits behind the response in work of a connection. */
  readonly readBehind = (socket: Socket): void => {
    this.#bySocket.get(socket)?.readBehind()
  }

  closeAll(): void {
    for (const { socket, exchange } of this.all()) {
      if (exchange?.response.headersSent === true) cutOff(exchange.response)
      else socket.destroy()
    }
  }
}
