import { Socket } from 'node:net'

/** The sockets of a pool, and when the server was last heard from on any of them. */
export class Sockets {
  readonly #open = new Set<Socket>()
  #heardAt = performance.now()

  /** Makes a socket, for the option `stream` of `Client`. */
  readonly create = (): Socket => {
    const socket = new Socket()
    this.#open.add(socket)
    socket.once('close', () => this.#open.delete(socket))
    socket.on('data', () => (this.#heardAt = performance.now()))
    return socket
  }

  /**
   * Closes all sockets if nothing was received on any of them for so long: the server hangs, and every statement would
   * wait for its timeout. A server that still answers on another connection is only slow with one statement.
   */
  closeIfSilent(milliseconds: number): void {
    if (performance.now() - this.#heardAt < milliseconds) return
    for (const socket of this.#open) socket.destroy()
  }
}
