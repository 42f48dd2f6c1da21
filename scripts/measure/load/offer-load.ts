import { once } from 'node:events'
import { type Socket, connect } from 'node:net'
import { createRequest } from './http-load.ts'

/** An open loop of creates: requests are sent at a fixed rate, whether or not answers come. */
export interface Offer {
  port: number
  token: string
  /** Requests a second. */
  rate: number
  seconds: number
  /** The id of the first plant. */
  first: number
}

/** Counts per second. */
export interface OfferedResult {
  /** Answered 200 within a second of the time at which the request was due. */
  good: number
  refused: number
  late: number
  /** No connection was free. */
  unsent: number
  /** Still unanswered when the time was over. */
  unanswered: number
  /** The longest wait of an answer that was not a refusal, in milliseconds. */
  worst: number
}

/** Opened before the load begins, as proxies do: Node accepts one connection in an iteration of its event loop. */
const connectionCount = 4_000

/** Fewer than the backlog of a listening socket on any system. */
const connectionsAtOnce = 100

const lateMilliseconds = 1_000

/** Offers the load. @throws Error when no connection can be opened */
export async function offerLoad({ port, token, rate, seconds, first }: Offer): Promise<OfferedResult> {
  const counts = { good: 0, refused: 0, late: 0, unsent: 0, worst: 0 }
  const sockets = await openConnections(port)
  const idle = [...sockets]
  let id = first
  let answered = 0

  function ask(socket: Socket, dueAt: number): void {
    socket.write(createRequest(`HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n`, id++), 'latin1')
    // Answers to creates are small: each arrives in one piece.
    socket.once('data', (bytes: Buffer) => {
      const wait = performance.now() - dueAt
      answered++
      const status = bytes.toString('latin1', 9, 12)
      if (status === '503') counts.refused++
      else {
        counts.worst = Math.max(counts.worst, wait)
        if (wait > lateMilliseconds) counts.late++
        else if (status === '200') counts.good++
      }
      idle.push(socket)
    })
  }

  function request(dueAt: number): void {
    const free = idle.pop()
    if (free === undefined) counts.unsent++
    else ask(free, dueAt)
  }

  const start = performance.now()
  let asked = 0
  while (performance.now() - start < seconds * 1_000) {
    const due = Math.floor(((performance.now() - start) / 1_000) * rate)
    while (asked < due) request(start + (++asked / rate) * 1_000)
    // Answers are read in between.
    await new Promise(setImmediate)
  }
  for (const socket of sockets) socket.destroy()
  return {
    good: counts.good / seconds,
    refused: counts.refused / seconds,
    late: counts.late / seconds,
    unsent: counts.unsent / seconds,
    unanswered: (asked - answered - counts.unsent) / seconds,
    worst: counts.worst,
  }
}

async function openConnections(port: number): Promise<Socket[]> {
  const sockets: Socket[] = []
  while (sockets.length < connectionCount) {
    const opened = Array.from({ length: Math.min(connectionsAtOnce, connectionCount - sockets.length) }, async () => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true })
      await once(socket, 'connect')
      return socket
    })
    sockets.push(...(await Promise.all(opened)))
  }
  return sockets
}
