import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** A request and its response. */
export interface Exchange {
  request: IncomingMessage
  response: ServerResponse
}

/** The open connections of a server, each with its newest exchange, or undefined before its first request. */
export type Exchanges = ReadonlyMap<Socket, Exchange | undefined>

/**
 * Follows the connections of a server.
 *
 * @param server before it listens
 */
export function followExchanges(server: Server): Exchanges {
  const exchanges = new Map<Socket, Exchange | undefined>()
  server.on('connection', (socket: Socket) => {
    exchanges.set(socket, undefined)
    socket.once('close', () => exchanges.delete(socket))
  })
  server.on('request', (request, response) => {
    exchanges.set(request.socket, { request, response })
  })
  return exchanges
}
