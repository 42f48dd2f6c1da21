import { once } from 'node:events'
import { type Socket, connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Requests that are pipelined on many connections at once. */
export interface Flood {
  port: number
  connections: number
  /** The text of a request, and how often each connection sends it. */
  request: string
  repeat: number
  maxMilliseconds: number
  /** How the clients leave before they have all responses; they stay by default. */
  leave?: Leave | undefined
}

export type Leave = 'close' | 'half-close' | 'reset'

/** How long clients that leave take responses. */
const stayMilliseconds = 400

const responseStart = 'HTTP/1.1 '

/**
 * Opens the connections of a flood.
 *
 * @returns a function that sends the requests and resolves to the number of responses, after all of them or the time
 *   limit
 */
export async function openFlood(flood: Flood): Promise<() => Promise<number>> {
  const { port, connections, request, repeat, maxMilliseconds, leave } = flood
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
          if (leave === 'half-close') socket.end()
          if (leave !== undefined)
            setTimeout(() => (leave === 'reset' ? socket.resetAndDestroy() : socket.destroy()), stayMilliseconds)
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

const pauseMilliseconds = 5

/** Repeats an action. @returns a function that stops it and resolves to the longest run in milliseconds */
export function watchLongest(action: () => Promise<unknown>): () => Promise<number> {
  let isOver = false
  async function run(): Promise<number> {
    let longest = 0
    while (!isOver) {
      const start = performance.now()
      await action()
      longest = Math.max(longest, performance.now() - start)
      await sleep(pauseMilliseconds)
    }
    return longest
  }
  const running = run()
  return () => {
    isOver = true
    return running
  }
}

/** Returns a client that reuses one connection, and waits for the beginning of each response. */
export function keptClient(port: number, request: string): () => Promise<void> {
  let socket: Socket | undefined
  return async () => {
    socket ??= open(port)
    await sendOn(socket, request)
    if (socket.destroyed) socket = undefined
  }
}

/** Returns a client that opens a connection for each request. */
export function newClient(port: number, request: string): () => Promise<void> {
  return async () => {
    const socket = open(port)
    await sendOn(socket, request)
    socket.destroy()
  }
}

/** An error is followed by `close`. */
const open = (port: number): Socket => connect(port, '127.0.0.1').on('error', () => undefined)

function sendOn(socket: Socket, request: string): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      socket.off('data', end).off('close', end).unref()
      resolve()
    }
    socket.ref().on('data', end).on('close', end).write(request)
  })
}

// As a process of its own: a job comes in, `ready` goes out, a message starts the flood, the number of responses goes out.
if (import.meta.main) {
  process.once('message', (flood: Flood) => {
    void openFlood(flood).then((send) => {
      process.once('message', () => {
        void send().then((responses) => {
          process.send?.(responses)
          process.disconnect?.()
        })
      })
      process.send?.('ready')
    })
  })
}
