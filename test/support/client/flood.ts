import { once } from 'node:events'
import { connect } from 'node:net'

/** Requests that a client pipelines on many connections at once. */
export interface Flood {
  port: number
  connections: number
  /** The text of a request, and how many of it each connection sends. */
  request: string
  repeat: number
  maxMilliseconds: number
}

const responseStart = 'HTTP/1.1 '

/**
 * Opens the connections of a flood.
 *
 * @returns a function that sends the requests and resolves to the number of responses, when all have come or the time
 *   is over
 */
export async function openFlood(flood: Flood): Promise<() => Promise<number>> {
  const { port, connections, request, repeat, maxMilliseconds } = flood
  const sockets = await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = connect(port, '127.0.0.1')
      await once(socket, 'connect')
      return socket.on('error', () => undefined).setEncoding('latin1')
    }),
  )
  return async () => {
    let responses = 0
    const bytes = Buffer.from(request.repeat(repeat))
    const answered = sockets.map(
      (socket) =>
        new Promise<void>((resolve) => {
          let received = 0
          // A chunk may end within the start of a response.
          let rest = ''
          socket.on('data', (text: string) => {
            const count = (rest + text).split(responseStart).length - 1
            rest = text.slice(1 - responseStart.length)
            responses += count
            received += count
            if (received >= repeat) resolve()
          })
          socket.once('close', resolve)
          socket.write(bytes)
        }),
    )
    const { promise: timeIsOver, resolve: endTime } = Promise.withResolvers<unknown>()
    const timer = setTimeout(endTime, maxMilliseconds)
    await Promise.race([Promise.all(answered), timeIsOver])
    clearTimeout(timer)
    for (const socket of sockets) socket.destroy()
    return responses
  }
}
