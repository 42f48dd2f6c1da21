import { type Socket, connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

const pauseMilliseconds = 5

/** Runs one action after another until it is stopped. @returns a function that stops, with the longest in milliseconds */
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

/** Returns a client that sends a request and waits for the beginning of the response, always on one connection. */
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
